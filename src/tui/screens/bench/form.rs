//! What is chosen on the Bench screen: everything a bench needs.

use dbdyno_catalog::{
    Difference, Suite,
    bench::{DataRatio, EngineChoice, MemoryLimit, Preset, Spec, Values},
    engines::Registry,
};
use dbdyno_engine::{protocol::CacheStart, size::Size};
use std::collections::BTreeSet;

/// Rounds when none are asked for: with these the largest suite, of 18 tests, can be decided.
pub const DEFAULT_ROUNDS: u32 = 10;
/// Engines that are chosen when nothing else is.
const FIRST_ENGINES: [&str; 3] = ["sqlite", "lmdb", "redb"];

/// An engine as it takes part, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineEntry {
    /// The name that the engine is described under.
    pub engine: String,
    /// Whether it takes part.
    pub on: bool,
    pub(crate) options: Values,
    /// Whether it is there once more, with other options.
    pub(crate) again: bool,
    /// Whether the bench goes on without it where it cannot be used.
    pub(crate) optional: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Form {
    pub(crate) suite: String,
    pub(crate) suite_options: Values,
    /// Engines, in the order they run.
    pub entries: Vec<EngineEntry>,
    /// Sizes that are offered.
    pub(crate) offered: Vec<Size>,
    /// Sizes that are chosen.
    pub(crate) sizes: Vec<Size>,
    /// Ratios of data to the memory limit for which the preset's suite has no sizes; of all others the sizes are chosen.
    pub(crate) data_ratios: Vec<DataRatio>,
    /// How much memory a run has, where the preset says so.
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// What of a database may be in memory when a test begins.
    pub(crate) cache: CacheStart,
    pub(crate) rounds: u32,
    /// Names of the tests that are measured; empty for all.
    pub(crate) tests: Vec<String>,
    /// Whether the first configuration runs twice a round.
    pub(crate) twins: bool,
    /// The preset that this is, as long as nothing is changed.
    pub(crate) preset: Option<String>,
    /// The claims file that the preset names.
    pub(crate) claims: Option<String>,
    /// Of each engine's sweep, only so many stars; none for all of it.
    pub(crate) stars: Option<u32>,
    /// Whether a session ends in how much each option of the sweep matters.
    pub(crate) effects: bool,
    /// Seed of all randomness; none: drawn when it starts.
    pub(crate) seed: Option<u64>,
    /// The configuration that a session ends in comparing the others with, as the preset has it.
    pub(crate) reference: Option<EngineChoice>,
    /// Differences that it compares under a badge.
    pub(crate) allow: BTreeSet<Difference>,
}

impl Form {
    /// The form of a suite, with the usual engines at their defaults.
    pub(crate) fn for_suite(suite: &Suite, registry: &Registry) -> Self {
        let mut form = Self { rounds: DEFAULT_ROUNDS, ..Self::default() };
        form.take_engines(registry);
        for entry in &mut form.entries {
            entry.on = FIRST_ENGINES.contains(&entry.engine.as_str());
        }
        form.take_suite(suite);
        form
    }

    /// Changes to another suite: sizes, tests and options of the suite begin anew.
    pub(crate) fn take_suite(&mut self, suite: &Suite) {
        self.suite.clone_from(&suite.name);
        self.suite_options.clear();
        self.tests.clear();
        self.data_ratios.clear();
        (self.memory_limit, self.cache) = (None, CacheStart::Warm);
        self.reference = None;
        self.allow.clear();
        self.offered = offered(suite, &suite.default_sizes);
        self.sizes.clone_from(&suite.default_sizes);
        self.changed();
    }

    /// Adds engines that are not in the list yet.
    pub(crate) fn take_engines(&mut self, registry: &Registry) {
        for engine in &registry.engines {
            let name = &engine.description.name;
            if !self.entries.iter().any(|entry| &entry.engine == name) {
                self.entries.push(entry(name, false));
            }
        }
    }

    /// Puts a preset into the form.
    pub(crate) fn take_preset(&mut self, preset: &Preset, suite: &Suite, registry: &Registry) {
        let spec = &preset.spec;
        self.take_suite(suite);
        self.entries.clear();
        for choice in &spec.engines {
            let again = self.entries.iter().any(|entry| entry.engine == choice.name);
            let (options, optional) = (choice.options.clone(), choice.optional);
            self.entries.push(EngineEntry { engine: choice.name.clone(), on: true, options, again, optional });
        }
        self.take_engines(registry);
        self.suite_options.clone_from(&spec.suite_options);
        let by_ratio = suite.pick(&spec.tests).and_then(|pick| spec.sizes_on(suite, &pick));
        self.data_ratios = if by_ratio.is_err() { spec.data_ratios.clone() } else { Vec::new() };
        self.sizes = by_ratio.unwrap_or_default();
        self.offered = offered(suite, &self.sizes);
        self.memory_limit = spec.conditions().memory_limit.map(MemoryLimit);
        self.cache = spec.cache;
        self.rounds = spec.rounds;
        self.tests.clone_from(&spec.tests);
        self.twins = spec.twins;
        self.preset = Some(preset.name.clone());
        self.claims.clone_from(&spec.claims);
        self.stars = spec.stars;
        self.effects = spec.effects;
        self.seed = spec.seed;
        self.reference.clone_from(&spec.reference);
        self.allow.clone_from(&spec.allow);
    }

    /// The bench that is chosen.
    pub(crate) fn spec(&self) -> Spec {
        let on = self.entries.iter().filter(|entry| entry.on);
        // What the reference is may have been taken out.
        let is_there = |reference: &&EngineChoice| {
            let has = |entry: &EngineEntry, (name, values): (&String, &Vec<String>)| {
                entry.options.get(name).is_none_or(|all| values.iter().all(|value| all.contains(value)))
            };
            let is_it = |entry: &EngineEntry| reference.options.iter().all(|option| has(entry, option));
            self.entries.iter().any(|entry| entry.on && entry.engine == reference.name && is_it(entry))
        };
        Spec {
            suite: self.suite.clone(),
            suite_options: self.suite_options.clone(),
            engines: on
                .map(|entry| EngineChoice {
                    name: entry.engine.clone(),
                    options: entry.options.clone(),
                    optional: entry.optional,
                })
                .collect(),
            sizes: self.sizes.clone(),
            data_ratios: self.data_ratios.clone(),
            memory_limit: self.memory_limit,
            cache: self.cache,
            rounds: self.rounds,
            tests: self.tests.clone(),
            twins: self.twins,
            stars: self.stars,
            effects: self.effects,
            claims: self.claims.clone(),
            seed: self.seed,
            reference: self.reference.as_ref().filter(is_there).cloned(),
            allow: self.allow.clone(),
        }
    }

    /// Puts an engine into the list once more, after the one at `at`.
    pub(crate) fn add_again(&mut self, at: usize) {
        if let Some(first) = self.entries.get(at) {
            let more = EngineEntry { on: true, again: true, ..first.clone() };
            self.entries.insert(at + 1, more);
            self.changed();
        }
    }

    /// Removes an engine that was added once more; whether it was.
    pub(crate) fn remove_again(&mut self, at: usize) -> bool {
        let again = self.entries.get(at).is_some_and(|entry| entry.again);
        if again {
            self.entries.remove(at);
            self.changed();
        }
        again
    }

    /// Chooses a size, or not. The last one stays.
    pub(crate) fn toggle_size(&mut self, at: usize) {
        let Some(&size) = self.offered.get(at) else { return };
        self.data_ratios.clear();
        match self.sizes.iter().position(|chosen| *chosen == size) {
            Some(_) if self.sizes.len() == 1 => {}
            Some(chosen) => drop(self.sizes.remove(chosen)),
            None => {
                self.sizes.push(size);
                self.sizes.sort_unstable();
            }
        }
        self.changed();
    }

    /// Offers and chooses a size of the user's.
    pub(crate) fn add_size(&mut self, suite: &Suite, size: Size) {
        self.data_ratios.clear();
        self.offered = offered(suite, &[&self.offered[..], &[size]].concat());
        if !self.sizes.contains(&size) {
            self.sizes.push(size);
        }
        self.sizes.sort_unstable();
        self.changed();
    }

    /// It is no longer the preset it came from.
    pub(crate) fn changed(&mut self) {
        self.preset = None;
        self.claims = None;
    }
}

fn entry(engine: &str, on: bool) -> EngineEntry {
    EngineEntry { engine: engine.to_owned(), on, options: Values::new(), again: false, optional: false }
}

/// The suite's sizes and some more, in order.
fn offered(suite: &Suite, more: &[Size]) -> Vec<Size> {
    let mut all = suite.sizes.clone();
    for size in suite.default_sizes.iter().chain(more) {
        if !all.contains(size) {
            all.push(*size);
        }
    }
    all.sort_unstable();
    all
}
