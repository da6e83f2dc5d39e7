//! The file system of the work folder and the options it is mounted with: what they mean for a sync.

use super::finding::DoctorFinding;
use crate::host::{WorkFolderFacts, WriteCache};

/// File systems of a virtual machine's host that the machine sees as its own.
const SHARED: [&str; 8] = ["9p", "virtiofs", "vboxsf", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs", "drvfs", "fuse.drvfs"];

/// Where databases are put, and what that means.
pub(super) fn place(facts: &WorkFolderFacts) -> DoctorFinding {
    let kind = facts.file_system.as_deref().unwrap_or("an unknown file system");
    let what = format!("databases are put on {kind} ({})", facts.path);
    let elsewhere = "choose a folder on a local disk with --work-dir";
    match kind {
        _ if facts.is_memory_backed() => {
            DoctorFinding::unfit(what, format!("syncs mean nothing in memory; {elsewhere}"))
        }
        kind if SHARED.contains(&kind) => DoctorFinding::unfit(
            what,
            format!(
                "the host of this machine shares it, every call goes there, and what a sync does is the host's choice; {elsewhere}"
            ),
        ),
        _ if facts.is_network() => {
            DoctorFinding::unfit(what, format!("what a sync does is another machine's choice; {elsewhere}"))
        }
        kind if kind.starts_with("fuse") => DoctorFinding::advised(
            what,
            format!(
                "a program answers for it (FUSE): every call goes through it, and a sync does what it makes of it; {elsewhere}"
            ),
        ),
        "overlay" | "aufs" | "unionfs" => DoctorFinding::advised(
            what,
            "a container's layer upon another file system, whose disk it does not tell; a volume of the container, with --work-dir, is \
             measured without the layer",
        ),
        _ => DoctorFinding::fit(what),
    }
}

/// How much an option matters.
#[derive(Clone, Copy)]
enum Weight {
    /// Figures are wrong with it.
    Wrong,
    /// Figures are wrong with it where the disk has a write cache to be flushed, or may have one.
    WrongWithCache,
    /// Figures are those of this option.
    Known,
}

/// Options that change what is measured: option, how much it matters, what it does.
const OPTIONS: [(&str, Weight, &str); 14] = [
    ("nobarrier", Weight::WrongWithCache, NO_BARRIER),
    ("barrier=0", Weight::WrongWithCache, NO_BARRIER),
    ("barrier=none", Weight::WrongWithCache, NO_BARRIER),
    ("volatile", Weight::Wrong, "every sync is left out (overlay); start the container without it"),
    (
        "sync",
        Weight::Wrong,
        "every write waits for the disk, and tiers 0 and 1 cost what tier 3 does; mount it without",
    ),
    ("dirsync", Weight::Wrong, "making and removing files waits for the disk at every tier; mount it without"),
    (
        "data=journal",
        Weight::Known,
        "all data is written twice, to the journal first: figures are not those of the usual data=ordered",
    ),
    (
        "data=writeback",
        Weight::Known,
        "file lengths may come to disk before what was written: engines that rely on the usual data=ordered keep less, and sync faster",
    ),
    (
        "nodelalloc",
        Weight::Known,
        "blocks are allocated at every write: files that grow do so slower than on usual mounts",
    ),
    (
        "noauto_da_alloc",
        Weight::Known,
        "a file that replaces another is not written before: engines that rename files without a sync are faster, and lose them in a power loss",
    ),
    (
        "journal_async_commit",
        Weight::Known,
        "commits of the journal do not wait for what they commit: a sync is faster than usual, and a torn journal is found by its checksums only",
    ),
    (
        "discard",
        Weight::Known,
        "removing and shortening files tells the disk of it, which may take time of the next sync",
    ),
    (
        "flushoncommit",
        Weight::Known,
        "all files are written with every commit of the file system: syncs wait for others' writes",
    ),
    ("autodefrag", Weight::Known, "small writes have files rewritten in the background while engines are measured"),
];

const NO_BARRIER: &str =
    "a sync does not flush the disk's cache: it is too fast, and a power loss takes what was synced; mount it without";

/// Findings about the mount's options, of which most have none.
pub(super) fn options(options: &str, cache: Option<WriteCache>) -> Vec<DoctorFinding> {
    let finding = |option: &str| {
        let (_, weight, meaning) = OPTIONS.iter().find(|(name, ..)| *name == option)?;
        let what = format!("mounted with {option}");
        Some(match (weight, cache) {
            (Weight::WrongWithCache, Some(WriteCache::Through)) => {
                DoctorFinding::note(format!("{what}, which changes nothing: the disk has no cache to flush"))
            }
            (Weight::Wrong | Weight::WrongWithCache, _) => DoctorFinding::unfit(what, *meaning),
            (Weight::Known, _) => DoctorFinding::advised(what, *meaning),
        })
    };
    let compressed = |option: &str| {
        let is = option.starts_with("compress");
        is.then(|| {
            DoctorFinding::advised(
                format!("mounted with {option}"),
                "sizes on disk and times depend on how well data compresses",
            )
        })
    };
    options.split(',').filter_map(|option| finding(option).or_else(|| compressed(option))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn on(kind: &str) -> DoctorFinding {
        let facts = WorkFolderFacts::read(Path::new("/"));
        place(&WorkFolderFacts { file_system: Some(kind.to_owned()), device: None, ..facts })
    }

    #[test]
    fn file_systems_are_named_with_what_they_mean() {
        for (kind, meaning) in [
            ("tmpfs", "in memory"),
            ("9p", "the host of this machine"),
            ("virtiofs", "the host of this machine"),
            ("nfs4", "another machine"),
            ("fuse.sshfs", "another machine"),
        ] {
            let finding = on(kind);
            assert!(finding.is_unfit() && finding.line().contains(meaning), "{}", finding.line());
        }
        for (kind, meaning) in [("fuse.ntfs-3g", "a program answers"), ("fuseblk", "FUSE"), ("overlay", "layer")] {
            let finding = on(kind);
            assert!(
                matches!(finding, DoctorFinding::Note(..)) && finding.line().contains(meaning),
                "{}",
                finding.line()
            );
        }
        assert_eq!(on("ext4").line(), "✓  databases are put on ext4 (/)\n");
    }

    #[test]
    fn options_that_change_what_is_measured_are_told() {
        let signs = |text: &str, cache| {
            let lines = options(text, cache).into_iter().map(|finding| finding.line());
            lines.map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let back = Some(WriteCache::Back { fua: false });
        assert_eq!(signs("rw,relatime,errors=remount-ro,data=ordered,barrier=1,syncfoo", back), [""; 0]);
        assert_eq!(signs("rw,nobarrier", back), ["!  mounted with nobarrier"]);
        assert_eq!(
            signs("rw,barrier=0", None),
            ["!  mounted with barrier=0"],
            "a cache that nobody knows may be there"
        );
        assert!(
            signs("nobarrier", Some(WriteCache::Through))[0].starts_with("·  mounted with nobarrier, which changes")
        );
        assert_eq!(
            signs("rw,data=writeback,nodelalloc,noauto_da_alloc,compress=zstd:1", back),
            ["data=writeback", "nodelalloc", "noauto_da_alloc", "compress=zstd"]
                .map(|option| format!("·  mounted with {option}"))
        );
        assert_eq!(signs("rw,volatile,sync", back), ["!  mounted with volatile", "!  mounted with sync"]);
    }
}
