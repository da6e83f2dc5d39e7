//! The work folder: the storage below it, and whether a sync there does what a sync should.

use super::{finding::DoctorFinding, mount};
use dbdyno_foundation::{
    base::units::{bytes, duration},
    host::{Device, ImplausibleSyncs, SyncTimes, WorkFolderFacts, WriteCache, believable, device, measure_fsync},
};
use std::path::Path;

/// Free space that is worth a word, bytes.
const LITTLE_SPACE: u64 = 2 << 30;

/// What is known of the place where databases are put.
pub(super) struct WorkStorage {
    facts: WorkFolderFacts,
    cache: Option<WriteCache>,
    /// What syncs take there, or why that cannot be measured.
    syncs: Result<SyncTimes, String>,
}

impl WorkStorage {
    /// Reads and measures it: some seconds of writing where the disk is slow.
    pub(super) fn read(folder: &Path) -> Self {
        let mut facts = WorkFolderFacts::read(folder);
        facts.fsync_ns = measure_fsync(folder).ok();
        let syncs = SyncTimes::measure(folder).map_err(|error| error.to_string());
        Self { facts, cache: WriteCache::beneath(folder), syncs }
    }
}

pub(super) fn findings(storage: &WorkStorage) -> Vec<DoctorFinding> {
    let WorkStorage { facts, cache, syncs } = storage;
    let mut findings = vec![mount::place(facts)];
    if !facts.is_memory_backed() && !facts.is_network() {
        findings.extend(disk(facts.disk_model.as_deref(), facts.rotational, *cache));
        findings.extend(mount::options(facts.all_mount_options(), *cache));
    }
    if let Some(fsync) = facts.fsync_ns {
        findings.push(DoctorFinding::fit(format!("a small synced write takes {}", duration(fsync as f64))));
    }
    findings.push(match syncs {
        Ok(times) => judged(times, device(facts)),
        Err(error) => DoctorFinding::unfit(
            format!("cannot write and sync a file in {}: {error}", facts.path),
            "choose another folder with --work-dir",
        ),
    });
    if let Some(free) = facts.free_bytes {
        let advice = "larger sizes will be refused";
        findings.push(DoctorFinding::judged(
            free >= LITTLE_SPACE,
            format!("{} free in the work folder", bytes(free)),
            advice,
        ));
    }
    findings
}

/// The disk and its cache, if the system knows them.
fn disk(model: Option<&str>, rotational: Option<bool>, cache: Option<WriteCache>) -> Option<DoctorFinding> {
    let name = model.unwrap_or("the disk");
    let kind = match rotational {
        Some(true) => "is rotational",
        Some(false) => "is not rotational",
        None => "is of unknown type (SSD or HDD)",
    };
    Some(match cache? {
        WriteCache::Back { fua } => {
            let how = if fua { ", or bypass with forced writes (FUA)" } else { "" };
            DoctorFinding::fit(format!("{name} {kind}, and has a write cache that syncs flush (write back){how}"))
        }
        WriteCache::Denied => DoctorFinding::unfit(
            format!("{name} {kind} and reports a write cache, but the kernel is set to assume that it has none"),
            "syncs do not flush it: they are too fast, and a power loss loses synced data; write `write back` to queue/write_cache of the \
             disk below /sys/block",
        ),
        WriteCache::Through => DoctorFinding::advised(
            format!(
                "{name} {kind}, and the kernel assumes that it has no write cache (write through), so it flushes nothing"
            ),
            "correct for a disk with power-loss protection; a virtual disk may hide its host's cache: synced data then survives a crash \
             of this machine, but not of its host",
        ),
    })
}

/// Whether syncs do what they should, by what they take.
fn judged(times: &SyncTimes, device: Device) -> DoctorFinding {
    let took = |ns: u64| duration(ns as f64);
    let (nothing, small, large) = (took(times.nothing_ns), took(times.small_ns), took(times.large_ns));
    let much = bytes(SyncTimes::LARGE_BYTES);
    let Err(doubt) = believable(times, device) else {
        return DoctorFinding::fit(format!(
            "syncs are believable: at best {nothing} with nothing to write, {small} with 4 KiB, {large} with {much}"
        ));
    };
    const IGNORED: &str = "syncs are ignored, so tiers 2 and 3 cost the same as tier 1; choose another folder with --work-dir, and look for \
                           libeatmydata in LD_PRELOAD or a virtual disk with an unsafe cache";
    let advice = match doubt {
        ImplausibleSyncs::NoTurn => {
            "a cache acknowledges the writes; unless it is a controller's cache with a battery, turn it off (`hdparm -W 0`)"
        }
        _ => IGNORED,
    };
    let reason = times.contradiction(doubt);
    DoctorFinding::unfit(format!("syncs are not believable ({reason})"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SSD: SyncTimes = SyncTimes { nothing_ns: 400_000, small_ns: 450_000, large_ns: 9_000_000 };

    fn storage(syncs: Result<SyncTimes, String>) -> WorkStorage {
        let facts = WorkFolderFacts {
            path: "/data".to_owned(),
            file_system: Some("ext4".to_owned()),
            mount_point: None,
            mount_options: Some("rw,relatime".to_owned()),
            device: None,
            disk_model: Some("Some Disk".to_owned()),
            rotational: Some(false),
            free_bytes: Some(1 << 40),
            total_bytes: None,
            fsync_ns: Some(460_000),
            beneath: None,
        };
        WorkStorage { facts, cache: Some(WriteCache::Back { fua: true }), syncs }
    }

    #[test]
    fn a_disk_that_syncs_is_fit() {
        let found = findings(&storage(Ok(SSD)));
        assert!(found.iter().all(|finding| matches!(finding, DoctorFinding::Fit(_))), "{found:?}");
        assert_eq!(found.len(), 5);
        assert!(found[1].line().contains("Some Disk is not rotational") && found[1].line().contains("FUA"));
    }

    #[test]
    fn a_disk_that_lies_is_told_with_the_reason() {
        let said = |times: SyncTimes, rotational| {
            let mut storage = storage(Ok(times));
            storage.facts.rotational = rotational;
            let unfit = findings(&storage).into_iter().filter(DoctorFinding::is_unfit);
            unfit.map(|finding| finding.line()).collect::<String>()
        };
        let found = said(SyncTimes { small_ns: 400, ..SSD }, None);
        assert!(found.starts_with("!  syncs are not believable (4 KiB in 400 ns: no disk is that fast): "), "{found}");
        assert!(said(SSD, Some(true)).contains("needs milliseconds"));
        assert!(said(SyncTimes { large_ns: 460_000, ..SSD }, None).contains("the amount of data makes no difference"));
        assert!(said(SyncTimes { small_ns: 90_000, large_ns: 200_000, ..SSD }, None).contains("GiB a second"));
        assert!(said(SyncTimes { small_ns: 9_000, nothing_ns: 8_000, ..SSD }, None).contains("nothing in 8.00 µs"));
        assert_eq!(said(SSD, Some(false)), "");
    }

    #[test]
    fn what_cannot_be_measured_or_is_full_is_unfit() {
        let mut storage = storage(Err("Read-only file system".to_owned()));
        storage.facts.free_bytes = Some(1 << 20);
        assert_eq!(findings(&storage).iter().filter(|finding| finding.is_unfit()).count(), 2);
    }

    #[test]
    fn memory_has_no_disk_to_tell_of() {
        let mut storage = storage(Ok(SyncTimes { nothing_ns: 200, small_ns: 900, large_ns: 300 }));
        storage.facts.file_system = Some("tmpfs".to_owned());
        let unfit: Vec<String> =
            findings(&storage).iter().filter(|finding| finding.is_unfit()).map(DoctorFinding::line).collect();
        assert_eq!(unfit.len(), 2, "{unfit:?}");
        assert!(!findings(&storage).iter().any(|finding| finding.line().contains("Some Disk")));
    }

    #[test]
    fn a_cache_that_nobody_knows_is_not_told_of() {
        assert_eq!(disk(None, None, None), None);
        let through = disk(None, None, Some(WriteCache::Through)).unwrap().line();
        assert!(
            through.starts_with("·  the disk is of unknown type (SSD or HDD), and the kernel assumes that it has no"),
            "{through}"
        );
    }
}
