//! The lock for opening a store: many readers, or one writer. It applies to all processes and threads of dbdyno. DuckDB's own lock on the
//! file keeps other programs out, but does not work between two threads of one process.

use super::{OpenMode, StoreError, beside};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// A lock on a store, held while it lives.
#[derive(Debug)]
pub(super) struct StoreLock {
    /// None without a lock file: in a folder that cannot be written, and before the first writer created the file.
    _file: Option<File>,
}

impl StoreLock {
    /// Waits for the lock as long as `waits` is true for the time that the wait takes so far.
    pub(super) fn take(store: &Path, access: OpenMode, waits: impl Fn(Duration) -> bool) -> Result<Self, StoreError> {
        let Some(file) = lock_file(store, access)? else { return Ok(Self { _file: None }) };
        let begun = Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            let tried = match access {
                OpenMode::Read => file.try_lock_shared(),
                OpenMode::Write => file.try_lock(),
            };
            match tried {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::WouldBlock) if waits(begun.elapsed()) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(100));
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another dbdyno holds its lock".to_owned();
                    return Err(StoreError::Locked { path: store.to_owned(), message });
                }
                Err(TryLockError::Error(error)) => return Err(StoreError::of_io(store, &lock_path(store), &error)),
            }
        }
    }
}

pub(super) fn lock_path(store: &Path) -> PathBuf {
    beside(store, "lock")
}

/// Opens the lock file. A reader creates no file: if it is missing, no process has written yet, or none can.
fn lock_file(store: &Path, access: OpenMode) -> Result<Option<File>, StoreError> {
    let path = lock_path(store);
    let opened = match access {
        OpenMode::Read => File::open(&path),
        OpenMode::Write => OpenOptions::new().create(true).append(true).open(&path),
    };
    match (opened, access) {
        (Ok(file), _) => Ok(Some(file)),
        (Err(error), OpenMode::Read) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            Ok(None)
        }
        (Err(error), _) => Err(StoreError::of_io(store, &path, &error)),
    }
}
