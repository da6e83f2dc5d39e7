//! What is chosen on the Bench screen: everything a bench needs.

use crate::{
    catalog::{EngineChoice, Preset, Suite},
    engines::Registry,
    plan::{PlanError, Request},
};
use dbdyno_engine::size::Size;
use std::collections::BTreeMap;

/// Rounds when none are asked for: with these the largest suite, of 18 tests, can be decided.
pub const DEFAULT_ROUNDS: u32 = 10;
/// Engines that are chosen when nothing else is.
const FIRST_ENGINES: [&str; 3] = ["sqlite", "lmdb", "redb"];

/// Options with the values to take, where they are not the default alone.
pub type OptionValues = BTreeMap<String, Vec<String>>;

/// An engine as it takes part, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineEntry {
    /// The name that the engine is described under.
    pub engine: String,
    /// Whether it takes part.
    pub on: bool,
    pub(crate) options: OptionValues,
    /// Whether it is there once more, with other options.
    pub(crate) again: bool,
}

/// The choices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Form {
    pub(crate) suite: String,
    pub(crate) suite_options: OptionValues,
    /// Engines, in the order they run.
    pub entries: Vec<EngineEntry>,
    /// Sizes that are offered.
    pub(crate) offered: Vec<Size>,
    /// Sizes that are chosen.
    pub(crate) sizes: Vec<Size>,
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
}

impl Form {
    /// The form of a suite, with the usual engines at their defaults.
    pub(crate) fn of(suite: &Suite, registry: &Registry) -> Self {
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
        self.take_suite(suite);
        self.entries.clear();
        for choice in &preset.engines {
            let again = self.entries.iter().any(|entry| entry.engine == choice.name);
            let options = choice.options.clone();
            self.entries.push(EngineEntry { engine: choice.name.clone(), on: true, options, again });
        }
        self.take_engines(registry);
        self.suite_options.clone_from(&preset.suite_options);
        if !preset.sizes.is_empty() {
            self.sizes.clone_from(&preset.sizes);
            self.offered = offered(suite, &preset.sizes);
        }
        self.rounds = preset.repeats;
        self.tests.clone_from(&preset.tests);
        self.twins = false;
        self.preset = Some(preset.name.clone());
        self.claims.clone_from(&preset.claims);
        self.stars = preset.stars;
        self.effects = preset.effects;
    }

    pub(crate) fn to_preset(&self, name: &str, title: &str) -> Preset {
        Preset {
            name: name.to_owned(),
            title: title.to_owned(),
            suite: self.suite.clone(),
            sizes: self.sizes.clone(),
            repeats: self.rounds,
            suite_options: self.suite_options.clone(),
            tests: self.tests.clone(),
            claims: self.claims.clone(),
            stars: self.stars,
            effects: self.effects,
            engines: self.choices(),
        }
    }

    /// The engines that take part.
    pub(crate) fn choices(&self) -> Vec<EngineChoice> {
        let on = self.entries.iter().filter(|entry| entry.on);
        on.map(|entry| EngineChoice { name: entry.engine.clone(), options: entry.options.clone() }).collect()
    }

    /// What it asks of a suite. The seed is chosen when it starts.
    pub(crate) fn request(&self, suite: &Suite) -> Result<Request, PlanError> {
        Ok(Request {
            suite: suite.clone(),
            suite_options: self.suite_options.clone(),
            engines: self.choices(),
            sizes: self.sizes.clone(),
            repeats: self.rounds,
            pick: suite.pick(&self.tests).map_err(PlanError::Request)?,
            seed: 0,
            stars: self.stars,
        })
    }

    /// The command that runs the same.
    pub(crate) fn command(&self) -> Vec<String> {
        let mut words: Vec<String> = ["dbdyno", "run", "--suite"].map(str::to_owned).to_vec();
        words.push(self.suite.clone());
        for entry in self.entries.iter().filter(|entry| entry.on) {
            let options: Vec<String> =
                entry.options.iter().map(|(name, values)| format!("{name}={}", values.join("|"))).collect();
            let colon = if options.is_empty() { "" } else { ":" };
            words.extend(["--engine".to_owned(), format!("{}{colon}{}", entry.engine, options.join(","))]);
        }
        for (name, values) in &self.suite_options {
            words.extend(["--set".to_owned(), format!("{}.{name}={}", self.suite, values.join("|"))]);
        }
        for size in &self.sizes {
            words.extend(["--size".to_owned(), size.to_string()]);
        }
        for test in &self.tests {
            words.extend(["--test".to_owned(), test.clone()]);
        }
        words.extend(["--repeat".to_owned(), self.rounds.to_string()]);
        if self.twins {
            words.push("--aa".to_owned());
        }
        words
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
    EngineEntry { engine: engine.to_owned(), on, options: OptionValues::new(), again: false }
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
