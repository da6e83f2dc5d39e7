//! Keys and values in a SQLite table, with the statements that the suite gives.

use super::{driver::Driver, engine::Sqlite};
use dbdyno_engine::{EngineError, engine::Open, kv::KvEngine, kv_sql::SqlKvSession, suite::KvStatements};

impl<D: Driver> KvEngine for Sqlite<D> {
    type Session<'e>
        = SqlKvSession<'e, D::Statement<'e>>
    where
        Self: 'e;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let sqlite = Self::new(open)?;
        open.schema.iter().try_for_each(|statement| sqlite.connection.batch(statement))?;
        Ok(sqlite)
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError> {
        SqlKvSession::new(&self.connection, statements, self.begins, self.text)
    }
}
