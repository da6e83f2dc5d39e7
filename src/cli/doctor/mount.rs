//! The file system of the work folder and its mount options: what they mean for a sync.

use super::finding::DoctorFinding;
use dbdyno_foundation::host::{MountEffect, MountOption, WorkFolderFacts, WriteCache};

/// File systems of a virtual machine's host that the machine sees as its own.
const SHARED: [&str; 8] = ["9p", "virtiofs", "vboxsf", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs", "drvfs", "fuse.drvfs"];

/// Where databases are put, and what that means.
pub(super) fn place(facts: &WorkFolderFacts) -> DoctorFinding {
    let kind = facts.file_system.as_deref().unwrap_or("an unknown file system");
    let what = format!("databases are put on {} ({})", facts.file_systems(), facts.path);
    let elsewhere = "choose a folder on a local disk with --work-dir";
    match kind {
        _ if facts.is_memory_backed() => {
            DoctorFinding::unfit(what, format!("syncs have no effect in memory; {elsewhere}"))
        }
        kind if SHARED.contains(&kind) => DoctorFinding::unfit(
            what,
            format!(
                "the host of this machine shares it: every call goes to the host, which decides what a sync does; {elsewhere}"
            ),
        ),
        _ if facts.is_network() => {
            DoctorFinding::unfit(what, format!("another machine decides what a sync does; {elsewhere}"))
        }
        kind if kind.starts_with("fuse") => DoctorFinding::advised(
            what,
            format!(
                "a program provides this file system (FUSE): every call goes to the program, which decides what a sync does; {elsewhere}"
            ),
        ),
        "overlay" | "aufs" | "unionfs" if facts.beneath.is_none() => DoctorFinding::advised(
            what,
            "a container's layer on top of another file system, which hides the disk; to measure without the layer, put --work-dir on a \
             volume of the container",
        ),
        _ => DoctorFinding::fit(what),
    }
}

/// Findings about the mount's options. Most options have none.
pub(super) fn options<'o>(options: impl Iterator<Item = &'o str>, cache: Option<WriteCache>) -> Vec<DoctorFinding> {
    let finding = |option: &str| {
        let known = MountOption::find(option)?;
        let what = format!("mounted with {option}");
        Some(match (known.distorts(cache), known.effect) {
            (true, _) => DoctorFinding::unfit(what, known.meaning),
            (false, MountEffect::NoFlush) => {
                DoctorFinding::note(format!("{what}, which has no effect: the disk has no cache to flush"))
            }
            (false, _) => DoctorFinding::advised(what, known.meaning),
        })
    };
    options.filter_map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn on(kind: &str) -> DoctorFinding {
        let facts = WorkFolderFacts::read(Path::new("/"));
        place(&WorkFolderFacts { file_system: Some(kind.to_owned()), device: None, beneath: None, ..facts })
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
        for (kind, meaning) in [("fuse.ntfs-3g", "a program provides"), ("fuseblk", "FUSE"), ("overlay", "layer")] {
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
            let lines = options(text.split(','), cache).into_iter().map(|finding| finding.line());
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
        assert!(signs("nobarrier", Some(WriteCache::Through))[0].starts_with("·  mounted with nobarrier, which has"));
        assert_eq!(
            signs("rw,data=writeback,nodelalloc,noauto_da_alloc,compress=zstd:1", back),
            ["data=writeback", "nodelalloc", "noauto_da_alloc", "compress=zstd"]
                .map(|option| format!("·  mounted with {option}"))
        );
        assert_eq!(
            signs("rw,volatile,fsync=volatile,sync", back),
            ["!  mounted with volatile", "!  mounted with fsync=volatile", "!  mounted with sync"]
        );
    }
}
