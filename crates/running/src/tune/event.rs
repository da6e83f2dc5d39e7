//! The events that tuning sends to its watchers.

use super::{
    change::OptionChange,
    effect::TestEffect,
    race::{CandidateResult, TakenOut},
    search::SearchOutcome,
    trial::Trial,
};
use crate::{
    jobs::{JobKind, Telling},
    runner::RunnerEvent,
};
use dbdyno_engine::durability::Tier;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TuneEvent {
    /// A trial begins, or continues.
    TrialStarted {
        /// The trial in its current state.
        trial: Box<Trial>,
        /// Rounds of this look.
        rounds: u32,
        /// Rounds of earlier looks.
        before: u32,
    },
    /// An event of the session that measures.
    Session { says: RunnerEvent },
    /// A round of the trial is finished. The figures so far decide nothing, because the number of rounds is fixed.
    Round {
        trial_id: String,
        /// Rounds finished, over all looks.
        round: u32,
        /// Rounds planned, over all looks.
        of: u32,
        /// The effects of the change so far.
        effects: Vec<TestEffect>,
    },
    /// The trial is over: its findings, or the reason why it was not run.
    TrialEnded { trial: Box<Trial> },
    /// A search begins.
    SearchStarted {
        /// Its UUID.
        search_id: String,
        /// The lowest acceptable tier.
        tier: Tier,
        /// The number of existing candidates.
        candidates: usize,
        /// The search's time budget, ms.
        budget_ms: u64,
    },
    /// A candidate of the search is excluded.
    Dropped {
        /// The change of the candidate.
        change: OptionChange,
        reason: String,
    },
    /// The state of a search. The best of many is partly lucky: only its confirmation shows its gain.
    Standing {
        /// How many candidates were tried.
        tried: usize,
        /// How many candidates are in the race.
        alive: usize,
        /// The best so far, with its figure over all tests.
        best: Option<(OptionChange, TestEffect)>,
        /// The best of the tried candidates, sorted by the last rung that they reached and then by their figure.
        leaders: Vec<CandidateResult>,
        /// Time left, ms.
        left_ms: u64,
    },
    /// A change was taken out of the best candidate, and the rest was compared with it.
    TakenOut { what: Box<TakenOut> },
    /// The search is over.
    SearchEnded { found: Box<SearchOutcome> },
}

impl From<RunnerEvent> for TuneEvent {
    fn from(says: RunnerEvent) -> Self {
        Self::Session { says }
    }
}

impl Telling for TuneEvent {
    const KIND: JobKind = JobKind::Tune;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Session { says } if says.is_progress())
    }
}
