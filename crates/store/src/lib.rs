//! The store: every result in one DuckDB file that others can query.
//!
//! A session's results go to a journal next to the file first (`journal`), so that the file is written seldom. The file is open only for
//! a moment each time: several dbdyno processes can share it, and no thread of DuckDB's runs during a measured test. A write is all or
//! nothing even at a power loss (`undo`).

mod added;
mod annotate;
mod blocks;
mod choices;
mod connect;
mod damage;
mod error;
mod evidence;
mod export;
mod file;
mod health;
mod hosts;
mod import;
mod journal;
mod lock;
mod manifest;
mod measured;
mod parquet;
mod read;
mod record;
mod repair;
mod resume;
mod schema;
mod select;
mod sweep;
mod tables;
mod trials;
mod undo;
mod value;
mod watch;
mod write;
mod writing;

use connect::{Reach, memory};
pub use parquet::{CellKind, FlatValue, write_parquet};

pub use added::{ADDS_TO, OriginOfRun};
pub use annotate::{Annotation, Deleted, Extent};
pub use choices::ChoiceRecord;
pub use error::StoreError;
pub use evidence::options_text;
pub use evidence::{EvidenceRecord, TierVerdict, TierVerdicts};
pub use export::{ExportError, Exported};
pub use health::{StoreContents, StoreHealth, StoreState, UnfinishedSessions};
pub use import::{ImportError, ImportKind, Imported, Merged, Taken};
pub use journal::{Ownership, Settled, UnimportedJournals};
pub use measured::MeasuredRuns;
pub use read::{
    ComparedTest, ConfigurationColumn, ConfigurationRow, ExplainedRun, FollowedTest, GroupColumn, GroupRow, Latencies,
    NOT_UPHELD, Offer, OptionValues, Order, Page, PageListing, PageRows, PlannedStatement, RecordedRun, RepeatedTest,
    ResultColumn, ResultRow, RunColumn, RunConfiguration, RunRow, RunTests, SelectedRuns, SessionConditions,
    SessionFacts, SessionHost, SessionWarning, SplitRun, StoreHistory, StoredFact, StoredOption, StoredRun, StoredSlot,
    StoredTest, TestTime, UsualTime, tier_words,
};
pub use record::{
    ActorRecord, ActorSlotRecord, Batch, CounterRecord, ExplainedRecord, FailureKind, HarnessRecord, HostRecord,
    KeyRecord, OptionRecord, QueryPlanRecord, ReadingRecord, RunRecord, SessionRecord, SliceRecord, SpentRecord,
    Status, TestRecord, TimelineRecord, WarningRecord,
};
pub use repair::{Repaired, StoreFinding};
pub use resume::LeftSession;
pub use schema::SCHEMA_VERSION;
pub use select::{
    AnswerOrder, AnswerPart, ColumnKind, ListKind, ListOrder, ListedRows, PartialAnswer, SelectableRow, Selection,
    SelectionKey, SessionFigures, SessionOrder, SessionOrigin, SortKey, TestFigures, TextCells, TextRow, TextRows,
    WholeForm, WholeRow, literal,
};
pub use trials::TrialRecord;
pub use trials::TrialTest;
pub use value::Blob;
pub use watch::ReadWatch;

use dbdyno_foundation::base::output::Guarded;
use dbdyno_foundation::process::held_by;
use duckdb::Connection;
use error::Doing;
use lock::StoreLock;
use schema::FileSchema;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// A wait that is too short to be worth a word.
const UNNOTICED: Duration = Duration::from_millis(300);
/// Default time to wait for another process that has the file open.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store's file, with the journal that this process writes. The file itself stays open only from [`Store::settle_to_read`] to the next
/// reading, and during [`Store::read_together`].
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    patience: Duration,
    /// The folder of the journals, if it is not next to the file.
    journal: Option<PathBuf>,
    writer: journal::SharedWriter,
    opened: SharedOpened,
    /// The watch of the caller that waits for what is read, if there is one.
    watch: Option<ReadWatch>,
}

/// A store that is open to read; no process writes to it meanwhile.
#[derive(Debug)]
struct Opened {
    connection: Connection,
    _lock: StoreLock,
}

/// The store as it is left open between two readings, if it is.
#[derive(Debug, Default)]
struct LeftOpen {
    opened: Option<Opened>,
    /// The number of [`ReadTogether`] values that keep it open after a reading.
    together: usize,
}

type SharedOpened = Arc<Mutex<LeftOpen>>;

/// A guard for several readings of one state of the store, which is closed at the end.
#[derive(Debug)]
#[must_use = "the readings are together as long as it lives"]
pub struct ReadTogether(SharedOpened);

impl Drop for ReadTogether {
    fn drop(&mut self) {
        let mut left = left_open(&self.0);
        left.together -= 1;
        if left.together == 0 {
            left.opened = None;
        }
    }
}

fn left_open(opened: &SharedOpened) -> MutexGuard<'_, LeftOpen> {
    opened.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The access with which a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenMode {
    Read,
    Write,
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(folder).map_err(|error| StoreError::Unreachable {
        path: folder.to_owned(),
        message: format!("the folder cannot be created: {error}"),
    })
}

/// Returns the path of a store's side file with this ending.
fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    store.with_file_name(name)
}

impl Store {
    /// Returns the store in this file; the first write creates the file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = file::resolved(path.into());
        let writer = journal::SharedWriter::new(beside(&path, "journal"));
        Self { path, patience: PATIENCE, journal: None, writer, opened: SharedOpened::default(), watch: None }
    }

    /// Returns the same store, with another maximum wait for a locked file.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns the same store, with a watch for a caller that waits for what is read.
    #[must_use]
    pub fn watched(&self, watch: &ReadWatch) -> Self {
        Self { watch: Some(watch.clone()), ..self.clone() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the maximum wait for a locked file.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Returns the file with all side files under its name: log, journal, undo. No output may overwrite them.
    pub fn guarded(&self) -> Guarded {
        Guarded::family(&self.path, "the store")
    }

    /// Whether the file exists. An empty file counts as missing, because it has yet to be created.
    pub fn exists(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|facts| !facts.is_file() || facts.len() > 0)
    }

    /// Creates the file if it is missing, brings it up to date, and reports clearly if it cannot be used.
    ///
    /// # Errors
    /// The error says why the store cannot be used, and what to do.
    pub fn prepare(&self) -> Result<Settled, StoreError> {
        if let Some(above) = self.journal.as_deref().and_then(Path::parent) {
            make_folder(above)?;
        }
        let damaged = beside(&self.path, "damaged");
        let is_new = !self.exists();
        let aside = (is_new && damaged.exists()).then_some(damaged);
        if is_new {
            // Only now: later, a missing folder may be one that comes back.
            self.path.parent().map_or(Ok(()), make_folder)?;
            self.make()?;
        }
        // A new store has no sessions that a process left unfinished.
        let settled = if is_new && self.has_nothing_left()? { Settled::default() } else { self.settle()? };
        let settled = Settled { aside, ..settled };
        self.check_writable()?;
        if is_new {
            return Ok(settled);
        }
        // The lock excludes other threads that might have it open.
        let _lock = self.lock(OpenMode::Write)?;
        // Report a truncated file or a missing table before a session, not after it.
        let whole =
            |connection: &Connection| schema::missing(connection).doing(&self.path).and_then(|gone| self.lacks(&gone));
        self.patiently(|| damage::intact_and(&self.path, whole))?;
        Ok(settled)
    }

    /// Checks that the file can be written by asking the system, without opening it.
    fn check_writable(&self) -> Result<(), StoreError> {
        rustix::fs::access(&self.path, rustix::fs::Access::WRITE_OK)
            .map_err(|error| StoreError::of_io(&self.path, &self.path, &error.into()))
    }

    /// Commits a batch now. Rows with the same key are replaced, so writing a batch twice has the same result as writing it once.
    ///
    /// # Errors
    /// A store that cannot be opened or written.
    pub fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        self.writing(|connection| {
            let transaction = connection.transaction().doing(&self.path)?;
            write::write_batch(&transaction, batch).doing(&self.path)?;
            transaction.commit().doing(&self.path)
        })
    }

    /// Opens the store to read, for several queries of one state, and closes it again.
    fn reading<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.reading_reaching(&Reach::Nothing, read)
    }

    /// Does the same with other files in reach.
    fn reading_reaching<T>(
        &self,
        reach: &Reach,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.watch.as_ref().map_or(Ok(()), ReadWatch::check)?;
        let opened = self.to_read(reach)?;
        self.follow(&opened.connection)?;
        let answer = read(&opened.connection).map_err(|error| self.explained(&opened.connection, error))?;
        self.leave(opened, reach).map(|()| answer)
    }

    /// Keeps the store open from one reading to the next while the value lives: opening it costs more than most readings. No process can
    /// write to it meanwhile.
    pub fn read_together(&self) -> ReadTogether {
        self.left_open().together += 1;
        ReadTogether(self.opened.clone())
    }

    /// Closes a store after a reading, or leaves it open for the next one without this reading's temporary objects.
    fn leave(&self, opened: Opened, reach: &Reach) -> Result<(), StoreError> {
        let mut left = self.left_open();
        if left.together > 0 && *reach == Reach::Nothing {
            let connection = connect::once_more(&opened.connection).doing(&self.path)?;
            left.opened = Some(Opened { connection, ..opened });
            return Ok(());
        }
        drop(left);
        opened.connection.close().map_err(|(_, error)| error).doing(&self.path)
    }

    /// Explains an error: an unreadable block, or a missing table or column.
    fn explained(&self, connection: &Connection, error: StoreError) -> StoreError {
        let error = error.of_block(&self.path);
        let gone = error.is_of_names().then(|| schema::missing(connection).ok()).flatten().unwrap_or_default();
        self.lacks(&gone).err().unwrap_or(error)
    }

    /// Refuses a store that lacks tables or columns.
    fn lacks(&self, gone: &[String]) -> Result<(), StoreError> {
        match gone {
            [] => Ok(()),
            gone => Err(StoreError::Damaged { path: self.path.clone(), message: gone.join(", ") }),
        }
    }

    /// Lets the watch follow a connection that reads.
    fn follow(&self, connection: &Connection) -> Result<(), StoreError> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch.follow(connection))
    }

    /// Opens the store to read and leaves it open for the next reading.
    fn beginning_to_read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let opened = self.to_read(&Reach::Nothing)?;
        let answer = read(&opened.connection).map_err(|error| self.explained(&opened.connection, error));
        self.left_open().opened = Some(opened);
        answer
    }

    /// Returns the store that a previous reading left open, if there is one.
    fn left_open(&self) -> MutexGuard<'_, LeftOpen> {
        left_open(&self.opened)
    }

    fn to_read(&self, reach: &Reach) -> Result<Opened, StoreError> {
        let left_open = self.left_open().opened.take();
        match left_open.filter(|_| *reach == Reach::Nothing) {
            Some(opened) => Ok(opened),
            None => self.open_to_read(reach),
        }
    }

    fn open_to_read(&self, reach: &Reach) -> Result<Opened, StoreError> {
        if undo::is_there(&self.path) {
            let _lock = self.lock(OpenMode::Write)?;
            self.patiently(|| undo::settle(&self.path))?;
        }
        let lock = self.lock(OpenMode::Read)?;
        let opened =
            self.patiently(|| self.check_schema(connect::store(&self.path, OpenMode::Read, reach)?, OpenMode::Read));
        match opened {
            // A write may migrate the schema.
            Err(StoreError::Older { path, found, known, .. }) => {
                drop(lock);
                self.writing(|_| Ok::<_, StoreError>(())).map_err(|error| StoreError::Older {
                    path,
                    found,
                    known,
                    message: error.to_string(),
                })?;
                self.open_to_read(reach)
            }
            opened => Ok(Opened { connection: opened?, _lock: lock }),
        }
    }

    fn is_given_up(&self) -> bool {
        self.watch.as_ref().is_some_and(ReadWatch::is_given_up)
    }

    /// Waits for the lock that allows this process to open the store, within the store's patience.
    fn lock(&self, access: OpenMode) -> Result<StoreLock, StoreError> {
        let lock = StoreLock::take(&self.path, access, |waited| self.waits(waited));
        self.wait_over();
        lock
    }

    /// Whether a wait for another process goes on after this time. Also sets the holder of the store on the watch.
    fn waits(&self, waited: Duration) -> bool {
        let Some(watch) = &self.watch else { return waited < self.patience };
        if waited > UNNOTICED && watch.held_by().is_none() {
            // The holder of dbdyno's own lock may be waiting for the file too.
            let holders = held_by(&[&self.path]).or_else(|| held_by(&[&lock::lock_path(&self.path)]));
            watch.held(Some(holders.unwrap_or_else(|| "another process".to_owned())));
        }
        (watch.is_endless() || waited < self.patience) && !watch.is_given_up()
    }

    /// Clears the holder of the store on the watch, because the wait is over.
    fn wait_over(&self) {
        self.watch.iter().for_each(|watch| watch.held(None));
    }

    /// Tries again while the file is locked and the patience lasts.
    fn patiently<T>(&self, mut open: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            match open() {
                Err(error) if error.is_locked() && self.waits(begun.elapsed()) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(250));
                }
                other => {
                    self.wait_over();
                    return other;
                }
            }
        }
    }

    /// Creates the schema in an empty file and migrates an older one. Refuses a file of another program or of a newer dbdyno.
    fn check_schema(&self, mut connection: Connection, access: OpenMode) -> Result<Connection, StoreError> {
        let path = self.path.clone();
        let found = match schema::version(&connection) {
            Some(version) => FileSchema::Version(version),
            None => {
                let catalog = connect::catalog(&connection).doing(&self.path)?;
                schema::found(&connection, &catalog).doing(&self.path)?
            }
        };
        match (found, access) {
            (FileSchema::Empty, OpenMode::Write) => schema::create(&mut connection).doing(&self.path)?,
            (FileSchema::Empty | FileSchema::Foreign, _) => return Err(StoreError::Foreign { path }),
            (FileSchema::Views(names), _) => return Err(StoreError::views(path, &names)),
            (FileSchema::Version(SCHEMA_VERSION), _) => {}
            (FileSchema::Version(found), _) if found > SCHEMA_VERSION => {
                return Err(StoreError::Newer { path, found, known: SCHEMA_VERSION });
            }
            (FileSchema::Version(found), _) if found < schema::OLDEST_VERSION => {
                return Err(StoreError::Outdated { path, found });
            }
            (FileSchema::Version(found), OpenMode::Write) => {
                schema::upgrade(&mut connection, found).doing(&self.path)?
            }
            (FileSchema::Version(found), OpenMode::Read) => {
                return Err(StoreError::Older { path, found, known: SCHEMA_VERSION, message: String::new() });
            }
        }
        Ok(connection)
    }
}
