//! Statements, values and rows of rusqlite as SQL suites use them.

use dbdyno_engine::{
    EngineError,
    kv_sql::KvStatement,
    sql::{SqlRow, SqlValue, SqlValueRef},
};
use rusqlite::{Connection, Statement, ToSql, types};

pub fn failed(error: rusqlite::Error) -> EngineError {
    EngineError::new(error.to_string())
}

/// A statement: prepared once, or parsed again each time, as the option `statements` wants it.
#[derive(Debug)]
pub enum Sql<'e> {
    /// Ready to run.
    Prepared(Statement<'e>),
    /// Text, and where it is parsed.
    Text(&'e Connection, &'e str),
}

impl<'e> Sql<'e> {
    /// A statement; `text`: it is parsed again each time.
    pub fn new(connection: &'e Connection, sql: &'e str, text: bool) -> Result<Self, EngineError> {
        if text {
            return Ok(Self::Text(connection, sql));
        }
        connection.prepare(sql).map(Self::Prepared).map_err(EngineError::doing(sql))
    }

    /// Does something with the statement.
    #[inline]
    pub fn with<R>(&mut self, run: impl FnOnce(&mut Statement<'e>) -> rusqlite::Result<R>) -> Result<R, EngineError> {
        match self {
            Self::Prepared(statement) => run(statement),
            Self::Text(connection, sql) => connection.prepare(sql).and_then(|mut statement| run(&mut statement)),
        }
        .map_err(failed)
    }

    /// Runs it with values bound; the number of rows changed.
    #[inline]
    pub fn execute(&mut self, values: &[SqlValue]) -> Result<u64, EngineError> {
        let changed = self.with(|statement| {
            bind(statement, values)?;
            statement.raw_execute()
        })?;
        Ok(changed as u64)
    }

    /// Runs it with values bound, and shows every row.
    #[inline]
    pub fn query(&mut self, values: &[SqlValue], mut visit: impl FnMut(&SqliteRow<'_>)) -> Result<(), EngineError> {
        self.with(|statement| {
            bind(statement, values)?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                visit(&SqliteRow(row));
            }
            Ok(())
        })
    }
}

impl KvStatement for Sql<'_> {
    #[inline]
    fn execute(&mut self, values: &[&[u8]]) -> Result<u64, EngineError> {
        let changed = self.with(|statement| {
            for (place, value) in values.iter().enumerate() {
                statement.raw_bind_parameter(place + 1, value)?;
            }
            statement.raw_execute()
        })?;
        Ok(changed as u64)
    }

    #[inline]
    fn first<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.with(|statement| {
            let mut rows = statement.query((key,))?;
            match rows.next()? {
                Some(row) => Ok(Some(visit(bytes(row.get_ref(0)?)))),
                None => Ok(None),
            }
        })
    }

    fn pairs(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.with(|statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(bytes(row.get_ref(0)?), bytes(row.get_ref(1)?));
            }
            Ok(())
        })
    }
}

/// The bytes of a column; a number or NULL, which no kv suite stores, shows as empty and fails verification.
#[inline]
fn bytes(value: types::ValueRef<'_>) -> &[u8] {
    match value {
        types::ValueRef::Blob(bytes) | types::ValueRef::Text(bytes) => bytes,
        types::ValueRef::Null | types::ValueRef::Integer(_) | types::ValueRef::Real(_) => &[],
    }
}

#[inline]
fn bind(statement: &mut Statement<'_>, values: &[SqlValue]) -> rusqlite::Result<()> {
    for (place, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(place + 1, SqliteParameter(value.as_ref()))?;
    }
    Ok(())
}

/// A value on its way into SQLite.
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

/// A value of SQLite's.
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

/// A row of an answer.
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
