//! Statements of a loaded library with their values and rows.

use super::{
    api::{self, Api, Sqlite3Stmt},
    connection::Loaded,
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    prepared::PreparedStatement,
    sql::{SqlRow, SqlValueRef},
};
use dbdyno_tables::counted;
use std::{
    ffi::{c_int, c_void},
    ops::ControlFlow,
    ptr, slice,
};

pub struct LoadedStatement<'c> {
    connection: &'c Loaded,
    compiled: *mut Sqlite3Stmt,
}

impl<'c> LoadedStatement<'c> {
    /// Prepares the first statement of a text, and returns the text after it.
    pub(super) fn first_of<'s>(connection: &'c Loaded, sql: &'s str) -> Result<(Self, &'s str), EngineError> {
        connection.compile(sql).map(|(compiled, rest)| (Self { connection, compiled }, rest))
    }

    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    fn bind(&mut self, place: c_int, value: SqlValueRef<'_>) -> Result<(), EngineError> {
        let (api, compiled) = (self.connection.api, self.compiled);
        // No suite has values near the limit of 1 GB; SQLite refuses a negative length.
        let length = |bytes: &[u8]| bytes.len() as c_int;
        // SAFETY: the statement is prepared and reset; bytes are copied before the call returns.
        let code = unsafe {
            match value {
                SqlValueRef::Null => (api.bind_null)(compiled, place),
                SqlValueRef::Integer(number) => (api.bind_int64)(compiled, place, number),
                SqlValueRef::Real(number) => (api.bind_double)(compiled, place, number),
                SqlValueRef::Text(bytes) => {
                    (api.bind_text)(compiled, place, bytes.as_ptr().cast(), length(bytes), api::TRANSIENT)
                }
                SqlValueRef::Blob(bytes) => {
                    (api.bind_blob)(compiled, place, bytes.as_ptr().cast(), length(bytes), api::TRANSIENT)
                }
            }
        };
        self.connection.check(code)
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn changed(&self) -> u64 {
        // SAFETY: the connection is open.
        u64::from(unsafe { (self.connection.api.changes)(self.connection.handle) }.unsigned_abs())
    }
}

impl Drop for LoadedStatement<'_> {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the statement is prepared, or null, which SQLite ignores; its error was reported before.
        unsafe { (self.connection.api.finalize)(self.compiled) };
    }
}

/// A row of a result, valid until the statement is stepped.
pub struct LoadedRow<'r> {
    api: &'static Api,
    statement: &'r LoadedStatement<'r>,
}

impl LoadedRow<'_> {
    /// Returns the bytes of a column, which SQLite holds at this address.
    #[inline]
    #[expect(unsafe_code, reason = "bytes given by C")]
    fn slice(&self, column: c_int, at: *const c_void) -> &[u8] {
        // SAFETY: called right after SQLite returned the address, which is valid until the statement is stepped. The length is that of the
        // same value. An empty value has the address null.
        unsafe {
            let length = (self.api.column_bytes)(self.statement.compiled, column);
            if at.is_null() { &[] } else { slice::from_raw_parts(at.cast(), length.unsigned_abs() as usize) }
        }
    }
}

impl SqlRow for LoadedRow<'_> {
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn columns(&self) -> usize {
        // SAFETY: the statement is prepared.
        unsafe { (self.api.column_count)(self.statement.compiled) }.unsigned_abs() as usize
    }

    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    fn value(&self, column: usize) -> SqlValueRef<'_> {
        let (api, compiled, column) = (self.api, self.statement.compiled, column as c_int);
        // SAFETY: the statement is at a row; a column that does not exist is NULL.
        unsafe {
            match (api.column_type)(compiled, column) {
                api::INTEGER => SqlValueRef::Integer((api.column_int64)(compiled, column)),
                api::FLOAT => SqlValueRef::Real((api.column_double)(compiled, column)),
                api::TEXT => SqlValueRef::Text(self.slice(column, (api.column_text)(compiled, column).cast())),
                api::BLOB => SqlValueRef::Blob(self.slice(column, (api.column_blob)(compiled, column))),
                _ => SqlValueRef::Null,
            }
        }
    }
}

impl<'c> PreparedStatement<'c> for LoadedStatement<'c> {
    type Connection = Loaded;
    type Row<'r> = LoadedRow<'r>;

    fn prepare(connection: &'c Loaded, sql: &str) -> Result<Self, EngineError> {
        Self::first_of(connection, sql).map(|(statement, _)| statement)
    }

    #[inline]
    fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError> {
        self.query(values, |_| ControlFlow::Continue(()))?;
        Ok(self.changed())
    }

    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    fn query<'v>(
        &mut self,
        values: impl Iterator<Item = SqlValueRef<'v>>,
        mut visit: impl FnMut(&LoadedRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let api = self.connection.api;
        if self.compiled.is_null() {
            // A text with only white space and comments.
            return Ok(());
        }
        for (value, place) in values.zip(1..) {
            self.bind(place, value)?;
        }
        loop {
            // SAFETY: the statement is prepared.
            match unsafe { (api.step)(self.compiled) } {
                api::ROW if visit(&LoadedRow { api, statement: self }).is_continue() => {}
                api::ROW | api::DONE => break,
                code => {
                    let error = self.connection.error(code);
                    // SAFETY: as above; this error is the step's, which is already reported.
                    unsafe { (api.reset)(self.compiled) };
                    return Err(error);
                }
            }
        }
        // SAFETY: as above.
        self.connection.check(unsafe { (api.reset)(self.compiled) })
    }

    #[expect(unsafe_code, reason = "calls of C")]
    fn counters(connection: &Loaded) -> EngineCounters {
        let Loaded { api, handle, .. } = *connection;
        // SAFETY: the call has no conditions.
        if unsafe { (api.libversion_number)() } < counted::SINCE {
            return EngineCounters::default();
        }
        let of_connection = |number| {
            let (mut value, mut highest) = (0, 0);
            // SAFETY: the connection is open, and this thread uses it alone.
            unsafe { (api.db_status)(handle, number, &raw mut value, &raw mut highest, 0) };
            u64::try_from(value).unwrap_or(0)
        };
        let of_statements = |number| {
            // SAFETY: as above; the statements of a connection are in a list, which nothing changes meanwhile.
            unsafe {
                let (mut sum, mut statement) = (0, (api.next_stmt)(handle, ptr::null_mut()));
                while !statement.is_null() {
                    sum += u64::try_from((api.stmt_status)(statement, number, 0)).unwrap_or(0);
                    statement = (api.next_stmt)(handle, statement);
                }
                sum
            }
        };
        counted::counters(of_connection, of_statements)
    }
}
