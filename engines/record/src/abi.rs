//! SQLite's C interface, as far as the recorder uses it. Numbers are from sqlite3.h, where they never change.

use std::ffi::{c_char, c_int, c_void};

/// A `sqlite3 *`.
pub(crate) type DbPointer = *mut c_void;
/// A `sqlite3_stmt *`.
pub(crate) type StmtPointer = *mut c_void;
/// A destructor of a bound value: a function, or one of two small numbers. The recorder only passes it on.
pub(crate) type DestructorPointer = *mut c_void;
/// The callback of `sqlite3_exec`.
pub(crate) type ExecCallback =
    Option<unsafe extern "C" fn(*mut c_void, c_int, *mut *mut c_char, *mut *mut c_char) -> c_int>;
/// The callback of `sqlite3_trace_v2`.
pub(crate) type TraceCallback = Option<unsafe extern "C" fn(u32, *mut c_void, *mut c_void, *mut c_void) -> c_int>;
/// A function that SQL can call.
pub(crate) type SqlFunction = Option<unsafe extern "C" fn(*mut c_void, c_int, *mut *mut c_void)>;

pub(crate) const OK: c_int = 0;
pub(crate) const ERROR: c_int = 1;
pub(crate) const BUSY: c_int = 5;
pub(crate) const LOCKED: c_int = 6;
pub(crate) const ROW: c_int = 100;
pub(crate) const DONE: c_int = 101;
pub(crate) const OK_LOAD_PERMANENTLY: c_int = 256;

pub(crate) const OPEN_READONLY: c_int = 0x1;
pub(crate) const OPEN_READWRITE: c_int = 0x2;
pub(crate) const OPEN_CREATE: c_int = 0x4;
pub(crate) const OPEN_PRIVATECACHE: c_int = 0x4_0000;

pub(crate) const TRACE_STMT: u32 = 1;
pub(crate) const TRACE_PROFILE: u32 = 2;
pub(crate) const TRACE_ROW: u32 = 4;
pub(crate) const TRACE_CLOSE: u32 = 8;

pub(crate) const DBCONFIG_NO_CKPT_ON_CLOSE: c_int = 1006;

pub(crate) const TYPE_INTEGER: c_int = 1;
pub(crate) const TYPE_FLOAT: c_int = 2;
pub(crate) const TYPE_TEXT: c_int = 3;
pub(crate) const TYPE_BLOB: c_int = 4;

pub(crate) const UTF8: c_int = 1;
pub(crate) const UTF16LE: u8 = 2;
pub(crate) const UTF16BE: u8 = 3;
pub(crate) const UTF16: u8 = 4;

/// The bits of a result code that are its primary code.
pub(crate) const PRIMARY: c_int = 0xff;
