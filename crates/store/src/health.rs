//! A check of a store that changes nothing: it imports no journal, ends no interrupted write, and migrates no older schema.

use super::{
    OpenMode, SCHEMA_VERSION, Store, StoreError,
    connect::{self, Reach},
    error::Doing,
    file,
    journal::{UnimportedJournals, abandoned, positions},
    lock::lock_path,
    undo,
};
use dbdyno_foundation::process::{FileHolder, file_holders};
use duckdb::Connection;
use rustix::fs::Access;
use std::{collections::BTreeMap, fs, path::Path};

/// The state of a store, its journal and its other files.
#[derive(Debug)]
pub struct StoreHealth {
    pub bytes: u64,
    /// Bytes of the log that DuckDB keeps between a commit and the next checkpoint.
    pub log_bytes: u64,
    /// The contents of the journals that the store does not have yet. If that is unknown, all contents of the journals.
    pub waiting: UnimportedJournals,
    pub state: StoreState,
    /// Whether the file can be written, as the system reports it. If there is no file yet, whether it can be created.
    pub writable: Result<(), StoreError>,
}

/// The result of opening a store.
#[derive(Debug)]
pub enum StoreState {
    /// The file does not exist yet.
    Missing,
    /// A write was interrupted. The next command completes or undoes it, and nothing reads the store until then.
    Interrupted,
    Open(StoreContents),
    Refused(StoreError),
}

/// The contents of a store that could be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreContents {
    /// Version of its schema: this program's or an older one.
    pub schema: i64,
    /// None in a store with an older schema.
    pub sessions: Option<UnfinishedSessions>,
}

/// The number of sessions that did not reach their end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnfinishedSessions {
    /// A process is running them.
    pub running: u64,
    /// No process runs them, and `resume` can finish them.
    pub resumable: u64,
}

impl Store {
    /// Inspects the store without changing anything. Unfinished sessions are those of this host.
    pub fn health(&self, host_ids: &[String; 2]) -> StoreHealth {
        let length = |path: &Path| fs::metadata(path).map_or(0, |facts| facts.len());
        let mut taken = BTreeMap::new();
        let state = match () {
            () if !self.exists() => StoreState::Missing,
            () if undo::is_there(self.path()) => StoreState::Interrupted,
            () => match self.look(host_ids) {
                Ok((contents, positions)) => {
                    taken = positions;
                    StoreState::Open(contents)
                }
                Err(error) => StoreState::Refused(error),
            },
        };
        StoreHealth {
            bytes: length(self.path()),
            log_bytes: length(&file::log(self.path())),
            waiting: self.waiting(&taken),
            state,
            writable: self.could_be_written(),
        }
    }

    /// Returns the other processes that hold a lock on the store or its lock file, as far as the system reports them.
    pub fn holders(&self) -> Vec<FileHolder> {
        file_holders(&[self.path(), &lock_path(self.path())])
    }

    /// Returns the contents of the store, and how far it has imported each journal.
    fn look(&self, host_ids: &[String; 2]) -> Result<(StoreContents, BTreeMap<String, u64>), StoreError> {
        let path = self.path();
        let _lock = self.lock(OpenMode::Read)?;
        let connection = self.patiently(|| connect::store(path, OpenMode::Read, &Reach::Nothing))?;
        let connection = match self.check_schema(connection, OpenMode::Read) {
            Err(StoreError::Older { found, .. }) => {
                return Ok((StoreContents { schema: found, sessions: None }, BTreeMap::new()));
            }
            checked => checked?,
        };
        let sessions = unfinished(&connection, host_ids).doing(path)?;
        let taken = positions(&connection).doing(path)?;
        connection.close().map_err(|(_, error)| error).doing(path)?;
        Ok((StoreContents { schema: SCHEMA_VERSION, sessions: Some(sessions) }, taken))
    }

    /// Checks that the file can be written. If it is missing, checks that it can be created in its folder or the nearest existing folder
    /// above.
    fn could_be_written(&self) -> Result<(), StoreError> {
        if self.exists() {
            return self.check_writable();
        }
        let path = std::path::absolute(self.path()).unwrap_or_else(|_| self.path().to_owned());
        let folder = path.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(&path);
        rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK)
            .map_err(|error| StoreError::of_io(self.path(), folder, &error.into()))
    }
}

fn unfinished(connection: &Connection, host_ids: &[String; 2]) -> duckdb::Result<UnfinishedSessions> {
    let sql = "SELECT count(*) FILTER (status = 'running')::UBIGINT,
                      count(*) FILTER (status IN ('interrupted', 'cancelled') AND plan IS NOT NULL AND host_id IN (?, ?))::UBIGINT
               FROM session";
    let (begun, ended): (u64, u64) =
        connection.query_row(sql, duckdb::params![host_ids[0], host_ids[1]], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let left = abandoned(connection)?.len() as u64;
    Ok(UnfinishedSessions { running: begun.saturating_sub(left), resumable: ended + left })
}

#[cfg(test)]
mod tests {
    use super::{super::beside, *};
    use std::time::Duration;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("a/results.duckdb")).with_patience(Duration::ZERO);
        (folder, store)
    }

    fn host() -> [String; 2] {
        ["host", "former"].map(str::to_owned)
    }

    #[test]
    fn a_store_that_is_not_there_is_not_made() {
        let (folder, store) = store();
        let health = store.health(&host());
        assert!(matches!(health.state, StoreState::Missing) && health.writable.is_ok(), "{health:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_new_store_is_looked_at_and_stays_as_it_is() {
        let (folder, store) = store();
        store.prepare().unwrap();
        let before = fs::read(store.path()).unwrap();
        let health = store.health(&host());
        let StoreState::Open(contents) = health.state else { panic!("{health:?}") };
        assert_eq!(contents, StoreContents { schema: SCHEMA_VERSION, sessions: Some(UnfinishedSessions::default()) });
        assert_eq!((health.bytes, health.log_bytes), (before.len() as u64, 0));
        assert_eq!(health.waiting, UnimportedJournals::default());
        assert_eq!(fs::read(store.path()).unwrap(), before);
        assert!(folder.path().join("a/results.duckdb.lock").exists());
    }

    #[test]
    fn a_write_that_was_interrupted_is_left_to_the_next_command() {
        let (_folder, store) = store();
        store.prepare().unwrap();
        fs::write(beside(store.path(), "undo"), "dbdyno undo 1\n").unwrap();
        assert!(matches!(store.health(&host()).state, StoreState::Interrupted));
        assert!(undo::is_there(store.path()));
    }

    #[test]
    fn what_is_no_store_or_is_held_is_refused() {
        let (_folder, store) = store();
        store.prepare().unwrap();
        let lock = store.lock(OpenMode::Write).unwrap();
        let refused = |store: &Store| match store.health(&host()).state {
            StoreState::Refused(error) => error,
            state => panic!("{state:?}"),
        };
        assert!(refused(&store).is_locked());
        assert_eq!(store.holders(), [], "this process is none of the others");
        drop(lock);
        fs::write(store.path(), "some text that is longer than a header").unwrap();
        assert!(matches!(refused(&store), StoreError::NotDuckDb { .. }));
    }
}
