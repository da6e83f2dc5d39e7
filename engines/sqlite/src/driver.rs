//! What the suites use of SQLite, so that they run on any build of it: on the one that rusqlite is linked with, and on a
//! library that was loaded.

use dbdyno_engine::{
    EngineError,
    describe::Library,
    kv_sql::KvStatement,
    settings::Settings,
    sql::{SqlRow, SqlValue},
};
use std::path::Path;

/// A connection to a database.
pub trait Driver: Sized {
    /// A statement made ready.
    type Statement<'c>: KvStatement + ValueStatement
    where
        Self: 'c;

    /// Opens a database file, creating it where there is none. `mutex`: whether every call locks one.
    fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError>;

    /// The library, where it was chosen by an option.
    fn library(&self) -> Option<Library>;

    /// Runs a statement that gives no rows.
    fn batch(&self, sql: &str) -> Result<(), EngineError>;

    /// Steps a statement to its end, and gives the first column of its first row; NULL without a row.
    fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError>;

    /// Makes a statement ready: prepared, or with `text` parsed again each time.
    fn ready<'c>(&'c self, sql: &'c str, text: bool) -> Result<Self::Statement<'c>, EngineError>;

    /// Whether no transaction is open.
    fn is_autocommit(&self) -> bool;

    /// Whether every call locks a mutex.
    fn has_mutex(&self) -> bool;

    /// Closes the connection.
    fn close(self) -> Result<(), EngineError>;
}

/// A statement with values bound.
pub trait ValueStatement {
    /// A row of its answer.
    type Row<'r>: SqlRow;

    /// Runs it to its end; the number of rows changed.
    fn execute_values(&mut self, values: &[SqlValue]) -> Result<u64, EngineError>;

    /// Runs it and shows every row.
    fn query_values(&mut self, values: &[SqlValue], visit: impl FnMut(&Self::Row<'_>)) -> Result<(), EngineError>;
}
