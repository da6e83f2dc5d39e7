//! The subject of a crash test: an engine with all its options.

use dbdyno_catalog::{
    Suite, TestPick,
    bench::{BenchPlan, Configuration, EngineChoice, PlanError, Spec},
    engines::{Launch, Registry},
};
use dbdyno_engine::{
    describe::{Description, Writers},
    durability::Tier,
    protocol::{CacheStart, Job, PROTOCOL, SuiteJob},
    settings::Settings,
    size::Size,
    suite::SuiteKind,
};
use std::{path::PathBuf, time::Duration};

/// The suite whose keys and values are committed.
pub const SUITE: &str = "kv";
/// A test of the suite.
const SEQUENTIAL_WRITES: &str = "1";
/// Records of the suite: more than are ever committed.
const RECORDS: u64 = 100_000;

/// Returns the requested configurations. An option with several values gives one for each. `suite`: the suite named [`SUITE`].
///
/// # Errors
/// The engine does not exist or stores no keys and values, an option is unknown, or an option does not accept its value.
pub fn subjects(
    engines: Vec<EngineChoice>,
    suite: &Suite,
    registry: &Registry,
) -> Result<Vec<TortureSubject>, PlanError> {
    let sizes = vec![Size::one(RECORDS)];
    // Every engine supports this test: the keys may have no order.
    let tests = vec![SEQUENTIAL_WRITES.to_owned()];
    let spec = Spec { suite: SUITE.to_owned(), engines, sizes, tests, rounds: 1, ..Spec::default() };
    let plan = BenchPlan::new(&spec, suite.clone(), registry)?;
    let subject = |one: Configuration| {
        let suite = suite.resolve(one.size, &one.suite_settings, &TestPick::default());
        TortureSubject::new(one, suite)
    };
    Ok(plan.configurations.into_iter().map(subject).collect())
}

/// An engine with its options, and what a commit survives according to its description.
#[derive(Debug, Clone)]
pub struct TortureSubject {
    pub engine: String,
    pub version: String,
    /// The engine with the options that are not at their default, in the syntax of a request.
    pub choice: String,
    pub settings: Settings,
    pub tier: Tier,
    pub tier_reason: String,
    configuration: Configuration,
    suite: SuiteJob,
    writers: Writers,
}

impl TortureSubject {
    /// Creates the subject of a configuration from a bench of the suite.
    fn new(configuration: Configuration, suite: SuiteJob) -> Self {
        let Configuration { engine, settings, tier, tier_reason, .. } = &configuration;
        let description = &engine.description;
        Self {
            engine: description.name.clone(),
            version: description.version.clone(),
            choice: choice(description, settings),
            settings: settings.clone(),
            tier: *tier,
            tier_reason: tier_reason.clone(),
            writers: description.threads.get(&SuiteKind::Kv).map_or(Writers::One, |threads| threads.writers),
            configuration,
            suite,
        }
    }

    /// Adds what the engine reports about the files that its options name. The promise of a library is known only after it was inspected.
    ///
    /// # Errors
    /// The engine's message about a file that it cannot use.
    pub fn examined(&self) -> Result<Self, PlanError> {
        Ok(Self::new(self.configuration.clone().examined()?, self.suite.clone()))
    }

    /// Whether several threads can commit.
    pub(super) fn has_several_writers(&self) -> bool {
        self.writers == Writers::Many
    }

    pub(super) fn launch(&self) -> &Launch {
        &self.configuration.engine.launch
    }

    /// Returns the job of a worker that works in a folder until the deadline.
    pub(super) fn job(&self, folder: PathBuf, deadline: Duration) -> Job {
        Job {
            protocol: PROTOCOL,
            run_id: "torture".to_owned(),
            engine: self.engine.clone(),
            options: self.settings.clone(),
            suite: self.suite.clone(),
            size: self.configuration.size,
            seed: 1,
            folder,
            cpu: None,
            cache: CacheStart::Warm,
            progress_ms: 100,
            deadline_ms: Some(deadline.as_millis() as u64),
            wait: false,
            keep_folder: true,
            explain: false,
            slices: None,
        }
    }
}

fn choice(description: &Description, settings: &Settings) -> String {
    let options: Vec<String> = settings
        .differing(&description.options)
        .map(|(name, value)| format!("{name}={}", value.replace(',', "\\,")))
        .collect();
    if options.is_empty() { description.name.clone() } else { format!("{}:{}", description.name, options.join(",")) }
}
