//! Keys and values in a DuckDB table with a primary key.

use super::{
    connection::{self, failed},
    statement::Sql,
};
use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    engine::{Engine, Open},
    kv::{KvEngine, is_held},
    kv_sql::{Begins, SqlKvSession},
    settings::Settings,
    sql::is_text,
    suite::KvStatements,
};
use duckdb::Connection;
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct DuckKv {
    connection: Connection,
    settings: Settings,
    begins: Begins,
    text: bool,
}

/// What SQLite's dialect says about how a table is stored, which DuckDB has no word for: its rows always have a number, and a
/// primary key is an index beside them.
const ONLY_SQLITE: &str = " WITHOUT ROWID";

impl Engine for DuckKv {
    const MAIN_FILE: &'static str = "duck.db";
    type Clock = MonotonicClock;

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection, &self.settings)
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close().map_err(|(_, error)| failed(error))
    }
}

impl KvEngine for DuckKv {
    type Session<'e> = SqlKvSession<Sql<'e>>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let connection = connection::open(open, Self::MAIN_FILE)?;
        for statement in open.schema {
            let sql = statement.replace(ONLY_SQLITE, "");
            connection.execute_batch(&sql).map_err(EngineError::doing(&sql))?;
        }
        let begin = "BEGIN TRANSACTION";
        let held = is_held(settings)?;
        Ok(Self {
            connection,
            settings: settings.clone(),
            begins: Begins { read: begin, write: begin, held },
            text: is_text(settings)?,
        })
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    fn session<'e>(&'e mut self, sql: &'e KvStatements) -> Result<SqlKvSession<Sql<'e>>, EngineError> {
        SqlKvSession::new(sql, self.begins, |sql| Sql::new(&self.connection, sql, self.text))
    }
}
