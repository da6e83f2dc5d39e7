//! The lock for opening a store: many readers, or one writer. It applies to all processes and threads of dbdyno. DuckDB's own lock on the
//! file keeps other programs out, but does not work between two threads of one process.

use super::{OpenMode, StoreError, beside};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::ErrorKind,
    os::unix::fs::MetadataExt,
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
    /// Waits for the lock, at most for `patience` and until the caller cancels.
    pub(super) fn take(
        store: &Path,
        access: OpenMode,
        patience: Duration,
        is_given_up: impl Fn() -> bool,
    ) -> Result<Self, StoreError> {
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
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience && !is_given_up() => {
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

/// Returns the processes that hold the store's lock or DuckDB's own lock on the file, as far as the system reports them.
pub(super) fn holders(store: &Path) -> Vec<u32> {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let files = [store.to_owned(), lock_path(store)];
    let inodes = files.iter().filter_map(|file| Some(fs::metadata(file).ok()?.ino()));
    let mut processes: Vec<u32> = inodes.flat_map(|inode| holders_of(&locks, inode)).collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

/// Returns the processes that hold a lock on the file with this inode, from the text of `/proc/locks`: `1: FLOCK ADVISORY WRITE PID
/// MAJ:MIN:INODE 0 EOF`. The device is not compared: some file systems have another number here than for a file. A waiting process (`->`)
/// holds nothing, and a process outside of this container has the number 0 or -1.
fn holders_of(locks: &str, inode: u64) -> Vec<u32> {
    let held = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().filter(|kind| *kind != "->")?;
        let process = words.nth(2)?.parse().ok().filter(|process| *process > 0)?;
        let file = words.next()?.rsplit(':').next()?;
        (file.parse() == Ok(inode)).then_some(process)
    };
    locks.lines().filter_map(held).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_a_file_is_told_by_the_system() {
        let locks = "\
1: FLOCK  ADVISORY  WRITE 29092 fe:00:10756797 0 EOF
2: POSIX  ADVISORY  READ 28948 fe:00:10756797 0 EOF
2: -> FLOCK  ADVISORY  WRITE 77 fe:00:10756797 0 EOF
3: OFDLCK ADVISORY  READ -1 fe:00:10756797 0 EOF
4: FLOCK  ADVISORY  READ 5 fe:00:107 0 EOF
garbage
";
        assert_eq!(holders_of(locks, 10_756_797), [29092, 28948]);
        assert_eq!(holders_of(locks, 107), [5]);
        assert_eq!(holders_of(locks, 7), [0; 0]);
        assert_eq!(holders_of("", 7), [0; 0]);
    }
}
