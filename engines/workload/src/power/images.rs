//! The images that a disk may hold after a power loss.

use super::{
    content::{Content, pieces},
    disk::{ContentChange, Disk, Names, PendingEffect},
    folder::everything_below,
    log::{PowerLog, SyncClass},
    policy::{CallFate, Policy, fates},
    record::{Marker, PowerRecord},
    tree::TreeNode,
};
use crate::{digest::Digest, rng::SplitMix64};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The number of records after a call that count as right after it: a commit of a few pages has no more.
const RIGHT_AFTER: usize = 16;

/// The images of a log. If they are requested in the order of their cuts, each call of the log is applied only once.
#[derive(Debug, Clone)]
pub struct Images<'l> {
    log: &'l PowerLog,
    /// The sync calls that are treated as never made.
    removed: Option<SyncClass>,
    start: Disk<'l>,
    disk: Disk<'l>,
}

/// The content of a disk when the power returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Contents by name relative to the root.
    pub files: BTreeMap<PathBuf, Content>,
    pub folders: BTreeSet<PathBuf>,
    /// The number of the last commit that had begun; 0: none. No later commit may be in the image.
    pub issued: u64,
    /// The number of commits that had returned; a power-safe database has all of them.
    pub acknowledged: u64,
}

impl<'l> Images<'l> {
    /// Creates the images of disks of one kind. `removed`: the program lacks these sync calls, and is otherwise the same.
    pub fn of(log: &'l PowerLog, names: Names, removed: Option<&SyncClass>) -> Self {
        let start = Disk::holding(&log.records()[..log.base()], names);
        Self { log, removed: removed.cloned(), disk: start.clone(), start }
    }

    /// Returns cuts, which are the moments of a power loss: the number of records before each. Cuts are at the start and the end, around
    /// each sync call and each change of names, after each returned commit, and at `random` other places, in ascending order.
    pub fn cuts(&self, random: u64, seed: u64) -> Vec<usize> {
        let (base, end) = (self.log.base(), self.log.records().len());
        let around = |place: usize| match &self.log.records()[place] {
            PowerRecord::Write { .. }
            | PowerRecord::Resize { .. }
            | PowerRecord::Mapped { .. }
            | PowerRecord::Started => place..place,
            PowerRecord::Marker(Marker::Issued { .. }) => place..place,
            PowerRecord::Marker(Marker::Acknowledged { .. }) => place + 1..place + 2,
            _ => place..place + 2,
        };
        let mut rng = SplitMix64::new(seed);
        let drawn = (0..random).map(|_| base + rng.below((end - base) as u64 + 1) as usize);
        let cuts: BTreeSet<usize> = (base..end).flat_map(around).chain([base, end]).chain(drawn).collect();
        cuts.into_iter().collect()
    }

    /// Returns the cuts right after the sync calls that are treated as never made, because their absence shows there first. Empty if no
    /// calls are removed.
    pub fn cuts_after_removed(&self) -> Vec<usize> {
        let records = self.log.records();
        let is_removed = |record: &PowerRecord| self.removed.is_some() && self.log.class(record) == self.removed;
        let removed = (self.log.base()..records.len()).filter(|place| is_removed(&records[*place]));
        let cuts: BTreeSet<usize> =
            removed.flat_map(|place| place + 1..=(place + RIGHT_AFTER).min(records.len())).collect();
        cuts.into_iter().collect()
    }

    /// Returns one possible image after a power loss at this cut. The same cut, policy and seed give the same image.
    pub fn image(&mut self, cut: usize, policy: Policy, seed: u64) -> Image {
        let fates = self.fates(cut, policy, seed);
        self.disk.image(&fates)
    }

    /// Returns the image of `whole`, the same program with all of its sync calls, that corresponds to [this image](Self::image) of the
    /// program without some of them. Calls that are unsynced in both have the same fate in both.
    pub fn image_of_whole(&mut self, whole: &mut Self, cut: usize, policy: Policy, seed: u64) -> Image {
        let fates = self.fates(cut, policy, seed);
        let by_call: BTreeMap<usize, &CallFate> =
            self.disk.pending.iter().zip(&fates).map(|(pending, fate)| (pending.call, fate)).collect();
        whole.go_to(cut);
        let same = |call: usize| by_call.get(&call).copied().unwrap_or(&CallFate::Kept).clone();
        let fates: Vec<CallFate> = whole.disk.pending.iter().map(|pending| same(pending.call)).collect();
        whole.disk.image(&fates)
    }

    fn fates(&mut self, cut: usize, policy: Policy, seed: u64) -> Vec<CallFate> {
        self.go_to(cut);
        let mut rng = SplitMix64::stream(SplitMix64::stream(seed, cut as u64).next_u64(), policy as u64);
        fates(policy, &self.disk.pending, &mut rng)
    }

    fn go_to(&mut self, cut: usize) {
        if cut < self.disk.at {
            self.disk = self.start.clone();
        }
        let records = self.log.records();
        for record in &records[self.disk.at..cut.clamp(self.disk.at, records.len())] {
            if self.removed.is_none() || self.log.class(record) != self.removed {
                self.disk.apply(record);
            } else {
                self.disk.at += 1;
            }
        }
    }
}

impl Disk<'_> {
    fn image(&self, fates: &[CallFate]) -> Image {
        let (mut contents, mut tree) = (self.contents.clone(), self.lasting.clone());
        let mut names_follow = true;
        for (pending, fate) in self.pending.iter().zip(fates) {
            match &pending.effect {
                PendingEffect::Change { file, change, lasts } => {
                    let fate = if *lasts { &CallFate::Kept } else { fate };
                    change.apply_as(fate, contents.entry(*file).or_default());
                }
                PendingEffect::Names(entries) => {
                    names_follow &= *fate != CallFate::Lost;
                    let kept = match self.names {
                        Names::ByFolder => *fate != CallFate::Lost,
                        Names::Journaled => names_follow,
                    };
                    entries.iter().filter(|_| kept).for_each(|entry| tree.set(entry));
                }
            }
        }
        let (mut files, mut folders) = (BTreeMap::new(), BTreeSet::new());
        tree.each(|name, node| match node {
            TreeNode::File(file) => {
                files.insert(name, contents.get(&file).cloned().unwrap_or_default());
            }
            TreeNode::Folder(_) => {
                folders.insert(name);
            }
        });
        Image { files, folders, issued: self.issued, acknowledged: self.acknowledged }
    }
}

impl ContentChange<'_> {
    fn apply_as(&self, fate: &CallFate, content: &mut Content) {
        match (self, fate) {
            (_, CallFate::Lost) => {}
            (Self::Write { offset, bytes }, CallFate::Length) => {
                content.resize(content.length().max(offset + bytes.len() as u64));
            }
            (Self::Write { offset, bytes }, CallFate::Torn { unit, kept }) => {
                for (piece, _) in pieces(*offset, bytes.len(), *unit).zip(kept).filter(|(_, kept)| **kept) {
                    content.write(offset + piece.start as u64, &bytes[piece]);
                }
            }
            (change, _) => change.apply(content),
        }
    }
}

impl Image {
    /// Returns a checksum of only the names and contents: an engine recovers the same from all images with the same checksum. The
    /// acknowledged commits may still differ.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        for folder in &self.folders {
            digest.bytes(folder.as_os_str().as_bytes());
        }
        digest.word(self.folders.len() as u64);
        for (name, content) in &self.files {
            digest.bytes(name.as_os_str().as_bytes());
            content.add_to(&mut digest);
        }
        digest.to_word()
    }

    /// Writes the files to a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// A file already exists, or cannot be written.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        let at = |path: &Path| {
            let shown = path.display().to_string();
            move |error: io::Error| io::Error::new(error.kind(), format!("writing {shown} of an image: {error}"))
        };
        fs::create_dir_all(folder).map_err(at(folder))?;
        for name in &self.folders {
            let path = folder.join(name);
            fs::create_dir_all(&path).map_err(at(&path))?;
        }
        for (name, content) in &self.files {
            let path = folder.join(name);
            File::create_new(&path).and_then(|file| content.write_to(&file)).map_err(at(&path))?;
        }
        Ok(())
    }
}

/// Returns the names below a root that differ from its log after the program has ended. Something wrote to them without a recorded call, so
/// the log's images are not evidence. Of mapped files only the names are compared.
///
/// # Errors
/// The folder cannot be read.
pub fn missed(log: &PowerLog, root: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("checking {}: {error}", root.display()));
    let mut images = Images::of(log, Names::ByFolder, None);
    let Image { mut files, mut folders, .. } = images.image(log.records().len(), Policy::All, 0);
    let mapped_files = log.mapped_files();
    let mut mapped = BTreeSet::new();
    images.disk.seen.each(|name, node| {
        if matches!(node, TreeNode::File(file) if mapped_files.contains(&file)) {
            mapped.insert(name);
        }
    });
    let mut missed = BTreeSet::new();
    for (name, kind) in everything_below(root).map_err(named)? {
        let is_logged = if kind.is_dir() {
            folders.remove(&name)
        } else {
            match files.remove(&name) {
                Some(_) if mapped.contains(&name) => true,
                Some(content) => {
                    kind.is_file() && Content::of(&File::open(root.join(&name)).map_err(named)?)? == content
                }
                None => false,
            }
        };
        if !is_logged {
            missed.insert(name);
        }
    }
    missed.extend(files.into_keys().chain(folders));
    Ok(missed)
}
