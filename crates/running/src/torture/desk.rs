//! The folder that one worker at a time may write to.

use super::TortureError;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// A folder with databases, and beside them what their worker records of itself.
#[derive(Debug)]
pub(super) struct Desk {
    path: PathBuf,
    patience: Duration,
}

impl Desk {
    /// An empty one. `patience`: how long a worker may take to open what will be there.
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
            Err(error) => Err(TortureError::folder(&path, "databases cannot be put here", &error)),
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

    /// The folder of the databases, which is made: something is mounted over it.
    pub(super) fn with_databases(&self) -> Result<PathBuf, TortureError> {
        let databases = self.databases();
        match fs::create_dir(&databases) {
            Ok(()) => Ok(databases),
            Err(error) => Err(TortureError::folder(&databases, "databases cannot be put here", &error)),
        }
    }

    /// What a worker said, without the folder's name, which is another each time.
    pub(super) fn unnamed(&self, message: &str) -> String {
        message.replace(&self.path.display().to_string(), "the folder")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join("log")
    }
}
