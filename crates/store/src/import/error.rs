//! Errors of an import.

use super::super::StoreError;
use std::path::PathBuf;

/// The reason why a file was not imported. The store has nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not there or cannot be read.
    #[error("{}: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        message: String,
    },
    /// The file is of no kind that can be imported.
    #[error(
        "{}: {found}; expected a dbdyno store, a folder that `dbdyno copy --to-parquet` wrote, a LumoSQL benchmark \
         database or its text export, or a listing of `dbdyno export` (CSV, JSON, Parquet)", path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What the file contains instead.
        found: String,
    },
    /// A listing without the columns that a result needs.
    #[error(
        "{}: the column{} {} {} missing, so this listing cannot be imported: make it with \
         `dbdyno export` or `dbdyno results --columns all` (CSV, JSON), or copy whole runs with `dbdyno copy --to FILE`",
        path.display(), if missing.len() == 1 { "" } else { "s" }, missing.join(", "),
        if missing.len() == 1 { "is" } else { "are" }
    )]
    Listing {
        /// The file.
        path: PathBuf,
        /// Missing columns.
        missing: Vec<&'static str>,
    },
    /// The file is of a known kind but cannot be read to its end.
    #[error("{}: {message}; nothing was imported", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// A newer dbdyno wrote the file.
    #[error("{} has schema version {found}, this dbdyno knows {known}: import it with a newer dbdyno", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Version known.
        known: i64,
    },
    /// The file is the target store itself.
    #[error("{} is the store itself: name another file, or another store", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// The source store cannot be used.
    #[error(transparent)]
    Source(StoreError),
    /// The target store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
