//! What the application knows of the world outside. It is told, and never looks itself.

mod ask;
mod read;

pub(crate) use ask::respond;
pub use ask::{Request, Response};
pub use read::read;

use crate::{
    catalog::{Claims, Preset, Suite},
    engines::Registry,
    host::WorkFolderFacts,
    plan::Space,
    store::StoreHistory,
};
use std::time::Duration;

/// All that screens are made from besides their own state.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Suites that could be read.
    pub suites: Vec<Suite>,
    /// Presets that could be read.
    pub presets: Vec<Preset>,
    /// Claims that could be read.
    pub claims: Vec<Claims>,
    /// What could not be read, and why.
    pub broken: Vec<String>,
    /// The engines; at first only those built in.
    pub registry: Registry,
    /// Whether programs of their own have been looked for.
    pub engines_complete: bool,
    /// What earlier runs took.
    pub history: StoreHistory,
    /// Where databases are put.
    pub work_folder: WorkFolder,
    /// How busy the machine is.
    pub noise: Noise,
    /// The store's file.
    pub store: String,
    /// The name of this machine.
    pub host: String,
    /// Arguments that the command lines shown have besides what is on screen (`--store FILE`).
    pub arguments: Vec<String>,
}

impl World {
    /// Takes what was found out.
    pub(crate) fn take(&mut self, response: Response) {
        match response {
            Response::Engines(registry) => {
                self.registry = registry;
                self.engines_complete = true;
            }
            Response::WorkFolder(folder) => self.work_folder = folder,
            Response::History(history) => self.history = history,
            Response::Noise(noise) => self.noise = noise,
        }
    }

    /// A preset was saved: it is among those that are known, in the place of one of its name.
    pub(crate) fn take_preset(&mut self, preset: Preset) {
        self.presets.retain(|other| other.name != preset.name);
        self.presets.push(preset);
        self.presets.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

/// The work folder.
#[derive(Debug, Clone, Default)]
pub struct WorkFolder {
    /// Facts; none until they are read.
    pub facts: Option<WorkFolderFacts>,
    /// What it takes to sync a small write; none until measured.
    pub fsync: Option<Duration>,
}

impl WorkFolder {
    /// The file system in a word.
    pub fn file_system(&self) -> &str {
        let known = self.facts.as_ref().and_then(|facts| facts.file_system.as_deref());
        known.unwrap_or(if self.facts.is_some() { "unknown file system" } else { "…" })
    }

    /// Room on its disk, where that is known.
    pub fn space(&self) -> Option<Space> {
        let facts = self.facts.as_ref()?;
        Some(Space { free: facts.free_bytes?, total: facts.total_bytes? })
    }
}

/// How busy the machine is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Noise {
    /// Not looked yet.
    #[default]
    Unknown,
    /// Fit to measure on.
    Quiet,
    /// Others take this share of its CPU time, percent.
    Busy(u8),
    /// Other guests of the host take this share, percent.
    Stolen(u8),
}

impl Noise {
    /// The word for the status bar.
    pub fn word(self) -> String {
        match self {
            Self::Unknown => "…".to_owned(),
            Self::Quiet => "quiet".to_owned(),
            Self::Busy(percent) => format!("busy {percent} %"),
            Self::Stolen(percent) => format!("steal {percent} %"),
        }
    }
}
