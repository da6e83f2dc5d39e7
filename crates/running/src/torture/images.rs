//! Images of a recorded worker's disk: drawn, opened and judged.

use super::{
    Stop, TortureError,
    desk::Desk,
    subject::Subject,
    verdict::{Contradiction, Kept},
    worker,
};
use dbdyno_engine::durability::Tier;
use dbdyno_workload::{
    power::{Image, Images, Log, Names, Policy, SyncClass},
    rng::SplitMix64,
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// Moments that are drawn beside those around sync calls and commits.
const RANDOM_CUTS: u64 = 200;
/// Images are drawn in parts of at least so many, each in the order of cuts, because a disk goes forward faster than back.
const LEAST_PART: usize = 64;
/// Draws for each image that is wanted: a recording has only so many that differ.
const DRAWS_AN_IMAGE: usize = 20;

/// What was found on disks of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DiskFindings {
    /// Images that were opened; no two of them are alike.
    pub images: u32,
    /// Of these, those with all acknowledged commits.
    pub whole: u32,
    /// Those that are without the latest of them.
    pub earlier: u32,
    /// Those that are no state between commits, or cannot be opened.
    pub broken: u32,
    /// Those that cannot be opened, before any commit had returned.
    pub unmade: u32,
    /// One of each kind that is not whole and that the tier allows.
    pub examples: Vec<String>,
    /// The first that is not what the tier promises.
    pub contradiction: Option<Contradiction>,
}

/// An image, as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Drawn {
    names: Names,
    cut: usize,
    policy: Policy,
    seed: u64,
}

impl Drawn {
    pub(super) fn image(self, log: &Log) -> Image {
        Images::of(log, self.names, None).image(self.cut, self.policy, self.seed)
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the power went after call {}; on the disk: {}", self.cut, self.policy)
    }
}

/// What each image kept, at its worst: those that are alike differ in how much had been acknowledged.
#[derive(Debug, Default)]
pub(super) struct Judged(BTreeMap<u64, (Drawn, Kept)>);

impl Judged {
    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn add(&mut self, digest: u64, drawn: Drawn, kept: Kept) {
        let worst = self.0.entry(digest).or_insert_with(|| (drawn, kept.clone()));
        if kept < worst.1 {
            *worst = (drawn, kept);
        }
    }

    /// One that is not what a tier promises: the earliest.
    pub(super) fn contradiction(&self, tier: Tier) -> Option<(&Kept, Drawn)> {
        self.earliest(|kept| kept.contradicts(tier))
    }

    pub(super) fn earliest(&self, is_wanted: impl Fn(&Kept) -> bool) -> Option<(&Kept, Drawn)> {
        let wanted = self.0.values().filter(|(_, kept)| is_wanted(kept));
        wanted.min_by_key(|(drawn, _)| drawn.cut).map(|(drawn, kept)| (kept, *drawn))
    }

    pub(super) fn findings(&self, tier: Tier) -> DiskFindings {
        let mut findings = DiskFindings { images: self.len(), ..DiskFindings::default() };
        let mut examples: BTreeMap<u8, String> = BTreeMap::new();
        for (drawn, kept) in self.0.values() {
            let (count, kind) = match kept {
                Kept::All => (&mut findings.whole, 0),
                Kept::Earlier { .. } => (&mut findings.earlier, 1),
                Kept::Broken(_) => (&mut findings.broken, 2),
                Kept::Unmade(_) => (&mut findings.unmade, 3),
            };
            *count += 1;
            if kind > 0 && !kept.contradicts(tier) {
                examples.entry(kind).or_insert_with(|| format!("{kept} ({drawn})"));
            }
        }
        findings.examples = examples.into_values().collect();
        let contradiction = self.contradiction(tier);
        findings.contradiction =
            contradiction.map(|(kept, drawn)| Contradiction { what: format!("{kept} ({drawn})"), image: None });
        findings
    }
}

/// What is wanted of images.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    pub(super) names: Names,
    /// The sync calls that are taken not to have been made.
    pub(super) without: Option<&'w SyncClass>,
    pub(super) images: u32,
    pub(super) seed: u64,
}

/// Whether an image of a program that lacks sync calls may show the lack: it is less than what would be there with them.
pub(super) fn shows_a_lack(kept: &Kept, tier: Tier) -> bool {
    kept.contradicts(tier) || matches!(kept, Kept::Unmade(_))
}

/// Opens images.
pub(super) struct Judge<'j> {
    pub(super) subject: &'j Subject,
    pub(super) log: &'j Log,
    pub(super) scratch: &'j Path,
    pub(super) stop: Stop<'j>,
    /// How long opening an image may take.
    pub(super) patience: Duration,
}

/// What was found of databases, by what they hold.
type Known = HashMap<u64, Result<u64, String>>;

impl Judge<'_> {
    /// Opens different images, as many at a time as there are cores; of a program that lacks sync calls until one shows that. An image that is
    /// no better with these calls shows nothing of them, and is left out.
    pub(super) fn images(&self, wanted: Wanted<'_>, on_image: &(dyn Fn(u32) + Sync)) -> Result<Judged, TortureError> {
        let next = Mutex::new(draws(self.log, wanted).into_iter());
        let (judged, known) = (Mutex::new(Judged::default()), Mutex::new(Known::new()));
        let enough = AtomicBool::new(false);
        let work = |number: usize| -> Result<(), TortureError> {
            let mut cursor = Images::of(self.log, wanted.names, wanted.without);
            let mut whole = wanted.without.map(|_| Images::of(self.log, wanted.names, None));
            let keeps = |image: &Image| -> Result<Kept, TortureError> {
                let digest = image.digest();
                let before = locked(&known).get(&digest).cloned();
                let found = match before {
                    Some(found) => found,
                    None => self.opened(image, number)?,
                };
                locked(&known).insert(digest, found.clone());
                Ok(Kept::of(&found, image.acknowledged, image.issued))
            };
            loop {
                let Some(drawn) = locked(&next).next() else { return Ok(()) };
                if (self.stop)() || enough.load(Relaxed) || locked(&judged).len() >= wanted.images {
                    return Ok(());
                }
                let image = cursor.image(drawn.cut, drawn.policy, drawn.seed);
                let (digest, kept) = (image.digest(), keeps(&image)?);
                if let Some(whole) = &mut whole
                    && shows_a_lack(&kept, self.subject.tier)
                {
                    let with_calls = cursor.image_of_whole(whole, drawn.cut, drawn.policy, drawn.seed);
                    if keeps(&with_calls)? != Kept::All {
                        continue;
                    }
                    enough.store(true, Relaxed);
                }
                let mut judged = locked(&judged);
                // Another thread may have been quicker.
                if judged.len() < wanted.images {
                    judged.add(digest, drawn, kept);
                    on_image(judged.len());
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> = (0..workers).map(|number| scope.spawn(move || work(number))).collect();
            let mut ends = threads.into_iter().map(thread::ScopedJoinHandle::join);
            ends.try_for_each(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })?;
        Ok(judged.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens an image in a folder of its own; how many commits it holds, or what is wrong with it.
    fn opened(&self, image: &Image, number: usize) -> Result<Result<u64, String>, TortureError> {
        let desk = Desk::cleared(self.scratch.join(format!("image-{number}")), self.patience)?;
        let written = image.write_to(&desk.databases());
        written.map_err(|error| TortureError::folder(desk.path(), "images cannot be put here", &error))?;
        worker::recovered(self.subject, &desk).map_err(TortureError::Worker)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Images to look at, more than are wanted, because many are alike; part by part in the order of their cuts.
fn draws(log: &Log, wanted: Wanted<'_>) -> Vec<Drawn> {
    let Wanted { names, without, images, seed, .. } = wanted;
    let of = Images::of(log, names, without);
    let (everywhere, after_removed) = (of.cuts(RANDOM_CUTS, seed), of.cuts_after_removed());
    let mut rng = SplitMix64::new(seed);
    let mut draw = || {
        let policy = Policy::ALL[rng.below(Policy::ALL.len() as u64) as usize];
        // A mutant lacks few calls, and any other moment is one of the whole program.
        let cuts = if !after_removed.is_empty() && rng.below(2) == 0 { &after_removed } else { &everywhere };
        let cut = cuts.get(rng.below(cuts.len() as u64) as usize)?;
        Some(Drawn { names, cut: *cut, policy, seed: rng.next_u64() })
    };
    let mut all: Vec<Drawn> = (0..images as usize * DRAWS_AN_IMAGE).map_while(|_| draw()).collect();
    all.chunks_mut(LEAST_PART.max(images as usize)).for_each(|part| part.sort_by_key(|drawn| drawn.cut));
    all
}
