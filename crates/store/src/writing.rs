//! A write to the store: all or nothing, and the reported outcome matches the store's contents.

use super::{
    OpenMode, Store, StoreError, beside,
    connect::{self, Reach},
    error::Doing,
    file,
    undo::{self, Settlement, Undo},
};
use dbdyno_foundation::base::leftovers::NEW_STORE;
use duckdb::Connection;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{fs, io::ErrorKind};

impl Store {
    /// Opens the store to write, runs `act` to write, and closes it again. If that fails, or the program or the machine stops before the
    /// end, none of it is written.
    pub(super) fn writing<T, E: From<StoreError> + std::fmt::Display>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        self.writing_reaching(&Reach::Own, act)
    }

    /// Does the same with other files in reach.
    pub(super) fn writing_reaching<T, E: From<StoreError> + std::fmt::Display>(
        &self,
        reach: &Reach,
        act: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = &self.path;
        drop(self.left_open().opened.take());
        let _lock = self.lock(OpenMode::Write)?;
        self.patiently(|| undo::settle(path))?;
        let (mut connection, undo) = self.patiently(|| self.open_to_write(reach))?;
        let done = act(&mut connection);
        // An explicit checkpoint reports its failure; the one at closing does not.
        let kept = if done.is_ok() { connect::checkpoint(&connection).doing(path) } else { Ok(()) };
        let closed = connection.close().map_err(|(_, error)| error).doing(path);
        match (done, kept.and(closed)) {
            (Ok(done), Ok(())) => {
                undo.drop_it();
                Ok(done)
            }
            // The write is committed: on disk, in the log, which stays unless the store cannot be read with it.
            (Ok(done), Err(error)) => match undo::settle(path) {
                Ok(Settlement::Stands) => Ok(done),
                Ok(Settlement::PutBack) => Err(error.into()),
                Err(unsettled) => Err(StoreError::unclear(path, &error, &unsettled).into()),
            },
            // DuckDB may have written all of it to the log before it reported the error.
            (Err(error), _) => match undo.take_back(path) {
                Ok(true) => Err(error),
                Ok(false) => Err(StoreError::unclear(path, &error, &"another program has changed it").into()),
                Err(kept) => Err(StoreError::unclear(path, &error, &kept).into()),
            },
        }
    }

    /// Creates the store's file if it is missing or empty.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        if !self.is_missing() {
            return self.writing(|_| Ok(()));
        }
        let _lock = self.lock(OpenMode::Write)?;
        self.patiently(|| undo::settle(&self.path))?;
        if self.is_missing() { self.create() } else { Ok(()) }
    }

    fn is_missing(&self) -> bool {
        fs::symlink_metadata(&self.path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
    }

    /// Creates an empty store, under another name at first: DuckDB would empty a file that reappears while it creates the store.
    fn create(&self) -> Result<(), StoreError> {
        let (path, unborn) = (&self.path, beside(&self.path, NEW_STORE.ending()));
        let failed = |error: std::io::Error| StoreError::of_io(path, &unborn, &error);
        // Remove what a killed program left. DuckDB would replay a log that is there.
        file::family(&unborn).iter().try_for_each(|left| file::remove_left(left)).map_err(failed)?;
        let connection = connect::store(&unborn, OpenMode::Write, &Reach::Own)?;
        let connection = self.check_schema(connection, OpenMode::Write)?;
        let kept = connect::checkpoint(&connection).doing(path);
        let closed = connection.close().map_err(|(_, error)| error).doing(path);
        kept.and(closed)?;
        // A file that appeared meanwhile stays.
        let named = renameat_with(CWD, &unborn, CWD, path, RenameFlags::NOREPLACE).map_err(std::io::Error::from);
        named.and_then(|()| undo::sync_folder(path)).map_err(failed)
    }

    fn open_to_write(&self, reach: &Reach) -> Result<(Connection, Undo), StoreError> {
        let path = &self.path;
        if self.is_missing() {
            self.create()?;
        }
        let undo = Undo::make(path)?;
        let connection = match connect::store(path, OpenMode::Write, reach) {
            Ok(connection) => connection,
            Err(error) => {
                undo.drop_it();
                return Err(error);
            }
        };
        if !undo.holds(path) {
            undo.drop_it();
            connection.close().map_err(|(_, error)| error).doing(path)?;
            let message = "another program changed it just now".to_owned();
            return Err(StoreError::Locked { path: path.clone(), message });
        }
        let ready = self.check_schema(connection, OpenMode::Write).and_then(|connection| {
            connect::no_triggers(&connection, path)?;
            Ok(connection)
        });
        match ready {
            Ok(connection) => Ok((connection, undo)),
            Err(error) => {
                // The schema could not be migrated. Report that failure, not the outcome of the undo.
                let _ = undo.take_back(path);
                Err(error)
            }
        }
    }
}
