//! The functions of the program's own SQLite: the recorder does not link SQLite.

use crate::{
    abi::{
        DbPointer, DestructorPointer, ExecCallback, OK, OPEN_CREATE, OPEN_READWRITE, SqlFunction, StmtPointer,
        TraceCallback,
    },
    threads::{DepthGuard, sees_inner_calls},
};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    mem,
    sync::OnceLock,
};

/// Where functions come from.
pub(crate) trait FunctionSource {
    /// Returns the address of a function, or null. `entry` is its place in `sqlite3_api_routines`, if it is used from
    /// there.
    fn find(&self, name: &CStr, entry: Option<usize>) -> *mut c_void;
}

macro_rules! functions {
    ($($field:ident $symbol:literal $entry:expr, ($($argument:ty),*) -> $result:ty;)*) => {
        /// Functions of one SQLite. Older versions lack some.
        pub(crate) struct SqliteLibrary {
            $(pub(crate) $field: Option<unsafe extern "C" fn($($argument),*) -> $result>,)*
            /// The only one that takes any number of arguments.
            pub(crate) db_config: Option<unsafe extern "C" fn(DbPointer, c_int, ...) -> c_int>,
            /// Whether its calls of its own functions come to the recorder, once that is known.
            calls_itself: OnceLock<bool>,
        }

        impl SqliteLibrary {
            pub(crate) fn load(source: &impl FunctionSource) -> Self {
                Self {
                    $($field: {
                        let address = source.find($symbol, $entry);
                        // SAFETY: the symbol, or the table's entry, has this type in every version of SQLite that has
                        // it. Null is None.
                        unsafe {
                            mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($argument),*) -> $result>,
                            >(address)
                        }
                    },)*
                    db_config: {
                        let address = source.find(c"sqlite3_db_config", Some(163));
                        // SAFETY: as above.
                        unsafe {
                            mem::transmute::<*mut c_void, Option<unsafe extern "C" fn(DbPointer, c_int, ...) -> c_int>>(
                                address,
                            )
                        }
                    },
                    calls_itself: OnceLock::new(),
                }
            }
        }
    };
}

// Entries are counted in pointers from the start of `struct sqlite3_api_routines` in sqlite3ext.h, which only grows at
// its end.
functions! {
    open c"sqlite3_open" None, (*const c_char, *mut DbPointer) -> c_int;
    open16 c"sqlite3_open16" None, (*const c_void, *mut DbPointer) -> c_int;
    open_v2 c"sqlite3_open_v2" Some(135), (*const c_char, *mut DbPointer, c_int, *const c_char) -> c_int;
    close c"sqlite3_close" Some(16), (DbPointer) -> c_int;
    close_v2 c"sqlite3_close_v2" None, (DbPointer) -> c_int;
    prepare_v2 c"sqlite3_prepare_v2" Some(116),
        (DbPointer, *const c_char, c_int, *mut StmtPointer, *mut *const c_char) -> c_int;
    stmt_busy c"sqlite3_stmt_busy" Some(184), (StmtPointer) -> c_int;
    step c"sqlite3_step" Some(94), (StmtPointer) -> c_int;
    reset c"sqlite3_reset" None, (StmtPointer) -> c_int;
    finalize c"sqlite3_finalize" Some(57), (StmtPointer) -> c_int;
    exec c"sqlite3_exec" Some(55), (DbPointer, *const c_char, ExecCallback, *mut c_void, *mut *mut c_char) -> c_int;
    get_table c"sqlite3_get_table" None,
        (DbPointer, *const c_char, *mut *mut *mut c_char, *mut c_int, *mut c_int, *mut *mut c_char) -> c_int;
    bind_blob c"sqlite3_bind_blob" None, (StmtPointer, c_int, *const c_void, c_int, DestructorPointer) -> c_int;
    bind_blob64 c"sqlite3_bind_blob64" None, (StmtPointer, c_int, *const c_void, u64, DestructorPointer) -> c_int;
    bind_double c"sqlite3_bind_double" None, (StmtPointer, c_int, f64) -> c_int;
    bind_int64 c"sqlite3_bind_int64" None, (StmtPointer, c_int, i64) -> c_int;
    bind_null c"sqlite3_bind_null" None, (StmtPointer, c_int) -> c_int;
    bind_text c"sqlite3_bind_text" None, (StmtPointer, c_int, *const c_char, c_int, DestructorPointer) -> c_int;
    bind_text16 c"sqlite3_bind_text16" None, (StmtPointer, c_int, *const c_void, c_int, DestructorPointer) -> c_int;
    bind_text64 c"sqlite3_bind_text64" None,
        (StmtPointer, c_int, *const c_char, u64, DestructorPointer, u8) -> c_int;
    bind_value c"sqlite3_bind_value" None, (StmtPointer, c_int, *const c_void) -> c_int;
    bind_pointer c"sqlite3_bind_pointer" None,
        (StmtPointer, c_int, *mut c_void, *const c_char, DestructorPointer) -> c_int;
    bind_zeroblob c"sqlite3_bind_zeroblob" None, (StmtPointer, c_int, c_int) -> c_int;
    bind_zeroblob64 c"sqlite3_bind_zeroblob64" None, (StmtPointer, c_int, u64) -> c_int;
    clear_bindings c"sqlite3_clear_bindings" None, (StmtPointer) -> c_int;
    transfer_bindings c"sqlite3_transfer_bindings" None, (StmtPointer, StmtPointer) -> c_int;
    value_type c"sqlite3_value_type" None, (*const c_void) -> c_int;
    value_int64 c"sqlite3_value_int64" None, (*const c_void) -> i64;
    value_double c"sqlite3_value_double" None, (*const c_void) -> f64;
    value_dup c"sqlite3_value_dup" None, (*const c_void) -> *mut c_void;
    value_free c"sqlite3_value_free" None, (*mut c_void) -> ();
    value_text c"sqlite3_value_text" None, (*mut c_void) -> *const c_void;
    value_blob c"sqlite3_value_blob" None, (*mut c_void) -> *const c_void;
    value_bytes c"sqlite3_value_bytes" None, (*mut c_void) -> c_int;
    trace c"sqlite3_trace" None, (DbPointer, *mut c_void, *mut c_void) -> *mut c_void;
    profile c"sqlite3_profile" None, (DbPointer, *mut c_void, *mut c_void) -> *mut c_void;
    trace_v2 c"sqlite3_trace_v2" Some(214), (DbPointer, u32, TraceCallback, *mut c_void) -> c_int;
    sql c"sqlite3_sql" Some(153), (StmtPointer) -> *const c_char;
    expanded_sql c"sqlite3_expanded_sql" Some(215), (StmtPointer) -> *mut c_char;
    free c"sqlite3_free" Some(58), (*mut c_void) -> ();
    bind_parameter_count c"sqlite3_bind_parameter_count" Some(7), (StmtPointer) -> c_int;
    bind_parameter_index c"sqlite3_bind_parameter_index" Some(8), (StmtPointer, *const c_char) -> c_int;
    db_handle c"sqlite3_db_handle" Some(49), (StmtPointer) -> DbPointer;
    db_name c"sqlite3_db_name" Some(264), (DbPointer, c_int) -> *const c_char;
    db_filename c"sqlite3_db_filename" Some(180), (DbPointer, *const c_char) -> *const c_char;
    total_changes c"sqlite3_total_changes" Some(97), (DbPointer) -> c_int;
    errmsg c"sqlite3_errmsg" Some(53), (DbPointer) -> *const c_char;
    column_text c"sqlite3_column_text" Some(36), (StmtPointer, c_int) -> *const c_char;
    backup_init c"sqlite3_backup_init" Some(156),
        (DbPointer, *const c_char, DbPointer, *const c_char) -> *mut c_void;
    backup_step c"sqlite3_backup_step" Some(159), (*mut c_void, c_int) -> c_int;
    backup_finish c"sqlite3_backup_finish" Some(155), (*mut c_void) -> c_int;
    libversion c"sqlite3_libversion" Some(66), () -> *const c_char;
    sourceid c"sqlite3_sourceid" Some(169), () -> *const c_char;
    compileoption_get c"sqlite3_compileoption_get" Some(160), (c_int) -> *const c_char;
    auto_extension c"sqlite3_auto_extension" Some(192), (*mut c_void) -> c_int;
    create_function_v2 c"sqlite3_create_function_v2" Some(162),
        (
            DbPointer, *const c_char, c_int, c_int, *mut c_void, SqlFunction, *mut c_void, *mut c_void,
            DestructorPointer
        ) -> c_int;
    set_clientdata c"sqlite3_set_clientdata" Some(269),
        (DbPointer, *const c_char, *mut c_void, DestructorPointer) -> c_int;
}

impl SqliteLibrary {
    /// Returns whether the library's calls of its own functions come to the recorder. That depends on how it was
    /// linked: Debian's do, and Ubuntu's, which are linked with `-Bsymbolic-functions`, do not.
    pub(crate) fn calls_itself_through_us(&self) -> bool {
        *self.calls_itself.get_or_init(|| {
            let _inside = DepthGuard::new();
            sees_inner_calls(|| self.try_exec())
        })
    }

    /// Runs `sqlite3_exec` on a database of its own, in memory.
    fn try_exec(&self) {
        let Some(((open, exec), close)) = self.open_v2.zip(self.exec).zip(self.close) else { return };
        let mut db = std::ptr::null_mut();
        let (flags, null) = (OPEN_READWRITE | OPEN_CREATE, std::ptr::null_mut());
        // SAFETY: the connection is the recorder's own. SQLite accepts a connection that it could not open in `close`.
        unsafe {
            if open(c":memory:".as_ptr(), &raw mut db, flags, std::ptr::null()) == OK {
                exec(db, c"SELECT 1".as_ptr(), None, null, std::ptr::null_mut());
            }
            close(db);
        }
    }
}

/// The table that SQLite gives to extensions.
pub(crate) struct ApiRoutines {
    table: *const *mut c_void,
    entries: usize,
}

impl ApiRoutines {
    /// # Safety
    ///
    /// `table` is the `sqlite3_api_routines` of a running SQLite.
    pub(crate) unsafe fn new(table: *const *mut c_void) -> Self {
        const LIBVERSION_NUMBER: usize = 67;
        // SAFETY: every version with extensions has the first 130 entries.
        let function = unsafe { *table.add(LIBVERSION_NUMBER) };
        // SAFETY: the entry has this type. Null is None.
        let number = unsafe { mem::transmute::<*mut c_void, Option<unsafe extern "C" fn() -> c_int>>(function) };
        // SAFETY: it takes nothing and returns a constant.
        let version = number.map_or(0, |number| unsafe { number() });
        Self { table, entries: entries(version) }
    }
}

/// Entries that a version's table has at least. Reading further would read behind the table.
fn entries(version: c_int) -> usize {
    match version {
        3_044_000.. => 270,
        3_039_000.. => 265,
        3_014_000.. => 216,
        3_008_007.. => 195,
        _ => 130,
    }
}

impl FunctionSource for ApiRoutines {
    fn find(&self, _: &CStr, entry: Option<usize>) -> *mut c_void {
        match entry {
            // SAFETY: the table has so many entries.
            Some(entry) if entry < self.entries => unsafe { *self.table.add(entry) },
            _ => std::ptr::null_mut(),
        }
    }
}

/// Copies a C string, with replacements for what is not UTF-8. Null is empty.
///
/// # Safety
///
/// `text` is null or ends with a zero, and is not changed meanwhile.
pub(crate) unsafe fn copied(text: *const c_char) -> String {
    // SAFETY: the caller's promise.
    if text.is_null() { String::new() } else { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() }
}
