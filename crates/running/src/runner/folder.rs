//! Run folders: created fresh, removed afterwards, and swept if a crash left one behind.

use dbdyno_foundation::base::{
    leftovers::{self, LeftoverFolder, RUN},
    scratch::Scratch,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A run's own folder.
#[derive(Debug)]
pub enum RunFolder {
    /// Removed when dropped.
    Passing(Scratch),
    /// Left in place. It has no marker file, so no later session sweeps it.
    Kept(PathBuf),
}

impl RunFolder {
    /// Creates the folder `run-ID` below the work folder.
    pub fn create(work: &Path, run_id: &str, keep: bool) -> io::Result<Self> {
        fs::create_dir_all(work)?;
        if !keep {
            return Scratch::named(work, &RUN, run_id).map(Self::Passing);
        }
        let path = work.join(RUN.name(run_id));
        fs::create_dir(&path).map(|()| Self::Kept(path))
    }

    /// Returns the only folder that the worker may write to.
    pub fn path(&self) -> &Path {
        match self {
            Self::Passing(scratch) => scratch.path(),
            Self::Kept(path) => path,
        }
    }

    /// Returns the folder for the worker's databases. The worker creates it.
    pub fn databases(&self) -> PathBuf {
        self.path().join("databases")
    }
}

/// Removes folders of runs and crash tests that no process uses and that were not to be kept. Returns how many.
pub(super) fn sweep(work: &Path) -> usize {
    leftovers::sweep(work, LeftoverFolder::Work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_kept_are_never_swept() {
        let work = tempfile::tempdir().unwrap();
        let used = RunFolder::create(work.path(), "used", false).unwrap();
        drop(RunFolder::create(work.path(), "kept", true).unwrap());
        assert_eq!(sweep(work.path()), 0);
        assert!(work.path().join("run-used").exists() && work.path().join("run-kept").exists());
        drop(used);
        assert!(!work.path().join("run-used").exists(), "a run's folder is removed with it");
    }
}
