//! Keys and values in a SQLite table, with the statements that the suite gives.

use super::connection;
use dbdyno_engine::{
    EngineError,
    kv::{KvEngine, Open},
    kv_sql::{Begins, SqlKvSession},
    recorder::MonotonicClock,
    sqlite::{Sql, failed},
    suite::KvStatements,
};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct SqliteKv {
    connection: Connection,
    begins: Begins,
    text: bool,
}

impl KvEngine for SqliteKv {
    const MAIN_FILE: &'static str = "sqlite.db";
    type Clock = MonotonicClock;
    type Session<'e> = SqlKvSession<Sql<'e>>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let connection = connection::open(open, Self::MAIN_FILE)?;
        for statement in open.schema {
            connection.execute_batch(statement).map_err(EngineError::doing(statement))?;
        }
        Ok(Self {
            connection,
            begins: Begins {
                read: "BEGIN DEFERRED",
                write: connection::begin(settings)?,
                held: settings.text("read_transaction")? == "held",
            },
            text: settings.text("statements")? == "text",
        })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection)
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    fn session<'e>(&'e mut self, sql: &'e KvStatements) -> Result<SqlKvSession<Sql<'e>>, EngineError> {
        SqlKvSession::new(sql, self.begins, |sql| Sql::new(&self.connection, sql, self.text))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close().map_err(|(_, error)| failed(error))
    }
}
