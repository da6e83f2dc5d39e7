//! The functions of SQLite that are used, looked up in a loaded library.

use crate::library::{ExpectedLibrary, functions, text};
use dbdyno_engine::describe::Library;
use std::ffi::{c_char, c_int, c_uchar, c_void};

/// SQLite's `sqlite3`: a connection.
#[repr(C)]
pub(super) struct Sqlite3(c_void);
/// SQLite's `sqlite3_stmt`: a statement.
#[repr(C)]
pub(super) struct Sqlite3Stmt(c_void);

/// SQLite's callback for a conflict with another connection's lock: receives the registered pointer and the number of previous calls;
/// returns 0 to stop.
pub(super) type CBusyHandler = extern "C" fn(*mut c_void, c_int) -> c_int;

pub(super) const OK: c_int = 0;
pub(super) const BUSY: c_int = 5;
pub(super) const LOCKED: c_int = 6;
pub(super) const ROW: c_int = 100;
pub(super) const DONE: c_int = 101;
pub(super) const INTEGER: c_int = 1;
pub(super) const FLOAT: c_int = 2;
pub(super) const TEXT: c_int = 3;
pub(super) const BLOB: c_int = 4;
pub(super) const OPEN_READWRITE: c_int = 0x2;
pub(super) const OPEN_CREATE: c_int = 0x4;
pub(super) const OPEN_NOMUTEX: c_int = 0x8000;
pub(super) const OPEN_FULLMUTEX: c_int = 0x1_0000;

/// Makes SQLite copy bytes before the call returns: -1.
pub(super) const TRANSIENT: isize = -1;

functions! {
    Api of ExpectedLibrary { of: "SQLite", file: "libsqlite3.so" };
    libversion = "sqlite3_libversion": fn() -> *const c_char;
    libversion_number = "sqlite3_libversion_number": fn() -> c_int;
    sourceid = "sqlite3_sourceid": fn() -> *const c_char;
    compileoption_get = "sqlite3_compileoption_get": fn(c_int) -> *const c_char;
    open = "sqlite3_open_v2": fn(*const c_char, *mut *mut Sqlite3, c_int, *const c_char) -> c_int;
    close = "sqlite3_close": fn(*mut Sqlite3) -> c_int;
    errmsg = "sqlite3_errmsg": fn(*mut Sqlite3) -> *const c_char;
    get_autocommit = "sqlite3_get_autocommit": fn(*mut Sqlite3) -> c_int;
    busy_timeout = "sqlite3_busy_timeout": fn(*mut Sqlite3, c_int) -> c_int;
    busy_handler = "sqlite3_busy_handler": fn(*mut Sqlite3, Option<CBusyHandler>, *mut c_void) -> c_int;
    db_mutex = "sqlite3_db_mutex": fn(*mut Sqlite3) -> *mut c_void;
    changes = "sqlite3_changes": fn(*mut Sqlite3) -> c_int;
    prepare = "sqlite3_prepare_v2":
        fn(*mut Sqlite3, *const c_char, c_int, *mut *mut Sqlite3Stmt, *mut *const c_char) -> c_int;
    db_status = "sqlite3_db_status": fn(*mut Sqlite3, c_int, *mut c_int, *mut c_int, c_int) -> c_int;
    next_stmt = "sqlite3_next_stmt": fn(*mut Sqlite3, *mut Sqlite3Stmt) -> *mut Sqlite3Stmt;
    stmt_status = "sqlite3_stmt_status": fn(*mut Sqlite3Stmt, c_int, c_int) -> c_int;
    step = "sqlite3_step": fn(*mut Sqlite3Stmt) -> c_int;
    reset = "sqlite3_reset": fn(*mut Sqlite3Stmt) -> c_int;
    finalize = "sqlite3_finalize": fn(*mut Sqlite3Stmt) -> c_int;
    bind_blob = "sqlite3_bind_blob": fn(*mut Sqlite3Stmt, c_int, *const c_void, c_int, isize) -> c_int;
    bind_text = "sqlite3_bind_text": fn(*mut Sqlite3Stmt, c_int, *const c_char, c_int, isize) -> c_int;
    bind_int64 = "sqlite3_bind_int64": fn(*mut Sqlite3Stmt, c_int, i64) -> c_int;
    bind_double = "sqlite3_bind_double": fn(*mut Sqlite3Stmt, c_int, f64) -> c_int;
    bind_null = "sqlite3_bind_null": fn(*mut Sqlite3Stmt, c_int) -> c_int;
    column_count = "sqlite3_column_count": fn(*mut Sqlite3Stmt) -> c_int;
    column_type = "sqlite3_column_type": fn(*mut Sqlite3Stmt, c_int) -> c_int;
    column_bytes = "sqlite3_column_bytes": fn(*mut Sqlite3Stmt, c_int) -> c_int;
    column_blob = "sqlite3_column_blob": fn(*mut Sqlite3Stmt, c_int) -> *const c_void;
    column_text = "sqlite3_column_text": fn(*mut Sqlite3Stmt, c_int) -> *const c_uchar;
    column_int64 = "sqlite3_column_int64": fn(*mut Sqlite3Stmt, c_int) -> i64;
    column_double = "sqlite3_column_double": fn(*mut Sqlite3Stmt, c_int) -> f64;
}

impl Api {
    /// Returns its version, compile options and source.
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn library(&self) -> Library {
        // SAFETY: calls without conditions, which return null or texts of SQLite's own. Past the last compile option the result is null.
        unsafe {
            Library {
                version: text((self.libversion)()).unwrap_or_default(),
                build: (0..).map_while(|at| text((self.compileoption_get)(at))).collect(),
                source: text((self.sourceid)()),
            }
        }
    }
}
