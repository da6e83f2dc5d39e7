//! An open database, whatever suite runs on it.

use super::{connection, driver::Driver};
use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    describe::Library,
    engine::{Engine, Open},
    kv::is_held,
    kv_sql::Begins,
    sql::is_text,
};
use rusqlite::Connection;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Sqlite<D = Connection> {
    pub(crate) connection: D,
    pub(crate) begins: Begins,
    /// Whether statements are parsed again each time.
    pub(crate) text: bool,
    pub(crate) reopens: bool,
}

impl<D: Driver> Sqlite<D> {
    pub(crate) fn new(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        Ok(Self {
            connection: connection::open_in(open.folder, settings)?,
            begins: Begins { read: "BEGIN DEFERRED", write: connection::begin(settings)?, held: is_held(settings)? },
            text: is_text(settings)?,
            reopens: settings.flag("reopen")?,
        })
    }

    /// The connection, for loops that are written on the library itself.
    pub fn connection(&self) -> &D {
        &self.connection
    }
}

impl<D: Driver> Engine for Sqlite<D> {
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
