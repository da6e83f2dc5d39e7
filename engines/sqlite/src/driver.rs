//! The functions of SQLite that the suites need. The suites run on any build of it: the one that rusqlite is linked with, or a loaded
//! library.

use super::busy::BusyHandler;
use dbdyno_engine::{EngineError, describe::Library, prepared::PreparedStatement, settings::Settings, sql::SqlValue};
use std::{collections::BTreeMap, path::Path};

pub trait Driver: Sized + Send {
    type Statement<'c>: PreparedStatement<'c, Connection = Self>
    where
        Self: 'c;

    /// Opens a database file, and creates it if it does not exist. `mutex`: whether every call locks a mutex.
    fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError>;

    /// Returns the library, if an option selected it.
    fn library(&self) -> Option<Library>;

    /// Returns the options in force that are not pragmas.
    fn in_force(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Returns the storage backend with its version, if it reports itself and is not SQLite's own B-tree: `Berkeley DB 5.3.28`.
    fn backend(&self) -> Option<String> {
        None
    }

    /// Returns whether a negative `cache_size` is a number of KiB, as it is since SQLite 3.7.10.
    fn has_cache_in_kib(&self) -> bool {
        true
    }

    /// Runs statements that return no rows.
    fn batch(&self, sql: &str) -> Result<(), EngineError>;

    /// Steps a statement to its end, and returns the first column of its first row; NULL without a row.
    fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError>;

    /// Registers a handler that SQLite calls when it meets another connection's lock.
    fn set_busy_handler(&mut self, handler: BusyHandler) -> Result<(), EngineError>;

    /// Returns whether no transaction is open.
    fn is_autocommit(&self) -> bool;

    /// Returns whether every call locks a mutex.
    fn has_mutex(&self) -> bool;

    fn close(self) -> Result<(), EngineError>;
}
