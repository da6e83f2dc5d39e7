//! What tuning tells those who watch it.

use super::{
    change::Change,
    effect::TestEffect,
    search::{SearchOutcome, TakenOut, Tried},
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
    /// A trial begins, or goes on.
    TrialStarted {
        /// The trial as it stands.
        trial: Box<Trial>,
        /// Rounds of this look.
        rounds: u32,
        /// Rounds of earlier looks.
        before: u32,
    },
    /// The session that measures tells something.
    Session { says: RunnerEvent },
    /// A round of the trial is finished. What the figures say so far decides nothing: the number of rounds is fixed.
    Round {
        trial_id: String,
        /// Rounds finished, of all looks.
        round: u32,
        /// Rounds planned, of all looks.
        of: u32,
        /// What the change did so far.
        effects: Vec<TestEffect>,
    },
    /// The trial is over: what it found, or why it was not run.
    TrialEnded { trial: Box<Trial> },
    /// A search begins.
    SearchStarted {
        /// Its UUID.
        search_id: String,
        /// What a commit has to survive.
        tier: Tier,
        /// Candidates that there are.
        candidates: usize,
        /// How long it may take, ms.
        budget_ms: u64,
    },
    /// A candidate of the search may not be chosen.
    Dropped {
        /// What it changes.
        change: Change,
        reason: String,
    },
    /// How a search stands. The best of many is partly lucky: what it gains is what its confirmation says.
    Standing {
        /// Candidates tried.
        tried: usize,
        /// Candidates in the race.
        alive: usize,
        /// The best so far, with its figure over all tests.
        best: Option<(Change, TestEffect)>,
        /// The first of those that were tried, in the order of the last rung they reached and then of their figure.
        leaders: Vec<Tried>,
        /// Time left, ms.
        left_ms: u64,
    },
    /// A change was taken out of the best candidate, and measured against it.
    TakenOut { what: Box<TakenOut> },
    /// The search is over.
    SearchEnded { found: Box<SearchOutcome> },
}

impl Telling for TuneEvent {
    const KIND: JobKind = JobKind::Tune;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Session { says } if says.is_progress())
    }
}
