//! An open database, for any kind of suite.

use super::{connection, driver::Driver};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::Library,
    engine::{EngineInstance, Open},
    kv::is_held,
    kv_sql::Begins,
    settings::Settings,
    sql::is_text,
};
use rusqlite::Connection;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[derive(Debug)]
pub struct Sqlite<D = Connection> {
    /// Uncontended while one thread works; with several threads, each has its own connection.
    pub(crate) connection: Mutex<D>,
    pub(crate) folder: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) begins: Begins,
    /// Whether statements are parsed again each time.
    pub(crate) text: bool,
    pub(crate) reopens: bool,
}

impl<D: Driver> Sqlite<D> {
    pub(crate) fn new(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        Ok(Self {
            connection: Mutex::new(connection::open_in(open.folder, settings)?),
            folder: open.folder.to_owned(),
            settings: settings.clone(),
            begins: Begins { read: "BEGIN DEFERRED", write: connection::begin(settings)?, held: is_held(settings)? },
            text: is_text(settings)?,
            reopens: settings.flag("reopen")?,
        })
    }

    /// Returns its connection, while no other thread has it.
    pub fn own(&mut self) -> &mut D {
        self.connection.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, D> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens another connection to the same database, with the same options.
    pub(crate) fn connect(&self) -> Result<D, EngineError> {
        connection::open_in(&self.folder, &self.settings)
    }
}

impl<D: Driver> EngineInstance for Sqlite<D> {
    const MAIN_FILE: &'static str = connection::FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        connection::in_force(&*self.lock(), &self.settings)
    }

    fn library(&self) -> Option<Library> {
        self.lock().library()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        connection::check(self.own())
    }

    fn close(self) -> Result<(), EngineError> {
        self.connection.into_inner().unwrap_or_else(PoisonError::into_inner).close()
    }
}
