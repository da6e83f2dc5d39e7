//! The store: every result in one DuckDB file that others can query.
//!
//! The file is opened for each batch and closed again, so that several dbdyno processes can share it and no thread of
//! DuckDB's runs beside a measured test.

mod annotate;
mod error;
mod export;
mod import;
mod migrate;
mod record;
mod select;
mod spool;
mod tables;
mod trials;
mod value;

pub use annotate::{Annotation, Deleted, Extent};
pub use error::StoreError;
pub use export::{ExportError, Exported};
pub use import::{ImportError, Imported, Kind, Merged, Taken};
pub use migrate::SCHEMA_VERSION;
pub use record::{
    Batch, HarnessRecord, HostRecord, KeyRecord, OptionRecord, ResultRecord, RunRecord, SessionRecord, Status,
    TimelineRecord, WarningRecord,
};
pub use select::{
    GroupColumn, GroupRow, Key, Listed, Listing, Order, Page, PageRows, ResultColumn, ResultRow, Rows, Selection,
    StoredFact, StoredOption, StoredRun, StoredSlot, StoredTest, TestTime, history::StoreHistory, literal,
};
pub use spool::Spooled;
pub use trials::TrialRecord;
pub use value::Blob;

use crate::base::{input, output::Guarded};
use duckdb::{AccessMode, Config, Connection, Transaction, params_from_iter};
use error::Doing;
use migrate::Found;
use record::Record;
use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long to wait for another process that has the file open, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store's file. Nothing is held open.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    patience: Duration,
}

/// Whether a store is opened to read or to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Store {
    /// The store in this file; the file is made by the first write.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), patience: PATIENCE }
    }

    /// The same store, with another patience for a file that is locked.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file with all that stands beside it under its name: log, spool, journal. Nothing may be written over them.
    pub fn guarded(&self) -> Guarded {
        Guarded::family(&self.path, "the store")
    }

    /// Whether the file is there.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Makes the file where there is none, takes in what is in the spool, and says clearly when the file cannot be used.
    pub fn prepare(&self) -> Result<Spooled, StoreError> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| StoreError::Unreachable {
                path: folder.to_owned(),
                message: format!("the folder cannot be made: {error}"),
            })?;
        }
        self.write(&Batch::default())?;
        spool::take_in(self)
    }

    /// Commits a batch. Rows with the same key are replaced, so that writing a batch twice is the same as once.
    pub fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut connection = self.open(Access::Write)?;
        let result = write_batch(&mut connection, batch).doing(&self.path);
        let closed = connection.close().map_err(|(_, error)| error).doing(&self.path);
        result.and(closed)
    }

    /// Commits a batch; when that fails, appends it to the spool and says why. Only when both fail is it lost.
    pub fn write_or_spool(&self, batch: &Batch) -> Result<Option<StoreError>, StoreError> {
        match self.write(batch) {
            Ok(()) => Ok(None),
            Err(error) => spool::append(self, batch).map(|()| Some(error)),
        }
    }

    fn open(&self, access: Access) -> Result<Connection, StoreError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            match self.open_once(access) {
                // Whoever writes may bring the schema up to date.
                Err(StoreError::Older { found, known, .. }) => {
                    let path = self.path.clone();
                    let message =
                        |error: StoreError| StoreError::Older { path, found, known, message: error.to_string() };
                    self.open(Access::Write).map_err(message)?.close().map_err(|(_, error)| error).doing(&self.path)?;
                }
                Err(error) if error.is_locked() && begun.elapsed() < self.patience => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(250));
                }
                other => return other,
            }
        }
    }

    fn open_once(&self, access: Access) -> Result<Connection, StoreError> {
        if let Some(odd) = input::odd(&self.path) {
            return Err(StoreError::Unreachable { path: self.path.clone(), message: odd.to_string() });
        }
        let config = match access {
            // One thread: a batch is small, and a worker may be waiting on the other core.
            Access::Write => Config::default().threads(1),
            Access::Read => Config::default().access_mode(AccessMode::ReadOnly),
        };
        let mut connection =
            config.and_then(|config| Connection::open_with_flags(&self.path, config)).doing(&self.path)?;
        self.check_schema(&mut connection, access)?;
        Ok(connection)
    }

    /// Makes the schema in an empty file and brings an older one up to date; refuses a file of someone else's or of a
    /// newer dbdyno.
    fn check_schema(&self, connection: &mut Connection, access: Access) -> Result<(), StoreError> {
        let path = self.path.clone();
        let found = match migrate::version(connection) {
            Some(version) => Found::Version(version),
            None => {
                let current = connection.query_row("SELECT current_database()", [], |row| row.get::<_, String>(0));
                migrate::found(connection, &current.doing(&self.path)?).doing(&self.path)?
            }
        };
        match (found, access) {
            (Found::Empty, Access::Write) => migrate::create(connection).doing(&self.path),
            (Found::Empty | Found::Foreign, _) => Err(StoreError::Foreign { path }),
            (Found::Version(SCHEMA_VERSION), _) => Ok(()),
            (Found::Version(found), _) if found > SCHEMA_VERSION => {
                Err(StoreError::Newer { path, found, known: SCHEMA_VERSION })
            }
            (Found::Version(found), Access::Write) => migrate::upgrade(connection, found).doing(&self.path),
            (Found::Version(found), Access::Read) => {
                Err(StoreError::Older { path, found, known: SCHEMA_VERSION, message: String::new() })
            }
        }
    }
}

fn write_batch(connection: &mut Connection, batch: &Batch) -> duckdb::Result<()> {
    let Batch { hosts, sessions, runs, options, keys, results, timelines, harness, warnings, trials } = batch;
    let transaction = connection.transaction()?;
    upsert(&transaction, hosts)?;
    upsert(&transaction, sessions)?;
    upsert(&transaction, runs)?;
    upsert(&transaction, options)?;
    upsert(&transaction, keys)?;
    upsert(&transaction, results)?;
    upsert(&transaction, timelines)?;
    upsert(&transaction, harness)?;
    upsert(&transaction, warnings)?;
    upsert(&transaction, trials)?;
    transaction.commit()
}

fn upsert<R: Record>(transaction: &Transaction<'_>, records: &[R]) -> duckdb::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let columns = R::COLUMNS.join(", ");
    let places = vec!["?"; R::COLUMNS.len()].join(", ");
    let sql = format!("INSERT OR REPLACE INTO {} ({columns}) VALUES ({places})", R::TABLE);
    let mut statement = transaction.prepare(&sql)?;
    for record in records {
        statement.execute(params_from_iter(record.values()))?;
    }
    Ok(())
}
