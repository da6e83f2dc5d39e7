//! The workload to tune: an engine on some tests of a suite at a size.

use dbdyno_catalog::{
    Suite, TestPick,
    bench::{BenchPlan, EngineChoice, PlanError, Spec},
    engines::{Engine, Registry},
};
use dbdyno_engine::{protocol::SuiteJob, settings::Settings, size::Size};
use std::collections::BTreeMap;

/// The engine, suite, size and tests that are tuned.
#[derive(Debug, Clone)]
pub struct TunedWorkload {
    pub engine: Engine,
    pub suite: Suite,
    /// Options of the suite that are not at their default.
    pub suite_options: BTreeMap<String, String>,
    pub size: Size,
    /// The tests that count; empty for all.
    pub pick: TestPick,
}

impl TunedWorkload {
    /// Returns the engine's settings: the defaults, replaced by `asked` where given.
    ///
    /// # Errors
    /// An option is unknown or does not accept its value.
    pub fn settings(&self, asked: &BTreeMap<String, String>) -> Result<Settings, PlanError> {
        Ok(Settings::resolve(&self.engine.description, asked)?)
    }

    /// Returns the workload with the files that these settings name, and what the engine reports about itself with them.
    ///
    /// # Errors
    /// The engine cannot use a file.
    pub fn with_files(&self, settings: &Settings) -> Result<Self, PlanError> {
        let engine = self.engine.with_files(settings).map_err(PlanError::Request)?;
        Ok(Self { engine, ..self.clone() })
    }

    /// Returns the numbers and names of the tests that count.
    pub fn tests(&self) -> Vec<(u32, String)> {
        let counts = |number: u32| self.pick.0.is_empty() || self.pick.0.contains(&number);
        self.suite.tests().filter(|test| counts(test.number)).map(|test| (test.number, test.name)).collect()
    }

    /// Returns how many figures are judged together: the tests that count, or their statements if these are more.
    pub fn judged(&self) -> usize {
        let tests = self.tests().len();
        let Ok(settings) = self.suite.settings(&self.suite_options) else { return tests };
        let names: usize = match self.suite.resolve(self.size, &settings, &self.pick) {
            SuiteJob::Sql(suite) => {
                suite.tests.iter().filter(|test| test.measured).map(|test| test.names().len()).sum()
            }
            SuiteJob::Kv(suite) => suite.tests.iter().filter(|test| test.measured).map(|test| test.names().len()).sum(),
        };
        names.max(tests)
    }

    /// Returns the plan that compares these settings: configuration `i` is `variants[i]`.
    ///
    /// # Errors
    /// The suite does not have the size or an option, or two settings are equal.
    pub fn plan(
        &self,
        registry: &Registry,
        variants: &[Settings],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        self.plan_of(registry, &self.of_own_engine(variants), rounds, seed)
    }

    /// Does the same for settings of several engines, by their names. The engine of the workload need not be one of them.
    ///
    /// # Errors
    /// As for [`Self::plan`], or an engine is unknown.
    pub fn plan_of(
        &self,
        registry: &Registry,
        arms: &[(&str, &Settings)],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        let mut plan = self.drafted_of(registry, arms, rounds, seed)?;
        plan.probe()?;
        if plan.configurations.len() == arms.len() {
            Ok(plan)
        } else {
            Err(PlanError::Request("two of the settings to measure are the same".to_owned()))
        }
    }

    /// Returns the plan without asking engines about their files: enough to estimate it.
    ///
    /// # Errors
    /// The suite does not have the size or an option.
    pub fn drafted(
        &self,
        registry: &Registry,
        variants: &[Settings],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        self.drafted_of(registry, &self.of_own_engine(variants), rounds, seed)
    }

    fn of_own_engine<'a>(&'a self, variants: &'a [Settings]) -> Vec<(&'a str, &'a Settings)> {
        variants.iter().map(|settings| (self.engine.description.name.as_str(), settings)).collect()
    }

    fn drafted_of(
        &self,
        registry: &Registry,
        arms: &[(&str, &Settings)],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        let one = |(name, value): (&str, &str)| (name.to_owned(), vec![value.to_owned()]);
        let choice = |(name, settings): &(&str, &Settings)| EngineChoice {
            name: (*name).to_owned(),
            options: settings.iter().map(one).collect(),
            optional: false,
        };
        let suite_options =
            self.suite_options.iter().map(|(name, value)| one((name.as_str(), value.as_str()))).collect();
        let spec = Spec {
            suite: self.suite.name.clone(),
            suite_options,
            engines: arms.iter().map(choice).collect(),
            sizes: vec![self.size],
            rounds,
            tests: self.pick.words(),
            seed: Some(seed),
            ..Spec::default()
        };
        BenchPlan::new(&spec, self.suite.clone(), registry)
    }
}
