//! Lists the content of a folder.

use std::{
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
};

/// Returns everything below a folder, with names relative to it, in the order of names: a folder before its content.
pub(super) fn everything_below(root: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let (name, kind) = (folder.join(entry.file_name()), entry.file_type()?);
            if kind.is_dir() {
                waiting.push(name.clone());
            }
            found.push((name, kind));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}
