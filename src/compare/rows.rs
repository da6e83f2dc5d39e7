//! What a comparison is made from: runs with their finished tests, and the sessions they belong to. Plain values.

use crate::store::Blob;
use dbdyno_engine::durability::Tier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One side of a comparison: the runs that a selection means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// The selection, as it was typed.
    pub selection: String,
    /// Its runs, each with those finished tests that the selection means.
    pub runs: Vec<Run>,
    /// The sessions of these runs.
    pub sessions: Vec<Session>,
    /// The A/A runs of these sessions: configurations that ran twice a round, with their twins.
    pub twins: Vec<Run>,
}

/// One execution of a configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Run {
    /// UUID.
    pub run_id: String,
    /// Its session.
    pub session_id: String,
    /// Place in the session, from 0.
    pub ordinal: u32,
    /// Round, from 0; runs of one session and round had the same inputs.
    pub round: u32,
    /// Seed of its inputs; none: whoever ran it did not record one.
    pub seed: Option<u64>,
    /// How it ended: `done`, `failed`, `cancelled` or `running`.
    pub status: String,
    /// The engine with the options that tell it from others of its session.
    pub label: String,
    /// Size.
    pub size: String,
    /// What was measured.
    pub configuration: Configuration,
    /// Finished tests.
    pub tests: Vec<Measured>,
}

/// What is measured, but for the size: two runs of one configuration differ by chance alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Configuration {
    /// Engine.
    pub engine: String,
    /// Version of the engine's library.
    pub version: String,
    /// Durability tier, 0 to 3; none: not recorded.
    pub tier: Option<u8>,
    /// The engine's options in force (as asked for where they cannot be read back).
    pub options: BTreeMap<String, String>,
    /// Suite.
    pub suite: String,
    /// The suite's options.
    pub suite_options: BTreeMap<String, String>,
}

/// One finished test of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Measured {
    /// Number.
    pub test: u32,
    /// Name.
    pub name: String,
    /// Wall time, ns.
    pub wall_ns: u64,
    /// Operations done.
    pub operations: u64,
    /// Checksum of the answers; none: the engine does not answer.
    pub verification: Option<String>,
    /// Whether the answers equal those of the other engines of the session; none: not compared.
    pub agrees: Option<bool>,
    /// Operations in one sample of the histogram.
    pub operations_per_sample: u64,
    /// All latencies, HdrHistogram V2; none: not recorded.
    pub histogram: Option<Blob>,
}

/// Where and how runs were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// UUID.
    pub session_id: String,
    /// Start, UTC.
    pub started_at: String,
    /// Version of dbdyno.
    pub dbdyno_version: String,
    /// Whether dbdyno was built without optimisation.
    pub debug_build: bool,
    /// The command that started it.
    pub command_line: String,
    /// The machine.
    pub host: Host,
    /// File system of the folder that databases were put in.
    pub file_system: Option<String>,
    /// Model of its disk.
    pub disk_model: Option<String>,
    /// What linters said of the session, `LINTER: MESSAGE`.
    pub warnings: Vec<String>,
}

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Stable identifier.
    pub host_id: String,
    /// Name.
    pub name: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical cores.
    pub cores: Option<u32>,
    /// Installed memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Kernel.
    pub kernel: String,
    /// Operating system.
    pub os: Option<String>,
    /// What virtualises it.
    pub virtualisation: Option<String>,
}

impl Session {
    /// Where times can be compared with each other: one machine, one kind of disk. In words.
    pub fn place(&self) -> String {
        let disk = [&self.file_system, &self.disk_model];
        let disk: Vec<&str> = disk.into_iter().flatten().map(String::as_str).collect();
        // Two machines may have one name: the identifier's beginning tells them apart.
        let id: String = self.host.host_id.chars().take(8).collect();
        format!(
            "{} {id} ({})",
            self.host.name,
            if disk.is_empty() { "disk unknown".to_owned() } else { disk.join(", ") }
        )
    }
}

/// A tier with its name, or that it is unknown.
pub fn tier_words(tier: Option<u8>) -> String {
    let named = |tier: u8| Tier::try_from(tier).map_or_else(|_| tier.to_string(), |tier| tier.to_string());
    tier.map_or_else(|| "unknown".to_owned(), named)
}

impl Configuration {
    /// Everything it is made of, by the words that selections use.
    pub fn facts(&self) -> BTreeMap<&str, String> {
        let options =
            self.suite_options.iter().chain(&self.options).map(|(name, value)| (name.as_str(), value.clone()));
        let named = [("engine", &self.engine), ("version", &self.version), ("suite", &self.suite)];
        options
            .chain(named.map(|(word, value)| (word, value.clone())))
            .chain([("tier", self.tier.map_or_else(|| "unknown".to_owned(), |tier| tier.to_string()))])
            .collect()
    }
}
