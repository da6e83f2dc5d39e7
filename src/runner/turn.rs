//! One measured run at a time for a user on a host: sessions take turns run by run.

use std::{
    env,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::PathBuf,
};

/// Held while a run is measured.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: File,
    /// Whether another session's run had to be waited for.
    pub(super) waited: bool,
}

impl Turn {
    /// Takes the turn, waiting for another session's run if there is one; `waiting` is called before that. Blocks.
    pub(super) fn take(waiting: impl FnOnce()) -> io::Result<Self> {
        let lock = OpenOptions::new().create(true).append(true).open(lock_file()?)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock, waited: false }),
            Err(TryLockError::WouldBlock) => {
                waiting();
                lock.lock()?;
                Ok(Self { _lock: lock, waited: true })
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// In the user's runtime folder; below the temporary folder where there is none, in a folder only this user can enter.
fn lock_file() -> io::Result<PathBuf> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    let user = rustix::process::getuid().as_raw();
    let folder =
        runtime.map_or_else(|| env::temp_dir().join(format!("dbdyno-{user}")), |runtime| runtime.join("dbdyno"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    if fs::metadata(&folder)?.uid() != user {
        let message = format!("{} belongs to another user: set XDG_RUNTIME_DIR", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(folder.join("turn.lock"))
}
