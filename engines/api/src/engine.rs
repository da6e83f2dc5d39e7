//! The trait that all engines implement, whichever kind of suite they run.

use crate::{EngineError, clock::Clock, describe::Library, settings::Settings};
use std::{collections::BTreeMap, path::Path};

/// The arguments with which an engine is opened.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// The database's own folder. It exists, and only this engine works in it.
    pub folder: &'a Path,
    /// The settings of the run, with a value for every option of the description.
    pub settings: &'a Settings,
    /// Statements that create the table, for engines that speak SQL. Empty when the database is reopened.
    pub schema: &'a [String],
    /// The most bytes of keys and values to expect.
    pub data_bytes: u64,
}

/// An engine with one open database. [`KvEngine`](crate::kv::KvEngine) and [`SqlEngine`](crate::sql::SqlEngine) open it and work with it.
pub trait EngineInstance: Sized {
    /// Name of the main file or folder in the database's folder. Everything next to it counts as side files (log, lock, index).
    const MAIN_FILE: &'static str;
    /// The type of the clock: [`SystemClock`](crate::clock::SystemClock), unless time is simulated.
    type Clock: Clock;

    /// Returns the clock that the measured loop reads.
    fn clock(&self) -> Self::Clock;

    /// Whether the engine gives answers, which are then compared with other engines' answers.
    fn answers(&self) -> bool {
        true
    }

    /// Returns every option that can be read back, with the value in force.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError>;

    /// Returns the running library if an option chose it. `None`: it is the library of the description.
    fn library(&self) -> Option<Library> {
        None
    }

    /// Runs the engine's own check that the database is sound.
    fn check(&mut self) -> Result<(), EngineError>;

    /// Closes the database with a checkpoint, a flush or anything else that the engine does by default. Timed separately from the test
    /// before it.
    fn close(self) -> Result<(), EngineError> {
        drop(self);
        Ok(())
    }
}
