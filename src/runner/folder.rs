//! Run folders: made fresh, locked while in use, removed afterwards, and swept when a crash left one behind.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

const PREFIX: &str = "run-";
const LOCK: &str = ".lock";

/// A run's own folder; removed when dropped, unless it is to be kept.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    /// Held for as long as the run: tells others that the folder is not left over.
    _lock: File,
    keep: bool,
}

impl RunFolder {
    /// Makes the folder `run-ID` below the work folder.
    pub(crate) fn create(work: &Path, run_id: &str, keep: bool) -> io::Result<Self> {
        fs::create_dir_all(work)?;
        let path = work.join(format!("{PREFIX}{run_id}"));
        fs::create_dir(&path)?;
        let lock = File::create_new(path.join(LOCK))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock, keep })
    }

    /// Where the worker puts its databases. It is made by the worker.
    pub(crate) fn databases(&self) -> PathBuf {
        self.path.join("databases")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.keep {
            // What cannot be removed now is swept by a later session.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes run folders that no process uses; how many. Folders without our lock file are not ours and stay.
pub(super) fn sweep(work: &Path) -> usize {
    let mut swept = 0;
    for entry in fs::read_dir(work).into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && is_left_over(&path) && fs::remove_dir_all(&path).is_ok() {
            swept += 1;
        }
    }
    swept
}

fn is_left_over(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_nobody_uses_are_swept() {
        let work = tempfile::tempdir().unwrap();
        let used = RunFolder::create(work.path(), "used", false).unwrap();
        fs::create_dir(work.path().join("run-left")).unwrap();
        fs::write(work.path().join("run-left/.lock"), "").unwrap();
        fs::create_dir(work.path().join("run-not-ours")).unwrap();
        fs::create_dir(work.path().join("other")).unwrap();
        assert_eq!(sweep(work.path()), 1);
        assert!(work.path().join("run-used").exists() && work.path().join("run-not-ours").exists());
        assert!(!work.path().join("run-left").exists());
        drop(used);
        assert!(!work.path().join("run-used").exists(), "a run's folder is removed with it");
    }
}
