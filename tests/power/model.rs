//! The possible contents of a disk after a power loss: images of a folder, generated from a log of program operations.
//!
//! Everything synced is present. Everything else is open: a sector holds any of its contents since the last sync of its file (the system
//! writes sectors back in any order and at any time, each whole), a file has any of its sizes, a folder any of its entries.

use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, ops::Range};

/// The number of a file or folder.
pub(crate) type Node = usize;

/// The folder that contains everything.
pub(crate) const ROOT: Node = 0;

/// An entry of a folder.
pub(crate) type Entry = (Node, String);

/// Files and folders by their path below the root; a folder has no content.
pub(crate) type Tree = BTreeMap<String, Option<Vec<u8>>>;

/// One operation. Operations are in the order in which they finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    /// A new file or folder got an entry, or a link was made.
    Enter { entry: Entry, node: Node },
    /// A file or folder got another entry, which replaced the previous one of that name.
    Rename { node: Node, from: Entry, to: Entry },
    /// An entry was removed.
    Remove { entry: Entry },
    /// Bytes were written.
    Write { file: Node, offset: usize, bytes: Vec<u8> },
    /// A file got another size.
    Resize { file: Node, size: usize },
    /// A file or folder was synced, including all operations before the operation of this number.
    Sync { node: Node, covers: usize },
    /// The program printed a line on its standard output.
    Said(String),
}

/// The initial state of a folder, and the operations on it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    /// Contents at the beginning; a folder has none. Files created later begin empty.
    pub(crate) nodes: Vec<Option<Vec<u8>>>,
    /// Entries at the beginning.
    pub(crate) entries: BTreeMap<Entry, Node>,
    /// The operations in order.
    pub(crate) ops: Vec<Op>,
}

/// The guarantees of a file system about its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    /// POSIX to the letter: an entry is durable once its folder is synced, and unsynced entries may appear in any combination.
    Posix,
    /// Like ext4 with ordered data: entries appear in their order. Syncing a file makes its own entry and all earlier ones durable. A file
    /// never has a size without the data.
    Ext4,
}

/// The unsynced operations that reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Survives {
    /// Nothing.
    Nothing,
    /// Everything.
    All,
    /// The operations before the operation of this number.
    Before(usize),
    /// The same, and parts of the operation of this number.
    Torn(usize),
    /// Everything or nothing of each file.
    Files,
    /// A random selection of the operations.
    Operations,
    /// A random selection of the parts of the operations.
    Parts,
    /// Entries and sizes, but no data.
    Sizes,
}

/// The choice of one possible image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The number of operations that were done when the power was lost.
    pub(crate) cut: usize,
    /// The kind of file system.
    pub(crate) disk: Disk,
    /// The number of bytes that are always written as a whole.
    pub(crate) sector: usize,
    /// The operations that reached the disk.
    pub(crate) survives: Survives,
    /// The seed of the random decisions.
    pub(crate) seed: u64,
}

impl Choice {
    /// All operations, as seen without a power loss.
    pub(crate) fn everything(log: &Log) -> Self {
        Self { cut: log.ops.len(), disk: Disk::Posix, sector: 512, survives: Survives::All, seed: 0 }
    }

    /// Draws the choice from a seed. Half of all cuts are at critical points: before a sync has ended, and after a line was printed.
    pub(crate) fn draw(log: &Log, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let mut one_of = |count: usize| rng.below(count as u64) as usize;
        let sore = |(at, op): (usize, &Op)| match op {
            Op::Sync { .. } => Some(at),
            Op::Said(_) => Some(at + 1),
            _ => None,
        };
        let sore: Vec<usize> = log.ops.iter().enumerate().filter_map(sore).collect();
        let cut = if !sore.is_empty() && one_of(2) == 0 { sore[one_of(sore.len())] } else { one_of(log.ops.len() + 1) };
        // Most likely, only the last few operations are not synced yet.
        let last = cut - one_of(cut.min(12) + 1);
        let survives = [
            Survives::Nothing,
            Survives::All,
            Survives::Before(last),
            Survives::Torn(last),
            Survives::Files,
            Survives::Operations,
            Survives::Parts,
            Survives::Sizes,
        ];
        Self {
            cut,
            survives: survives[one_of(survives.len())],
            sector: [512, 4096][one_of(2)],
            disk: [Disk::Posix, Disk::Ext4][one_of(2)],
            seed,
        }
    }
}

/// A log and a cut, with the operations that are durable.
struct Lost<'l> {
    ops: &'l [Op],
    choice: Choice,
    /// On a file system that keeps entries in order: the first operation whose entry is lost.
    entries_before: usize,
}

/// Returns the contents of the disk.
pub(crate) fn image(log: &Log, choice: Choice) -> Tree {
    let ops = &log.ops[..choice.cut];
    let lost = Lost { ops, choice, entries_before: entries_before(ops, choice) };
    let mut entries = log.entries.clone();
    for (at, op) in ops.iter().enumerate() {
        if lost.has_entry_change(at, op) {
            apply(&mut entries, op);
        }
    }
    let mut tree = Tree::new();
    collect(&entries, ROOT, "", &mut |path, node| {
        let content = log.nodes[node].as_ref().map(|before| lost.content(node, before.clone()));
        let is_folder = content.is_none();
        tree.insert(path, content);
        is_folder
    });
    tree
}

/// Applies the changes of an operation to the entries.
pub(crate) fn apply(entries: &mut BTreeMap<Entry, Node>, op: &Op) {
    match op {
        Op::Enter { entry, node } => {
            entries.insert(entry.clone(), *node);
        }
        Op::Rename { node, from, to } => {
            if entries.get(from) == Some(node) {
                entries.remove(from);
            }
            entries.insert(to.clone(), *node);
        }
        Op::Remove { entry } => {
            entries.remove(entry);
        }
        Op::Write { .. } | Op::Resize { .. } | Op::Sync { .. } | Op::Said(_) => {}
    }
}

/// Calls `meet` with the path of every entry below a folder. It returns whether the entry is a folder.
fn collect(entries: &BTreeMap<Entry, Node>, folder: Node, path: &str, meet: &mut impl FnMut(String, Node) -> bool) {
    for ((_, name), &node) in entries.range((folder, String::new())..(folder + 1, String::new())) {
        let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        if meet(path.clone(), node) {
            collect(entries, node, &path, meet);
        }
    }
}

/// The folders whose entries an operation changes, and the node of the entry.
fn changes(op: &Op) -> Option<(Vec<Node>, Option<Node>)> {
    match op {
        Op::Enter { entry, node } => Some((vec![entry.0], Some(*node))),
        Op::Rename { node, from, to } => Some((vec![from.0, to.0], Some(*node))),
        Op::Remove { entry } => Some((vec![entry.0], None)),
        Op::Write { .. } | Op::Resize { .. } | Op::Sync { .. } | Op::Said(_) => None,
    }
}

/// On a file system that keeps entries in order: the number of operations whose entries are on the disk.
fn entries_before(ops: &[Op], choice: Choice) -> usize {
    let durable = |op: &Op| {
        let Op::Sync { node, covers } = op else { return None };
        let of_node = |op: &Op| changes(op).is_some_and(|(of, what)| of.contains(node) || what == Some(*node));
        Some(ops[..*covers].iter().rposition(of_node)? + 1)
    };
    let durable = ops.iter().filter_map(durable).max().unwrap_or(0);
    let more = SplitMix64::stream(choice.seed, 1).below((choice.cut - durable + 1) as u64) as usize;
    match choice.survives {
        Survives::Nothing => durable,
        Survives::All | Survives::Sizes => choice.cut,
        Survives::Before(at) | Survives::Torn(at) => durable.max(at),
        Survives::Files | Survives::Operations | Survives::Parts => durable + more,
    }
}

impl Lost<'_> {
    fn coin(&self, one: usize, other: usize) -> bool {
        SplitMix64::stream(self.choice.seed, ((one as u64) << 24) + other as u64 + 2).below(2) == 0
    }

    /// The operation up to which a file or folder is synced.
    fn synced(&self, node: Node) -> usize {
        let covers = |op: &Op| match op {
            Op::Sync { node: synced, covers } if *synced == node => Some(*covers),
            _ => None,
        };
        self.ops.iter().filter_map(covers).max().unwrap_or(0)
    }

    fn has_entry_change(&self, at: usize, op: &Op) -> bool {
        let Some((folders, _)) = changes(op) else { return false };
        if self.choice.disk == Disk::Ext4 {
            return at < self.entries_before;
        }
        folders.iter().all(|folder| at < self.synced(*folder))
            || match self.choice.survives {
                Survives::Nothing => false,
                Survives::All | Survives::Sizes => true,
                Survives::Before(end) | Survives::Torn(end) => at < end,
                Survives::Files | Survives::Operations | Survives::Parts => self.coin(at, 0),
            }
    }

    /// Whether a part of an operation on a file reached the disk.
    fn has_part(&self, file: Node, at: usize, part: usize) -> bool {
        match self.choice.survives {
            Survives::Nothing | Survives::Sizes => false,
            Survives::All => true,
            Survives::Before(end) => at < end,
            Survives::Torn(end) => at < end || at == end && self.coin(at, part),
            Survives::Files => self.coin(file, 0),
            Survives::Operations => self.coin(at, 0),
            Survives::Parts => self.coin(at, part),
        }
    }

    /// Returns the content on the disk of a file with this initial content.
    fn content(&self, file: Node, mut cache: Vec<u8>) -> Vec<u8> {
        let (durable, pending) = self.ops.split_at(self.synced(file));
        durable.iter().for_each(|op| _ = change(&mut cache, file, op));
        let mut disk = cache.clone();
        let mut size = disk.len();
        for (at, op) in (durable.len()..).zip(pending) {
            let Some(touched) = change(&mut cache, file, op) else { continue };
            let sector = self.choice.sector;
            let parts = if touched.is_empty() { 0..0 } else { touched.start / sector..touched.end.div_ceil(sector) };
            let kept: Vec<usize> = parts.clone().filter(|part| self.has_part(file, at, *part)).collect();
            for part in &kept {
                copy_sector(&cache, &mut disk, part * sector..(part + 1) * sector);
            }
            let resized = match self.choice.disk {
                _ if parts.is_empty() => self.has_part(file, at, 0),
                Disk::Posix => !kept.is_empty(),
                Disk::Ext4 => kept.len() == parts.len(),
            };
            if resized || self.has_size_alone() {
                size = cache.len();
            }
        }
        disk.resize(size, 0);
        disk
    }

    fn has_size_alone(&self) -> bool {
        self.choice.disk == Disk::Posix && self.choice.survives == Survives::Sizes
    }
}

/// Writes a sector back. Bytes beyond the end of the cached file are zeros.
fn copy_sector(cache: &[u8], disk: &mut Vec<u8>, sector: Range<usize>) {
    if disk.len() < sector.end {
        disk.resize(sector.end, 0);
    }
    let cached = cache.get(sector.start..sector.end.min(cache.len())).unwrap_or_default();
    let (copied, beyond) = disk[sector].split_at_mut(cached.len());
    copied.copy_from_slice(cached);
    beyond.fill(0);
}

/// Applies an operation to a file's content. Returns the range of the bytes that it changes.
pub(crate) fn change(content: &mut Vec<u8>, file: Node, op: &Op) -> Option<Range<usize>> {
    match op {
        Op::Write { file: written, offset, bytes } if *written == file => {
            let end = offset + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[*offset..end].copy_from_slice(bytes);
            Some(*offset..end)
        }
        Op::Resize { file: resized, size } if *resized == file => {
            let before = content.len();
            content.resize(*size, 0);
            Some((*size).min(before)..before)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Node = 1;

    /// A log of a folder with one file of this content.
    fn log(content: &[u8], ops: Vec<Op>) -> Log {
        let nodes = vec![None, Some(content.to_vec()), Some(Vec::new())];
        Log { nodes, entries: BTreeMap::from([((ROOT, "file".to_owned()), FILE)]), ops }
    }

    fn write(offset: usize, bytes: &[u8]) -> Op {
        Op::Write { file: FILE, offset, bytes: bytes.to_vec() }
    }

    fn sync(node: Node, covers: usize) -> Op {
        Op::Sync { node, covers }
    }

    fn root(name: &str) -> Entry {
        (ROOT, name.to_owned())
    }

    /// Returns all images of a log at a cut that some thousand seeds produce, on a kind of disk.
    fn images(log: &Log, cut: usize, disk: Disk) -> Vec<Tree> {
        let drawn = (0..2000).map(|seed| Choice { cut, disk, ..Choice::draw(&cut_at(log, cut), seed) });
        let mut images: Vec<Tree> = drawn.map(|choice| image(log, choice)).collect();
        images.sort();
        images.dedup();
        images
    }

    fn cut_at(log: &Log, cut: usize) -> Log {
        // A seed that would cut elsewhere still chooses among the operations before this cut.
        Log { ops: log.ops[..cut].to_vec(), ..log.clone() }
    }

    /// Returns the contents of a file in the images, and None where it is missing.
    fn contents<'i>(images: &'i [Tree], name: &str) -> Vec<Option<&'i [u8]>> {
        let mut found: Vec<_> =
            images.iter().map(|tree| tree.get(name).map(|content| content.as_deref().unwrap())).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn a_write_may_be_lost_until_the_sync_after_it_has_ended() {
        let log = log(b"old", vec![write(0, b"new"), sync(FILE, 1)]);
        for disk in [Disk::Posix, Disk::Ext4] {
            assert_eq!(contents(&images(&log, 0, disk), "file"), [Some(&b"old"[..])]);
            assert_eq!(contents(&images(&log, 1, disk), "file"), [Some(&b"new"[..]), Some(b"old")]);
            assert_eq!(contents(&images(&log, 2, disk), "file"), [Some(&b"new"[..])]);
        }
    }

    #[test]
    fn a_sync_covers_what_was_done_before_it_began() {
        let log = log(b"old", vec![write(0, b"new"), write(0, b"two"), sync(FILE, 1)]);
        assert_eq!(contents(&images(&log, 3, Disk::Posix), "file"), [Some(&b"new"[..]), Some(b"two")]);
    }

    #[test]
    fn a_sync_of_another_file_saves_nothing() {
        let log = log(b"old", vec![write(0, b"new"), sync(2, 1)]);
        assert_eq!(contents(&images(&log, 2, Disk::Posix), "file").len(), 2);
    }

    #[test]
    fn unsynced_writes_come_in_any_order_and_a_sector_is_whole() {
        let log = log(&[0; 1024], vec![write(0, &[1; 512]), write(512, &[2; 512])]);
        let found = images(&log, 2, Disk::Posix);
        let firsts: Vec<(u8, u8)> = contents(&found, "file").iter().map(|c| (c.unwrap()[0], c.unwrap()[512])).collect();
        assert_eq!(firsts, [(0, 0), (0, 2), (1, 0), (1, 2)]);
        for content in contents(&found, "file") {
            let halves = content.unwrap().split_at(512);
            assert!(
                halves.0.iter().all(|byte| *byte == halves.0[0]) && halves.1.iter().all(|byte| *byte == halves.1[0])
            );
        }
    }

    #[test]
    fn a_later_write_to_a_sector_brings_the_earlier_one_with_it() {
        let log = log(b"......", vec![write(0, b"one"), write(3, b"two")]);
        let expected = [Some(&b"......"[..]), Some(b"one..."), Some(b"onetwo")];
        assert_eq!(contents(&images(&log, 2, Disk::Posix), "file"), expected);
    }

    #[test]
    fn a_write_of_several_sectors_may_be_torn() {
        let log = log(&[0; 1024], vec![write(0, &[1; 1024])]);
        let found = images(&log, 1, Disk::Ext4);
        let firsts: Vec<(u8, u8)> = contents(&found, "file").iter().map(|c| (c.unwrap()[0], c.unwrap()[512])).collect();
        assert_eq!(firsts, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    }

    #[test]
    fn a_file_may_have_its_size_without_its_data_where_that_is_allowed() {
        let log = log(b"", vec![write(0, b"data")]);
        assert_eq!(contents(&images(&log, 1, Disk::Posix), "file"), [Some(&b""[..]), Some(b"\0\0\0\0"), Some(b"data")]);
        assert_eq!(contents(&images(&log, 1, Disk::Ext4), "file"), [Some(&b""[..]), Some(b"data")]);
    }

    #[test]
    fn a_file_that_was_cut_off_may_have_its_old_size() {
        let log = log(b"content", vec![Op::Resize { file: FILE, size: 3 }]);
        let found = images(&log, 1, Disk::Ext4);
        assert_eq!(contents(&found, "file"), [Some(&b"con"[..]), Some(b"content")]);
    }

    #[test]
    fn a_new_file_is_there_for_sure_once_its_folder_is_synced_or_on_ext4_the_file() {
        let made = Op::Enter { entry: root("new"), node: 2 };
        let data = Op::Write { file: 2, offset: 0, bytes: b"x".to_vec() };
        let by_file = log(b"", vec![made.clone(), data.clone(), sync(2, 2)]);
        assert_eq!(contents(&images(&by_file, 3, Disk::Posix), "new"), [None, Some(&b"x"[..])]);
        assert_eq!(contents(&images(&by_file, 3, Disk::Ext4), "new"), [Some(&b"x"[..])]);
        let by_folder = log(b"", vec![made, data, sync(2, 2), sync(ROOT, 3)]);
        assert_eq!(contents(&images(&by_folder, 4, Disk::Posix), "new"), [Some(&b"x"[..])]);
    }

    #[test]
    fn a_rename_is_done_or_not() {
        let renamed = Op::Rename { node: FILE, from: root("file"), to: root("other") };
        let log = log(b"x", vec![renamed, sync(ROOT, 1)]);
        for disk in [Disk::Posix, Disk::Ext4] {
            let names = |cut| -> Vec<Vec<String>> {
                images(&log, cut, disk).into_iter().map(|tree| tree.into_keys().collect()).collect()
            };
            assert_eq!(names(1), [["file"], ["other"]]);
            assert_eq!(names(2), [["other"]]);
        }
    }

    #[test]
    fn entries_come_in_order_on_ext4_only() {
        let ops = ["a", "b"].map(|name| Op::Enter { entry: root(name), node: 2 });
        let log = log(b"", ops.to_vec());
        let alone = |disk| images(&log, 2, disk).iter().any(|tree| tree.contains_key("b") && !tree.contains_key("a"));
        assert!(alone(Disk::Posix));
        assert!(!alone(Disk::Ext4));
    }

    #[test]
    fn what_was_removed_may_still_be_there() {
        let log = log(b"x", vec![Op::Remove { entry: root("file") }, sync(ROOT, 1)]);
        assert_eq!(contents(&images(&log, 1, Disk::Posix), "file"), [None, Some(&b"x"[..])]);
        assert_eq!(contents(&images(&log, 2, Disk::Posix), "file"), [None]);
    }
}
