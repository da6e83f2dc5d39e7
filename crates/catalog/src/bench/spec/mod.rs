//! One description of a bench for preset files, command lines, the form, and the printed command that repeats a session. It is read from
//! and written to TOML ([`toml`]) and the command line ([`command`]).

mod command;
mod engine;
mod escape;
mod sequence;
mod toml;

pub use sequence::{ReadyMade, Sequence};
pub use toml::Preset;

use super::conditions::{Conditions, DEFAULT_MEMORY_LIMIT, DataRatio, MemoryLimit, Slicing, size_of};
use crate::{Difference, Suite, TestPick};
use dbdyno_engine::{names::instead_of, protocol::CacheStart, size::Size};
use std::collections::{BTreeMap, BTreeSet};

/// Options with their values; several values are a sweep.
pub type Values = BTreeMap<String, Vec<String>>;

/// A bench as the user requests it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spec {
    /// The suite's name.
    pub suite: String,
    pub suite_options: Values,
    /// Engines, in the order in which they run.
    pub engines: Vec<EngineChoice>,
    /// Sizes; empty for the suite's default.
    pub sizes: Vec<Size>,
    /// Bytes of data for each byte of the memory limit, from which sizes follow. Not together with sizes.
    pub data_ratios: Vec<DataRatio>,
    /// Memory limit of a run. None: without a limit, or [`DEFAULT_MEMORY_LIMIT`] if a ratio of data to memory is given.
    pub memory_limit: Option<MemoryLimit>,
    /// The cache state of the database when a test begins.
    pub cache: CacheStart,
    /// When the tests of a round take turns in slices.
    pub slices: Slicing,
    /// Rounds: each runs every configuration once.
    pub rounds: u32,
    /// After its rounds, goes on with the tests that are undecided, for at most the time of this many rounds of everything. None: a fixed
    /// number of rounds.
    pub until_decided: Option<u32>,
    /// Tests by number or name; empty for all.
    pub tests: Vec<String>,
    /// Whether the first configuration of each size runs twice in a round.
    pub twins: bool,
    /// Number of stars that are sampled of each engine's sweep: each is a combination and every change of one option of it. None: the
    /// whole sweep.
    pub stars: Option<u32>,
    /// Whether a session's report includes how much each option of the sweep matters.
    pub effects: bool,
    /// How many rounds are repeated at the end, to find out what the time goes to.
    pub why: u32,
    /// The claims file whose figures are shown alongside the measured ones.
    pub claims: Option<String>,
    /// Seed of all randomness. None: drawn at the start.
    pub seed: Option<u64>,
    /// The reference of its last table: an engine, with enough of its options to identify one configuration. None: the first
    /// configuration of each tier.
    pub reference: Option<EngineChoice>,
    /// Differences between configurations that this table compares with a badge.
    pub allow: BTreeSet<Difference>,
}

/// An engine with the option values to take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineChoice {
    pub name: String,
    /// Its options that differ from their defaults.
    pub options: Values,
    /// Whether it is left out, with the reason, if it cannot be used: not built, or its library is missing.
    pub optional: bool,
}

/// A text that does not describe a bench, with what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(pub String);

impl Spec {
    /// Rounds by default: the minimum for an interval.
    pub const DEFAULT_ROUNDS: u32 = 6;
    /// Rounds that are repeated if the time is to be explained, by default.
    pub const DEFAULT_WHY: u32 = 3;
    /// The fewest rounds before the first look, unless asked for: that look needs p below 2.5 %, and six pairs reach 3.1 %.
    pub const ROUNDS_BEFORE_LOOK: u32 = 8;
    /// The rounds whose time a session may take that goes on until all is decided, by default.
    pub const DEFAULT_UNTIL_DECIDED: u32 = 100;

    /// Returns the conditions of its runs.
    pub fn conditions(&self) -> Conditions {
        let by_ratio = (!self.data_ratios.is_empty()).then_some(DEFAULT_MEMORY_LIMIT);
        let memory_limit = self.memory_limit.or(by_ratio).map(|limit| limit.0);
        Conditions { memory_limit, cache: self.cache, slices: self.slices }
    }

    /// Returns the requested sizes, or those at which the picked tests of the suite have the requested amount of data, or the suite's
    /// defaults.
    ///
    /// # Errors
    /// The suite does not define how much data a size has, or both sizes and ratios are given.
    pub fn sizes_on(&self, suite: &Suite, pick: &TestPick) -> Result<Vec<Size>, String> {
        match (self.conditions().memory_limit, self.data_ratios.as_slice(), self.sizes.as_slice()) {
            (Some(limit), ratios @ [_, ..], []) => {
                ratios.iter().map(|ratio| size_of(suite, pick, *ratio, limit)).collect()
            }
            (_, [_, ..], _) => Err("both sizes and ratios of data to memory are given: leave one out".to_owned()),
            (_, [], []) => Ok(suite.default_sizes.clone()),
            (_, [], sizes) => Ok(sizes.to_vec()),
        }
    }

    /// Sets an option to these values, for every choice of the engine of this name or for the suite.
    ///
    /// # Errors
    /// `owner` is not part of this bench.
    pub fn set(&mut self, owner: &str, option: &str, values: Vec<String>) -> Result<(), SpecError> {
        let mut found = false;
        if owner == self.suite {
            self.suite_options.insert(option.to_owned(), values.clone());
            found = true;
        }
        // Remove a reference that no longer runs.
        let is_gone = |reference: &mut EngineChoice| {
            let kept = reference.options.get(option).is_none_or(|of| of.iter().all(|value| values.contains(value)));
            reference.name == owner && !kept
        };
        self.reference.take_if(is_gone);
        for engine in self.engines.iter_mut().filter(|engine| engine.name == owner) {
            engine.options.insert(option.to_owned(), values.clone());
            found = true;
        }
        if found {
            return Ok(());
        }
        let mut names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Err(SpecError(format!(
            "{owner}.{option}: `{owner}` is not part of this bench: expected the suite {} or one of {}",
            self.suite,
            names.join(", ")
        )))
    }

    /// Sets the reference from `ENGINE[:OPTION=VALUE,...]`. The plan checks whether a configuration has these values.
    ///
    /// # Errors
    /// It names no engine of this bench, or repeats an option.
    pub fn set_reference(&mut self, text: &str) -> Result<(), SpecError> {
        let reference: EngineChoice = text.parse()?;
        let mut names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        if !names.contains(&reference.name) {
            names.sort_unstable();
            names.dedup();
            let instead = instead_of(&reference.name, &names);
            return Err(SpecError(format!("`{text}`: this bench has no engine `{}`: {instead}", reference.name)));
        }
        if let Some((option, _)) = reference.options.iter().find(|(_, values)| values.len() != 1) {
            return Err(SpecError(format!(
                "`{text}`: several values of {option}: expected one, because the reference is one engine"
            )));
        }
        self.reference = Some(EngineChoice { optional: false, ..reference });
        Ok(())
    }

    /// Parses `OWNER.OPTION=VALUE[|VALUE]` and sets it.
    ///
    /// # Errors
    /// The error says what was expected, or that the owner is not part of this bench.
    pub fn set_text(&mut self, text: &str) -> Result<(), SpecError> {
        let parts = escape::split_once(text, '=').and_then(|(path, values)| Some((path.split_once('.')?, values)));
        let ((owner, option), values) = parts.ok_or_else(|| {
            SpecError(format!("{text}: expected OWNER.OPTION=VALUE, as in sqlite.synchronous=off|normal"))
        })?;
        self.set(owner.trim(), option.trim(), escape::split(values, '|'))
    }
}
