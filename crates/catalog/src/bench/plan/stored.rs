//! The stored form of a session's plan, so that remaining runs can be run later.

use super::{BenchPlan, Configuration, LaterRounds, PlanError, PlannedRun};
use crate::{
    Catalog, Suite, TestPick,
    bench::{ClosingComparison, Conditions, suited},
    engines::Registry,
};
use dbdyno_engine::{settings::Settings, size::Size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A complete plan: nothing of it depends on files or defaults, which may change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPlan {
    suite: StoredSuite,
    pick: BTreeSet<u32>,
    rounds: u32,
    seed: u64,
    configurations: Vec<StoredConfiguration>,
    /// Round, index of the configuration, and seed of each run, in order.
    runs: Vec<(u32, usize, u64)>,
    /// Conditions of all runs; empty if an older version stored the plan.
    #[serde(default)]
    conditions: Conditions,
    /// The rounds whose time it may take, if it goes on until all is decided; missing if an older version stored the plan.
    #[serde(default)]
    until_decided: Option<u32>,
    /// The looks that added rounds so far; missing if an older version stored the plan.
    #[serde(default)]
    looks: Vec<LaterRounds>,
    /// The comparison of configurations at the end; empty if an older version stored the plan.
    #[serde(default)]
    closing: ClosingComparison,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredSuite {
    name: String,
    /// The text of its file.
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredConfiguration {
    engine: String,
    /// Version of the engine's library.
    version: String,
    settings: Settings,
    suite_settings: Settings,
    size: Size,
    label: String,
    twin_of: Option<String>,
}

/// An engine version that differs from the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingVersion {
    pub engine: String,
    /// The version at the session's beginning.
    pub stored: String,
    /// The current version on this machine.
    pub here: String,
}

impl BenchPlan {
    /// Returns the plan in its stored form; `None` for a suite that starts from a database or replays a recording, whose files are available
    /// to this process only.
    pub fn stored(&self) -> Option<StoredPlan> {
        if self.suite.starts_from_database() || self.suite.replays_recording() {
            return None;
        }
        let configuration = |configuration: &Configuration| StoredConfiguration {
            engine: configuration.engine_name().to_owned(),
            version: configuration.engine.description.version.clone(),
            settings: configuration.settings.clone(),
            suite_settings: configuration.suite_settings.clone(),
            size: configuration.size,
            label: configuration.label.clone(),
            twin_of: configuration.twin_of.clone(),
        };
        Some(StoredPlan {
            suite: StoredSuite { name: self.suite.name.clone(), text: self.suite.text().to_owned() },
            pick: self.pick.0.clone(),
            rounds: self.rounds,
            seed: self.seed,
            configurations: self.configurations.iter().map(configuration).collect(),
            conditions: self.conditions,
            until_decided: self.until_decided,
            looks: self.looks.clone(),
            closing: self.closing.clone(),
            runs: self.runs.iter().map(|run| (run.round, run.configuration, run.seed)).collect(),
        })
    }
}

impl StoredPlan {
    /// Returns the plan for the engines of this machine, and the engines whose versions differ from the stored ones.
    ///
    /// # Errors
    /// An engine is missing now, or no longer knows an option or the suite.
    pub fn plan(self, registry: &Registry) -> Result<(BenchPlan, Vec<DifferingVersion>), PlanError> {
        let Self { suite, pick, rounds, seed, configurations, runs, conditions, until_decided, looks, closing } = self;
        let suite = Catalog::suite_of(&suite.name, "the stored suite", suite.text)
            .map_err(|error| PlanError::Request(error.to_string()))?;
        let planned: Vec<Configuration> =
            configurations.iter().map(|stored| configuration(stored, &suite, registry)).collect::<Result<_, _>>()?;
        let run = |(ordinal, (round, configuration, seed))| PlannedRun { ordinal, round, configuration, seed };
        let runs: Vec<PlannedRun> = (0..).zip(runs).map(run).collect();
        if let Some(wrong) = runs.iter().find(|run| run.configuration >= planned.len()) {
            let message =
                format!("the stored plan: run {} has a configuration that the plan does not have", wrong.ordinal);
            return Err(PlanError::Request(message));
        }
        let (pick, left_out) = (TestPick(pick), Vec::new());
        let mut plan = BenchPlan {
            suite,
            pick,
            configurations: planned,
            left_out,
            missing: Vec::new(),
            runs,
            rounds,
            until_decided,
            looks,
            seed,
            conditions,
            closing,
        };
        // From here on the version of a library that an option names is known.
        plan.probe()?;
        let mut differing: Vec<DifferingVersion> = Vec::new();
        for (stored, configuration) in configurations.into_iter().zip(&mut plan.configurations) {
            // The session's existing runs use these labels, even if the backend of a library has changed.
            (configuration.label, configuration.twin_of) = (stored.label, stored.twin_of);
            let here = &configuration.engine.description.version;
            let is_known = differing.iter().any(|other| other.engine == stored.engine);
            if *here != stored.version && !is_known {
                differing.push(DifferingVersion { engine: stored.engine, stored: stored.version, here: here.clone() });
            }
        }
        Ok((plan, differing))
    }
}

fn configuration(stored: &StoredConfiguration, suite: &Suite, registry: &Registry) -> Result<Configuration, PlanError> {
    let engine = suited(registry.get(&stored.engine).map_err(PlanError::Request)?, suite)?;
    // Every option was stored with its value: a new option has its default, and a removed option is an error.
    let settings = Settings::resolve(&engine.description, &stored.settings.to_map())?;
    let suite_settings = suite.settings(&stored.suite_settings.to_map())?;
    let (tier, reason) = engine.description.tier(&settings);
    Ok(Configuration {
        tier,
        tier_reason: reason.to_owned(),
        engine,
        label: stored.label.clone(),
        settings,
        suite_settings,
        size: stored.size,
        twin_of: stored.twin_of.clone(),
        optional: false,
    })
}
