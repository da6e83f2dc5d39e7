//! Imports of results: other stores, Parquet folders, listings, LumoSQL's benchmark databases and their text exports.
//!
//! Each file is first attached or staged in memory and then merged in one transaction, so that a broken file leaves nothing in the store.
//! Files are only ever read.

mod error;
mod kind;
mod listing;
mod lumosql;
mod merge;

pub use error::ImportError;
pub use kind::ImportKind;
pub use merge::{Merged, Taken};

use super::{
    OpenMode, SCHEMA_VERSION, Store, StoreError,
    connect::{self, Reach},
    error::Doing,
    export::same_file,
    lock::StoreLock,
    manifest,
    schema::{self, FileSchema, OLDEST_VERSION},
    tables::TABLES,
};
use duckdb::Connection;
pub(super) use merge::INCOMING;
use merge::{MergeSource, merge};
use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The result of importing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The kind of the file.
    pub kind: ImportKind,
    /// Numbers of new, completed and known rows.
    pub merged: Merged,
    /// Irregularities, and skipped data with the reason: one sentence each.
    pub notes: Vec<String>,
}

impl Store {
    /// Imports a file or folder of any kind that [`ImportKind`] knows. Importing twice gives the same result as importing once.
    pub fn import(&self, path: &Path) -> Result<Imported, ImportError> {
        let kind = ImportKind::detect(path)?;
        if same_file(self.path(), path) {
            return Err(ImportError::Same { path: path.to_owned() });
        }
        let (merged, notes) = match kind {
            ImportKind::Store => (self.import_store(path)?, journal_note(path)),
            ImportKind::Parquet => {
                let files = manifest::check(path)?;
                let folder = absolute(path)?;
                let reach = Reach::Files(files.iter().map(|file| folder.join(file)).collect());
                (self.merged_from(path, &reach, |_| Ok(MergeSource::Parquet { folder, files }))?, Vec::new())
            }
            ImportKind::Csv | ImportKind::Json | ImportKind::ParquetListing => {
                let listing = listing::read(path, kind)?;
                (self.staged_from(path, |connection| listing.stage(connection))?, vec![listing::LIMITS.to_owned()])
            }
            ImportKind::LumoSql | ImportKind::LumoSqlText => {
                let converted = lumosql::read(path, kind)?;
                (self.staged_from(path, |connection| converted.stage(connection))?, converted.notes)
            }
        };
        Ok(Imported { kind, merged, notes })
    }

    fn import_store(&self, path: &Path) -> Result<Merged, ImportError> {
        let _lock = StoreLock::take(path, OpenMode::Read, |waited| waited < self.patience && !self.is_given_up())?;
        self.merged_from(path, &Reach::database(&absolute(path)?), |connection| {
            attach(connection, path, self.patience)?;
            Ok(MergeSource::Attached { chosen: false })
        })
    }

    /// Reads a file into tables in memory, then merges them.
    fn staged_from(
        &self,
        path: &Path,
        fill: impl FnOnce(&Connection) -> Result<(), String>,
    ) -> Result<Merged, ImportError> {
        let broken = |message: String| ImportError::Broken { path: path.to_owned(), message };
        self.merged_from(path, &Reach::Own, |connection| {
            make_tables(connection).map_err(|error| broken(error.to_string()))?;
            fill(connection).map_err(broken)?;
            Ok(MergeSource::Staged)
        })
    }

    /// Opens this store, prepares a source, and merges it. Errors while merging are attributed to the source, because this store could be
    /// opened; a full disk is reported as such.
    fn merged_from(
        &self,
        path: &Path,
        reach: &Reach,
        ready: impl FnOnce(&Connection) -> Result<MergeSource, ImportError>,
    ) -> Result<Merged, ImportError> {
        self.writing_reaching(reach, |connection| {
            let source = ready(connection)?;
            merge(connection, &source)
                .map_err(|error| ImportError::Broken { path: path.to_owned(), message: error.to_string() })
        })
    }
}

/// Copies these runs of a store, or everything, to another one.
pub(super) fn merge_chosen(target: &Store, from: &Store, runs: Option<&[String]>) -> Result<Merged, StoreError> {
    let file = absolute(from.path()).map_err(store_error(from.path()))?;
    let _from = from.lock(OpenMode::Read)?;
    target.writing_reaching(&Reach::database(&file), |connection| {
        attach(connection, from.path(), from.patience).map_err(store_error(from.path()))?;
        if let Some(runs) = runs {
            connection.execute_batch("CREATE TEMP TABLE chosen (run_id UUID)").doing(target.path())?;
            let mut appender = connection.appender_to_catalog_and_db("chosen", "temp", "main").doing(target.path())?;
            runs.iter().try_for_each(|run| appender.append_row([run])).doing(target.path())?;
        }
        merge(connection, &MergeSource::Attached { chosen: runs.is_some() }).doing(target.path())
    })
}

fn store_error(path: &Path) -> impl Fn(ImportError) -> StoreError {
    |error| match error {
        ImportError::Source(error) | ImportError::Store(error) => error,
        other => StoreError::Other { path: path.to_owned(), message: other.to_string() },
    }
}

/// Attaches another store to read it, and waits if that store is being written.
fn attach(connection: &Connection, path: &Path, patience: Duration) -> Result<(), ImportError> {
    let file = absolute(path)?;
    connect::check(path).map_err(ImportError::Source)?;
    let begun = Instant::now();
    loop {
        let attached = connection
            .execute(&format!("ATTACH ? AS {INCOMING} (READ_ONLY)"), [file.to_string_lossy()])
            .doing(path)
            .map_err(ImportError::Source);
        match attached {
            Ok(_) => break,
            Err(ImportError::Source(error)) if error.is_locked() && begun.elapsed() < patience => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(error) => return Err(error),
        }
    }
    match schema::found(connection, INCOMING).doing(path).map_err(ImportError::Source)? {
        FileSchema::Version(found) if found > SCHEMA_VERSION => Err(newer(path, found)),
        FileSchema::Version(found) if found < OLDEST_VERSION => {
            Err(ImportError::Source(StoreError::Outdated { path: path.to_owned(), found }))
        }
        FileSchema::Version(_) => Ok(()),
        FileSchema::Views(names) => Err(ImportError::Source(StoreError::views(path.to_owned(), &names))),
        FileSchema::Empty | FileSchema::Foreign => {
            Err(ImportError::Source(StoreError::Foreign { path: path.to_owned() }))
        }
    }
}

/// Creates empty tables in memory.
pub(super) fn make_tables(connection: &Connection) -> duckdb::Result<()> {
    connection.execute_batch(&format!("ATTACH ':memory:' AS {INCOMING}"))?;
    TABLES.iter().map(|table| table.name).try_for_each(|name| {
        connection.execute_batch(&format!("CREATE TABLE {INCOMING}.main.{name} AS SELECT * FROM {name} LIMIT 0"))
    })
}

fn newer(path: &Path, found: i64) -> ImportError {
    ImportError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION }
}

fn absolute(path: &Path) -> Result<PathBuf, ImportError> {
    let unreadable = |message: String| ImportError::Unreadable { path: path.to_owned(), message };
    let absolute = std::path::absolute(path).map_err(|error| unreadable(error.to_string()))?;
    // DuckDB takes file names as text.
    if absolute.to_str().is_none() { Err(unreadable("its name is not UTF-8".to_owned())) } else { Ok(absolute) }
}

/// Returns a note if the store's journals hold results that are not in it yet.
fn journal_note(path: &Path) -> Vec<String> {
    let store = Store::new(path);
    let note = format!(
        "{} holds results that are not in the store yet and were not imported: `dbdyno --store {} results --count` stores them",
        store.journal_folder().display(),
        path.display()
    );
    if store.has_journals() { vec![note] } else { Vec::new() }
}
