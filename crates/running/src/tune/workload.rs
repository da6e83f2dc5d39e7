//! What is tuned: an engine on some tests of a suite at a size.

use dbdyno_catalog::{
    Suite, TestPick,
    bench::{BenchPlan, EngineChoice, PlanError, Spec},
    engines::{Engine, Registry},
};
use dbdyno_engine::{settings::Settings, size::Size};
use std::collections::BTreeMap;

/// What is tuned.
#[derive(Debug, Clone)]
pub struct Workload {
    pub engine: Engine,
    pub suite: Suite,
    /// Options of the suite that are not at their default.
    pub suite_options: BTreeMap<String, String>,
    pub size: Size,
    /// The tests that count; empty for all.
    pub pick: TestPick,
}

impl Workload {
    /// The engine's settings: the defaults, with `asked` in their place.
    ///
    /// # Errors
    /// An option that is not there or does not take its value.
    pub fn settings(&self, asked: &BTreeMap<String, String>) -> Result<Settings, PlanError> {
        Ok(Settings::resolve(&self.engine.description, asked)?)
    }

    /// The same with the files that these settings name: what their engine says of itself with them.
    ///
    /// # Errors
    /// A file that the engine cannot use.
    pub fn with_files(&self, settings: &Settings) -> Result<Self, PlanError> {
        let engine = self.engine.with_files(settings).map_err(PlanError::Request)?;
        Ok(Self { engine, ..self.clone() })
    }

    /// Numbers and names of the tests that count.
    pub fn tests(&self) -> Vec<(u32, String)> {
        let counts = |number: u32| self.pick.0.is_empty() || self.pick.0.contains(&number);
        self.suite.tests().filter(|test| counts(test.number)).map(|test| (test.number, test.name)).collect()
    }

    /// The plan that measures these settings against each other: configuration `i` is `variants[i]`.
    ///
    /// # Errors
    /// A size or an option that the suite does not have; settings that are there twice.
    pub fn plan(
        &self,
        registry: &Registry,
        variants: &[Settings],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        let mut plan = self.drafted(registry, variants, rounds, seed)?;
        plan.probe()?;
        if plan.configurations.len() == variants.len() {
            Ok(plan)
        } else {
            Err(PlanError::Request("two of the settings to measure are the same".to_owned()))
        }
    }

    /// The same without asking engines about their files: enough to say what it will take.
    ///
    /// # Errors
    /// A size or an option that the suite does not have.
    pub fn drafted(
        &self,
        registry: &Registry,
        variants: &[Settings],
        rounds: u32,
        seed: u64,
    ) -> Result<BenchPlan, PlanError> {
        let one = |(name, value): (&str, &str)| (name.to_owned(), vec![value.to_owned()]);
        let name = &self.engine.description.name;
        let choice = |settings: &Settings| EngineChoice {
            name: name.clone(),
            options: settings.iter().map(one).collect(),
            optional: false,
        };
        let suite_options =
            self.suite_options.iter().map(|(name, value)| one((name.as_str(), value.as_str()))).collect();
        let spec = Spec {
            suite: self.suite.name.clone(),
            suite_options,
            engines: variants.iter().map(choice).collect(),
            sizes: vec![self.size],
            rounds,
            tests: self.pick.words(),
            seed: Some(seed),
            ..Spec::default()
        };
        BenchPlan::new(&spec, self.suite.clone(), registry)
    }
}
