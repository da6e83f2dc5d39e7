//! The content that a disk is guaranteed to hold after a program's calls, and the content that it may hold in addition.
//!
//! The rules are those of POSIX, and no stronger:
//!
//! - `fsync` of a file makes its written bytes and its length durable. So does `fdatasync`: "a change to the file size [...] would require
//!   a metadata flush" (fdatasync(2)).
//! - `msync(MS_SYNC)` and a write with `O_DSYNC` do that for their bytes, and for the length that these need.
//! - A created, changed or removed name is durable once its folder is synced; see [`Names`] for disks that do more.
//! - `sync_file_range` guarantees nothing: neither the length nor that the disk's own cache is flushed (sync_file_range(2)).
//! - Unsynced calls may or may not be on the disk, each independently, in any order, and in part.

use super::{
    content::Content,
    record::{FileId, Marker, PowerRecord},
    tree::{EntryChange, FolderTree, TreeNode},
};
use std::{collections::BTreeMap, fmt, ops::Range, path::Path};

/// When names become durable. Disks of both kinds exist, so a program that must survive on any disk has to be tested with both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    /// Once their folder is synced, each name independently: the guarantee of POSIX.
    ByFolder,
    /// Once their folder or their file is synced, and in the order of their changes: journaling file systems, such as ext4.
    Journaled,
}

impl Names {
    pub const ALL: [Self; 2] = [Self::ByFolder, Self::Journaled];
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByFolder => "names last once their folder is synced",
            Self::Journaled => "names last once their file is synced",
        })
    }
}

/// A call, or a part of one, that may be on the disk.
#[derive(Debug, Clone)]
pub(super) struct PendingCall<'l> {
    /// The number of its record.
    pub(super) call: usize,
    pub(super) effect: PendingEffect<'l>,
}

/// The effect of such a call.
#[derive(Debug, Clone)]
pub(super) enum PendingEffect<'l> {
    /// A change of a file's bytes. `lasts`: it is guaranteed to be on the disk, but must be applied over earlier calls that may not be.
    Change { file: FileId, change: ContentChange<'l>, lasts: bool },
    /// A change of names: one call that is there entirely or not at all, except for parts that are already synced.
    Names(Vec<EntryChange>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ContentChange<'l> {
    Write { offset: u64, bytes: &'l [u8] },
    Resize(u64),
}

impl ContentChange<'_> {
    pub(super) fn apply(&self, content: &mut Content) {
        match *self {
            Self::Write { offset, bytes } => content.write(offset, bytes),
            Self::Resize(length) => content.resize(length),
        }
    }
}

impl PendingEffect<'_> {
    fn is_of(&self, node: TreeNode) -> bool {
        match self {
            Self::Change { file, .. } => node == TreeNode::File(*file),
            Self::Names(entries) => {
                entries.iter().any(|entry| entry.node == Some(node) || TreeNode::Folder(entry.folder) == node)
            }
        }
    }
}

/// A disk at one point of a log.
#[derive(Debug, Clone)]
pub(super) struct Disk<'l> {
    pub(super) names: Names,
    /// The names as the program sees them.
    pub(super) seen: FolderTree,
    /// The names that are durable.
    pub(super) lasting: FolderTree,
    /// The durable content of each file.
    pub(super) contents: BTreeMap<FileId, Content>,
    /// Calls that may or may not be there, in the order of the log.
    pub(super) pending: Vec<PendingCall<'l>>,
    /// The number of the next record to apply.
    pub(super) at: usize,
    /// The number of the last commit that has begun; 0: none.
    pub(super) issued: u64,
    /// The number of commits that have returned.
    pub(super) acknowledged: u64,
}

impl<'l> Disk<'l> {
    /// Creates a disk on which all effects of these records are durable.
    pub(super) fn holding(base: &'l [PowerRecord], names: Names) -> Self {
        let mut disk = Self {
            names,
            seen: FolderTree::new(),
            lasting: FolderTree::new(),
            contents: BTreeMap::new(),
            pending: Vec::new(),
            at: 0,
            issued: 0,
            acknowledged: 0,
        };
        base.iter().for_each(|record| disk.apply(record));
        for pending in std::mem::take(&mut disk.pending) {
            if let PendingEffect::Change { file, change, .. } = pending.effect {
                change.apply(disk.contents.entry(file).or_default());
            }
        }
        disk.lasting = disk.seen.clone();
        disk
    }

    /// Applies a record.
    pub(super) fn apply(&mut self, record: &'l PowerRecord) {
        match record {
            PowerRecord::Started | PowerRecord::Mapped { .. } => {}
            PowerRecord::Write { file, offset, bytes } => {
                self.change(*file, ContentChange::Write { offset: *offset, bytes })
            }
            PowerRecord::Resize { file, length } => self.change(*file, ContentChange::Resize(*length)),
            PowerRecord::Sync { file, range, .. } => {
                self.sync_bytes(*file, range.as_ref());
                if self.names == Names::Journaled {
                    self.settle_names_until_last_of(TreeNode::File(*file));
                }
            }
            PowerRecord::SyncFolder { name } => self.sync_folder(name),
            PowerRecord::Marker(Marker::Issued { ordinal }) => self.issued = *ordinal,
            PowerRecord::Marker(Marker::Acknowledged { commits }) => self.acknowledged = *commits,
            PowerRecord::Folder { .. }
            | PowerRecord::Created { .. }
            | PowerRecord::Linked { .. }
            | PowerRecord::Removed { .. }
            | PowerRecord::Renamed { .. }
            | PowerRecord::Exchanged { .. } => {
                let entries = self.seen.entries(record);
                entries.iter().for_each(|entry| self.seen.set(entry));
                self.lasting.have_folders_of(&self.seen);
                if !entries.is_empty() {
                    self.wait(PendingEffect::Names(entries));
                }
            }
        }
        self.at += 1;
    }

    fn wait(&mut self, effect: PendingEffect<'l>) {
        self.pending.push(PendingCall { call: self.at, effect });
    }

    fn change(&mut self, file: FileId, change: ContentChange<'l>) {
        self.wait(PendingEffect::Change { file, change, lasts: false });
    }

    /// Makes bytes of a file durable; `None`: all bytes.
    fn sync_bytes(&mut self, synced: FileId, range: Option<&Range<u64>>) {
        let mut pending = Vec::with_capacity(self.pending.len());
        for PendingCall { call, effect } in std::mem::take(&mut self.pending) {
            match effect {
                PendingEffect::Change { file, change: ContentChange::Write { offset, bytes }, lasts: false }
                    if file == synced =>
                {
                    let pieces = split(offset, bytes, range).into_iter().filter(|(_, bytes, _)| !bytes.is_empty());
                    pending.extend(pieces.map(|(offset, bytes, lasts)| {
                        let change = ContentChange::Write { offset, bytes };
                        PendingCall { call, effect: PendingEffect::Change { file, change, lasts } }
                    }));
                }
                // A file has one length, which a synced write needs.
                PendingEffect::Change { file, change, .. } if file == synced => {
                    pending.push(PendingCall { call, effect: PendingEffect::Change { file, change, lasts: true } });
                }
                effect => pending.push(PendingCall { call, effect }),
            }
        }
        self.pending = pending;
        self.settle(synced);
    }

    /// Applies a file's durable changes to its content, up to the first change that may be lost.
    fn settle(&mut self, settled: FileId) {
        let content = self.contents.entry(settled).or_default();
        let mut follows = true;
        self.pending.retain(|pending| match &pending.effect {
            PendingEffect::Change { file, change, lasts } if *file == settled => {
                follows &= lasts;
                if follows {
                    change.apply(content);
                }
                !follows
            }
            _ => true,
        });
    }

    fn sync_folder(&mut self, name: &Path) {
        let Some(folder) = self.seen.folder(name) else { return };
        match self.names {
            Names::Journaled => self.settle_names_until_last_of(TreeNode::Folder(folder)),
            Names::ByFolder => {
                for pending in &mut self.pending {
                    if let PendingEffect::Names(entries) = &mut pending.effect {
                        entries
                            .extract_if(.., |entry| entry.folder == folder)
                            .for_each(|entry| self.lasting.set(&entry));
                    }
                }
                let is_done =
                    |effect: &PendingEffect<'_>| matches!(effect, PendingEffect::Names(entries) if entries.is_empty());
                self.pending.retain(|pending| !is_done(&pending.effect));
            }
        }
    }

    /// Makes names durable in their order, up to the last call that changed a name of this file or folder, or a name in this folder.
    fn settle_names_until_last_of(&mut self, node: TreeNode) {
        let is_of = |PendingCall { effect, .. }: &PendingCall<'_>| {
            matches!(effect, PendingEffect::Names(_)) && effect.is_of(node)
        };
        let end = self.pending.iter().rposition(is_of).map_or(0, |last| last + 1);
        let mut place = 0;
        self.pending.retain(|pending| {
            place += 1;
            match &pending.effect {
                PendingEffect::Names(entries) if place <= end => {
                    entries.iter().for_each(|entry| self.lasting.set(entry));
                    false
                }
                _ => true,
            }
        });
    }
}

/// Splits a write into the pieces before, in and after a range of the file, each with whether it is durable once the range is synced.
fn split<'l>(offset: u64, bytes: &'l [u8], range: Option<&Range<u64>>) -> [(u64, &'l [u8], bool); 3] {
    let within = |at: u64| (at.saturating_sub(offset) as usize).min(bytes.len());
    let (start, end) = range.map_or((0, bytes.len()), |range| (within(range.start), within(range.end)));
    let piece = |part: Range<usize>, lasts| (offset + part.start as u64, &bytes[part], lasts);
    [piece(0..start, false), piece(start..end, true), piece(end..bytes.len(), false)]
}
