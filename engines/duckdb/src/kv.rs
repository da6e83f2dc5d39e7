//! Keys and values in a DuckDB table with a primary key.

use super::{engine::DuckDb, statement::DuckDbStatement};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    kv::KvEngine,
    kv_sql::{Begins, SqlKvSession},
    suite::KvStatements,
};

/// What SQLite's dialect says about how a table is stored, which DuckDB has no word for: its rows always have a number, and a
/// primary key is an index beside them.
const ONLY_SQLITE: &str = " WITHOUT ROWID";

impl KvEngine for DuckDb {
    type Session<'e> = SqlKvSession<'e, DuckDbStatement<'e>>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let duck = Self::new(open)?;
        for statement in open.schema {
            let sql = statement.replace(ONLY_SQLITE, "");
            duck.connection.execute_batch(&sql).map_err(EngineError::doing(&sql))?;
        }
        Ok(duck)
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError> {
        let begin = "BEGIN TRANSACTION";
        let begins = Begins { read: begin, write: begin, held: self.held };
        SqlKvSession::new(&self.connection, statements, begins, self.text)
    }
}
