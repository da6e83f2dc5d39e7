//! What can be wrong with a store, in words that say what to do.

use std::path::{Path, PathBuf};

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the file open.
    #[error("the store {} is in use by another process: {message}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What DuckDB said.
        message: String,
    },
    /// The file, or its folder, cannot be written.
    #[error("the store {} cannot be written ({message}): choose another with --store or DBDYNO_STORE", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What DuckDB said.
        message: String,
    },
    /// The disk is full.
    #[error("the disk of the store {} is full: {message}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What DuckDB said.
        message: String,
    },
    /// The schema is one of a newer dbdyno.
    #[error("the store {} has schema version {found}, this dbdyno knows {known}: use a newer dbdyno or another --store", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Version known.
        known: i64,
    },
    /// The schema is one of an older dbdyno, and could not be brought up to date.
    #[error("the store {} has schema version {found} and could not be brought to {known}: {message}", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Version known.
        known: i64,
        /// Why not.
        message: String,
    },
    /// A DuckDB file with other tables.
    #[error("{} is a DuckDB file but not a store of dbdyno, and is left as it is: choose another --store", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A store that has something of its own where this program's names point.
    #[error("the store {} is not as dbdyno makes it, and is left as it is: {what}", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// What is different, and what to do.
        what: String,
    },
    /// Not a DuckDB file.
    #[error("{} is no DuckDB file, and is left as it is: choose another --store ({message})", path.display())]
    NotDuckDb {
        /// The file.
        path: PathBuf,
        /// What DuckDB said.
        message: String,
    },
    /// The file or its folder is not there or cannot be reached.
    #[error("the store {} cannot be opened: {message}", path.display())]
    Unreachable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The user's SQL is wrong.
    #[error("{message}")]
    Query {
        /// What DuckDB said.
        message: String,
    },
    /// The spool beside the store cannot be used.
    #[error("the spool {}: {message}", path.display())]
    Spool {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Anything else.
    #[error("the store {}: {message}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What DuckDB said.
        message: String,
    },
}

impl StoreError {
    /// Whether waiting may help.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// A store with views of these names, which are those of tables.
    pub(super) fn views(path: PathBuf, names: &str) -> Self {
        Self::Altered { path, what: format!("it has views where a store has tables: {names}; choose another file") }
    }

    /// Tells what DuckDB's text means; its API has no codes for these.
    pub(super) fn of(path: &Path, message: String) -> Self {
        let path = path.to_owned();
        let has = |part: &str| message.contains(part);
        if has("Could not set lock") || has("Conflicting lock") {
            Self::Locked { path, message }
        } else if has("No space left") || has("disk is full") || has("Disk quota") {
            Self::Full { path, message }
        } else if has("not a valid DuckDB database file") || has("not a DuckDB database file") {
            Self::NotDuckDb { path, message }
        } else if has("Permission denied") || has("read-only mode") || has("Read-only file system") {
            Self::Unwritable { path, message }
        } else if has("does not exist") && has("Cannot open") || has("No such file") || has("Is a directory") {
            Self::Unreachable { path, message }
        } else {
            Self::Other { path, message }
        }
    }
}

/// Adds the store's path to an error of DuckDB's.
pub(super) trait Doing<T> {
    /// The same result, with an error that names the store.
    fn doing(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> Doing<T> for duckdb::Result<T> {
    fn doing(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::of(path, error.to_string()))
    }
}
