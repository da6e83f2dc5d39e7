//! Reasons why data that is synced in the work folder does not survive a power loss.

use super::{Device, ImplausibleSyncs, MountEffect, MountOption, SyncTimes, WorkFolderFacts, WriteCache, believable};
use crate::base::units::{bytes, duration};
use std::{fmt, path::Path};

/// The known properties of syncs in the work folder, in addition to its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncEvidence {
    pub cache: Option<WriteCache>,
    /// Measured sync times; none: not measured, or nothing could be written.
    pub times: Option<SyncTimes>,
}

impl SyncEvidence {
    /// Reads and measures the evidence, which takes some seconds of writing on a slow disk.
    pub fn read(folder: &Path) -> Self {
        Self { cache: WriteCache::beneath(folder), times: SyncTimes::measure(folder).ok() }
    }
}

/// The first reason found. Each means that a power loss can lose synced data, and that the time of a sync is not that of a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncDoubt {
    /// The file systems: `tmpfs`, `overlay on tmpfs`.
    InMemory(String),
    /// The mount option.
    NoSync(&'static str),
    /// The mount option.
    NoFlush(&'static str),
    /// The disk has a write cache, but the kernel is configured to assume that it has none.
    CacheDenied,
    /// The measured sync times cannot be true.
    Untrue(ImplausibleSyncs, SyncTimes),
}

impl SyncDoubt {
    /// Returns why syncs there reach no disk; `None`: nothing speaks against them.
    pub fn find(facts: &WorkFolderFacts, evidence: &SyncEvidence) -> Option<Self> {
        if facts.is_memory_backed() {
            return Some(Self::InMemory(facts.file_systems()));
        }
        let mounted = |effect: MountEffect| {
            let known = facts.all_mount_options().filter_map(MountOption::find);
            let mut distorting = known.filter(|option| option.distorts(evidence.cache));
            distorting.find(|option| option.effect == effect).map(|option| option.name)
        };
        let by_mount = mounted(MountEffect::NoSync)
            .map(Self::NoSync)
            .or_else(|| mounted(MountEffect::NoFlush).map(Self::NoFlush))
            .or_else(|| (evidence.cache == Some(WriteCache::Denied)).then_some(Self::CacheDenied));
        by_mount.or_else(|| {
            let times = evidence.times?;
            Some(Self::Untrue(believable(&times, device(facts)).err()?, times))
        })
    }
}

/// Returns the known properties of the disk that syncs of the folder should reach.
pub fn device(facts: &WorkFolderFacts) -> Device {
    Device { rotational: facts.rotational, written_at_once: facts.all_mount_options().any(|option| option == "sync") }
}

impl fmt::Display for SyncDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InMemory(file_systems) => write!(f, "databases are in memory ({file_systems})"),
            Self::NoSync(option) => write!(f, "the mount option {option} skips every sync"),
            Self::NoFlush(option) => write!(f, "with the mount option {option} no sync flushes the disk's write cache"),
            Self::CacheDenied => f.write_str(
                "the disk has a write cache, but the kernel is configured to assume none, so nothing flushes it",
            ),
            Self::Untrue(doubt, times) => f.write_str(&times.contradiction(*doubt)),
        }
    }
}

impl SyncTimes {
    /// Describes why these times cannot be true: `4 KiB in 400 ns: no disk is that fast`.
    pub fn contradiction(&self, doubt: ImplausibleSyncs) -> String {
        let [nothing, small, large] = [self.nothing_ns, self.small_ns, self.large_ns].map(|ns| duration(ns as f64));
        let much = bytes(Self::LARGE_BYTES);
        match doubt {
            ImplausibleSyncs::NoDisk => format!("4 KiB in {small}: no disk is that fast"),
            ImplausibleSyncs::AsNothing => format!("4 KiB in {small}, nothing in {nothing}: a sync writes nothing"),
            ImplausibleSyncs::NoTurn => format!("4 KiB in {small}: a rotating disk needs milliseconds"),
            ImplausibleSyncs::NoGrowth => {
                format!("{much} in {large}, 4 KiB in {small}: the amount of data makes no difference")
            }
            ImplausibleSyncs::TooMuch { bytes_per_second } => {
                format!("{much} in {large}: no disk of this kind writes {} a second", bytes(bytes_per_second))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: SyncTimes = SyncTimes { nothing_ns: 400_000, small_ns: 450_000, large_ns: 9_000_000 };
    const BACK: Option<WriteCache> = Some(WriteCache::Back { fua: false });

    fn folder(kind: &str, options: &str, beneath: Option<WorkFolderFacts>) -> WorkFolderFacts {
        WorkFolderFacts {
            file_system: Some(kind.to_owned()),
            mount_options: Some(options.to_owned()),
            device: None,
            rotational: None,
            beneath: beneath.map(Box::new),
            ..WorkFolderFacts::read(Path::new("/proc"))
        }
    }

    fn said(folder: &WorkFolderFacts, cache: Option<WriteCache>, times: Option<SyncTimes>) -> Option<String> {
        SyncDoubt::find(folder, &SyncEvidence { cache, times }).map(|doubt| doubt.to_string())
    }

    #[test]
    fn a_disk_that_syncs_is_not_doubted() {
        let plain = folder("ext4", "rw,relatime,data=writeback,sync", None);
        assert_eq!(said(&plain, BACK, Some(DISK)), None);
        assert_eq!(said(&plain, None, None), None, "what was not measured is not doubted");
        assert_eq!(said(&folder("ext4", "rw,nobarrier", None), Some(WriteCache::Through), Some(DISK)), None);
    }

    #[test]
    fn each_way_not_to_reach_a_disk_is_named() {
        let tmpfs = || folder("tmpfs", "rw,size=1g", None);
        let memory = said(&tmpfs(), None, None).unwrap();
        assert_eq!(memory, "databases are in memory (tmpfs)");
        let layered = folder("overlay", "rw,relatime", Some(folder("ext4", "rw", Some(tmpfs()))));
        assert_eq!(said(&layered, None, None).unwrap(), "databases are in memory (overlay on ext4 on tmpfs)");
        for option in ["volatile", "fsync=volatile"] {
            let overlay = folder("overlay", &format!("rw,{option}"), None);
            let found = said(&overlay, BACK, Some(DISK)).unwrap();
            assert_eq!(found, format!("the mount option {option} skips every sync"));
        }
        let in_file = folder("ext4", "rw", Some(folder("xfs", "rw,nobarrier", None)));
        assert!(said(&in_file, BACK, Some(DISK)).unwrap().contains("nobarrier no sync flushes"));
        assert!(
            said(&folder("ext4", "rw", None), Some(WriteCache::Denied), Some(DISK))
                .unwrap()
                .contains("nothing flushes")
        );
    }

    #[test]
    fn what_a_sync_takes_is_doubted_where_nothing_else_is_in_sight() {
        let overlay = folder("overlay", "rw,relatime", None);
        let swallowed = SyncTimes { nothing_ns: 300, small_ns: 2_100, large_ns: 900 };
        assert_eq!(said(&overlay, None, Some(swallowed)).unwrap(), "4 KiB in 2.10 µs: no disk is that fast");
    }
}
