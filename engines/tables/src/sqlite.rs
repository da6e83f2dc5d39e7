//! Statements, values and rows of rusqlite, in the form that SQL suites use.

use crate::counted;
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    prepared::PreparedStatement,
    sql::{SqlRow, SqlValueRef},
};
use rusqlite::{Connection, ErrorCode, Statement, ToSql, ffi, types};
use std::{ffi::c_int, ops::ControlFlow, ptr};

pub fn failed(error: rusqlite::Error) -> EngineError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => EngineError::busy(error.to_string()),
        _ => EngineError::new(error.to_string()),
    }
}

#[derive(Debug)]
pub struct SqliteStatement<'c>(Statement<'c>);

impl SqliteStatement<'_> {
    #[inline]
    fn bind<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> rusqlite::Result<()> {
        for (place, value) in values.enumerate() {
            self.0.raw_bind_parameter(place + 1, SqliteParameter(value))?;
        }
        Ok(())
    }
}

impl<'c> PreparedStatement<'c> for SqliteStatement<'c> {
    type Connection = Connection;
    type Row<'r> = SqliteRow<'r>;

    #[inline]
    fn prepare(connection: &'c Connection, sql: &str) -> Result<Self, EngineError> {
        connection.prepare(sql).map(Self).map_err(failed)
    }

    #[inline]
    fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError> {
        self.bind(values).and_then(|()| self.0.raw_execute()).map(|changed| changed as u64).map_err(failed)
    }

    #[inline]
    fn query<'v>(
        &mut self,
        values: impl Iterator<Item = SqlValueRef<'v>>,
        mut visit: impl FnMut(&SqliteRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.bind(values).map_err(failed)?;
        let mut rows = self.0.raw_query();
        while let Some(row) = rows.next().map_err(failed)? {
            if visit(&SqliteRow(row)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn counters(connection: &Connection) -> EngineCounters {
        counters(connection)
    }
}

/// Returns what SQLite counted for a connection: the pages of its cache, and the work of the statements that it has prepared.
#[expect(unsafe_code, reason = "rusqlite has no call for sqlite3_db_status")]
fn counters(connection: &Connection) -> EngineCounters {
    // SAFETY: the handle belongs to an open connection, which this thread uses alone.
    unsafe {
        let handle = connection.handle();
        let of_cache = |counter| {
            let (mut value, mut highest) = (0, 0);
            ffi::sqlite3_db_status(handle, counter, &raw mut value, &raw mut highest, 0);
            u64::try_from(value).unwrap_or(0)
        };
        counted::counters(of_cache, |counter| of_statements(connection, counter))
    }
}

/// Returns what SQLite counted for the statements of a connection whose tables are virtual.
pub(crate) fn counters_of_layer(connection: &Connection) -> EngineCounters {
    counted::counters_for_layer(|counter| of_statements(connection, counter))
}

/// Returns a counter of all statements that a connection has prepared.
#[expect(unsafe_code, reason = "rusqlite counts for each statement alone")]
fn of_statements(connection: &Connection, counter: c_int) -> u64 {
    // SAFETY: the handle belongs to an open connection, which this thread uses alone; statements are only counted.
    unsafe {
        let handle = connection.handle();
        let (mut sum, mut statement) = (0, ffi::sqlite3_next_stmt(handle, ptr::null_mut()));
        while !statement.is_null() {
            sum += u64::try_from(ffi::sqlite3_stmt_status(statement, counter, 0)).unwrap_or(0);
            statement = ffi::sqlite3_next_stmt(handle, statement);
        }
        sum
    }
}

#[derive(Debug, Clone, Copy)]
pub struct SqliteParameter<'v>(pub SqlValueRef<'v>);

impl ToSql for SqliteParameter<'_> {
    #[inline]
    fn to_sql(&self) -> rusqlite::Result<types::ToSqlOutput<'_>> {
        Ok(types::ToSqlOutput::Borrowed(match self.0 {
            SqlValueRef::Null => types::ValueRef::Null,
            SqlValueRef::Integer(number) => types::ValueRef::Integer(number),
            SqlValueRef::Real(number) => types::ValueRef::Real(number),
            SqlValueRef::Text(bytes) => types::ValueRef::Text(bytes),
            SqlValueRef::Blob(bytes) => types::ValueRef::Blob(bytes),
        }))
    }
}

/// Converts a value of rusqlite to a value of a suite.
#[inline]
pub fn value(value: types::ValueRef<'_>) -> SqlValueRef<'_> {
    match value {
        types::ValueRef::Null => SqlValueRef::Null,
        types::ValueRef::Integer(number) => SqlValueRef::Integer(number),
        types::ValueRef::Real(number) => SqlValueRef::Real(number),
        types::ValueRef::Text(bytes) => SqlValueRef::Text(bytes),
        types::ValueRef::Blob(bytes) => SqlValueRef::Blob(bytes),
    }
}

#[derive(Debug)]
pub struct SqliteRow<'r>(&'r rusqlite::Row<'r>);

impl SqlRow for SqliteRow<'_> {
    #[inline]
    fn columns(&self) -> usize {
        self.0.as_ref().column_count()
    }

    #[inline]
    fn value(&self, column: usize) -> SqlValueRef<'_> {
        self.0.get_ref(column).map_or(SqlValueRef::Null, value)
    }
}
