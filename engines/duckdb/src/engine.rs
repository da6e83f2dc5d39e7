//! An open database, for any kind of suite.

use super::connection::{self, failed};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    engine::{EngineInstance, Open},
    kv::is_held,
    settings::Settings,
    sql::is_text,
};
use duckdb::Connection;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[derive(Debug)]
pub struct DuckDb {
    /// Uncontended while one thread works; with several threads, each has its own connection.
    connection: Mutex<Connection>,
    settings: Settings,
    /// Whether one read transaction is held over all reads of a test.
    pub(crate) held: bool,
    /// Whether statements are parsed again each time.
    pub(crate) text: bool,
    /// Whether rows of SQL suites are inserted by an appender.
    pub(crate) append: bool,
    pub(crate) reopens: bool,
}

impl DuckDb {
    pub(crate) fn new(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        Ok(Self {
            connection: Mutex::new(connection::open(open, Self::MAIN_FILE)?),
            settings: settings.clone(),
            held: is_held(settings)?,
            text: is_text(settings)?,
            append: settings.text("insert")? == "appender",
            reopens: settings.flag("reopen")?,
        })
    }

    /// Returns the same engine on another connection.
    pub(crate) fn through(&self, connection: Connection) -> Self {
        Self {
            connection: Mutex::new(connection),
            settings: self.settings.clone(),
            held: self.held,
            text: self.text,
            append: self.append,
            reopens: self.reopens,
        }
    }

    /// Returns its connection, while no other thread has it.
    pub(crate) fn own(&mut self) -> &mut Connection {
        self.connection.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens another connection to the same database.
    pub(crate) fn connect(&self) -> Result<Connection, EngineError> {
        self.lock().try_clone().map_err(failed)
    }
}

impl EngineInstance for DuckDb {
    const MAIN_FILE: &'static str = "duck.db";
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&self.lock(), &self.settings)
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(self.own())
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.into_inner().unwrap_or_else(PoisonError::into_inner).close().map_err(|(_, error)| failed(error))
    }
}
