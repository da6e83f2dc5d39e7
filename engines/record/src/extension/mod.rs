//! The recorder as an extension of SQLite. It has the trace slot of every connection.

mod traced;

use crate::{
    abi::{DbPointer, OK, OK_LOAD_PERMANENTLY, TRACE_CLOSE, TRACE_PROFILE, TRACE_ROW, TRACE_STMT, UTF8},
    connections::{ConnectionState, OpenArguments},
    library::{ApiRoutines, SqliteLibrary},
    settings::settings,
    system,
    threads::is_inside,
    world::{RecorderWorld, lock, world},
};
use dbdyno_recording::{LostSlot, RecordedLine, RecorderKind};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};
use traced::{TracedConnection, connection_ended, report};

/// The program's SQLite. A process with several that all load the extension has only the first one recorded.
static LIBRARY: AtomicPtr<SqliteLibrary> = AtomicPtr::new(ptr::null_mut());

// SAFETY: the name that SQLite looks for in every extension.
#[unsafe(no_mangle)]
unsafe extern "C" fn sqlite3_extension_init(
    db: DbPointer,
    _message: *mut *mut c_char,
    api: *const *mut c_void,
) -> c_int {
    // SAFETY: SQLite's arguments for an extension.
    unsafe { load(db, api) }
}

// SAFETY: the name that SQLite derives from the name of the library's file.
#[unsafe(no_mangle)]
unsafe extern "C" fn sqlite3_dbdynorecord_init(
    db: DbPointer,
    _message: *mut *mut c_char,
    api: *const *mut c_void,
) -> c_int {
    // SAFETY: as above.
    unsafe { load(db, api) }
}

/// # Safety
///
/// The arguments are those that SQLite gives to an extension.
unsafe fn load(db: DbPointer, api: *const *mut c_void) -> c_int {
    if settings().is_none() || api.is_null() {
        return OK;
    }
    // SAFETY: the caller's promise.
    let Some(library) = (unsafe { library(api) }) else { return OK };
    system::keeping_errno(|| {
        if let Some(auto_extension) = library.auto_extension {
            // SAFETY: the function stays loaded, and has the type of an extension's entry.
            unsafe { auto_extension(attach_automatically as *const () as *mut c_void) };
        }
        attach_to(library, db);
    });
    OK_LOAD_PERMANENTLY
}

/// Called for each further connection.
unsafe extern "C" fn attach_automatically(db: DbPointer, _message: *mut *mut c_char, api: *const *mut c_void) -> c_int {
    // SAFETY: SQLite's arguments for an extension.
    if let Some(library) = unsafe { library(api) } {
        system::keeping_errno(|| attach_to(library, db));
    }
    OK
}

/// Returns the functions of the table, if it belongs to the first SQLite.
///
/// # Safety
///
/// `api` is the table that SQLite gives to an extension.
unsafe fn library(api: *const *mut c_void) -> Option<&'static SqliteLibrary> {
    // SAFETY: the caller's promise.
    let new = SqliteLibrary::load(&unsafe { ApiRoutines::new(api) });
    let step = |library: &SqliteLibrary| library.step.map(|step| step as usize);
    let found = LIBRARY.load(Ordering::Acquire);
    if found.is_null() {
        let new = Box::into_raw(Box::new(new));
        let first = LIBRARY.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        // SAFETY: libraries are never freed.
        return Some(unsafe { &*first.map_or_else(|first| first, |_| new) });
    }
    // SAFETY: as above.
    let found = unsafe { &*found };
    (step(found) == step(&new)).then_some(found)
}

/// Takes the trace slot of a connection, unless it is the recorder's own or is recorded otherwise.
fn attach_to(library: &'static SqliteLibrary, db: DbPointer) {
    let Some(trace_v2) = library.trace_v2 else { return };
    if is_inside() {
        return;
    }
    let Some(world) = world(library, RecorderKind::Extension) else { return };
    if lock(&world.connections).find(db.addr()).is_some() {
        return;
    }
    let connection = ConnectionState::note_open(world, library, db, &OpenArguments::default());
    let id = connection.id;
    let has_end = library.set_clientdata.is_some() || library.create_function_v2.is_some();
    // Freed only if SQLite reports the end of the connection. Its end is otherwise reported before its last statements.
    let context: *mut c_void = Box::into_raw(Box::new(TracedConnection::new(world, connection, has_end))).cast();
    // SAFETY: the connection is open, and the context stays until its end. If that is refused, it has been freed.
    let is_attached = unsafe { watch_end(library, db, context) };
    if is_attached {
        // SAFETY: as above.
        unsafe { trace_v2(db, TRACE_STMT | TRACE_PROFILE | TRACE_ROW | TRACE_CLOSE, Some(report), context) };
    } else {
        note_slot_lost(world, id);
    }
}

/// The name of what the recorder leaves in a connection.
const NAME: &CStr = c"dbdyno_recording";

/// Has SQLite call `connection_ended` at the end of a connection, and returns whether it will. Versions before 3.44 can
/// only be asked with a function for SQL, whose destructor they call.
///
/// # Safety
///
/// `db` is an open connection of `library`, and `context` is what `connection_ended` takes.
unsafe fn watch_end(library: &SqliteLibrary, db: DbPointer, context: *mut c_void) -> bool {
    let destructor = connection_ended as *const () as *mut c_void;
    let (null, name) = (ptr::null_mut(), NAME.as_ptr());
    // SAFETY: the caller's promise.
    let code = unsafe {
        match (library.set_clientdata, library.create_function_v2) {
            (Some(set_clientdata), _) => set_clientdata(db, name, context, destructor),
            (None, Some(create)) => create(db, name, 0, UTF8, context, Some(return_null), null, null, destructor),
            (None, None) => OK,
        }
    };
    code == OK
}

/// The function for SQL: without a result it returns null.
unsafe extern "C" fn return_null(_context: *mut c_void, _count: c_int, _arguments: *mut *mut c_void) {}

fn note_slot_lost(world: &RecorderWorld, connection: u32) {
    let lost = LostSlot { connection, at: system::monotonic() };
    lock(&world.last_lines).push(RecordedLine::SlotLost(lost));
}
