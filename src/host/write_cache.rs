//! Whether the disk beneath a folder has a cache that a sync has to flush.

use super::{text, work_folder};
use std::path::{Path, PathBuf};

/// What the kernel takes a disk's write cache for. Who administers the machine can tell it otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteCache {
    /// There is none, or it outlives a power loss: nothing is ever flushed.
    Through,
    /// What was written is safe once it was flushed, or was written with "force unit access" where the disk has it.
    Back { fua: bool },
}

impl WriteCache {
    /// That of the disk which the folder is on (`queue/write_cache` and `queue/fua` below `/sys/block/DISK`); of several disks that of
    /// the one which has to be flushed.
    pub fn beneath(folder: &Path) -> Option<Self> {
        Self::of_disks(&work_folder::disks(folder))
    }

    fn of_disks(disks: &[PathBuf]) -> Option<Self> {
        let caches: Vec<Option<Self>> = disks
            .iter()
            .map(|disk| {
                let queue = |name: &str| text::read(disk.join("queue").join(name));
                Self::of_texts(&queue("write_cache")?, queue("fua").as_deref())
            })
            .collect();
        let flushed = caches.iter().flatten().find(|cache| matches!(cache, Self::Back { .. })).copied();
        flushed.or_else(|| caches.into_iter().collect::<Option<Vec<Self>>>()?.first().copied())
    }

    fn of_texts(write_cache: &str, fua: Option<&str>) -> Option<Self> {
        match write_cache {
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
    use std::fs;

    #[test]
    fn the_texts_of_the_kernel() {
        assert_eq!(WriteCache::of_texts("write through", Some("0")), Some(WriteCache::Through));
        assert_eq!(WriteCache::of_texts("write back", Some("1")), Some(WriteCache::Back { fua: true }));
        assert_eq!(WriteCache::of_texts("write back", None), Some(WriteCache::Back { fua: false }));
        assert_eq!(WriteCache::of_texts("write around", Some("1")), None);
    }

    #[test]
    fn of_several_disks_the_one_that_is_flushed_counts() {
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
    }
}
