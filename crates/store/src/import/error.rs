//! Why a file was not taken in.

use super::super::StoreError;
use std::path::PathBuf;

/// Why a file was not taken in. Nothing of it is in the store.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not there or cannot be read.
    #[error("{}: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// It is nothing that can be imported.
    #[error(
        "{}: {found}; expected a store of dbdyno, a folder that `dbdyno copy --to-parquet` wrote, a LumoSQL benchmark \
         database or its text export, or a listing of `dbdyno export` (CSV, JSON, Parquet)", path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// A listing without the columns that make a result.
    #[error(
        "{}: the column{} {} {} missing, so this listing cannot be imported: make it with \
         `dbdyno export` or `dbdyno results --columns all` (CSV, JSON), or copy whole runs with `dbdyno copy --to FILE`",
        path.display(), if missing.len() == 1 { "" } else { "s" }, missing.join(", "),
        if missing.len() == 1 { "is" } else { "are" }
    )]
    Listing {
        /// The file.
        path: PathBuf,
        /// Columns that are not there.
        missing: Vec<&'static str>,
    },
    /// It is of a known kind and cannot be read to its end.
    #[error("{}: {message}; nothing of it was taken", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// A newer dbdyno made it.
    #[error("{} has schema version {found}, this dbdyno knows {known}: import it with a newer dbdyno", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Version known.
        known: i64,
    },
    /// The file is the store that it should be taken into.
    #[error("{} is the store itself: name another file, or another store", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// The store to be read cannot be used.
    #[error(transparent)]
    Source(StoreError),
    /// The store to be written cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
