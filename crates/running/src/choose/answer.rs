//! The answer of a choice: the engine to take with its settings, the others with how far they are behind, and how sure that is.

use super::{entrants::NotConsidered, question::Question};
use crate::tune::{
    OptionChange, Price, Setting, TestEffect, TuneAnswer,
    race::{CandidateResult, TakenOut},
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::units;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What came of a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChoiceAnswer {
    /// UUID. The runs have it as their key `choice`.
    pub choice_id: String,
    pub question: Question,
    /// How long it took, ms, without interruptions.
    pub took_ms: u64,
    pub verdict: ChoiceVerdict,
    /// The engines that took part: those confirmed first, the best first; then the others by how far they came.
    pub engines: Vec<EngineAnswer>,
    /// The engines that did not take part.
    pub not_considered: Vec<NotConsidered>,
    /// The number of rounds of the confirmation.
    pub confirmed_rounds: u32,
}

/// What the evidence decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceVerdict {
    /// The first engine is faster than each other.
    One,
    /// No difference between the first engines was shown: [`EngineState::Level`].
    Level,
    /// Only one engine meets the constraints, so nothing was compared.
    Alone,
    /// No engine meets the constraints.
    Nothing,
    /// It was stopped before its confirmation.
    Stopped,
}

/// An engine that took part, with the best of its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineAnswer {
    pub engine: String,
    pub version: String,
    /// What it is, as its description has it.
    #[serde(default)]
    pub about: String,
    pub state: EngineState,
    /// The settings that it started with, all of them.
    pub base: BTreeMap<String, String>,
    /// Its best settings, as the change of the base. After a confirmation only what contributes.
    pub change: OptionChange,
    pub tier: Tier,
    pub tier_reason: String,
    /// Its options that are not at their default, in the order in which they have to be set.
    pub settings: Vec<Setting>,
    /// The options at their default with another value of which the tier would be lower.
    #[serde(default)]
    pub tier_settings: Vec<Setting>,
    /// The changes that were taken out of its best settings, in this order, and whether each was dropped.
    pub taken_out: Vec<TakenOut>,
    /// How many of its settings were tried, and how many there are.
    pub tried: usize,
    pub candidates: usize,
    /// Its best settings in the race, against the race's reference.
    pub race: Option<CandidateResult>,
    /// Its time against the first engine's, over all tests, from the confirmation: A is this engine and B the first, so a ratio above 1 is
    /// slower. None for the first, and for those that were not confirmed.
    pub behind: Option<TestEffect>,
    /// The same for each test.
    pub tests: Vec<TestEffect>,
    /// The time of its settings against the ones that it started with, from the confirmation; only for the first.
    pub gain: Option<TestEffect>,
    /// What else differs from the first engine: before is the first, after is this one.
    pub price: Option<Price>,
    /// What it kept of the promised response times.
    pub promise: Option<PromiseResult>,
}

/// How far an engine came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum EngineState {
    /// The engine to take, or the first of those that are level.
    First,
    /// No difference from the first was shown.
    Level,
    /// Slower than the first in the confirmation.
    Behind,
    /// In the race it was too far behind to be confirmed.
    Outrun,
    /// It does not meet a constraint, for this reason.
    Dropped(String),
    /// It did not run before the choice was stopped.
    NotRun,
}

/// The response times of an engine at the promised rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromiseResult {
    /// Rounds in which the promises were kept, and all rounds.
    pub kept: u32,
    pub of: u32,
    /// The median over the rounds of the first promised quantile, ns. None: it is beyond all completed operations.
    pub found_ns: Option<u64>,
}

impl PromiseResult {
    /// Returns why an engine that kept them too rarely is out.
    pub(super) fn broken(&self) -> String {
        let found = self.found_ns.map_or_else(
            || "it fell behind the rate".to_owned(),
            |ns| format!("it took {} at the rate", units::duration(ns as f64)),
        );
        format!("{found}, and kept the response times in {} of {} rounds", self.kept, self.of)
    }
}

impl EngineAnswer {
    /// Returns the settings in the forms in which people use them, with what is known of them in sentences.
    pub fn tune_answer(&self, about: Vec<String>) -> TuneAnswer {
        let (engine, settings) = (self.engine.clone(), self.settings.clone());
        TuneAnswer { engine, settings, base: BTreeMap::new(), evidence: Vec::new(), about }
    }
}

impl ChoiceAnswer {
    /// Returns the engine to take, or the first of those that are level.
    pub fn first(&self) -> Option<&EngineAnswer> {
        self.engines.iter().find(|engine| engine.state == EngineState::First)
    }

    /// Returns the engines that were not told apart from the first.
    pub fn level(&self) -> impl Iterator<Item = &EngineAnswer> {
        self.engines.iter().filter(|engine| engine.state == EngineState::Level)
    }
}
