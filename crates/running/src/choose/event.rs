//! The events that a choice sends to its watchers.

use super::{answer::ChoiceAnswer, entrants::NotConsidered, question::Question};
use crate::{
    jobs::{JobKind, Telling},
    runner::RunnerEvent,
    tune::{
        Setting, TestEffect,
        race::{CandidateResult, TakenOut},
    },
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ChooseEvent {
    /// A choice begins, or goes on.
    ChoiceStarted {
        choice_id: String,
        question: Box<Question>,
        /// The engines that take part, in the order of listings.
        engines: Vec<String>,
        not_considered: Vec<NotConsidered>,
    },
    /// Another part of the choice begins.
    Phase { phase: ChoosePhase },
    /// An event of the session that measures.
    Session { says: RunnerEvent },
    /// Settings of an engine are excluded.
    Excluded { engine: String, settings: String, reason: String },
    /// The engines with the best of their settings so far. The best of many is partly lucky: only the confirmation decides.
    Leaderboard { lines: Vec<LeaderLine>, left_ms: u64 },
    /// A change was taken out of the best settings of an engine, and the rest was compared with them.
    TakenOut { engine: String, what: Box<TakenOut> },
    /// The choice is over.
    ChoiceEnded { choice: Box<ChoiceAnswer> },
}

/// The parts of a choice, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoosePhase {
    /// Every engine with the settings that it starts with.
    Starts,
    /// Settings of the engines that are left.
    Settings,
    /// The better half in twice the rounds, again and again.
    Halving,
    /// The promised response times of the leaders.
    Promises,
    /// Each setting of the leaders is taken out.
    TakingOut,
    /// The leaders on fresh seeds.
    Confirmation,
}

/// An engine with the best of its settings so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaderLine {
    pub engine: String,
    /// How many of its settings were tried.
    pub tried: usize,
    pub result: CandidateResult,
    /// The options that are not at their default.
    pub settings: Vec<Setting>,
    /// Its time relative to the best of all: A is this one. None for the best itself, and as long as they have no round in common.
    pub behind: Option<TestEffect>,
}

impl From<RunnerEvent> for ChooseEvent {
    fn from(says: RunnerEvent) -> Self {
        Self::Session { says }
    }
}

impl Telling for ChooseEvent {
    const KIND: JobKind = JobKind::Choose;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Session { says } if says.is_progress())
    }
}
