//! From a selection of engines, options and sizes to the ordered list of runs.

mod estimate;
mod order;
mod stars;
mod stored;

pub use estimate::{Estimate, History, Space, check_space, estimate};
pub use stored::{DifferingVersion, StoredPlan};

use super::{
    conditions::Conditions,
    spec::{EngineChoice, Spec},
};
use crate::{
    base::identifier::clock_seed,
    catalog::{Suite, TestPick},
    engines::{Engine, HARNESS_ENGINE, Registry},
};
use dbdyno_engine::{
    durability::Tier,
    protocol::SuiteJob,
    settings::{SettingError, Settings},
    size::Size,
    suite::SuiteKind,
};
use dbdyno_workload::rng::SplitMix64;
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs,
};

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// An engine that is not there or cannot run the suite; a size or test that the suite does not have.
    #[error("{0}")]
    Request(String),
    /// An option that is not there or does not take a value.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// One thing that is measured: an engine with all its options on a suite at a size.
#[derive(Debug, Clone)]
pub struct Configuration {
    pub engine: Engine,
    /// Every option of the engine.
    pub settings: Settings,
    /// Every option of the suite.
    pub suite_settings: Settings,
    pub size: Size,
    /// What a commit survives.
    pub tier: Tier,
    pub tier_reason: String,
    /// The engine's name with the options in which it differs from other configurations of the session.
    pub label: String,
    /// The label of the configuration that this is once more: an A/A twin, by which the noise of the machine is measured.
    pub twin_of: Option<String>,
}

/// A configuration of a sweep that is not run.
#[derive(Debug, Clone)]
pub struct LeftOut {
    pub configuration: Configuration,
    /// Why it cannot differ from one that is run.
    pub reason: String,
}

impl Configuration {
    pub fn engine_name(&self) -> &str {
        &self.engine.description.name
    }

    /// Whose code answers a suite of this kind. The same library by two paths is one.
    pub fn implementation(&self, suite: SuiteKind) -> String {
        let description = &self.engine.description;
        let resolved =
            |path: &str| fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string());
        let files = description.files(&self.settings).into_iter().map(|path| format!(" {}", resolved(path)));
        description.implementation(suite, &self.settings).to_owned() + &files.collect::<String>()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRun {
    /// Place in the session, from 0.
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
    /// Tests that are measured.
    pub pick: TestPick,
    /// What is measured, each once.
    pub configurations: Vec<Configuration>,
    /// What is not measured, because it cannot differ from another configuration of the same sweep.
    pub left_out: Vec<LeftOut>,
    /// The runs in order.
    pub runs: Vec<PlannedRun>,
    pub rounds: u32,
    /// Seed of the session.
    pub seed: u64,
    /// What all runs are held to.
    pub conditions: Conditions,
}

impl BenchPlan {
    /// Plans a bench of this suite on the engines of this machine.
    ///
    /// # Errors
    /// What the bench asks for and is not there, or does not fit.
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
        for &size in &sizes {
            for suite_asked in combinations(suite_options) {
                let suite_settings = suite.settings(&suite_asked)?;
                for choice in engines {
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
        let rounds = spec.rounds;
        let runs = runs(configurations.len(), rounds, seed);
        let plan = Self { suite, pick, configurations, left_out, runs, rounds, seed, conditions };
        Ok(if spec.twins { plan.with_twins() } else { plan })
    }

    /// Has the engines asked what the files are that their options name, so that a wrong one is known before anything is run, and
    /// takes what they say of them.
    ///
    /// # Errors
    /// What an engine said of a file that it cannot use, or an option that does nothing with its files.
    pub fn probe(&mut self) -> Result<(), PlanError> {
        // Each answer is a process: the other options of a sweep change nothing about its files.
        let mut answers = BTreeMap::new();
        for Configuration { engine, settings, tier, tier_reason, .. } in &mut self.configurations {
            let description = &engine.description;
            let files: Vec<String> = description.files(settings).into_iter().map(str::to_owned).collect();
            let probed = match answers.entry((description.name.clone(), files)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(engine.probe(settings).map_err(PlanError::Request)?),
            };
            let Some(probed) = probed.clone() else { continue };
            if let Some(refusal) = probed.refusal(description, settings) {
                return Err(PlanError::Request(refusal));
            }
            *engine = engine.probed(probed);
            let (survives, reason) = engine.description.tier(settings);
            (*tier, *tier_reason) = (survives, reason.to_owned());
        }
        Ok(())
    }

    /// What is left out, in words: the configurations for each reason.
    pub fn not_run(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for one in &self.left_out {
            by_reason.entry(&one.reason).or_default().push(&one.configuration.label);
        }
        let line = |(reason, labels): (&str, Vec<&str>)| match labels[..] {
            [one] => format!("not run, it cannot differ: {reason}: {one}"),
            [_, ..] => format!("{} not run, they cannot differ from others: {reason}", labels.len()),
            [] => String::new(),
        };
        by_reason.into_iter().map(line).collect()
    }

    /// The same plan with the first configuration of each size once more a round: an A/A comparison, which shows how far
    /// apart chance takes two equal things on this machine. Comparisons take their noise floor from it.
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

    /// The configuration that measures the harness on this plan's suite: the engine that does nothing, at its defaults.
    ///
    /// # Errors
    /// When there is no engine `null`, or it cannot run the suite.
    pub fn harness(&self, registry: &Registry) -> Result<Configuration, PlanError> {
        let spec = Spec {
            engines: vec![EngineChoice { name: HARNESS_ENGINE.to_owned(), options: BTreeMap::new() }],
            rounds: 1,
            tests: self.pick.words(),
            seed: Some(1),
            ..Spec::default()
        };
        let mut configurations = Self::new(&spec, self.suite.clone(), registry)?.configurations;
        configurations.pop().ok_or_else(|| PlanError::Request("the engine `null` is missing".to_owned()))
    }

    /// Bytes of rows that a run of a configuration works on, without any overhead; none where its suite does not say.
    pub fn payload_bytes(&self, configuration: &Configuration) -> Option<u64> {
        Some(self.suite.payload_bytes(configuration.size, &self.pick)).filter(|bytes| *bytes > 0)
    }

    /// What a configuration's worker is given of the suite.
    pub fn job(&self, configuration: &Configuration) -> SuiteJob {
        self.suite.resolve(configuration.size, &configuration.suite_settings, &self.pick)
    }
}

fn runs(configurations: usize, rounds: u32, seed: u64) -> Vec<PlannedRun> {
    order::rounds(configurations, rounds)
        .zip(0..)
        .map(|((round, configuration), ordinal)| PlannedRun {
            ordinal,
            round,
            configuration,
            seed: SplitMix64::stream(seed, u64::from(round)).next_u64(),
        })
        .collect()
}

fn same(a: &Configuration, b: &Configuration) -> bool {
    a.engine_name() == b.engine_name()
        && a.settings == b.settings
        && a.suite_settings == b.suite_settings
        && a.size == b.size
}

fn configurations_of(
    choice: &EngineChoice,
    registry: &Registry,
    (suite, pick): (&Suite, &TestPick),
    suite_settings: &Settings,
    size: Size,
    sample: Option<(u32, u64)>,
) -> Result<Vec<Configuration>, PlanError> {
    let engine = registry.get(&choice.name).map_err(PlanError::Request)?;
    if !engine.description.suites.contains(&suite.kind) {
        let message =
            format!("engine `{}` cannot run suite `{}`: it is of kind {}", choice.name, suite.name, suite.kind.word());
        return Err(PlanError::Request(message));
    }
    if let Some(reason) = suite.refusal(pick).filter(|_| engine.description.tables_as_data) {
        return Err(PlanError::Request(format!(
            "engine `{}` cannot run suite `{}`: {reason}",
            choice.name, suite.name
        )));
    }
    if suite.has_actors(pick) && !engine.description.threads.contains_key(&suite.kind) {
        return Err(PlanError::Request(format!(
            "engine `{}` cannot run suite `{}`: it works with one thread, and the suite has tests of several",
            choice.name, suite.name
        )));
    }
    let chosen = match sample {
        Some((stars, seed)) => stars::stars(&choice.options, stars, seed),
        None => combinations(&choice.options),
    };
    chosen
        .into_iter()
        .map(|asked| {
            let settings = Settings::resolve(&engine.description, &asked)?;
            if let Some(conflict) = engine.description.conflict(&settings) {
                return Err(PlanError::Request(conflict));
            }
            let (tier, reason) = engine.description.tier(&settings);
            Ok(Configuration {
                engine: engine.clone(),
                tier,
                tier_reason: reason.to_owned(),
                label: choice.name.clone(),
                settings,
                suite_settings: suite_settings.clone(),
                size,
                twin_of: None,
            })
        })
        .collect()
}

/// Every combination of one value an option, the last option changing fastest; one empty one where there are no options.
pub fn combinations(options: &BTreeMap<String, Vec<String>>) -> Vec<BTreeMap<String, String>> {
    let mut all = vec![BTreeMap::new()];
    for (name, values) in options {
        all = all
            .iter()
            .flat_map(|chosen: &BTreeMap<String, String>| {
                values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.insert(name.clone(), value.clone());
                    chosen
                })
            })
            .collect();
    }
    all
}

/// Names each configuration by its engine and by those options whose value is not the same in all of the engine's
/// configurations.
fn label(configurations: &mut [Configuration], left_out: &mut [LeftOut]) {
    let mut values: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for configuration in configurations.iter().chain(left_out.iter().map(|one| &one.configuration)) {
        for (option, value) in configuration.settings.iter().chain(configuration.suite_settings.iter()) {
            let key = (configuration.engine_name().to_owned(), option.to_owned());
            values.entry(key).or_default().insert(value.to_owned());
        }
    }
    for configuration in configurations.iter_mut().chain(left_out.iter_mut().map(|one| &mut one.configuration)) {
        let engine = configuration.engine_name().to_owned();
        let differing: Vec<String> = configuration
            .settings
            .iter()
            .chain(configuration.suite_settings.iter())
            .filter(|(option, _)| values[&(engine.clone(), (*option).to_owned())].len() > 1)
            .map(|(option, value)| format!("{option}={value}"))
            .collect();
        configuration.label = if differing.is_empty() { engine } else { format!("{engine}[{}]", differing.join(",")) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_takes_every_combination_once() {
        let options = BTreeMap::from([
            ("a".to_owned(), vec!["1".to_owned(), "2".to_owned()]),
            ("b".to_owned(), vec!["x".to_owned(), "y".to_owned()]),
        ]);
        let all: Vec<String> =
            combinations(&options).iter().map(|chosen| format!("{}{}", chosen["a"], chosen["b"])).collect();
        assert_eq!(all, ["1x", "1y", "2x", "2y"]);
        assert_eq!(combinations(&BTreeMap::new()), [BTreeMap::new()]);
    }
}
