//! The folders in which programs of one user on one host find each other.

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

/// Where jobs may be, the preferred first. The cache comes before the runtime folder because it outlives a login: the runtime folder is
/// removed with the last one, which may be the connection whose loss is to be survived. Without both there is a folder of the user's among
/// the temporary files, which nobody else can replace there.
pub fn meeting_places() -> Vec<PathBuf> {
    let cache = etcetera::choose_base_strategy().ok().map(|base| base.cache_dir());
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    let temporary = env::temp_dir().join(format!("{FOLDER}-{}", geteuid()));
    cache.into_iter().chain(runtime).map(|folder| folder.join(FOLDER)).chain([temporary]).collect()
}

/// What `make` makes in the first of the [`meeting_places`] that can be used.
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

/// Opens a folder that is this user's own, and no link to one.
///
/// # Errors
/// It is not there, or another user's.
pub fn own_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = File::from(open(path, flags, Mode::empty())?);
    if folder.metadata()?.uid() == geteuid().as_raw() {
        Ok(folder)
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("{} is another user's", path.display())))
    }
}
