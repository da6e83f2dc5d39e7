//! Statements as the option `statements` wants them.

use super::connection::failed;
use dbdyno_engine::EngineError;
use rusqlite::{Connection, Statement};

/// A statement: prepared once, or parsed again each time.
#[derive(Debug)]
pub enum Sql<'e> {
    /// Ready to run.
    Prepared(Statement<'e>),
    /// Text, and where it is parsed.
    Text(&'e Connection, &'e str),
}

impl<'e> Sql<'e> {
    pub(super) fn new(connection: &'e Connection, sql: &'e str, text: bool) -> Result<Self, EngineError> {
        if text {
            return Ok(Self::Text(connection, sql));
        }
        connection.prepare(sql).map(Self::Prepared).map_err(EngineError::doing(sql))
    }

    #[inline]
    pub(super) fn with<R>(
        &mut self,
        run: impl FnOnce(&mut Statement<'e>) -> rusqlite::Result<R>,
    ) -> Result<R, EngineError> {
        match self {
            Self::Prepared(statement) => run(statement),
            Self::Text(connection, sql) => connection.prepare(sql).and_then(|mut statement| run(&mut statement)),
        }
        .map_err(failed)
    }
}
