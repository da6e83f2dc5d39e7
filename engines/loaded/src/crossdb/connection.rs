//! An open connection.

use super::{
    api::{Api, Functions, XdbConn},
    statement::Answered,
};
use dbdyno_engine::EngineError;
use std::{
    ffi::{CString, c_int},
    ptr,
};

/// A connection of a library, which dropping does not close.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) functions: Functions,
    pub(super) api: &'static Api,
    pub(super) connection: *mut XdbConn,
}

impl Link {
    /// Opens a connection without a database.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn open(functions: Functions) -> Result<Self, EngineError> {
        let api = functions.api;
        // SAFETY: null asks for no database.
        let connection = unsafe { (api.open)(ptr::null()) };
        if connection.is_null() {
            return Err(EngineError::new(format!("library {}: xdb_open gave no connection", api.path.display())));
        }
        Ok(Self { functions, api, connection })
    }

    /// Runs a statement once.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn execute(self, sql: &str) -> Result<(), EngineError> {
        let c_sql = CString::new(sql).map_err(|error| EngineError::new(error.to_string()))?;
        // SAFETY: the connection is open, and the text ends with a zero.
        Answered::of(self, unsafe { (self.api.exec)(self.connection, c_sql.as_ptr()) }, sql).map(drop)
    }

    /// Calls a transaction function.
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    pub(super) fn transact(
        self,
        doing: &str,
        function: unsafe extern "C" fn(*mut XdbConn) -> c_int,
    ) -> Result<(), EngineError> {
        // SAFETY: the connection is open.
        match unsafe { function(self.connection) } {
            super::api::OK => Ok(()),
            code => Err(EngineError::new(format!("library {}: {doing} (code {code})", self.api.path.display()))),
        }
    }
}

/// A connection that is closed on drop; that closes and flushes its database too.
pub(super) struct OwnedConnection(pub(super) Link);

impl Drop for OwnedConnection {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the connection is closed once, after its statements.
        unsafe { (self.0.api.close)(self.0.connection) };
    }
}
