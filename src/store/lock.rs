//! Who may have a store open: many to read, or one to write. It holds among all processes and threads of dbdyno; DuckDB's own lock
//! on the file keeps other programs out, but is none between two threads of one process.

use super::{OpenMode, StoreError, beside};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The right to have a store open, for as long as it lives.
#[derive(Debug)]
pub(super) struct StoreLock {
    /// None where nobody writes: in a folder that cannot be written, and before the first writer made the file.
    _file: Option<File>,
}

impl StoreLock {
    /// Waits for the right, as long as `patience` allows.
    pub(super) fn take(store: &Path, access: OpenMode, patience: Duration) -> Result<Self, StoreError> {
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
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
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

fn lock_path(store: &Path) -> PathBuf {
    beside(store, "lock")
}

/// A reader makes no file: where there is none, nobody has written yet, or nobody can.
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
