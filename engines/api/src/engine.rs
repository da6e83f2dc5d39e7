//! What engines of every kind of suite are asked.

use crate::{EngineError, clock::Clock, describe::Library, settings::Settings};
use std::{collections::BTreeMap, path::Path};

/// What an engine is opened with.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// The database's own folder; it exists, and only this engine works in it.
    pub folder: &'a Path,
    /// The options asked for, every option of the description among them.
    pub settings: &'a Settings,
    /// Statements that create the table, for engines that speak SQL; empty when the database is opened again.
    pub schema: &'a [String],
    /// Bytes of keys and values to expect at most.
    pub data_bytes: u64,
}

/// An engine with one open database. How it is opened and worked with: [`KvEngine`](crate::kv::KvEngine),
/// [`SqlEngine`](crate::sql::SqlEngine).
pub trait Engine: Sized {
    /// Name of the main file or folder in the database's folder; what is beside it is side files (log, lock, index).
    const MAIN_FILE: &'static str;
    /// [`SystemClock`](crate::clock::SystemClock), unless time is simulated.
    type Clock: Clock;

    /// The clock that the measured loop reads.
    fn clock(&self) -> Self::Clock;

    /// Whether answers are given, and so compared with other engines' answers.
    fn answers(&self) -> bool {
        true
    }

    /// Every option that can be read back, with the value in force.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError>;

    /// The library as it is running, where it was chosen by an option; else it is what the description says.
    fn library(&self) -> Option<Library> {
        None
    }

    /// The engine's own check that the database is sound.
    fn check(&mut self) -> Result<(), EngineError>;

    /// Closes the database: with a checkpoint, a flush or whatever the engine does by default. It is timed beside the test before it.
    fn close(self) -> Result<(), EngineError> {
        drop(self);
        Ok(())
    }
}
