//! Files that are replaced whole or not at all.

use std::{fs::Permissions, io, os::unix::fs::PermissionsExt, path::Path};
use tempfile::Builder;

/// Has `write` write a temporary file in the same folder, syncs it, and renames it to `path`. When anything fails, what
/// was at `path` is still there, and the temporary file is not.
pub(crate) fn replace<E>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> io::Result<Result<(), E>> {
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
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(Ok(()))
}
