//! The folders in which the programs of one user on one host find each other.

use etcetera::BaseStrategy;
use rustix::{
    fs::{Mode, OFlags, open},
    process::geteuid,
};
use std::{
    env,
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

const FOLDER: &str = "dbdyno";

/// Returns the possible folders of jobs, the preferred one first. The cache comes before the runtime folder because it outlives a login:
/// the runtime folder is removed with the last login, which may be the connection whose loss the job must survive. Without both there is
/// a folder of the user among the temporary files, which no other user can replace there.
pub fn meeting_places() -> Vec<PathBuf> {
    let cache = etcetera::choose_base_strategy().ok().map(|base| base.cache_dir());
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    let temporary = env::temp_dir().join(format!("{FOLDER}-{}", geteuid()));
    cache.into_iter().chain(runtime).map(|folder| folder.join(FOLDER)).chain([temporary]).collect()
}

/// Returns what `make` creates in the first usable one of the [`meeting_places`].
///
/// # Errors
/// Why the last of them cannot be used, or that there is none.
pub fn in_a_meeting_place<T>(make: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for folder in meeting_places() {
        outcome = make(&folder);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// Opens a folder that belongs to this user and is not a link.
///
/// # Errors
/// The folder is missing, or belongs to another user.
pub fn own_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = File::from(open(path, flags, Mode::empty())?);
    if folder.metadata()?.uid() == geteuid().as_raw() {
        Ok(folder)
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("{} belongs to another user", path.display())))
    }
}
