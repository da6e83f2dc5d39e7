//! Results from elsewhere: other stores, Parquet folders, listings, LumoSQL's benchmark databases.
//!
//! Each file is first attached or staged in memory and then merged in one transaction, so that nothing of a broken file
//! is kept. Files are only ever read.

mod error;
mod kind;
mod listing;
mod lumosql;
mod merge;

pub use error::ImportError;
pub use kind::Kind;
pub use merge::{Merged, Taken};

use super::{
    Access, SCHEMA_VERSION, Store, StoreError,
    error::Doing,
    export::{FORMAT, MANIFEST, same_file},
    migrate::{self, Found},
    record::Record,
    tables::TABLES,
};
use crate::base::input;
use duckdb::{Connection, appender_params_from_iter};
use merge::{INCOMING, Source, merge};
use serde::Deserialize;
use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// What was taken from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What the file is.
    pub kind: Kind,
    /// Rows taken and rows known.
    pub merged: Merged,
    /// What was odd, what was skipped, and why: a sentence each.
    pub notes: Vec<String>,
}

impl Store {
    /// Takes in a file or folder of any kind that [`Kind`] knows. Doing it twice is the same as once.
    pub fn import(&self, path: &Path) -> Result<Imported, ImportError> {
        let kind = Kind::of(path)?;
        if same_file(self.path(), path) {
            return Err(ImportError::Same { path: path.to_owned() });
        }
        let (merged, notes) = match kind {
            Kind::Store => (self.import_store(path)?, spool_note(path)),
            Kind::Parquet => {
                check_manifest(path)?;
                merge::check_files(path)?;
                (self.merged_from(path, |_| Ok(Source::Parquet(absolute(path)?)))?, Vec::new())
            }
            Kind::Csv | Kind::Json => {
                let listing = listing::read(path, kind)?;
                let merged = self.merged_from(path, |connection| {
                    stage(connection, |connection| listing.stage(connection)).doing(path)?;
                    Ok(Source::Attached { chosen: false })
                })?;
                (merged, vec![listing::LIMITS.to_owned()])
            }
            Kind::LumoSql => {
                let converted = lumosql::read(path)?;
                let merged = self.merged_from(path, |connection| {
                    stage(connection, |connection| converted.stage(connection)).doing(path)?;
                    Ok(Source::Attached { chosen: false })
                })?;
                (merged, converted.notes)
            }
        };
        Ok(Imported { kind, merged, notes })
    }

    fn import_store(&self, path: &Path) -> Result<Merged, ImportError> {
        self.merged_from(path, |connection| {
            attach(connection, path, self.patience)?;
            Ok(Source::Attached { chosen: false })
        })
    }

    /// Opens this store, makes a source ready, and merges it. Errors while merging are the source's: this store was
    /// opened, and what a full disk says is passed on.
    fn merged_from(
        &self,
        path: &Path,
        ready: impl FnOnce(&Connection) -> Result<Source, ImportError>,
    ) -> Result<Merged, ImportError> {
        let mut connection = self.open(Access::Write)?;
        let merged = ready(&connection).and_then(|source| {
            merge(&mut connection, &source)
                .map_err(|error| ImportError::Broken { path: path.to_owned(), message: error.to_string() })
        });
        connection.close().map_err(|(_, error)| error).doing(self.path())?;
        merged
    }
}

/// Copies these runs of a store, or everything, to another one.
pub(super) fn merge_chosen(target: &Store, from: &Store, runs: Option<&[String]>) -> Result<Merged, StoreError> {
    let mut connection = target.open(Access::Write)?;
    let mut copy = || -> Result<Merged, StoreError> {
        attach(&connection, from.path(), from.patience).map_err(|error| match error {
            ImportError::Source(error) | ImportError::Store(error) => error,
            other => StoreError::Other { path: from.path().to_owned(), message: other.to_string() },
        })?;
        if let Some(runs) = runs {
            connection.execute_batch("CREATE TEMP TABLE chosen (run_id UUID)").doing(target.path())?;
            let mut appender = connection.appender_to_catalog_and_db("chosen", "temp", "main").doing(target.path())?;
            runs.iter().try_for_each(|run| appender.append_row([run])).doing(target.path())?;
        }
        merge(&mut connection, &Source::Attached { chosen: runs.is_some() }).doing(target.path())
    };
    let merged = copy();
    connection.close().map_err(|(_, error)| error).doing(target.path())?;
    merged
}

/// Attaches another store to read it, waiting for one that is being written.
fn attach(connection: &Connection, path: &Path, patience: Duration) -> Result<(), ImportError> {
    let file = absolute(path)?;
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
    match migrate::found(connection, INCOMING).doing(path).map_err(ImportError::Source)? {
        Found::Version(found) if found <= SCHEMA_VERSION => Ok(()),
        Found::Version(found) => Err(newer(path, found)),
        Found::Empty | Found::Foreign => Err(ImportError::Source(StoreError::Foreign { path: path.to_owned() })),
    }
}

/// Makes empty tables in memory and has them filled.
fn stage(connection: &Connection, fill: impl FnOnce(&Connection) -> duckdb::Result<()>) -> duckdb::Result<()> {
    connection.execute_batch(&format!("ATTACH ':memory:' AS {INCOMING}"))?;
    for table in &TABLES {
        let name = table.name;
        connection.execute_batch(&format!("CREATE TABLE {INCOMING}.main.{name} AS SELECT * FROM {name} LIMIT 0"))?;
    }
    fill(connection)
}

/// Appends records to their staged table.
fn append<R: Record>(connection: &Connection, records: &[R]) -> duckdb::Result<()> {
    let mut appender = connection.appender_with_columns_to_catalog_and_db(R::TABLE, INCOMING, "main", R::COLUMNS)?;
    for record in records {
        appender.append_row(appender_params_from_iter(record.values()))?;
    }
    appender.flush()
}

#[derive(Deserialize)]
struct Manifest {
    format: String,
    schema_version: i64,
}

fn check_manifest(folder: &Path) -> Result<(), ImportError> {
    let path = folder.join(MANIFEST);
    let broken = |message: String| ImportError::Broken { path: path.clone(), message };
    let text = input::read_text(&path).map_err(|error| broken(error.to_string()))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
    if manifest.format != FORMAT {
        return Err(broken(format!("the format is `{}`, expected `{FORMAT}`", manifest.format)));
    }
    if manifest.schema_version > SCHEMA_VERSION { Err(newer(folder, manifest.schema_version)) } else { Ok(()) }
}

fn newer(path: &Path, found: i64) -> ImportError {
    ImportError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION }
}

fn absolute(path: &Path) -> Result<PathBuf, ImportError> {
    let unreadable = |message: String| ImportError::Unreadable { path: path.to_owned(), message };
    let absolute = std::path::absolute(path).map_err(|error| unreadable(error.to_string()))?;
    // DuckDB takes names of files as text.
    if absolute.to_str().is_none() { Err(unreadable("its name is not UTF-8".to_owned())) } else { Ok(absolute) }
}

/// What is not in a store yet.
fn spool_note(path: &Path) -> Vec<String> {
    let spool = Store::new(path).spool_path();
    let note = format!(
        "{} holds results that are not in the store yet and were not taken: `dbdyno --store {} results --count` stores them",
        spool.display(),
        path.display()
    );
    if spool.exists() { vec![note] } else { Vec::new() }
}
