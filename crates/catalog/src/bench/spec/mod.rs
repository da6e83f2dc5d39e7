//! What a preset's file says, what a command line says, what the form edits, and what is printed as the command that repeats a
//! session: one description, read from and written to TOML ([`toml`]) and the command line ([`command`]).

mod command;
mod engine;
mod escape;
mod sequence;
mod toml;

pub use sequence::{ReadyMade, Sequence};
pub use toml::Preset;

use super::conditions::{Conditions, DEFAULT_MEMORY_LIMIT, DataRatio, MemoryLimit, size_of};
use crate::{Difference, Suite, TestPick};
use dbdyno_engine::{describe::one_of, protocol::CacheStart, size::Size};
use std::collections::{BTreeMap, BTreeSet};

/// Options with the values to take; several are a sweep.
pub type Values = BTreeMap<String, Vec<String>>;

/// A bench as it is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spec {
    /// The suite's name.
    pub suite: String,
    pub suite_options: Values,
    /// Engines, in the order in which they run.
    pub engines: Vec<EngineChoice>,
    /// Sizes; empty for the suite's default.
    pub sizes: Vec<Size>,
    /// How much data there is for each byte of the memory limit: sizes follow from it. Not together with sizes.
    pub data_ratios: Vec<DataRatio>,
    /// How much memory a run has. None: without a limit, or [`DEFAULT_MEMORY_LIMIT`] where a ratio of data to it is asked for.
    pub memory_limit: Option<MemoryLimit>,
    /// What of a database may be in memory when a test begins.
    pub cache: CacheStart,
    /// Rounds: each runs every configuration once.
    pub rounds: u32,
    /// Tests by number or name; empty for all.
    pub tests: Vec<String>,
    /// Whether the first configuration of each size runs twice a round.
    pub twins: bool,
    /// Of each engine's sweep, only so many stars: each a combination and every change of one option of it. None: all of it.
    pub stars: Option<u32>,
    /// Whether a session ends in how much each option of the sweep matters.
    pub effects: bool,
    /// The claims file whose figures are shown beside the measured ones.
    pub claims: Option<String>,
    /// Seed of all randomness. None: drawn when it starts.
    pub seed: Option<u64>,
    /// The configuration that its last table compares the others with: an engine, with as many of its options as name one. None: of each
    /// tier the first.
    pub reference: Option<EngineChoice>,
    /// Differences between configurations that this table compares under a badge.
    pub allow: BTreeSet<Difference>,
}

/// An engine with the option values to take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineChoice {
    pub name: String,
    /// Its options, where they are not at their defaults.
    pub options: Values,
    /// Whether it is left out, with the reason, where it cannot be used: not built, or its library is not there.
    pub optional: bool,
}

/// Text that describes no bench: what it is, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(pub String);

impl Spec {
    /// Rounds where none are asked for: the least that gives an interval.
    pub const DEFAULT_ROUNDS: u32 = 6;

    /// What its runs are held to.
    pub fn conditions(&self) -> Conditions {
        let by_ratio = (!self.data_ratios.is_empty()).then_some(DEFAULT_MEMORY_LIMIT);
        let memory_limit = self.memory_limit.or(by_ratio).map(|limit| limit.0);
        Conditions { memory_limit, cache: self.cache }
    }

    /// The sizes asked for, or those at which the picked tests of the suite have as much data as is asked for, or the suite's own.
    ///
    /// # Errors
    /// The suite does not say how much data a size is; both sizes and ratios are asked for.
    pub fn sizes_on(&self, suite: &Suite, pick: &TestPick) -> Result<Vec<Size>, String> {
        match (self.conditions().memory_limit, self.data_ratios.as_slice(), self.sizes.as_slice()) {
            (Some(limit), ratios @ [_, ..], []) => {
                ratios.iter().map(|ratio| size_of(suite, pick, *ratio, limit)).collect()
            }
            (_, [_, ..], _) => Err("both sizes and ratios of data to memory are asked for: leave one out".to_owned()),
            (_, [], []) => Ok(suite.default_sizes.clone()),
            (_, [], sizes) => Ok(sizes.to_vec()),
        }
    }

    /// Sets an option to some values, for every choice of the engine of this name or for the suite.
    ///
    /// # Errors
    /// `owner` is no part of this bench.
    pub fn set(&mut self, owner: &str, option: &str, values: Vec<String>) -> Result<(), SpecError> {
        let mut found = false;
        if owner == self.suite {
            self.suite_options.insert(option.to_owned(), values.clone());
            found = true;
        }
        // A reference that is not run any more is none.
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

    /// Sets the reference from `ENGINE[:OPTION=VALUE,...]`. Whether a configuration has these values is found when it is planned.
    ///
    /// # Errors
    /// It names no engine of this bench, or an option several times.
    pub fn set_reference(&mut self, text: &str) -> Result<(), SpecError> {
        let reference: EngineChoice = text.parse()?;
        let mut names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        if !names.contains(&reference.name) {
            names.sort_unstable();
            names.dedup();
            let expected = format!("expected one of the engines of this bench ({})", one_of(&names));
            return Err(SpecError(format!("`{text}`: unknown engine `{}`: {expected}", reference.name)));
        }
        if let Some((option, _)) = reference.options.iter().find(|(_, values)| values.len() != 1) {
            return Err(SpecError(format!(
                "`{text}`: several values of {option}: expected one, as it names one engine"
            )));
        }
        self.reference = Some(EngineChoice { optional: false, ..reference });
        Ok(())
    }

    /// Reads `OWNER.OPTION=VALUE[|VALUE]` and sets it.
    ///
    /// # Errors
    /// What was expected, or that the owner is no part of this bench.
    pub fn set_text(&mut self, text: &str) -> Result<(), SpecError> {
        let parts = escape::split_once(text, '=').and_then(|(path, values)| Some((path.split_once('.')?, values)));
        let ((owner, option), values) = parts.ok_or_else(|| {
            SpecError(format!("{text}: expected OWNER.OPTION=VALUE, as in sqlite.synchronous=off|normal"))
        })?;
        self.set(owner.trim(), option.trim(), escape::split(values, '|'))
    }
}
