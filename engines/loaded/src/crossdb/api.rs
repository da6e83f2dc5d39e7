//! The functions of CrossDB that dbdyno uses, looked up in a loaded library.

use crate::{
    identity,
    library::{ExpectedLibrary, LoadedLibrary, functions, text},
};
use dbdyno_engine::{EngineError, describe};
use std::ffi::{c_char, c_int, c_void};

/// CrossDB's `xdb_conn_t`: a connection.
#[repr(C)]
pub(super) struct XdbConn(c_void);
/// CrossDB's `xdb_stmt_t`: a prepared statement.
#[repr(C)]
pub(super) struct XdbStmt(c_void);
/// CrossDB's `xdb_res_t`: the result of a statement.
#[repr(C)]
pub(super) struct XdbRes(c_void);
/// CrossDB's `xdb_row_t`: a row of a result.
#[repr(C)]
pub(super) struct XdbRow(c_void);

pub(super) const OK: c_int = 0;

const CROSSDB: ExpectedLibrary = ExpectedLibrary { of: "CrossDB", file: "libcrossdb.so" };

functions! {
    Api of CROSSDB;
    open = "xdb_open": fn(*const c_char) -> *mut XdbConn;
    close = "xdb_close": fn(*mut XdbConn);
    exec = "xdb_exec": fn(*mut XdbConn, *const c_char) -> *mut XdbRes;
    errcode = "xdb_errcode": fn(*mut XdbRes) -> c_int;
    errmsg = "xdb_errmsg": fn(*mut XdbRes) -> *const c_char;
    free_result = "xdb_free_result": fn(*mut XdbRes);
    prepare = "xdb_stmt_prepare": fn(*mut XdbConn, *const c_char) -> *mut XdbStmt;
    bind_blob = "xdb_bind_blob": fn(*mut XdbStmt, u16, *const c_void, c_int) -> c_int;
    stmt_exec = "xdb_stmt_exec": fn(*mut XdbStmt) -> *mut XdbRes;
    stmt_close = "xdb_stmt_close": fn(*mut XdbStmt);
    fetch_row = "xdb_fetch_row": fn(*mut XdbRes) -> *mut XdbRow;
    column_blob = "xdb_column_blob": fn(*mut XdbRes, *mut XdbRow, u16, *mut c_int) -> *const c_void;
    affected_rows = "xdb_affected_rows": fn(*mut XdbRes) -> c_int;
    begin = "xdb_begin": fn(*mut XdbConn) -> c_int;
    commit = "xdb_commit": fn(*mut XdbConn) -> c_int;
    rollback = "xdb_rollback": fn(*mut XdbConn) -> c_int;
    version = "xdb_version": fn() -> *const c_char;
}

/// Binds the values that follow, each as its length and its bytes, and runs a statement.
type BindAndRun = unsafe extern "C" fn(*mut XdbStmt, ...) -> *mut XdbRes;

/// The functions of a library, including the variadic one.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub(super) api: &'static Api,
    pub(super) bind_and_run: BindAndRun,
}

impl Functions {
    /// Loads the functions of the library at a path.
    ///
    /// # Errors
    /// There is no library at this path, or another one is already loaded.
    #[expect(unsafe_code, reason = "the type of the documented interface is given to a function")]
    pub(super) fn load(path: &str) -> Result<Self, EngineError> {
        let api = Api::load(path)?;
        // SAFETY: the type is that of the library's documented interface.
        let bind_and_run = unsafe { LoadedLibrary::load(path, CROSSDB)?.function("xdb_stmt_bexec") }?;
        Ok(Self { api, bind_and_run })
    }

    /// Returns its version, and a digest that identifies the build of that version.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn library(self) -> describe::Library {
        // SAFETY: a call without conditions, which returns null or a text of the library's own.
        let version = unsafe { text((self.api.version)()) }.unwrap_or_default();
        describe::Library { version, build: Vec::new(), source: identity::digest(self.api.open as *const c_void) }
    }
}
