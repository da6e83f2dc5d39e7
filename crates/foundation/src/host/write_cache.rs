//! Whether the disk below a folder has a cache that a sync must flush.

use super::{text, work_folder};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The kernel's view of a disk's write cache. Administrators can override it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteCache {
    /// There is none, or it survives a power loss: nothing is ever flushed.
    Through,
    /// Written data is safe after a flush, or if it was written with "force unit access" on a disk that supports it.
    Back { fua: bool },
    /// The disk reports a cache, but the kernel is configured to assume that it has none: nothing is flushed.
    Denied,
}

impl WriteCache {
    /// Returns the cache of the folder's disk (`queue/write_cache`, `queue/fua` and `device/scsi_disk/*/cache_type` below
    /// `/sys/block/DISK`). With several disks, returns the one that can lose most.
    pub fn beneath(folder: &Path) -> Option<Self> {
        Self::of_disks(&work_folder::disks(folder))
    }

    fn of_disks(disks: &[PathBuf]) -> Option<Self> {
        let caches: Vec<Option<Self>> = disks.iter().map(|disk| Self::of_disk(disk)).collect();
        let found = |wanted: fn(&Self) -> bool| caches.iter().flatten().copied().find(wanted);
        found(|cache| *cache == Self::Denied)
            .or_else(|| found(|cache| matches!(cache, Self::Back { .. })))
            .or_else(|| caches.iter().copied().collect::<Option<Vec<Self>>>()?.first().copied())
    }

    fn of_disk(disk: &Path) -> Option<Self> {
        let queue = |name: &str| text::read(disk.join("queue").join(name));
        let scsi = fs::read_dir(disk.join("device/scsi_disk")).into_iter().flatten().flatten().next();
        let own = scsi.and_then(|scsi| text::read(scsi.path().join("cache_type")));
        Self::of_texts(&queue("write_cache")?, queue("fua").as_deref(), own.as_deref())
    }

    /// Parses the kernel's texts. `own`: the cache that a SCSI or SATA disk itself reports.
    fn of_texts(write_cache: &str, fua: Option<&str>, own: Option<&str>) -> Option<Self> {
        match write_cache {
            "write through" if own.is_some_and(|own| own.starts_with("write back")) => Some(Self::Denied),
            "write through" => Some(Self::Through),
            "write back" => Some(Self::Back { fua: fua == Some("1") }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::TestFolder;

    #[test]
    fn the_texts_of_the_kernel() {
        let of = WriteCache::of_texts;
        assert_eq!(of("write through", Some("0"), None), Some(WriteCache::Through));
        assert_eq!(of("write through", Some("0"), Some("write through")), Some(WriteCache::Through));
        assert_eq!(of("write through", None, Some("write back, no read (daft)")), Some(WriteCache::Denied));
        assert_eq!(of("write back", Some("1"), Some("write back")), Some(WriteCache::Back { fua: true }));
        assert_eq!(of("write back", None, None), Some(WriteCache::Back { fua: false }));
        assert_eq!(of("write around", Some("1"), None), None);
    }

    #[test]
    fn of_several_disks_the_one_that_loses_most_counts() {
        let folder = TestFolder::new("write-cache");
        let disk = |name: &str, cache: &str| {
            let queue = folder.path().join(name).join("queue");
            fs::create_dir_all(&queue).unwrap();
            fs::write(queue.join("write_cache"), cache).unwrap();
            folder.path().join(name)
        };
        let (through, back) = (disk("sda", "write through\n"), disk("sdb", "write back\n"));
        let silent = folder.path().join("sdc");
        let of =
            |disks: &[&PathBuf]| WriteCache::of_disks(&disks.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>());
        assert_eq!(of(&[&through, &back]), Some(WriteCache::Back { fua: false }));
        assert_eq!(of(&[&through]), Some(WriteCache::Through));
        assert_eq!(of(&[&through, &silent]), None, "the other may have to be flushed");
        assert_eq!(of(&[]), None);
        let denied = disk("sdd", "write through\n");
        let scsi = denied.join("device/scsi_disk/0:0:0:0");
        fs::create_dir_all(&scsi).unwrap();
        fs::write(scsi.join("cache_type"), "write back\n").unwrap();
        assert_eq!(of(&[&back, &denied]), Some(WriteCache::Denied));
    }
}
