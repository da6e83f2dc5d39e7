//! A folder that one worker at a time may write to.

use super::TortureError;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// A folder with databases, and with the worker's records about itself.
#[derive(Debug)]
pub(super) struct TortureFolder {
    path: PathBuf,
    patience: Duration,
}

impl TortureFolder {
    /// Creates an empty folder. `patience`: how long a worker may take to open the databases that will be there.
    pub(super) fn cleared(path: PathBuf, patience: Duration) -> Result<Self, TortureError> {
        let clear = || {
            match fs::remove_dir_all(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::create_dir(&path)
        };
        match clear() {
            Ok(()) => Ok(Self { path, patience }),
            Err(error) => Err(TortureError::folder(&path, "cannot put databases here", &error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn databases(&self) -> PathBuf {
        self.path.join("databases")
    }

    /// Creates the folder of the databases, over which a file system is mounted.
    pub(super) fn with_databases(&self) -> Result<PathBuf, TortureError> {
        let databases = self.databases();
        match fs::create_dir(&databases) {
            Ok(()) => Ok(databases),
            Err(error) => Err(TortureError::folder(&databases, "cannot put databases here", &error)),
        }
    }

    /// Returns a worker's message without the folder's name, which differs each time.
    pub(super) fn unnamed(&self, message: &str) -> String {
        message.replace(&self.path.display().to_string(), "the folder")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join("log")
    }
}
