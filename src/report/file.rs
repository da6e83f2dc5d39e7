//! Files that are replaced whole or not at all.

use std::{fs::Permissions, io, os::unix::fs::PermissionsExt, path::Path};
use tempfile::{Builder, PathPersistError, TempPath};

/// Has `write` write a temporary file in the same folder, syncs it, and renames it to `path`. When anything fails, what
/// was at `path` is still there, and the temporary file is not.
pub(crate) fn replace<E>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> io::Result<Result<(), E>> {
    complete(path, write, |temporary| temporary.persist(path))
}

/// The same, but a file that is at `path` already is left as it is, and that is an error.
pub(crate) fn create<E>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> io::Result<Result<(), E>> {
    if path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    complete(path, write, |temporary| temporary.persist_noclobber(path))
}

fn complete<E>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
    rename: impl FnOnce(TempPath) -> Result<(), PathPersistError>,
) -> io::Result<Result<(), E>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    // A plain file's permissions, not those of a secret: the umask takes its part.
    let permissions = Permissions::from_mode(0o666);
    let temporary = Builder::new().prefix(".dbdyno-").permissions(permissions).tempfile_in(folder)?.into_temp_path();
    if let Err(error) = write(&temporary) {
        return Ok(Err(error));
    }
    std::fs::File::open(&temporary)?.sync_all()?;
    rename(temporary).map_err(|error| error.error)?;
    Ok(Ok(()))
}
