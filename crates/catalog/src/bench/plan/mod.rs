//! Planning: from selected engines, options and sizes to the ordered list of runs.

mod configuration;
mod estimate;
mod later;
mod least;
mod missing;
mod order;
mod pair;
mod stars;
mod stored;
mod tiers;

pub use configuration::{Configuration, combinations, refusal};
pub use estimate::{BenchEstimate, RunTimeHistory, Space, check_space, estimate};
pub use later::LaterRounds;
pub use missing::Missing;
pub use order::round_order;
pub use stored::{DifferingVersion, StoredPlan};

use self::{
    configuration::{configurations_of, label, same},
    least::{check_least, check_threads},
    missing::{none_left, usable},
};
use super::{
    closing::ClosingComparison,
    conditions::Conditions,
    spec::{EngineChoice, Spec},
};
use crate::{
    Suite, TestPick,
    engines::{HARNESS_ENGINE, Registry},
};
use dbdyno_engine::{protocol::SuiteJob, settings::SettingError};
use dbdyno_foundation::base::identifier::clock_seed;
use dbdyno_workload::rng::SplitMix64;
use std::collections::BTreeMap;

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A missing engine, an engine that cannot run the suite, or a size or test that the suite does not have.
    #[error("{0}")]
    Request(String),
    /// Engines are missing, so there is nothing to compare.
    #[error("{0}")]
    ComparesNothing(String),
    /// An unknown option, or a value that it does not accept.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// A configuration of a sweep that is left out.
#[derive(Debug, Clone)]
pub struct LeftOut {
    pub configuration: Configuration,
    /// Why it cannot differ from another configuration that runs.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRun {
    /// Position in the session, from 0.
    pub ordinal: u32,
    /// Round, from 0; runs of the same round have the same seed and are paired.
    pub round: u32,
    /// Index of its configuration.
    pub configuration: usize,
    /// Seed of its inputs.
    pub seed: u64,
}

/// The ordered list of runs.
#[derive(Debug, Clone)]
pub struct BenchPlan {
    pub suite: Suite,
    /// The measured tests.
    pub pick: TestPick,
    /// The measured configurations, each once.
    pub configurations: Vec<Configuration>,
    /// Configurations that are not measured, because they cannot differ from another configuration of the same sweep.
    pub left_out: Vec<LeftOut>,
    /// The optional engines that cannot be used.
    pub missing: Vec<Missing>,
    /// The runs in order.
    pub runs: Vec<PlannedRun>,
    pub rounds: u32,
    /// The rounds whose time it may take, if it goes on until all is decided.
    pub until_decided: Option<u32>,
    /// The looks that added rounds so far, in order.
    pub looks: Vec<LaterRounds>,
    /// Seed of the session.
    pub seed: u64,
    /// Conditions of all runs.
    pub conditions: Conditions,
    /// The comparison of configurations at the end.
    pub closing: ClosingComparison,
}

impl BenchPlan {
    /// Plans a bench of this suite on the engines of this machine.
    ///
    /// # Errors
    /// A part of the bench does not exist here, or does not fit.
    pub fn new(spec: &Spec, suite: Suite, registry: &Registry) -> Result<Self, PlanError> {
        let Spec { suite_options, engines, stars, .. } = spec;
        let pick = suite.pick(&spec.tests).map_err(PlanError::Request)?;
        let seed = spec.seed.unwrap_or_else(clock_seed);
        let conditions = spec.conditions();
        let sizes = spec.sizes_on(&suite, &pick).map_err(PlanError::Request)?;
        if engines.is_empty() {
            return Err(PlanError::Request("no engine was chosen: choose at least one".to_owned()));
        }
        if spec.rounds == 0 {
            return Err(PlanError::Request("0 rounds: expected at least one".to_owned()));
        }
        for &size in &sizes {
            suite.check_size(size).map_err(PlanError::Request)?;
        }
        let mut configurations: Vec<Configuration> = Vec::new();
        let mut left_out: Vec<LeftOut> = Vec::new();
        let (engines, missing) = usable(engines, registry)?;
        for &size in &sizes {
            for suite_asked in combinations(suite_options) {
                let suite_settings = suite.settings(&suite_asked)?;
                check_least(&suite, &pick, &suite_settings, size)?;
                check_threads(&suite, &pick, &suite_settings, size)?;
                for choice in &engines {
                    let of_sweep = configurations.len();
                    for configuration in configurations_of(
                        choice,
                        registry,
                        (&suite, &pick),
                        &suite_settings,
                        size,
                        stars.map(|stars| (stars, seed)),
                    )? {
                        let (settings, engine) = (&configuration.settings, &configuration.engine.description);
                        let reason = |other: &Configuration| engine.indifferent(suite.kind, &other.settings, settings);
                        if configurations.iter().any(|other| same(other, &configuration)) {
                            continue;
                        }
                        match configurations[of_sweep..].iter().find_map(reason) {
                            Some(reason) => left_out.push(LeftOut { configuration, reason }),
                            None => configurations.push(configuration),
                        }
                    }
                }
            }
        }
        label(&mut configurations, &mut left_out);
        let closing = ClosingComparison::of(spec, &configurations)?;
        let rounds = spec.rounds;
        let runs = runs(configurations.len(), rounds, seed);
        let (until_decided, looks) = (spec.until_decided, Vec::new());
        let plan = Self {
            suite,
            pick,
            configurations,
            left_out,
            missing,
            runs,
            rounds,
            until_decided,
            looks,
            seed,
            conditions,
            closing,
        };
        Ok(if spec.twins { plan.with_twins() } else { plan })
    }

    /// Asks the engines about the files that their options name, so that an unusable file is known before any run, and applies their
    /// answers.
    ///
    /// # Errors
    /// An engine's message about a file that it cannot use, or an option that has no effect with its files.
    pub fn probe(&mut self) -> Result<(), PlanError> {
        // Each answer needs a process: the other options of a sweep do not affect the files.
        let mut answers = BTreeMap::new();
        let planned = self.configurations.len();
        let mut usable = Vec::with_capacity(planned);
        for mut configuration in std::mem::take(&mut self.configurations) {
            let description = &configuration.engine.description;
            let files: Vec<String> =
                description.files(&configuration.settings).into_iter().map(str::to_owned).collect();
            let answer = answers.entry((description.name.clone(), files));
            let answer = answer.or_insert_with(|| configuration.engine.probe(&configuration.settings));
            match answer.clone() {
                Err(reason) if configuration.optional => {
                    let missing = Missing { engine: configuration.engine_name().to_owned(), reason };
                    if !self.missing.contains(&missing) {
                        self.missing.push(missing);
                    }
                    continue;
                }
                Err(reason) => return Err(PlanError::Request(reason)),
                Ok(None) => {}
                Ok(Some(probed)) => {
                    let before = configuration.label.clone();
                    configuration.take(probed)?;
                    self.closing.rename(&before, &configuration.label);
                }
            }
            usable.push(configuration);
        }
        if usable.len() != planned {
            self.runs = runs(usable.len(), self.rounds, self.seed);
        }
        self.configurations = usable;
        none_left(&self.configurations, &self.missing)
    }

    /// Describes what is left out: the configurations for each reason.
    pub fn not_run(&self) -> Vec<String> {
        let missing = self.missing.iter().map(|one| format!("not run: {}", one.reason));
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for one in &self.left_out {
            by_reason.entry(&one.reason).or_default().push(&one.configuration.label);
        }
        let line = |(reason, labels): (&str, Vec<&str>)| match labels[..] {
            [one] => format!("not run, it cannot differ: {reason}: {one}"),
            [_, ..] => format!("{} not run, they cannot differ from others: {reason}", labels.len()),
            [] => String::new(),
        };
        missing.chain(self.compares_nothing()).chain(by_reason.into_iter().map(line)).collect()
    }

    /// Returns the plan with the first configuration of each size repeated in every round: an A/A comparison, which shows how far chance
    /// separates two equal configurations on this machine. It gives comparisons their noise floor.
    fn with_twins(mut self) -> Self {
        let mut twins: Vec<Configuration> = Vec::new();
        for configuration in &self.configurations {
            if !twins.iter().any(|twin| twin.size == configuration.size) {
                let label = format!("{}#2", configuration.label);
                twins.push(Configuration {
                    label,
                    twin_of: Some(configuration.label.clone()),
                    ..configuration.clone()
                });
            }
        }
        self.configurations.extend(twins);
        self.runs = runs(self.configurations.len(), self.rounds, self.seed);
        self
    }

    /// Returns the configuration that measures the harness on this plan's suite: the engine that does nothing, with its defaults.
    ///
    /// # Errors
    /// There is no engine `null`, or it cannot run the suite.
    pub fn harness(&self, registry: &Registry) -> Result<Configuration, PlanError> {
        let spec = Spec {
            engines: vec![EngineChoice { name: HARNESS_ENGINE.to_owned(), ..EngineChoice::default() }],
            rounds: 1,
            tests: self.pick.words(),
            seed: Some(1),
            ..Spec::default()
        };
        let mut configurations = Self::new(&spec, self.suite.clone(), registry)?.configurations;
        configurations.pop().ok_or_else(|| PlanError::Request("the engine `null` is missing".to_owned()))
    }

    /// Returns the bytes of rows on which a run of a configuration works, without any overhead; `None` if its suite does not give them.
    pub fn payload_bytes(&self, configuration: &Configuration) -> Option<u64> {
        Some(self.suite.payload_bytes(configuration.size, &self.pick)).filter(|bytes| *bytes > 0)
    }

    /// Returns the suite's part of the job for a configuration's worker.
    pub fn job(&self, configuration: &Configuration) -> SuiteJob {
        self.job_with(configuration, &self.pick)
    }

    /// Returns the suite's part of the job for a run's worker, with the tests that are still measured in its round.
    pub fn job_of(&self, run: &PlannedRun) -> SuiteJob {
        let configuration = &self.configurations[run.configuration];
        match self.open_tests(run) {
            None => self.job(configuration),
            Some(tests) => self.job_with(configuration, &TestPick(tests.clone())),
        }
    }

    fn job_with(&self, configuration: &Configuration, pick: &TestPick) -> SuiteJob {
        let mut job = self.suite.resolve(configuration.size, &configuration.suite_settings, pick);
        if let SuiteJob::Kv(suite) = &mut job
            && !configuration.engine.description.compacts
        {
            suite.leave_out_compaction();
        }
        job
    }
}

fn runs(configurations: usize, rounds: u32, seed: u64) -> Vec<PlannedRun> {
    order::rounds(configurations, rounds, seed)
        .zip(0..)
        .map(|((round, configuration), ordinal)| PlannedRun {
            ordinal,
            round,
            configuration,
            seed: seed_of(seed, round),
        })
        .collect()
}

/// Returns the seed of a round's inputs.
fn seed_of(session: u64, round: u32) -> u64 {
    SplitMix64::stream(session, u64::from(round)).next_u64()
}
