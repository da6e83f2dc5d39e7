//! What is tuned: engine, suite, size, test and base, and the change that is to be tried.

use crate::{
    catalog::{Suite, TestPick},
    engines::Engine,
    tui::world::World,
    tune::{Change, TrialKind, WhatIf, Workload, cannot_differ, default_rounds},
};
use dbdyno_engine::{describe::OptionSpec, settings::Settings, size::Size};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct TrialForm {
    pub(crate) engine: String,
    pub(crate) suite: String,
    /// The size; none for the suite's first.
    pub(crate) size: Option<Size>,
    /// Names of the tests that count; empty for all.
    pub(crate) tests: Vec<String>,
    /// Options of the base that are not at their default.
    pub(crate) base: BTreeMap<String, String>,
    /// Options that the change sets.
    pub(crate) change: BTreeMap<String, String>,
    /// Rounds; none for the fewest that can decide.
    pub(crate) rounds: Option<u32>,
    /// The trial whose accepted change made the base.
    pub(crate) parent: Option<String>,
    /// The ledger that trials are kept in; empty: one of that engine and suite.
    pub(crate) ledger: String,
}

impl TrialForm {
    /// What is tuned before anything is chosen: the first engine on the first test of the first suite.
    pub(crate) fn new(world: &World) -> Self {
        let engine = world.registry.engines.first().map_or_else(String::new, |one| one.description.name.clone());
        let mut form = Self { engine, ..Self::default() };
        if let Some(suite) = world.suites.first() {
            form.take_suite(suite);
        }
        form
    }

    /// Changes to another engine: its options are others.
    pub(crate) fn take_engine(&mut self, engine: String) {
        self.engine = engine;
        self.base.clear();
        self.change.clear();
        self.parent = None;
    }

    /// Changes to another suite, with its first test.
    pub(crate) fn take_suite(&mut self, suite: &Suite) {
        self.suite.clone_from(&suite.name);
        self.size = suite.default_sizes.first().copied();
        self.tests = suite.tests().map(|test| test.name).take(1).collect();
        self.parent = None;
    }

    /// The engine that is chosen.
    pub(crate) fn found<'w>(&self, world: &'w World) -> Option<&'w Engine> {
        world.registry.engines.iter().find(|engine| engine.description.name == self.engine)
    }

    /// The suite that is chosen.
    pub(crate) fn found_suite<'w>(&self, world: &'w World) -> Option<&'w Suite> {
        world.suites.iter().find(|suite| suite.name == self.suite)
    }

    pub(crate) fn specs<'w>(&self, world: &'w World) -> &'w [OptionSpec] {
        self.found(world).map_or(&[], |engine| &engine.description.options)
    }

    /// An option's value in the base.
    pub(crate) fn base_value<'a>(&'a self, spec: &'a OptionSpec) -> &'a str {
        self.base.get(&spec.name).unwrap_or(&spec.default)
    }

    pub(crate) fn workload(&self, world: &World) -> Result<Workload, String> {
        let engine = self.found(world).ok_or_else(|| format!("there is no engine `{}`", self.engine))?;
        let suite = self.found_suite(world).ok_or_else(|| format!("there is no suite `{}`", self.suite))?;
        if !engine.description.suites.contains(&suite.kind) {
            return Err(format!("{} cannot run suite {}", self.engine, self.suite));
        }
        let pick: TestPick = suite.pick(&self.tests)?;
        let size = self.size.or(suite.default_sizes.first().copied()).ok_or("the suite has no size")?;
        Ok(Workload { engine: engine.clone(), suite: suite.clone(), suite_options: BTreeMap::new(), size, pick })
    }

    /// What Enter tries, and on what. The seed is chosen when it starts.
    pub(crate) fn what_if(&self, world: &World) -> Result<(Workload, WhatIf), String> {
        if self.change.is_empty() {
            return Err("nothing is changed: Space changes the option under the cursor".to_owned());
        }
        let workload = self.workload(world)?;
        let base = workload.settings(&self.base).map_err(|error| error.to_string())?;
        let rounds = self.rounds(world);
        let what_if = WhatIf {
            ledger: self.ledger_name(),
            parent_id: self.parent.clone(),
            kind: TrialKind::WhatIf,
            base,
            change: Change(self.change.clone()),
            rounds,
            changes: 1,
            seed: 0,
        };
        Ok((workload, what_if))
    }

    /// Rounds of the next trial.
    pub(crate) fn rounds(&self, world: &World) -> u32 {
        let tests = self.workload(world).map_or(1, |workload| workload.tests().len());
        self.rounds.unwrap_or_else(|| default_rounds(tests, 1))
    }

    /// The ledger that the next trial is kept in.
    pub(crate) fn ledger_name(&self) -> String {
        if self.ledger.is_empty() { format!("{}-{}", self.engine, self.suite) } else { self.ledger.clone() }
    }

    /// Why the change cannot make a difference, if so.
    pub(crate) fn pointless(&self, world: &World) -> Option<String> {
        let engine = &self.found(world)?.description;
        let suite = world.suites.iter().find(|suite| suite.name == self.suite)?;
        let base = Settings::resolve(engine, &self.base).ok()?;
        let changed = Change(self.change.clone()).made_to(&base, engine).ok()?;
        if self.change.is_empty() { None } else { cannot_differ(engine, suite.kind, &base, &changed) }
    }

    /// Tiers before and after the change, as numbers with names.
    pub(crate) fn tiers(&self, world: &World) -> Option<(String, String)> {
        let engine = &self.found(world)?.description;
        let base = Settings::resolve(engine, &self.base).ok()?;
        let changed = Change(self.change.clone()).made_to(&base, engine).ok()?;
        Some((engine.tier(&base).0.to_string(), engine.tier(&changed).0.to_string()))
    }

    /// Sets an option of the change; the base's own value takes it out.
    pub(crate) fn set(&mut self, spec: &OptionSpec, value: String) {
        if value == self.base_value(spec) {
            self.change.remove(&spec.name);
        } else {
            self.change.insert(spec.name.clone(), value);
        }
    }

    /// The command that tries the same.
    pub(crate) fn command(&self) -> Vec<String> {
        let options: Vec<String> = self.base.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let colon = if options.is_empty() { "" } else { ":" };
        let mut words: Vec<String> = ["dbdyno", "tune", "try", "--engine"].map(str::to_owned).to_vec();
        words.extend([
            format!("{}{colon}{}", self.engine, options.join(",")),
            "--suite".to_owned(),
            self.suite.clone(),
        ]);
        words.extend(self.size.iter().flat_map(|size| ["--size".to_owned(), size.to_string()]));
        words.extend(self.tests.iter().flat_map(|test| ["--test".to_owned(), test.clone()]));
        for (name, value) in &self.change {
            words.push(format!("{}.{name}={value}", self.engine));
        }
        words
    }
}
