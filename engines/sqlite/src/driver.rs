//! What the suites use of SQLite, so that they run on any build of it: on the one that rusqlite is linked with, and on a
//! library that was loaded.

use super::busy::BusyHandler;
use dbdyno_engine::{EngineError, describe::Library, prepared::PreparedStatement, settings::Settings, sql::SqlValue};
use std::{collections::BTreeMap, path::Path};

pub trait Driver: Sized + Send {
    type Statement<'c>: PreparedStatement<'c, Connection = Self>
    where
        Self: 'c;

    /// Opens a database file, creating it where there is none. `mutex`: whether every call locks one.
    fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError>;

    /// The library, where it was chosen by an option.
    fn library(&self) -> Option<Library>;

    /// What is in force beside the pragmas.
    fn in_force(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What the tables are in, with its version, where that tells of itself and is not SQLite's own B-tree: `Berkeley DB 5.3.28`.
    fn backend(&self) -> Option<String> {
        None
    }

    /// Whether a negative `cache_size` is a number of KiB, as it is since SQLite 3.7.10.
    fn has_cache_in_kib(&self) -> bool {
        true
    }

    /// Runs statements that give no rows.
    fn batch(&self, sql: &str) -> Result<(), EngineError>;

    /// Steps a statement to its end, and gives the first column of its first row; NULL without a row.
    fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError>;

    /// Has this handler called when another connection's lock is in the way.
    fn set_busy_handler(&mut self, handler: BusyHandler) -> Result<(), EngineError>;

    /// Whether no transaction is open.
    fn is_autocommit(&self) -> bool;

    /// Whether every call locks a mutex.
    fn has_mutex(&self) -> bool;

    fn close(self) -> Result<(), EngineError>;
}
