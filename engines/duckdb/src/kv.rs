//! Keys and values in a DuckDB table with a primary key.

use super::{engine::DuckDb, statement::DuckDbStatement};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    kv::{KvEngine, KvHandle, KvThreads},
    kv_sql::{Begins, SqlKvSession},
    suite::KvStatements,
};
use duckdb::Connection;

/// SQLite's clause for the storage of a table. DuckDB has no equivalent: its rows always have a number, and a primary key is a separate
/// index.
const ONLY_SQLITE: &str = " WITHOUT ROWID";

impl KvEngine for DuckDb {
    type Session<'e> = SqlKvSession<'e, DuckDbStatement<'e>>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let mut duck = Self::new(open)?;
        for statement in open.schema {
            let sql = statement.replace(ONLY_SQLITE, "");
            duck.own().execute_batch(&sql).map_err(EngineError::doing(&sql))?;
        }
        Ok(duck)
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError> {
        let (begins, text) = (begins(self.held), self.text);
        SqlKvSession::new(self.own(), statements, begins, text)
    }
}

fn begins(held: bool) -> Begins {
    let begin = "BEGIN TRANSACTION";
    Begins { read: begin, write: begin, held }
}

impl KvThreads for DuckDb {
    type Handle<'e> = DuckDbHandle;

    fn handle(&self) -> Result<DuckDbHandle, EngineError> {
        Ok(DuckDbHandle { connection: self.connect()?, begins: begins(self.held), text: self.text })
    }
}

/// A thread's own connection.
#[derive(Debug)]
pub struct DuckDbHandle {
    connection: Connection,
    begins: Begins,
    text: bool,
}

impl KvHandle for DuckDbHandle {
    type Session<'h> = SqlKvSession<'h, DuckDbStatement<'h>>;

    fn session<'h>(&'h mut self, statements: &'h KvStatements) -> Result<Self::Session<'h>, EngineError> {
        SqlKvSession::new(&self.connection, statements, self.begins, self.text)
    }
}
