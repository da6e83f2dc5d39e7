//! The outline of a session for its watchers, who may have neither its plan nor its engines.

use super::{FollowedBy, SessionLaunch};
use dbdyno_catalog::bench::{BenchPlan, ClosingComparison, Configuration, PlannedRun};
use dbdyno_engine::{durability::Tier, protocol::CacheStart, size::Size};
use dbdyno_store::ADDS_TO;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// The outline of a planned session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionOutline {
    pub suite: String,
    pub configurations: Vec<OutlinedConfiguration>,
    /// The tests that are measured.
    pub tests: Vec<OutlinedTest>,
    /// The runs in order; empty for a session that chooses its runs as it goes.
    pub runs: Vec<OutlinedRun>,
    pub rounds: u32,
    /// The first rounds of its later looks so far, if it goes on until all is decided.
    #[serde(default)]
    pub looks: Option<Vec<u32>>,
    /// Memory limit of a worker, bytes; none: no limit.
    pub memory_limit: Option<u64>,
    pub cache: CacheStart,
    /// How its configurations will be compared.
    pub closing: ClosingComparison,
    /// The expected duration of a run, ms.
    pub expected_run_ms: u64,
    /// Whether it resumes an earlier session.
    pub resumed: bool,
    /// The UUID of the session that its rounds are added to.
    pub adds_to: Option<String>,
    /// The number of the look at what is undecided there.
    pub look: Option<u32>,
    /// The evaluations that follow it.
    pub followed: FollowedBy,
    /// The command that started it.
    pub command_line: String,
}

/// A measured configuration: an engine with options, at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlinedConfiguration {
    /// The engine with the options that distinguish it from the others.
    pub label: String,
    pub engine: String,
    pub version: String,
    pub size: Size,
    /// The label of the configuration that this one repeats.
    pub twin_of: Option<String>,
    pub tier: Tier,
    pub options: BTreeMap<String, String>,
    pub suite_options: BTreeMap<String, String>,
}

/// A test that is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedTest {
    pub number: u32,
    pub name: String,
}

/// A run of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedRun {
    /// From 0.
    pub round: u32,
    /// Index of its configuration.
    pub configuration: usize,
    pub seed: u64,
}

impl From<&PlannedRun> for OutlinedRun {
    fn from(run: &PlannedRun) -> Self {
        Self { round: run.round, configuration: run.configuration, seed: run.seed }
    }
}

impl SessionOutline {
    /// Outlines a plan whose runs are expected to take `expected_run` each.
    pub fn new(plan: &BenchPlan, expected_run: Duration) -> Self {
        let measured = plan.suite.tests().filter(|test| plan.pick.has(test.number));
        Self {
            suite: plan.suite.name.clone(),
            configurations: plan.configurations.iter().map(OutlinedConfiguration::new).collect(),
            tests: measured.map(|test| OutlinedTest { number: test.number, name: test.name }).collect(),
            runs: plan.runs.iter().map(OutlinedRun::from).collect(),
            rounds: plan.rounds,
            looks: plan.until_decided.map(|_| plan.looks.iter().map(|look| look.from).collect()),
            memory_limit: plan.conditions.memory_limit,
            cache: plan.conditions.cache,
            closing: plan.closing.clone(),
            expected_run_ms: expected_run.as_millis().try_into().unwrap_or(u64::MAX),
            resumed: false,
            adds_to: None,
            look: None,
            followed: FollowedBy::default(),
            command_line: String::new(),
        }
    }

    /// Returns the outline with the settings of this launch.
    #[must_use]
    pub fn launched(self, launch: &SessionLaunch) -> Self {
        Self {
            adds_to: launch.keys.get(ADDS_TO).cloned(),
            look: launch.look,
            followed: launch.followed.clone(),
            command_line: launch.command_line.clone(),
            ..self
        }
    }
}

impl OutlinedConfiguration {
    fn new(one: &Configuration) -> Self {
        Self {
            label: one.label.clone(),
            engine: one.engine_name().to_owned(),
            version: one.engine.description.version.clone(),
            size: one.size,
            twin_of: one.twin_of.clone(),
            tier: one.tier,
            options: one.settings.to_map(),
            suite_options: one.suite_settings.to_map(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::RunnerEvent;

    #[test]
    fn whoever_reads_the_log_has_the_outline_that_was_told() {
        let configuration = OutlinedConfiguration {
            label: "lmdb[sync=nosync]".to_owned(),
            engine: "lmdb".to_owned(),
            version: "0.9.70".to_owned(),
            size: Size::one(1000),
            twin_of: None,
            tier: Tier::ProcessSafe,
            options: BTreeMap::from([("sync".to_owned(), "nosync".to_owned())]),
            suite_options: BTreeMap::new(),
        };
        let outline = SessionOutline {
            suite: "kv".to_owned(),
            configurations: vec![configuration],
            tests: vec![OutlinedTest { number: 2, name: "Random reads".to_owned() }],
            runs: vec![OutlinedRun { round: 0, configuration: 0, seed: u64::MAX }],
            rounds: 1,
            looks: None,
            memory_limit: Some(1 << 26),
            cache: CacheStart::Cold,
            closing: ClosingComparison::default(),
            expected_run_ms: 40,
            resumed: true,
            adds_to: None,
            look: Some(2),
            followed: FollowedBy::default(),
            command_line: "dbdyno resume".to_owned(),
        };
        let line = serde_json::to_vec(&RunnerEvent::Planned { outline: Box::new(outline.clone()) }).unwrap();
        let Ok(RunnerEvent::Planned { outline: read }) = serde_json::from_slice(&line) else {
            panic!("{}", String::from_utf8_lossy(&line))
        };
        assert_eq!(*read, outline);
    }
}
