//! What is tuned: engine, suite, size, test and base, and the change that is to be tried.

use super::own_sql::OwnSql;
use crate::tui::world::World;
use dbdyno_catalog::{
    Suite, TestPick,
    bench::{Estimate, estimate},
    engines::Engine,
};
use dbdyno_engine::{describe::OptionSpec, settings::Settings, size::Size};
use dbdyno_running::tune::{Change, Trial, TrialKind, WhatIf, Workload, cannot_differ, default_rounds, script};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct TrialForm {
    pub(crate) engine: String,
    pub(crate) suite: String,
    /// The user's own statements, where the suite is made of them.
    pub(crate) own: Option<OwnSql>,
    pub(crate) suite_options: BTreeMap<String, String>,
    /// The size; none for the suite's first.
    pub(crate) size: Option<Size>,
    /// Names of the tests that count; empty for all.
    pub(crate) tests: Vec<String>,
    /// Options of the base that are not at their default.
    pub(crate) base: BTreeMap<String, String>,
    /// Whether the base was typed: what was accepted before does not take its place.
    pub(crate) typed: bool,
    /// Options that the change sets.
    pub(crate) change: BTreeMap<String, String>,
    /// Rounds; none for the fewest that can decide.
    pub(crate) rounds: Option<u32>,
    /// The trial whose accepted change made the base.
    pub(crate) parent: Option<String>,
    /// The ledger that trials are kept in; empty: one of that engine and suite.
    pub(crate) ledger: String,
    /// Seed of all randomness; none: drawn each time.
    pub(crate) seed: Option<u64>,
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
        self.begin_anew();
    }

    /// Changes to another suite, with its first test.
    pub(crate) fn take_suite(&mut self, suite: &Suite) {
        self.suite.clone_from(&suite.name);
        self.suite_options.clear();
        self.size = suite.default_sizes.first().copied();
        self.tests = suite.tests().map(|test| test.name).take(1).collect();
        self.begin_anew();
    }

    /// Changes to statements of the user's, on the database that they start from.
    pub(crate) fn take_own(&mut self, own: OwnSql, world: &World) {
        self.take_suite(&own.suite);
        let options = own.options();
        self.own = Some(own);
        self.base = self.not_default(&options, world);
    }

    /// The base is the engine's default again: what was accepted belongs to another ledger.
    fn begin_anew(&mut self) {
        self.base.clear();
        self.change.clear();
        self.parent = None;
        self.typed = false;
    }

    /// Goes to where a trial was measured, as far as that is still there.
    pub(crate) fn go_to(&mut self, trial: &Trial, world: &World) {
        if world.engine_on(&trial.suite, &trial.engine).is_none() {
            return;
        }
        self.take_engine(trial.engine.clone());
        let Some(suite) = self.suite_named(&trial.suite, world).cloned() else { return };
        self.take_suite(&suite);
        self.suite_options.clone_from(&trial.suite_options);
        self.size = trial.size.parse().ok().or(self.size);
        let all = suite.tests().count();
        let counts = |number: &u32| trial.tests.contains(number);
        let names = suite.tests().filter(|test| counts(&test.number)).map(|test| test.name);
        self.tests = if trial.tests.len() < all { names.collect() } else { Vec::new() };
        self.ledger = if trial.ledger == self.default_ledger() { String::new() } else { trial.ledger.clone() };
    }

    /// The base is what an accepted trial came to.
    pub(crate) fn stand_on(&mut self, trial: &Trial, world: &World) {
        if trial.engine != self.engine {
            self.take_engine(trial.engine.clone());
        }
        self.base = self.not_default(&trial.changed(), world);
        self.parent = Some(trial.trial_id.clone());
        self.typed = false;
        self.keep_differing(world);
    }

    /// The base is what was typed; an empty text means the defaults.
    ///
    /// # Errors
    /// An option that is not there or does not take its value.
    pub(crate) fn type_base(&mut self, text: &str, world: &World) -> Result<(), String> {
        let engine = &self.found(world).ok_or("no engine is chosen")?.description;
        let asked = match text.trim() {
            "" => BTreeMap::new(),
            text => Change::parse(engine, text).map_err(|error| error.to_string())?.0,
        };
        self.base = self.not_default(&asked, world);
        self.parent = None;
        self.typed = true;
        self.keep_differing(world);
        Ok(())
    }

    /// Takes out of the change what the base has by now.
    fn keep_differing(&mut self, world: &World) {
        let specs = self.specs(world).to_vec();
        let value_of = |name: &String| specs.iter().find(|spec| spec.name == *name).map(|spec| self.base_value(spec));
        let kept = self.change.iter().filter(|(name, value)| value_of(name).is_some_and(|base| base != *value));
        self.change = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    }

    /// The options that the engine has and that are not at their default.
    fn not_default(&self, options: &BTreeMap<String, String>, world: &World) -> BTreeMap<String, String> {
        let default =
            |name: &String| self.specs(world).iter().find(|spec| spec.name == *name).map(|spec| &spec.default);
        let differs = |(name, value): &(&String, &String)| default(name).is_some_and(|default| default != *value);
        options.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Whether nobody chose a base: what was accepted last may be it.
    pub(crate) fn may_stand_elsewhere(&self) -> bool {
        self.parent.is_none() && !self.typed
    }

    /// The engine that is chosen.
    pub(crate) fn found<'w>(&self, world: &'w World) -> Option<&'w Engine> {
        world.engine_on(&self.suite, &self.engine)
    }

    /// The suite that is chosen.
    pub(crate) fn found_suite<'a>(&'a self, world: &'a World) -> Option<&'a Suite> {
        self.suite_named(&self.suite, world)
    }

    /// A suite by its name, be it one of the catalog or made of the user's statements.
    fn suite_named<'a>(&'a self, name: &str, world: &'a World) -> Option<&'a Suite> {
        let own = self.own.as_ref().map(|own| &own.suite);
        own.into_iter().chain(&world.suites).find(|suite| suite.name == name)
    }

    /// The user's own statements, where a suite is made of them.
    pub(crate) fn own_of(&self, suite: &str) -> Option<&OwnSql> {
        self.own.as_ref().filter(|own| own.suite.name == suite)
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
        let suite_options = self.suite_options.clone();
        Ok(Workload { engine: engine.clone(), suite: suite.clone(), suite_options, size, pick })
    }

    /// What a trial was measured on.
    pub(crate) fn workload_of(&self, trial: &Trial, world: &World) -> Result<Workload, String> {
        let missing = |what: &str, name: &str| format!("there is no {what} `{name}` here");
        let engine = world.engine_on(&trial.suite, &trial.engine).ok_or_else(|| missing("engine", &trial.engine))?;
        let suite = self.suite_named(&trial.suite, world).ok_or_else(|| match script::is_script(&trial.suite) {
            true => format!("the trial is of {}: choose its SQL file again (p), and its database", trial.suite),
            false => missing("suite", &trial.suite),
        })?;
        Ok(Workload {
            engine: engine.clone(),
            suite: suite.clone(),
            suite_options: trial.suite_options.clone(),
            size: trial.size.parse()?,
            pick: TestPick(trial.tests.iter().copied().collect()),
        })
    }

    /// What Enter tries, and on what. The seed is chosen when it starts.
    pub(crate) fn what_if(&self, world: &World) -> Result<(Workload, WhatIf), String> {
        if self.change.is_empty() {
            return Err("nothing is changed: Space changes the option under the cursor".to_owned());
        }
        let workload = self.workload(world)?;
        let what_if = self.question(&workload, Change(self.change.clone()), 1)?;
        Ok((workload, what_if))
    }

    /// A change as one of so many that share the allowed false alarms.
    pub(crate) fn question(&self, workload: &Workload, change: Change, changes: u32) -> Result<WhatIf, String> {
        let base = workload.settings(&self.base).map_err(|error| error.to_string())?;
        let rounds = self.rounds.unwrap_or_else(|| default_rounds(workload.tests().len(), changes));
        let (ledger, parent_id) = (self.ledger_name(), self.parent.clone());
        Ok(WhatIf { ledger, parent_id, kind: TrialKind::WhatIf, base, change, rounds, changes, seed: 0 })
    }

    /// Rounds of the next trial.
    pub(crate) fn rounds(&self, world: &World) -> u32 {
        let tests = self.workload(world).map_or(1, |workload| workload.tests().len());
        self.rounds.unwrap_or_else(|| default_rounds(tests, 1))
    }

    /// The ledger that the next trial is kept in.
    pub(crate) fn ledger_name(&self) -> String {
        if self.ledger.is_empty() { self.default_ledger() } else { self.ledger.clone() }
    }

    fn default_ledger(&self) -> String {
        format!("{}-{}", self.engine, self.suite)
    }

    /// Why the change cannot make a difference, if so.
    pub(crate) fn pointless(&self, world: &World) -> Option<String> {
        let engine = &self.found(world)?.description;
        let suite = self.found_suite(world)?;
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
}

/// What it takes to measure a base against a changed one; none where that cannot be planned.
pub(super) fn expected_of(
    workload: &Workload,
    [base, changed]: [&Settings; 2],
    rounds: u32,
    world: &World,
) -> Option<Estimate> {
    let plan = workload.drafted(&world.registry, &[base.clone(), changed.clone()], rounds, 0).ok()?;
    Some(estimate(&plan, &world.history, world.work_folder.sync_time()))
}
