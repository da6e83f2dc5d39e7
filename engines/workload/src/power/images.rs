//! What a disk may hold after a power cut.

use super::{
    content::{Content, pieces},
    disk::{Change, Disk, Names, Waiting},
    folder::everything_below,
    log::{Log, SyncClass},
    policy::{Fate, Policy, fates},
    record::{Marker, Record},
    tree::Node,
};
use crate::{digest::Digest, rng::SplitMix64};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// How many records after a call are right after it: a commit of a few pages has no more.
const RIGHT_AFTER: usize = 16;

/// The images of a log. Asked for in the order of their cuts, each call of the log is carried out once.
#[derive(Debug, Clone)]
pub struct Images<'l> {
    log: &'l Log,
    /// The sync calls that are taken not to have been made.
    removed: Option<SyncClass>,
    start: Disk<'l>,
    disk: Disk<'l>,
}

/// What a disk holds when the power is back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// By names relative to the root.
    pub files: BTreeMap<PathBuf, Content>,
    pub folders: BTreeSet<PathBuf>,
    /// The number of the last commit that had begun; 0: none. No later one may be there.
    pub issued: u64,
    /// How many commits had returned; a database that is power-safe has all of them.
    pub acknowledged: u64,
}

impl<'l> Images<'l> {
    /// Those of disks of one kind. `removed`: of a program that lacks these sync calls, and does the same otherwise.
    pub fn of(log: &'l Log, names: Names, removed: Option<&SyncClass>) -> Self {
        let start = Disk::holding(&log.records()[..log.base()], names);
        Self { log, removed: removed.cloned(), disk: start.clone(), start }
    }

    /// Moments at which the power may go: how many records came before. Those around each sync call and each change of names, after each
    /// commit that has returned, and `random` others, in their order.
    pub fn cuts(&self, random: u64, seed: u64) -> Vec<usize> {
        let (base, end) = (self.log.base(), self.log.records().len());
        let around = |place: usize| match &self.log.records()[place] {
            Record::Write { .. } | Record::Resize { .. } | Record::Mapped { .. } | Record::Started => place..place,
            Record::Marker(Marker::Issued { .. }) => place..place,
            Record::Marker(Marker::Acknowledged { .. }) => place + 1..place + 2,
            _ => place..place + 2,
        };
        let mut rng = SplitMix64::new(seed);
        let drawn = (0..random).map(|_| base + rng.below((end - base) as u64 + 1) as usize);
        let cuts: BTreeSet<usize> = (base..end).flat_map(around).chain([base, end]).chain(drawn).collect();
        cuts.into_iter().collect()
    }

    /// Those right after the calls that are taken not to have been made: there the lack of one shows first. None where all were made.
    pub fn cuts_after_removed(&self) -> Vec<usize> {
        let records = self.log.records();
        let is_removed = |record: &Record| self.removed.is_some() && self.log.class(record) == self.removed;
        let removed = (self.log.base()..records.len()).filter(|place| is_removed(&records[*place]));
        let cuts: BTreeSet<usize> =
            removed.flat_map(|place| place + 1..=(place + RIGHT_AFTER).min(records.len())).collect();
        cuts.into_iter().collect()
    }

    /// One that the disk may hold when the power goes after so many records: the same for the same cut, policy and seed.
    pub fn image(&mut self, cut: usize, policy: Policy, seed: u64) -> Image {
        let fates = self.fates(cut, policy, seed);
        self.disk.image(&fates)
    }

    /// What `whole`, the same program with all of its sync calls, has on the disk where [this image](Self::image) shows what lacks some of
    /// them: what is not synced there either has come to the same.
    pub fn image_of_whole(&mut self, whole: &mut Self, cut: usize, policy: Policy, seed: u64) -> Image {
        let fates = self.fates(cut, policy, seed);
        let by_call: BTreeMap<usize, &Fate> =
            self.disk.pending.iter().zip(&fates).map(|(pending, fate)| (pending.call, fate)).collect();
        whole.go_to(cut);
        let same = |call: usize| by_call.get(&call).copied().unwrap_or(&Fate::Kept).clone();
        let fates: Vec<Fate> = whole.disk.pending.iter().map(|pending| same(pending.call)).collect();
        whole.disk.image(&fates)
    }

    fn fates(&mut self, cut: usize, policy: Policy, seed: u64) -> Vec<Fate> {
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
    fn image(&self, fates: &[Fate]) -> Image {
        let (mut contents, mut tree) = (self.contents.clone(), self.lasting.clone());
        let mut names_follow = true;
        for (pending, fate) in self.pending.iter().zip(fates) {
            match &pending.waiting {
                Waiting::Change { file, change, lasts } => {
                    let fate = if *lasts { &Fate::Kept } else { fate };
                    change.apply_as(fate, contents.entry(*file).or_default());
                }
                Waiting::Names(entries) => {
                    names_follow &= *fate != Fate::Lost;
                    let kept = match self.names {
                        Names::ByFolder => *fate != Fate::Lost,
                        Names::Journaled => names_follow,
                    };
                    entries.iter().filter(|_| kept).for_each(|entry| tree.set(entry));
                }
            }
        }
        let (mut files, mut folders) = (BTreeMap::new(), BTreeSet::new());
        tree.each(|name, node| match node {
            Node::File(file) => {
                files.insert(name, contents.get(&file).cloned().unwrap_or_default());
            }
            Node::Folder(_) => {
                folders.insert(name);
            }
        });
        Image { files, folders, issued: self.issued, acknowledged: self.acknowledged }
    }
}

impl Change<'_> {
    fn apply_as(&self, fate: &Fate, content: &mut Content) {
        match (self, fate) {
            (_, Fate::Lost) => {}
            (Self::Write { offset, bytes }, Fate::Length) => {
                content.resize(content.length().max(offset + bytes.len() as u64));
            }
            (Self::Write { offset, bytes }, Fate::Torn { unit, kept }) => {
                for (piece, _) in pieces(*offset, bytes.len(), *unit).zip(kept).filter(|(_, kept)| **kept) {
                    content.write(offset + piece.start as u64, &bytes[piece]);
                }
            }
            (change, _) => change.apply(content),
        }
    }
}

impl Image {
    /// A checksum of the names and contents alone: what an engine makes of one image it makes of each with the same checksum. What was
    /// acknowledged may differ all the same.
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

    /// Makes the files in a folder, which is made where there is none.
    ///
    /// # Errors
    /// A file is there already, or cannot be written.
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

/// The names below a root that are not as a log of it says, once the program has ended: something wrote to them that the log has no calls of,
/// so that its images are not evidence. Of files that were mapped only the names are looked at.
///
/// # Errors
/// The folder cannot be read.
pub fn missed(log: &Log, root: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("looking at {}: {error}", root.display()));
    let mut images = Images::of(log, Names::ByFolder, None);
    let Image { mut files, mut folders, .. } = images.image(log.records().len(), Policy::All, 0);
    let mapped_files = log.mapped_files();
    let mut mapped = BTreeSet::new();
    images.disk.seen.each(|name, node| {
        if matches!(node, Node::File(file) if mapped_files.contains(&file)) {
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
