//! Mount options that change measurements.

use super::WriteCache;

/// The effect of an option on figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountEffect {
    /// No sync reaches the disk.
    NoSync,
    /// A sync does not flush the disk's write cache.
    NoFlush,
    /// Calls wait for the disk that do not on other mounts, in addition to the waits of engines.
    MoreWaits,
    /// Files lose more in a power loss than on usual mounts, and syncs may be faster; data that engines sync themselves is as safe.
    KeepsLess,
    /// Figures are correct, and reflect this option.
    Known,
}

/// An option of a mount, as the kernel writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MountOption {
    pub name: &'static str,
    pub effect: MountEffect,
    /// Its effect, and what to do.
    pub meaning: &'static str,
}

impl MountOption {
    /// Returns the option of this name, or `None` if it does not affect measurements.
    pub fn find(option: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|known| option == known.name || known.name.ends_with('=') && option.starts_with(known.name))
    }

    /// Whether the option makes figures wrong on a disk with such a cache; an unknown cache may need flushes.
    pub fn distorts(&self, cache: Option<WriteCache>) -> bool {
        match self.effect {
            MountEffect::NoSync | MountEffect::MoreWaits => true,
            MountEffect::NoFlush => cache != Some(WriteCache::Through),
            MountEffect::KeepsLess | MountEffect::Known => false,
        }
    }
}

const fn option(name: &'static str, effect: MountEffect, meaning: &'static str) -> MountOption {
    MountOption { name, effect, meaning }
}

const NO_BARRIER: &str =
    "a sync does not flush the disk's cache: it is too fast, and a power loss loses synced data; mount without it";
const VOLATILE: &str = "every sync is skipped (overlay); start the container without this option";

/// An option that matters only with one value is listed with it; a name that ends with `=` matters with any value.
const OPTIONS: &[MountOption] = &[
    option("nobarrier", MountEffect::NoFlush, NO_BARRIER),
    option("barrier=0", MountEffect::NoFlush, NO_BARRIER),
    option("barrier=none", MountEffect::NoFlush, NO_BARRIER),
    option("volatile", MountEffect::NoSync, VOLATILE),
    // The spelling of newer kernels.
    option("fsync=volatile", MountEffect::NoSync, VOLATILE),
    option(
        "sync",
        MountEffect::MoreWaits,
        "every write waits for the disk, and tiers 0 and 1 cost as much as tier 3; mount without this option",
    ),
    option(
        "dirsync",
        MountEffect::MoreWaits,
        "creating and removing files waits for the disk at every tier; mount without this option",
    ),
    option(
        "data=journal",
        MountEffect::Known,
        "all data is written twice, to the journal first: figures differ from those of the usual data=ordered",
    ),
    option(
        "data=writeback",
        MountEffect::KeepsLess,
        "file lengths may reach the disk before the data: engines that rely on the usual data=ordered keep less, and sync faster",
    ),
    option(
        "nodelalloc",
        MountEffect::Known,
        "blocks are allocated at every write: files grow more slowly than on usual mounts",
    ),
    option(
        "noauto_da_alloc",
        MountEffect::KeepsLess,
        "a file that replaces another is not written to disk first: engines that rename files without a sync are faster, and lose them in a power loss",
    ),
    option(
        "journal_async_commit",
        MountEffect::KeepsLess,
        "journal commits do not wait for the blocks that they commit: a sync is faster than usual, and only checksums detect a torn journal",
    ),
    option(
        "discard",
        MountEffect::Known,
        "removing or truncating a file sends a discard (TRIM) to the disk, which may slow down the next sync",
    ),
    option(
        "flushoncommit",
        MountEffect::Known,
        "every commit of the file system writes all files: syncs wait for writes of other programs",
    ),
    option(
        "autodefrag",
        MountEffect::Known,
        "after small writes, files are rewritten in the background while engines are measured",
    ),
    option("compress=", MountEffect::Known, COMPRESSED),
    option("compress-force=", MountEffect::Known, COMPRESSED),
];

const COMPRESSED: &str = "sizes on disk and times depend on how well data compresses";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_known_by_its_whole_name() {
        assert_eq!(MountOption::find("volatile").map(|found| found.effect), Some(MountEffect::NoSync));
        assert_eq!(MountOption::find("fsync=volatile").map(|found| found.effect), Some(MountEffect::NoSync));
        assert!(MountOption::find("compress=zstd:1").is_some());
        for harmless in ["rw", "relatime", "data=ordered", "barrier=1", "syncfoo", "fsync=auto", ""] {
            assert_eq!(MountOption::find(harmless), None, "{harmless}");
        }
    }

    #[test]
    fn barriers_matter_only_where_there_is_a_cache_to_flush() {
        let nobarrier = MountOption::find("nobarrier").unwrap();
        assert!(nobarrier.distorts(None) && nobarrier.distorts(Some(WriteCache::Back { fua: true })));
        assert!(!nobarrier.distorts(Some(WriteCache::Through)));
        assert!(MountOption::find("sync").unwrap().distorts(Some(WriteCache::Through)));
        assert!(!MountOption::find("data=writeback").unwrap().distorts(None));
    }
}
