//! The choices on the Bench screen: everything that a bench needs.

use super::{files::OwnKind, workload::Made};
use dbdyno_catalog::{
    Difference, Suite,
    bench::{DataRatio, EngineChoice, MemoryLimit, Preset, Slicing, Spec, Values},
    engines::Registry,
};
use dbdyno_engine::{protocol::CacheStart, size::Size};
use std::collections::BTreeSet;

/// Default number of rounds: enough to decide the largest suite, of 18 tests.
pub const DEFAULT_ROUNDS: u32 = 10;
/// What users call their own workload.
pub(super) const MY_WORKLOAD: &str = "My workload";

/// An engine in the list, selected or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineEntry {
    /// The name in the engine's description.
    pub engine: String,
    /// Whether it is selected.
    pub on: bool,
    pub(crate) options: Values,
    /// Whether it is another entry of an engine, with other options.
    pub(crate) again: bool,
    /// Whether the bench continues without the engine if it cannot be used.
    pub(crate) optional: bool,
}

/// The subject of a bench.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum BenchSubject {
    /// The suite of the catalog with this name.
    Suite(String),
    /// The user's own workload, which fields describe.
    #[default]
    Workload,
    /// The user's own files.
    Files(OwnKind),
}

impl BenchSubject {
    /// Returns what users call it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Suite(name) => name,
            Self::Workload => MY_WORKLOAD,
            Self::Files(kind) => kind.name(),
        }
    }

    /// Returns the kind of the user's own files, if they are measured.
    pub(super) fn own(&self) -> Option<OwnKind> {
        match self {
            Self::Files(kind) => Some(*kind),
            Self::Suite(_) | Self::Workload => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Form {
    pub(crate) measured: BenchSubject,
    pub(crate) suite_options: Values,
    /// Engines, in the order they run.
    pub entries: Vec<EngineEntry>,
    /// The sizes to choose from.
    pub(crate) offered: Vec<Size>,
    /// The selected sizes.
    pub(crate) sizes: Vec<Size>,
    /// Ratios of data to the memory limit, for a preset whose suite has no sizes for them. Any other form has sizes instead.
    pub(crate) data_ratios: Vec<DataRatio>,
    /// Memory limit of a run, if the preset sets one.
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// The part of a database that may be in memory when a test begins.
    pub(crate) cache: CacheStart,
    /// When the tests of a round take turns in slices.
    pub(crate) slices: Slicing,
    pub(crate) rounds: u32,
    /// After the rounds, the rounds whose time may go to what is undecided.
    pub(crate) until_decided: Option<u32>,
    /// Names of the tests to measure; empty for all.
    pub(crate) tests: Vec<String>,
    /// Whether the first configuration runs twice in each round.
    pub(crate) twins: bool,
    /// The preset that was loaded, while nothing is changed.
    pub(crate) preset: Option<String>,
    /// The claims file of the preset.
    pub(crate) claims: Option<String>,
    /// Number of stars in a sample of each engine's sweep; none for the whole sweep.
    pub(crate) stars: Option<u32>,
    /// Whether a session ends with the importance of each option of the sweep.
    pub(crate) effects: bool,
    /// How many rounds are repeated at the end, to find out what the time goes to.
    pub(crate) why: u32,
    /// Seed of all randomness; none: a new one at the start.
    pub(crate) seed: Option<u64>,
    /// The reference for the comparison at the end of a session, from the preset.
    pub(crate) reference: Option<EngineChoice>,
    /// Differences that the comparison allows, with a badge.
    pub(crate) allow: BTreeSet<Difference>,
}

impl Form {
    /// Returns a form for a suite, with the default engines and their default options.
    pub(crate) fn for_suite(suite: &Suite, registry: &Registry) -> Self {
        let mut form = Self { rounds: DEFAULT_ROUNDS, ..Self::default() };
        form.take_engines(registry);
        for entry in &mut form.entries {
            entry.on = suite.usual_engines.iter().any(|usual| usual.name == entry.engine);
        }
        form.take_suite(suite);
        form
    }

    /// Changes to another suite, and resets sizes, tests and options of the suite.
    pub(crate) fn take_suite(&mut self, suite: &Suite) {
        self.measure(BenchSubject::Suite(suite.name.clone()), sizes_of(suite));
    }

    /// Changes to the user's own workload, with the conditions that it names.
    pub(super) fn take_own(&mut self, made: &Made) {
        self.measure(BenchSubject::Workload, (offered(&made.suite, &made.sizes), made.sizes.clone()));
        self.memory_limit = made.workload.memory;
    }

    /// Changes to the user's own files. They have no suite until they are read.
    pub(super) fn take_files(&mut self, kind: OwnKind, suite: Option<&Suite>) {
        self.measure(BenchSubject::Files(kind), suite.map(sizes_of).unwrap_or_default());
    }

    fn measure(&mut self, measured: BenchSubject, (offered, sizes): (Vec<Size>, Vec<Size>)) {
        self.measured = measured;
        self.suite_options.clear();
        self.tests.clear();
        self.data_ratios.clear();
        (self.memory_limit, self.cache, self.slices) = (None, CacheStart::Warm, Slicing::Off);
        self.reference = None;
        self.allow.clear();
        (self.offered, self.sizes) = (offered, sizes);
        self.changed();
    }

    /// Adds engines that are missing from the list.
    pub(crate) fn take_engines(&mut self, registry: &Registry) {
        for engine in &registry.engines {
            let name = &engine.description.name;
            if !self.entries.iter().any(|entry| &entry.engine == name) {
                self.entries.push(entry(name, false));
            }
        }
    }

    /// Loads a preset into the form.
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
        self.slices = spec.slices;
        self.rounds = spec.rounds;
        self.until_decided = spec.until_decided;
        self.tests.clone_from(&spec.tests);
        self.twins = spec.twins;
        self.preset = Some(preset.name.clone());
        self.claims.clone_from(&spec.claims);
        self.stars = spec.stars;
        self.effects = spec.effects;
        self.why = spec.why;
        self.seed = spec.seed;
        self.reference.clone_from(&spec.reference);
        self.allow.clone_from(&spec.allow);
    }

    /// Returns the spec of a bench of the suite with this name.
    pub(crate) fn spec(&self, suite: &str) -> Spec {
        let on = self.entries.iter().filter(|entry| entry.on);
        // The reference may no longer be selected.
        let is_there = |reference: &&EngineChoice| {
            let has = |entry: &EngineEntry, (name, values): (&String, &Vec<String>)| {
                entry.options.get(name).is_none_or(|all| values.iter().all(|value| all.contains(value)))
            };
            let is_it = |entry: &EngineEntry| reference.options.iter().all(|option| has(entry, option));
            self.entries.iter().any(|entry| entry.on && entry.engine == reference.name && is_it(entry))
        };
        Spec {
            suite: suite.to_owned(),
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
            slices: self.slices,
            rounds: self.rounds,
            until_decided: self.until_decided,
            tests: self.tests.clone(),
            twins: self.twins,
            stars: self.stars,
            effects: self.effects,
            why: self.why,
            claims: self.claims.clone(),
            seed: self.seed,
            reference: self.reference.as_ref().filter(is_there).cloned(),
            allow: self.allow.clone(),
        }
    }

    /// Adds another entry of the engine at `at`, after it.
    pub(crate) fn add_again(&mut self, at: usize) {
        if let Some(first) = self.entries.get(at) {
            let more = EngineEntry { on: true, again: true, ..first.clone() };
            self.entries.insert(at + 1, more);
            self.changed();
        }
    }

    /// Removes an additional entry of an engine. Returns whether it was one.
    pub(crate) fn remove_again(&mut self, at: usize) -> bool {
        let again = self.entries.get(at).is_some_and(|entry| entry.again);
        if again {
            self.entries.remove(at);
            self.changed();
        }
        again
    }

    /// Selects a size, or deselects it. The last selected size stays.
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

    /// Adds a size that the user typed, and selects it.
    pub(crate) fn add_size(&mut self, size: Size) {
        self.data_ratios.clear();
        for sizes in [&mut self.offered, &mut self.sizes] {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
            sizes.sort_unstable();
        }
        self.changed();
    }

    /// Marks the form as different from the preset from which it came.
    pub(crate) fn changed(&mut self) {
        self.preset = None;
        self.claims = None;
    }
}

fn entry(engine: &str, on: bool) -> EngineEntry {
    EngineEntry { engine: engine.to_owned(), on, options: Values::new(), again: false, optional: false }
}

/// Returns a suite's sizes to choose from, and its default ones.
fn sizes_of(suite: &Suite) -> (Vec<Size>, Vec<Size>) {
    (offered(suite, &suite.default_sizes), suite.default_sizes.clone())
}

/// Returns the suite's sizes and the additional ones, in order.
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
