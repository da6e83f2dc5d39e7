//! The tuning task (engine, suite, size, test and base) and the change to try.

use crate::tui::{launch::WhatIfBase, screens::ReadOwn, world::World};
use dbdyno_catalog::{
    Suite, TestPick,
    bench::{BenchEstimate, estimate},
    engines::Engine,
    is_script,
};
use dbdyno_engine::{describe::OptionSpec, settings::Settings, size::Size};
use dbdyno_running::tune::{OptionChange, Trial, TrialKind, TunedWorkload, WhatIf, cannot_differ, default_rounds};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct TrialForm {
    pub(crate) engine: String,
    pub(crate) suite: String,
    /// The user's own SQL statements, if they make up the suite.
    pub(crate) own: Option<ReadOwn>,
    pub(crate) suite_options: BTreeMap<String, String>,
    /// The size; none for the suite's first size.
    pub(crate) size: Option<Size>,
    /// Names of the tests to measure; empty for all.
    pub(crate) tests: Vec<String>,
    /// Options of the base that differ from their defaults.
    pub(crate) base: BTreeMap<String, String>,
    /// Whether the user typed the base. If so, the last accepted base does not replace it.
    pub(crate) typed: bool,
    /// The options that the change sets.
    pub(crate) change: BTreeMap<String, String>,
    /// Rounds; none for the smallest number that can decide.
    pub(crate) rounds: Option<u32>,
    /// The trial whose accepted change led to the base.
    pub(crate) parent: Option<String>,
    /// The ledger for the trials; empty: the default ledger of this engine and suite.
    pub(crate) ledger: String,
    /// Seed of all randomness; none: a new one for each trial.
    pub(crate) seed: Option<u64>,
}

impl TrialForm {
    /// Returns the initial form: the first engine on the first test of the first suite.
    pub(crate) fn new(world: &World) -> Self {
        let engine = world.registry.engines.first().map_or_else(String::new, |one| one.description.name.clone());
        let mut form = Self { engine, ..Self::default() };
        if let Some(suite) = world.suites.first() {
            form.take_suite(suite);
        }
        form
    }

    /// Changes to another engine and resets the options, because the new engine has others.
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

    /// Changes to the user's own files. The base has the options of the database from which they start.
    pub(crate) fn take_own(&mut self, own: ReadOwn, world: &World) {
        self.take_suite(own.suite());
        // Tests before the last prepare it: they store what a recording found.
        self.tests = own.suite().tests().map(|test| test.name).last().into_iter().collect();
        let options = self.found(world).map(|engine| own.options(&engine.description)).unwrap_or_default();
        self.own = Some(own);
        self.base = self.not_default(&options, world);
    }

    /// Takes engine, suite and options from a bench.
    pub(crate) fn take_bench(&mut self, bench: &WhatIfBase, world: &World) {
        let suite = bench.suite.as_ref().unwrap_or(&self.suite);
        if world.engine_on(suite, &bench.engine).is_none() {
            return;
        }
        self.engine.clone_from(&bench.engine);
        match world.suites.iter().find(|known| known.name == *suite && known.name != self.suite) {
            Some(other) => self.take_suite(other),
            None => self.begin_anew(),
        }
        // `memory` is spelled out, so that a change of the option that it stands for does not contradict it.
        let spelled_out =
            self.found(world).and_then(|engine| Settings::asked(&engine.description, &bench.options).ok());
        self.base = self.not_default(&spelled_out.unwrap_or_default(), world);
        self.typed = true;
    }

    /// Resets the base to the engine's defaults, because accepted changes belong to another ledger.
    fn begin_anew(&mut self) {
        self.base.clear();
        self.change.clear();
        self.parent = None;
        self.typed = false;
    }

    /// Selects the workload on which a trial was measured, as far as it still exists.
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

    /// Makes the settings of an accepted trial the base.
    pub(crate) fn stand_on(&mut self, trial: &Trial, world: &World) {
        if trial.engine != self.engine {
            self.take_engine(trial.engine.clone());
        }
        self.base = self.not_default(&trial.changed(), world);
        self.parent = Some(trial.trial_id.clone());
        self.typed = false;
        self.keep_differing(world);
    }

    /// Sets the base from typed text; an empty text means the defaults.
    ///
    /// # Errors
    /// An option that does not exist or has an invalid value.
    pub(crate) fn type_base(&mut self, text: &str, world: &World) -> Result<(), String> {
        let engine = &self.found(world).ok_or("no engine is chosen")?.description;
        let asked = match text.trim() {
            "" => BTreeMap::new(),
            text => OptionChange::parse(engine, text).map_err(|error| error.to_string())?.0,
        };
        self.base = self.not_default(&asked, world);
        self.parent = None;
        self.typed = true;
        self.keep_differing(world);
        Ok(())
    }

    /// Removes options from the change whose values the base now has.
    fn keep_differing(&mut self, world: &World) {
        let specs = self.specs(world).to_vec();
        let value_of = |name: &String| specs.iter().find(|spec| spec.name == *name).map(|spec| self.base_value(spec));
        let kept = self.change.iter().filter(|(name, value)| value_of(name).is_some_and(|base| base != *value));
        self.change = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    }

    /// Returns the engine's options whose values are not the defaults.
    fn not_default(&self, options: &BTreeMap<String, String>, world: &World) -> BTreeMap<String, String> {
        let default =
            |name: &String| self.specs(world).iter().find(|spec| spec.name == *name).map(|spec| &spec.default);
        let differs = |(name, value): &(&String, &String)| default(name).is_some_and(|default| default != *value);
        options.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Whether no base was chosen, so that the last accepted one can be used.
    pub(crate) fn may_stand_elsewhere(&self) -> bool {
        self.parent.is_none() && !self.typed
    }

    /// Returns the selected engine.
    pub(crate) fn found<'w>(&self, world: &'w World) -> Option<&'w Engine> {
        world.engine_on(&self.suite, &self.engine)
    }

    /// Returns the selected suite.
    pub(crate) fn found_suite<'a>(&'a self, world: &'a World) -> Option<&'a Suite> {
        self.suite_named(&self.suite, world)
    }

    /// Returns a suite by its name, from the catalog or from the user's statements.
    fn suite_named<'a>(&'a self, name: &str, world: &'a World) -> Option<&'a Suite> {
        let own = self.own.as_ref().map(ReadOwn::suite);
        own.into_iter().chain(&world.suites).find(|suite| suite.name == name)
    }

    /// Returns the user's own files, if they make up this suite.
    pub(crate) fn own_of(&self, suite: &str) -> Option<&ReadOwn> {
        self.own.as_ref().filter(|own| own.suite().name == suite)
    }

    pub(crate) fn specs<'w>(&self, world: &'w World) -> &'w [OptionSpec] {
        self.found(world).map_or(&[], |engine| &engine.description.options)
    }

    /// Returns an option's value in the base.
    pub(crate) fn base_value<'a>(&'a self, spec: &'a OptionSpec) -> &'a str {
        self.base.get(&spec.name).unwrap_or(&spec.default)
    }

    pub(crate) fn workload(&self, world: &World) -> Result<TunedWorkload, String> {
        let engine = self.found(world).ok_or_else(|| format!("there is no engine `{}`", self.engine))?;
        let suite = self.found_suite(world).ok_or_else(|| format!("there is no suite `{}`", self.suite))?;
        if !engine.description.suites.contains(&suite.kind) {
            return Err(format!("{} cannot run suite {}", self.engine, self.suite));
        }
        let pick: TestPick = suite.pick(&self.tests)?;
        let size = self.size.or(suite.default_sizes.first().copied()).ok_or("the suite has no size")?;
        let suite_options = self.suite_options.clone();
        Ok(TunedWorkload { engine: engine.clone(), suite: suite.clone(), suite_options, size, pick })
    }

    /// Returns the workload on which a trial was measured.
    pub(crate) fn workload_of(&self, trial: &Trial, world: &World) -> Result<TunedWorkload, String> {
        let missing = |what: &str, name: &str| format!("there is no {what} `{name}` here");
        let engine = world.engine_on(&trial.suite, &trial.engine).ok_or_else(|| missing("engine", &trial.engine))?;
        let suite = self.suite_named(&trial.suite, world).ok_or_else(|| match is_script(&trial.suite) {
            true => format!("the trial used {}: choose its SQL file and its database again (p)", trial.suite),
            false => missing("suite", &trial.suite),
        })?;
        Ok(TunedWorkload {
            engine: engine.clone(),
            suite: suite.clone(),
            suite_options: trial.suite_options.clone(),
            size: trial.size.parse()?,
            pick: TestPick(trial.tests.iter().copied().collect()),
        })
    }

    /// Returns the workload and the trial that Enter starts. The seed is chosen at the start.
    pub(crate) fn what_if(&self, world: &World) -> Result<(TunedWorkload, WhatIf), String> {
        if self.change.is_empty() {
            return Err("nothing is changed: Space changes the option under the cursor".to_owned());
        }
        let workload = self.workload(world)?;
        let what_if = self.question(&workload, OptionChange(self.change.clone()), 1)?;
        Ok((workload, what_if))
    }

    /// Returns a trial for a change, as one of `changes` changes that share the allowed false alarms.
    pub(crate) fn question(
        &self,
        workload: &TunedWorkload,
        change: OptionChange,
        changes: u32,
    ) -> Result<WhatIf, String> {
        let base = workload.settings(&self.base).map_err(|error| error.to_string())?;
        let rounds = self.rounds.unwrap_or_else(|| default_rounds(workload.judged(), changes));
        let (ledger, parent_id) = (self.ledger_name(), self.parent.clone());
        Ok(WhatIf { ledger, parent_id, kind: TrialKind::WhatIf, base, change, rounds, changes, seed: 0 })
    }

    /// Returns the number of rounds of the next trial.
    pub(crate) fn rounds(&self, world: &World) -> u32 {
        let judged = || self.workload(world).map_or(1, |workload| workload.judged());
        self.rounds.unwrap_or_else(|| default_rounds(judged(), 1))
    }

    /// Returns the name of the ledger for the next trial.
    pub(crate) fn ledger_name(&self) -> String {
        if self.ledger.is_empty() { self.default_ledger() } else { self.ledger.clone() }
    }

    fn default_ledger(&self) -> String {
        format!("{}-{}", self.engine, self.suite)
    }

    /// Returns the reason why the change cannot make a difference, if there is one.
    pub(crate) fn pointless(&self, world: &World) -> Option<String> {
        let engine = &self.found(world)?.description;
        let suite = self.found_suite(world)?;
        let base = Settings::resolve(engine, &self.base).ok()?;
        let changed = OptionChange(self.change.clone()).made_to(&base, engine).ok()?;
        if self.change.is_empty() { None } else { cannot_differ(engine, suite.kind, &base, &changed) }
    }

    /// Returns the tiers before and after the change, as numbers with names.
    pub(crate) fn tiers(&self, world: &World) -> Option<(String, String)> {
        let engine = &self.found(world)?.description;
        let base = Settings::resolve(engine, &self.base).ok()?;
        let changed = OptionChange(self.change.clone()).made_to(&base, engine).ok()?;
        Some((engine.tier(&base).0.to_string(), engine.tier(&changed).0.to_string()))
    }

    /// Sets an option of the change; setting the base's own value removes it.
    pub(crate) fn set(&mut self, spec: &OptionSpec, value: String) {
        if value == self.base_value(spec) {
            self.change.remove(&spec.name);
        } else {
            self.change.insert(spec.name.clone(), value);
        }
    }
}

/// Returns the estimated cost of measuring a base against a changed one; none if it cannot be planned.
pub(super) fn expected_of(
    workload: &TunedWorkload,
    [base, changed]: [&Settings; 2],
    rounds: u32,
    world: &World,
) -> Option<BenchEstimate> {
    let plan = workload.drafted(&world.registry, &[base.clone(), changed.clone()], rounds, 0).ok()?;
    Some(estimate(&plan, &world.history, world.work_folder.sync_time()))
}
