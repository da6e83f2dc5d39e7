//! Errors of a store, with messages that say what to do.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// Parts of DuckDB's messages about a file that it cannot read.
const DAMAGE: [&str; 6] = [
    "Corrupt database file",
    "checksum",
    "Serialization Error",
    "Failed to load",
    "Failure while replaying WAL",
    "Could not read enough bytes",
];

/// Parts of the system's messages about a failing disk or process: they say nothing about the file.
const SYSTEM: [&str; 5] = [
    "Input/output error",
    "Cannot allocate memory",
    "Too many open files",
    "Interrupted system call",
    "Stale file handle",
];

/// Beginnings of DuckDB's messages about a block that differs from what was written.
const BLOCK: [&str; 3] =
    ["Data Corruption Error", "IO Error: Corrupt database file", "IO Error: Could not read enough bytes"];

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the file open.
    #[error("the store {} is in use by another process: {message}", path.display())]
    Locked { path: PathBuf, message: String },
    /// The file, or its folder, cannot be written.
    #[error("the store {} cannot be written ({message}): choose another file for the store", path.display())]
    Unwritable { path: PathBuf, message: String },
    #[error("the disk of the store {} is full: {message}", path.display())]
    Full { path: PathBuf, message: String },
    /// The schema is that of a newer dbdyno.
    #[error("the store {} has schema version {found}, this dbdyno knows {known}: use a newer dbdyno or another store", path.display())]
    Newer {
        path: PathBuf,
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The schema is too old: this version no longer migrates it.
    #[error(
        "{} has schema version {found}, of dbdyno 0.1: open it with dbdyno 0.2 first (`dbdyno results` for a store, `dbdyno import` \
         for a copy), then use that store here", path.display()
    )]
    Outdated { path: PathBuf, found: i64 },
    /// The schema is that of an older dbdyno, and could not be migrated.
    #[error("the store {} has schema version {found} and could not be migrated to {known}: {message}", path.display())]
    Older {
        path: PathBuf,
        found: i64,
        /// The newest version that this program knows.
        known: i64,
        message: String,
    },
    /// A DuckDB file with other tables.
    #[error("{} is a DuckDB file but not a dbdyno store, and is left unchanged: choose another file for the store", path.display())]
    Foreign { path: PathBuf },
    /// A store that has an object of its own under a name that this program uses.
    #[error("the store {} has an unexpected schema, and is left unchanged: {what}", path.display())]
    Altered {
        path: PathBuf,
        /// What is different, and what to do.
        what: String,
    },
    #[error("{} is not a DuckDB file, and is left unchanged ({message}): choose another file for the store", path.display())]
    NotDuckDb { path: PathBuf, message: String },
    /// The file or its folder is missing or cannot be reached.
    #[error("the store {} cannot be opened: {message}", path.display())]
    Unreachable { path: PathBuf, message: String },
    /// The user's SQL is wrong.
    #[error("{message}")]
    Query { message: String },
    /// The journal cannot be written or read.
    #[error("the journal {}: {message}: choose another place for the journal", path.display())]
    Journal {
        /// The file, or the folder of the store's journals.
        path: PathBuf,
        message: String,
    },
    /// The file was a store, and can no longer be read.
    #[error(
        "the store {} is damaged ({message}): the command `store repair` saves everything that is still readable",
        path.display()
    )]
    Damaged { path: PathBuf, message: String },
    /// A change whose commit failed, and that could not be rolled back.
    #[error("the store {}: {message}; it is not known whether the change was made: check before you repeat it", path.display())]
    Unclear { path: PathBuf, message: String },
    /// A damaged store that could not be repaired.
    #[error(
        "the store {} could not be repaired, and is left unchanged: {message}. Copy the file to a readable disk, restore a \
         backup, or use another file for the store",
        path.display()
    )]
    Unrepaired { path: PathBuf, message: String },
    /// Anything else.
    #[error("the store {}: {message}", path.display())]
    Other { path: PathBuf, message: String },
}

impl StoreError {
    /// Whether waiting may help.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// Whether the file differs from what was written, rather than being out of reach.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::NotDuckDb { .. })
    }

    /// Returns what is wrong, without the store's name and the remedy.
    pub(super) fn cause(&self) -> String {
        match self {
            Self::Damaged { message, .. } | Self::Full { message, .. } | Self::Other { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }

    /// Converts a system error about the store or a file next to it.
    pub(super) fn of_io(store: &Path, file: &Path, error: &io::Error) -> Self {
        let path = store.to_owned();
        let message = if file == store { error.to_string() } else { format!("{}: {error}", file.display()) };
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full { path, message },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::Unwritable { path, message },
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
                Self::Unreachable { path, message }
            }
            ErrorKind::InvalidData => Self::Damaged { path, message },
            _ => Self::Other { path, message },
        }
    }

    /// Returns the error for a store that has views of these names instead of tables.
    pub(super) fn views(path: PathBuf, names: &str) -> Self {
        Self::Altered { path, what: format!("these are views but must be tables: {names}; choose another file") }
    }

    /// Turns an error of a query into one of the store if DuckDB met a block that it cannot read.
    pub(super) fn of_block(self, path: &Path) -> Self {
        match self {
            Self::Query { message } if BLOCK.iter().any(|begin| message.starts_with(begin)) => {
                Self::Damaged { path: path.to_owned(), message }
            }
            other => other,
        }
    }

    /// Returns the error of a change that may or may not have been made: why it failed, and why it could not be rolled back.
    pub(super) fn unclear(path: &Path, error: &dyn std::fmt::Display, kept: &dyn std::fmt::Display) -> Self {
        Self::Unclear { path: path.to_owned(), message: format!("{error}; {kept}") }
    }

    /// Whether DuckDB met an unknown name.
    pub(super) fn is_of_names(&self) -> bool {
        let (Self::Other { message, .. } | Self::Query { message }) = self else { return false };
        ["Binder Error", "Catalog Error"].iter().any(|begin| message.contains(begin))
    }

    /// Interprets DuckDB's text, because its API has no codes for these errors.
    pub(super) fn from_message(path: &Path, message: String) -> Self {
        let path = path.to_owned();
        let has = |part: &str| message.contains(part);
        if has("Could not set lock") || has("Conflicting lock") {
            Self::Locked { path, message }
        } else if has("No space left") || has("disk is full") || has("Disk quota") {
            Self::Full { path, message }
        } else if has("not a valid DuckDB database file") || has("not a DuckDB database file") {
            Self::NotDuckDb { path, message }
        } else if SYSTEM.iter().any(|part| has(part)) {
            Self::Other { path, message }
        } else if DAMAGE.iter().any(|part| has(part)) {
            Self::Damaged { path, message }
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
    /// Returns the same result, with an error that names the store.
    fn doing(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> Doing<T> for duckdb::Result<T> {
    fn doing(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::from_message(path, error.to_string()))
    }
}
