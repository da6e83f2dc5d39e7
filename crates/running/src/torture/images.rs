//! Images of a recorded worker's disk: drawn, opened and judged.

use super::{
    StopCheck, TortureError,
    folder::TortureFolder,
    subject::TortureSubject,
    verdict::{Contradiction, SurvivingCommits},
    worker,
};
use dbdyno_engine::durability::Tier;
use dbdyno_workload::{
    power::{Image, Images, Names, Policy, PowerLog, SyncClass},
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

/// Moments that are drawn in addition to those around sync calls and commits.
const RANDOM_CUTS: u64 = 200;
/// Images are drawn in parts of at least this many, each in the order of cuts, because moving a disk forwards is faster than moving it
/// backwards.
const LEAST_PART: usize = 64;
/// Draws for each requested image, because a recording has only a limited number of different ones.
const DRAWS_AN_IMAGE: usize = 20;

/// The findings on disks of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DiskFindings {
    /// Images that were opened. No two of them are the same.
    pub images: u32,
    /// Images with all acknowledged commits.
    pub whole: u32,
    /// Images without the latest acknowledged commits.
    pub earlier: u32,
    /// Images that match no state between commits, or that cannot be opened.
    pub broken: u32,
    /// Images that cannot be opened, from before the first commit returned.
    pub unmade: u32,
    /// One example of each kind that is incomplete but allowed by the tier.
    pub examples: Vec<String>,
    /// The first image that contradicts the tier's promise.
    pub contradiction: Option<Contradiction>,
}

/// The parameters of a drawn image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageParameters {
    names: Names,
    cut: usize,
    policy: Policy,
    seed: u64,
}

impl ImageParameters {
    pub(super) fn image(self, log: &PowerLog) -> Image {
        Images::of(log, self.names, None).image(self.cut, self.policy, self.seed)
    }
}

impl fmt::Display for ImageParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "power lost after call {}; on the disk: {}", self.cut, self.policy)
    }
}

/// The worst finding for each different image: identical images differ in how much had been acknowledged.
#[derive(Debug, Default)]
pub(super) struct ImageFindings(BTreeMap<u64, (ImageParameters, SurvivingCommits)>);

impl ImageFindings {
    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn add(&mut self, digest: u64, drawn: ImageParameters, kept: SurvivingCommits) {
        let worst = self.0.entry(digest).or_insert_with(|| (drawn, kept.clone()));
        if kept < worst.1 {
            *worst = (drawn, kept);
        }
    }

    /// Returns the earliest image that contradicts a tier's promise.
    pub(super) fn contradiction(&self, tier: Tier) -> Option<(&SurvivingCommits, ImageParameters)> {
        self.earliest(|kept| kept.contradicts(tier))
    }

    pub(super) fn earliest(
        &self,
        is_wanted: impl Fn(&SurvivingCommits) -> bool,
    ) -> Option<(&SurvivingCommits, ImageParameters)> {
        let wanted = self.0.values().filter(|(_, kept)| is_wanted(kept));
        wanted.min_by_key(|(drawn, _)| drawn.cut).map(|(drawn, kept)| (kept, *drawn))
    }

    pub(super) fn findings(&self, tier: Tier) -> DiskFindings {
        let mut findings = DiskFindings { images: self.len(), ..DiskFindings::default() };
        let mut examples: BTreeMap<u8, String> = BTreeMap::new();
        for (drawn, kept) in self.0.values() {
            let (count, kind) = match kept {
                SurvivingCommits::All => (&mut findings.whole, 0),
                SurvivingCommits::Earlier { .. } => (&mut findings.earlier, 1),
                SurvivingCommits::Broken(_) => (&mut findings.broken, 2),
                SurvivingCommits::Unmade(_) => (&mut findings.unmade, 3),
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

/// The images requested from a judge.
#[derive(Clone, Copy)]
pub(super) struct ImageRequest<'w> {
    pub(super) names: Names,
    /// The class of sync calls that are treated as not made.
    pub(super) without: Option<&'w SyncClass>,
    pub(super) images: u32,
    pub(super) seed: u64,
}

/// Whether an image of a program without some sync calls may reveal that they are missing: it keeps less than an image with them would.
pub(super) fn shows_a_lack(kept: &SurvivingCommits, tier: Tier) -> bool {
    kept.contradicts(tier) || matches!(kept, SurvivingCommits::Unmade(_))
}

/// Opens images.
pub(super) struct ImageJudge<'j> {
    pub(super) subject: &'j TortureSubject,
    pub(super) log: &'j PowerLog,
    pub(super) scratch: &'j Path,
    pub(super) stop: StopCheck<'j>,
    /// How long opening an image may take.
    pub(super) patience: Duration,
}

/// The findings about databases, by the digest of their content.
type FindingsByContent = HashMap<u64, Result<u64, String>>;

impl ImageJudge<'_> {
    /// Opens different images, as many at a time as there are cores. For a program without some sync calls, it stops at the first image
    /// that reveals that. An image that is no better with these calls reveals nothing about them, and is left out.
    pub(super) fn images(
        &self,
        request: ImageRequest<'_>,
        on_image: &(dyn Fn(u32) + Sync),
    ) -> Result<ImageFindings, TortureError> {
        let next = Mutex::new(draws(self.log, request).into_iter());
        let (judged, known) = (Mutex::new(ImageFindings::default()), Mutex::new(FindingsByContent::new()));
        let enough = AtomicBool::new(false);
        let work = |number: usize| -> Result<(), TortureError> {
            let mut cursor = Images::of(self.log, request.names, request.without);
            let mut whole = request.without.map(|_| Images::of(self.log, request.names, None));
            let keeps = |image: &Image| -> Result<SurvivingCommits, TortureError> {
                let digest = image.digest();
                let before = locked(&known).get(&digest).cloned();
                let found = match before {
                    Some(found) => found,
                    None => self.opened(image, number)?,
                };
                locked(&known).insert(digest, found.clone());
                Ok(SurvivingCommits::of(&found, image.acknowledged, image.issued))
            };
            loop {
                let Some(drawn) = locked(&next).next() else { return Ok(()) };
                if (self.stop)() || enough.load(Relaxed) || locked(&judged).len() >= request.images {
                    return Ok(());
                }
                let image = cursor.image(drawn.cut, drawn.policy, drawn.seed);
                let (digest, kept) = (image.digest(), keeps(&image)?);
                if let Some(whole) = &mut whole
                    && shows_a_lack(&kept, self.subject.tier)
                {
                    let with_calls = cursor.image_of_whole(whole, drawn.cut, drawn.policy, drawn.seed);
                    if keeps(&with_calls)? != SurvivingCommits::All {
                        continue;
                    }
                    enough.store(true, Relaxed);
                }
                let mut judged = locked(&judged);
                // Another thread may have been faster.
                if judged.len() < request.images {
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

    /// Opens an image in a folder of its own. Returns how many commits it holds, or what is wrong with it.
    fn opened(&self, image: &Image, number: usize) -> Result<Result<u64, String>, TortureError> {
        let torture_folder = TortureFolder::cleared(self.scratch.join(format!("image-{number}")), self.patience)?;
        let written = image.write_to(&torture_folder.databases());
        written.map_err(|error| TortureError::folder(torture_folder.path(), "cannot put images here", &error))?;
        worker::recovered(self.subject, &torture_folder).map_err(TortureError::Worker)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws more images than requested, because many are the same. They are ordered by cut within each part.
fn draws(log: &PowerLog, request: ImageRequest<'_>) -> Vec<ImageParameters> {
    let ImageRequest { names, without, images, seed, .. } = request;
    let of = Images::of(log, names, without);
    let (everywhere, after_removed) = (of.cuts(RANDOM_CUTS, seed), of.cuts_after_removed());
    let mut rng = SplitMix64::new(seed);
    let mut draw = || {
        let policy = Policy::ALL[rng.below(Policy::ALL.len() as u64) as usize];
        // A mutant lacks only a few calls. At all other moments it is the same as the complete program.
        let cuts = if !after_removed.is_empty() && rng.below(2) == 0 { &after_removed } else { &everywhere };
        let cut = cuts.get(rng.below(cuts.len() as u64) as usize)?;
        Some(ImageParameters { names, cut: *cut, policy, seed: rng.next_u64() })
    };
    let mut all: Vec<ImageParameters> = (0..images as usize * DRAWS_AN_IMAGE).map_while(|_| draw()).collect();
    all.chunks_mut(LEAST_PART.max(images as usize)).for_each(|part| part.sort_by_key(|drawn| drawn.cut));
    all
}
