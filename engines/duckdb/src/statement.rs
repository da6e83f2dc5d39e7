//! Statements as the option `statements` wants them.

use super::connection::failed;
use dbdyno_engine::{EngineError, kv_sql::KvStatement};
use duckdb::{Connection, Statement, types::ValueRef};

/// A statement: prepared once, or parsed again each time.
pub enum Sql<'e> {
    /// Ready to run.
    Prepared(Box<Statement<'e>>),
    /// Text, and where it is parsed.
    Text(&'e Connection, &'e str),
}

impl<'e> Sql<'e> {
    pub(crate) fn new(connection: &'e Connection, sql: &'e str, text: bool) -> Result<Self, EngineError> {
        if text {
            return Ok(Self::Text(connection, sql));
        }
        connection.prepare(sql).map(|ready| Self::Prepared(Box::new(ready))).map_err(EngineError::doing(sql))
    }

    #[inline]
    pub(crate) fn with<R>(
        &mut self,
        run: impl FnOnce(&mut Statement<'e>) -> duckdb::Result<R>,
    ) -> Result<R, EngineError> {
        match self {
            Self::Prepared(statement) => run(statement),
            Self::Text(connection, sql) => connection.prepare(sql).and_then(|mut statement| run(&mut statement)),
        }
        .map_err(failed)
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
            let mut rows = statement.query([key])?;
            match rows.next()? {
                Some(row) => Ok(Some(visit(bytes(&row.get_ref(0)?)))),
                None => Ok(None),
            }
        })
    }

    fn pairs(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.with(|statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(bytes(&row.get_ref(0)?), bytes(&row.get_ref(1)?));
            }
            Ok(())
        })
    }
}

/// The bytes of a column; a number or NULL, which no kv suite stores, shows as empty and fails verification.
#[inline]
fn bytes<'r>(value: &ValueRef<'r>) -> &'r [u8] {
    match value {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes,
        _ => &[],
    }
}
