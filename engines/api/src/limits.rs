//! System limits that an engine reached: libraries often do not name them in the error of a failed write.

use std::{fs, path::Path};

/// Free space below which a disk counts as full, bytes.
const FULL: u64 = 1 << 20;
/// Distance from the limit within which a file counts as having reached it, bytes: a write that does not fit may be skipped.
const NEAR: u64 = 64 << 10;

/// Returns the limit that the files in a folder have reached, in words; `None` if there is room.
pub(crate) fn met(folder: &Path) -> Option<String> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if let Some(limit) = limit
        && longest(folder).saturating_add(NEAR) > limit
    {
        let limits = "the limit of file sizes, which `ulimit -f` shows, or what was free on the disk";
        return Some(format!("a file reached {limits}: {limit} bytes"));
    }
    let disk = rustix::fs::statvfs(folder).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    (free < FULL).then(|| format!("the disk is full: {free} bytes are free in {}", folder.display()))
}

/// Returns the length of the longest file below a folder. Unreadable entries count as empty.
fn longest(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let length = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => longest(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.map(length).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_file_counts_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("below/long"), [0; 1000]).unwrap();
        fs::write(folder.path().join("short"), [0; 10]).unwrap();
        assert_eq!(longest(folder.path()), 1000);
        assert_eq!(longest(&folder.path().join("nowhere")), 0);
    }
}
