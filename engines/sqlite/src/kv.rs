//! Keys and values in a SQLite table, with the statements that the suite gives.

use super::{bundled::Bundled, connection, driver::Driver};
use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    describe::Library,
    engine::{Engine, Open},
    kv::{KvEngine, is_held},
    kv_sql::{Begins, SqlKvSession},
    sql::is_text,
    suite::KvStatements,
};
use std::collections::BTreeMap;

/// An open database.
#[derive(Debug)]
pub struct SqliteKv<D = Bundled> {
    connection: D,
    begins: Begins,
    text: bool,
}

impl<D: Driver> Engine for SqliteKv<D> {
    const MAIN_FILE: &'static str = connection::FILE;
    type Clock = MonotonicClock;

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.connection)
    }

    fn library(&self) -> Option<Library> {
        self.connection.library()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(&self.connection)
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.close()
    }
}

impl<D: Driver> KvEngine for SqliteKv<D> {
    type Session<'e>
        = SqlKvSession<D::Statement<'e>>
    where
        Self: 'e;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let connection = connection::open::<D>(open)?;
        for statement in open.schema {
            connection.batch(statement)?;
        }
        Ok(Self {
            connection,
            begins: Begins { read: "BEGIN DEFERRED", write: connection::begin(settings)?, held: is_held(settings)? },
            text: is_text(settings)?,
        })
    }

    fn holds_reads(&self) -> bool {
        self.begins.held
    }

    fn session<'e>(&'e mut self, sql: &'e KvStatements) -> Result<SqlKvSession<D::Statement<'e>>, EngineError> {
        SqlKvSession::new(sql, self.begins, |sql| self.connection.ready(sql, self.text))
    }
}
