//! An open database, whatever suite runs on it.

use super::connection::{self, failed};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    engine::{Engine, Open},
    kv::is_held,
    settings::Settings,
    sql::is_text,
};
use duckdb::Connection;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct DuckDb {
    pub(crate) connection: Connection,
    settings: Settings,
    /// Whether one read transaction is held over all reads of a test.
    pub(crate) held: bool,
    /// Whether statements are parsed again each time.
    pub(crate) text: bool,
    pub(crate) reopens: bool,
}

impl DuckDb {
    pub(crate) fn new(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        Ok(Self {
            connection: connection::open(open, Self::MAIN_FILE)?,
            settings: settings.clone(),
            held: is_held(settings)?,
            text: is_text(settings)?,
            reopens: settings.flag("reopen")?,
        })
    }
}

impl Engine for DuckDb {
    const MAIN_FILE: &'static str = "duck.db";
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
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
