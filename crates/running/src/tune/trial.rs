//! A trial: one change, compared with its base.

use super::{
    change::OptionChange,
    effect::TestEffect,
    price::{Pair, Price},
};
use dbdyno_engine::durability::Tier;
use dbdyno_stats::Verdict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One change of options, with its effects and costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// UUID. The runs have it as their key `trial`.
    pub trial_id: String,
    /// The ledger that contains it.
    pub ledger: String,
    /// The accepted trial whose settings are this one's base; none: the base was given.
    pub parent_id: Option<String>,
    /// When it began.
    pub tried_at: Timestamp,
    /// The origin of the request.
    pub kind: TrialKind,
    pub engine: String,
    /// Version of the engine's library.
    pub engine_version: String,
    pub suite: String,
    /// Options of the suite that are not at their default.
    pub suite_options: BTreeMap<String, String>,
    pub size: String,
    /// Numbers of the tests that count.
    pub tests: Vec<u32>,
    /// All options of the engine, with the base's values.
    pub base: BTreeMap<String, String>,
    /// The options that are changed, with their new values.
    pub change: OptionChange,
    /// What a commit survives before and after the change.
    pub tier: Pair<Tier>,
    pub tier_reason: Pair<String>,
    /// Cautions about the new values.
    pub risks: Vec<String>,
    /// Seed of the first look.
    pub seed: u64,
    /// Rounds planned over all looks.
    pub rounds: u32,
    /// The number of looks: 1, and 1 more for each extension.
    pub looks: u32,
    /// How many changes share the allowed false alarms: those tried by one command.
    pub changes: u32,
    pub state: TrialState,
    /// The effect on each test.
    pub effects: Vec<TestEffect>,
    /// The effect on all tests as one figure, only for the confirmation of a search over several.
    pub overall: Option<TestEffect>,
    /// The costs other than time.
    pub price: Option<Price>,
    /// Whether it was accepted as the base of further trials.
    pub accepted: bool,
    /// The session of the last look.
    pub session_id: Option<String>,
    /// The command that requested it.
    pub command_line: String,
}

/// The origin of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialKind {
    /// A user's question.
    WhatIf,
    /// The confirmation of a search's result. It is made once, and is not extended.
    Search,
}

impl TrialKind {
    /// The word stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::WhatIf => "what-if",
            Self::Search => "search",
        }
    }
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum TrialState {
    /// All rounds were run.
    Tried,
    /// It was stopped before its last round, so its figures decide nothing.
    Stopped,
    /// It was not run, because it cannot make a difference, for this reason.
    CannotDiffer(String),
    /// No round of it could be finished, for this reason.
    Failed(String),
}

impl Trial {
    /// Whether a test was found faster, and none slower or with other answers.
    pub fn is_gain(&self) -> bool {
        let verdicts = |verdict: Verdict| {
            let is = |effect: &&TestEffect| effect.found.as_ref().is_some_and(|found| found.verdict == verdict);
            self.effects.iter().filter(is).count()
        };
        self.state == TrialState::Tried
            && verdicts(Verdict::Faster) > 0
            && verdicts(Verdict::Slower) == 0
            && self.effects.iter().all(|effect| effect.obstacle.is_none())
    }

    /// Checks that the trial can be accepted as the base of further trials.
    ///
    /// # Errors
    /// The reason: a trial that was not run to its end decides nothing.
    pub fn acceptable(&self) -> Result<(), String> {
        match &self.state {
            TrialState::Tried => Ok(()),
            TrialState::Stopped => {
                Err(format!("{} was stopped before its last round: it decides nothing", self.change))
            }
            TrialState::CannotDiffer(_) | TrialState::Failed(_) => {
                Err(format!("{} was not measured: it cannot be accepted", self.change))
            }
        }
    }

    /// Checks that rounds can be added to the trial.
    ///
    /// # Errors
    /// The reason why not.
    pub fn extendable(&self) -> Result<(), String> {
        let why = match (&self.state, self.kind) {
            (TrialState::CannotDiffer(reason) | TrialState::Failed(reason), _) => reason,
            (_, TrialKind::Search) => "a search is confirmed only once: try the change in a separate trial",
            _ => return Ok(()),
        };
        Err(format!("{} cannot be extended: {why}", self.change))
    }

    /// Returns the rounds of its first look. Each further look has as many as all before it.
    pub fn first_rounds(&self) -> u32 {
        self.rounds >> self.looks.saturating_sub(1).min(31)
    }

    /// Whether a commit survives less with the change than without it.
    pub fn loses_durability(&self) -> bool {
        self.tier.after < self.tier.before
    }

    /// Returns the options with the change applied.
    pub fn changed(&self) -> BTreeMap<String, String> {
        let mut settings = self.base.clone();
        settings.extend(self.change.0.clone());
        settings
    }
}
