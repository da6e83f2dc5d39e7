//! Crash tests: is everything that an engine acknowledged still there after a kill of its process, and after a power loss?
//!
//! A kill shows that commits leave the process, because written data stays in the page cache. It cannot show that they reach the disk,
//! because a missing sync loses nothing then. So the writes of a committing worker are recorded, and images are made of the possible disk
//! contents after a power loss in the middle of them. Another worker opens each image, has the engine check it, and reports how many
//! commits are there. What a tier promises about them is in `verdict`.

mod folder;
mod images;
mod kill;
mod mounted;
mod power;
mod recording;
mod route;
mod series;
mod subject;
mod verdict;
mod worker;

pub use images::DiskFindings;
pub use mounted::{COMMAND as MOUNT_COMMAND, MountRole, Serve as MountServe, play as play_mount_role};
pub use power::{Mutant, PowerFindings};
pub use route::{PowerThrough, Route};
pub use series::{Series, SeriesEvent, SeriesOutcome};
pub use subject::{SUITE, TortureSubject, subjects};
pub use verdict::{Contradiction, SurvivingCommits, TortureVerdict};

use self::folder::TortureFolder;
use crate::runner::MeasurementLock;
use dbdyno_foundation::base::{
    leftovers::{self, TORTURE},
    scratch::Scratch,
};
use dbdyno_workload::rng::SplitMix64;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Returns whether to stop.
pub type StopCheck<'s> = &'s (dyn Fn() -> bool + Sync);

/// The extent of a crash test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureTerms {
    /// Kills of a committing worker.
    pub kills: u32,
    /// Images of power losses.
    pub images: u32,
    /// Images of each mutant, which is a program that lacks one kind of sync calls. 0: no mutants.
    pub mutant_images: u32,
    /// Commits of a recording.
    pub commits: u32,
    /// How writes are recorded.
    pub through: PowerThrough,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for TortureTerms {
    fn default() -> Self {
        Self { kills: 20, images: 200, mutant_images: 100, commits: 60, through: PowerThrough::Auto, seed: 0 }
    }
}

/// How long a worker may take to open a database, by default. Opening takes a moment, but a damaged database may lead an engine into an
/// endless loop.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The folders of a crash test, and its timeout.
#[derive(Debug, Clone)]
pub struct TortureSetup {
    /// The parent folder of the databases.
    pub work_dir: PathBuf,
    /// The folder for images that contradict a tier.
    pub keep: PathBuf,
    /// How long a worker may take to open a database that another one left. A database that takes longer counts as broken.
    pub patience: Duration,
}

/// The progress of a crash test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TortureProgress {
    /// Waits for a run that another dbdyno measures.
    Waiting {
        /// The processes that hold the lock, if the system reports them.
        holder: Option<String>,
    },
    Kill {
        done: u32,
    },
    Recording,
    Image {
        done: u32,
    },
    Mutant {
        number: usize,
        of: usize,
    },
}

/// The findings about one configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// How many kills were made. Each came after at least one acknowledged commit.
    pub kills: u32,
    /// The contradiction that the first kill with a loss showed.
    pub killed: Option<Contradiction>,
    pub power: PowerFindings,
    /// The conclusion about the tier.
    pub verdict: TortureVerdict,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// The reason why a configuration could not be crash-tested.
#[derive(Debug, thiserror::Error)]
pub enum TortureError {
    /// The work folder cannot be used.
    #[error("{}: {message}", folder.display())]
    Folder { folder: PathBuf, message: String },
    /// An undisturbed worker failed.
    #[error("{0}")]
    Worker(String),
}

impl TortureError {
    fn folder(folder: &Path, what: &str, error: &io::Error) -> Self {
        Self::Folder { folder: folder.to_owned(), message: format!("{what}: {error}") }
    }
}

/// Kills workers of a configuration, and simulates power losses.
///
/// # Errors
/// The work folder cannot be used, or the engine fails without being disturbed.
pub fn torture(
    subject: &TortureSubject,
    terms: &TortureTerms,
    setup: &TortureSetup,
    stop: StopCheck<'_>,
    on_step: &(dyn Fn(TortureProgress) + Sync),
) -> Result<Findings, TortureError> {
    leftovers::sweep(&setup.work_dir, leftovers::LeftoverFolder::Work);
    let scratch = scratch(setup)?;
    // Keeps other sessions from measuring meanwhile. If there is no place for the lock, no session waits.
    let _lock = MeasurementLock::take(|holder| on_step(TortureProgress::Waiting { holder }));
    let mut rng = SplitMix64::new(terms.seed);
    let (mut kills, mut killed) = (0, None);
    while kills < terms.kills && killed.is_none() && !stop() {
        killed = kill::one(subject, (&scratch.path().join("killed"), setup.patience), kills, &mut rng)?;
        kills += 1;
        on_step(TortureProgress::Kill { done: kills });
    }
    let power = power::judged(subject, terms, setup, &scratch, stop, on_step)?;
    let stopped = stop();
    let verdict = match TortureVerdict::of(subject.tier, kills, killed.as_ref(), &power) {
        // Slow is not broken: a timeout shorter than the default contradicts nothing.
        TortureVerdict::Contradicted(Contradiction { what, .. }) if setup.patience < PATIENCE => {
            let seconds = setup.patience.as_secs_f64();
            TortureVerdict::NotEvidenced {
                reason: format!("{seconds} s may be too short to open the remaining database: {what}"),
            }
        }
        verdict => verdict,
    };
    Ok(Findings { kills, killed, power, verdict, stopped })
}

/// Returns how many commits a stored image holds.
///
/// # Errors
/// The work folder cannot be used.
pub fn examined(
    subject: &TortureSubject,
    image: &Path,
    setup: &TortureSetup,
) -> Result<Result<u64, String>, TortureError> {
    let scratch = scratch(setup)?;
    let torture_folder = TortureFolder::cleared(scratch.path().join("image"), setup.patience)?;
    let copied = copy_folder(image, &torture_folder.databases());
    copied.map_err(|error| TortureError::folder(image, "cannot copy the image", &error))?;
    worker::recovered(subject, &torture_folder).map_err(TortureError::Worker)
}

fn scratch(setup: &TortureSetup) -> Result<Scratch, TortureError> {
    let create = || {
        fs::create_dir_all(&setup.work_dir)?;
        Scratch::create(&setup.work_dir, &TORTURE)
    };
    create().map_err(|error| TortureError::folder(&setup.work_dir, "cannot put databases here", &error))
}

/// Copies a folder recursively. Only files and folders are copied.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
