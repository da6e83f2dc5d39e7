//! The application's knowledge of the outside world. The application receives it, and never reads it itself.

mod ask;
mod read;

pub(crate) use ask::respond;
pub use ask::{Request, Response};
pub use read::read;

use crate::tui::{filter::View, keys::KeyTable};
use dbdyno_catalog::{
    Claims, Suite, Theme,
    bench::{Preset, Space, suited_registry},
    engines::{Engine, Registry},
};
use dbdyno_foundation::host::WorkFolderFacts;
use dbdyno_store::{StoreHistory, WarningRecord};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The assumed time of a sync until it is measured.
const USUAL_FSYNC: Duration = Duration::from_millis(5);

/// All data that screens are built from, in addition to their own state.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Suites that could be read.
    pub(crate) suites: Vec<Suite>,
    /// The names of those suites that are files of the user.
    pub(crate) own_suites: BTreeSet<String>,
    /// Presets that could be read.
    pub(crate) presets: Vec<Preset>,
    /// Claims that could be read.
    pub(crate) claims: Vec<Claims>,
    /// Themes that could be read.
    pub(crate) themes: Vec<Theme>,
    /// The name of the theme that the program was started with.
    pub(crate) theme: String,
    /// The keys of all screens.
    pub(crate) keys: KeyTable,
    /// Earlier filters, newest last.
    pub(crate) filters: Vec<String>,
    /// The views that the user has saved.
    pub(crate) views: Vec<View>,
    /// The errors of files that could not be read.
    pub(crate) broken: Vec<String>,
    /// The engines; at first only those built in.
    pub(crate) registry: Registry,
    /// The engines with the option defaults of a suite, by the suite's name, for suites that set engine options.
    suited: BTreeMap<String, Registry>,
    /// Whether engines that are separate programs have been looked for.
    pub(crate) engines_complete: bool,
    /// What earlier runs took.
    pub(crate) history: StoreHistory,
    /// The warnings about the newest stored session.
    pub(crate) warnings: Vec<WarningRecord>,
    /// Whether nothing was ever measured here, so that a newcomer may need a hint.
    pub(crate) is_first: bool,
    /// Where databases are put.
    pub(crate) work_folder: WorkFolder,
    /// How busy the machine is.
    pub(crate) noise: Noise,
    /// The store's file.
    pub(crate) store: String,
    /// The name of this machine.
    pub(crate) host: String,
    /// Arguments that displayed command lines have in addition to those from the screen (`--store FILE`).
    pub(crate) arguments: Vec<String>,
    /// CPU to pin workers to.
    pub(crate) cpu: Option<u32>,
}

impl World {
    /// Stores the data of a response.
    pub(crate) fn take(&mut self, response: Response) {
        match response {
            Response::Engines(registry) => {
                self.take_engines(registry);
                self.engines_complete = true;
            }
            Response::WorkFolder(folder) => self.work_folder = folder,
            Response::History(found) => {
                let (history, warnings) = found.unwrap_or_default();
                (self.history, self.warnings) = (history, warnings);
            }
            Response::Noise(noise) => self.noise = noise,
        }
    }

    /// Stores the engines, and computes their defaults on each suite that sets engine options.
    pub(super) fn take_engines(&mut self, registry: Registry) {
        let sets = |suite: &&Suite| suite.sets_engine_options();
        let suited = |suite: &Suite| (suite.name.clone(), suited_registry(&registry, suite));
        self.suited = self.suites.iter().filter(sets).map(suited).collect();
        self.registry = registry;
    }

    /// Adds a suite that was written into the user's folder.
    pub(crate) fn take_suite(&mut self, suite: Suite) {
        if suite.sets_engine_options() {
            self.suited.insert(suite.name.clone(), suited_registry(&self.registry, &suite));
        }
        self.own_suites.insert(suite.name.clone());
        self.suites.retain(|other| other.name != suite.name);
        self.suites.push(suite);
    }

    /// Returns an engine with the option defaults that it has on a suite.
    pub(crate) fn engine_on(&self, suite: &str, name: &str) -> Option<&Engine> {
        let registry = self.suited.get(suite).unwrap_or(&self.registry);
        registry.engines.iter().find(|engine| engine.description.name == name)
    }

    /// Adds a saved preset to the known ones, in place of one of the same name.
    pub(crate) fn take_preset(&mut self, preset: Preset) {
        self.presets.retain(|other| other.name != preset.name);
        self.presets.push(preset);
        self.presets.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

/// The folder for databases, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct WorkFolder {
    /// Facts; none until they are read.
    pub(crate) facts: Option<WorkFolderFacts>,
    /// The time of syncing a small write; none until measured.
    pub(crate) fsync: Option<Duration>,
}

impl WorkFolder {
    /// Returns the file system in a word.
    pub(crate) fn file_system(&self) -> &str {
        let known = self.facts.as_ref().and_then(|facts| facts.file_system.as_deref());
        known.unwrap_or(if self.facts.is_some() { "unknown file system" } else { "…" })
    }

    /// Returns the measured time of a sync, or the assumed time until it is measured.
    pub(crate) fn sync_time(&self) -> Duration {
        self.fsync.unwrap_or(USUAL_FSYNC)
    }

    /// Returns the room on its disk, if that is known.
    pub(crate) fn space(&self) -> Option<Space> {
        let facts = self.facts.as_ref()?;
        Some(Space { free: facts.free_bytes?, total: facts.total_bytes? })
    }
}

/// How busy the machine was when it was last looked at: at the start, and after each job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Noise {
    /// Not measured yet.
    #[default]
    Unknown,
    /// Fit to measure on.
    Quiet,
    /// Other programs take this share of its CPU time, percent.
    Busy(u8),
    /// Other guests of the host take this share, percent.
    Stolen(u8),
}

impl Noise {
    /// Returns the word for the status bar.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Unknown => "…".to_owned(),
            Self::Quiet => "was quiet".to_owned(),
            Self::Busy(percent) => format!("others {percent} % CPU"),
            Self::Stolen(percent) => format!("steal {percent} %"),
        }
    }
}
