//! What is searched for, and what a search came to.

use super::reduce::TakenOut;
use crate::tune::{change::Change, trial::Trial};
use dbdyno_engine::{durability::Tier, settings::Settings};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct SearchSpec {
    /// The ledger that the confirmation is kept in.
    pub ledger: String,
    /// The accepted trial that the base comes from.
    pub parent_id: Option<String>,
    /// What candidates are measured against.
    pub base: Settings,
    /// What a commit has to survive at least.
    pub tier: Tier,
    /// How long the search may take, its confirmation included.
    pub budget: Duration,
    /// The memory that a program may take, bytes.
    pub memory_limit: Option<u64>,
    /// Rounds of the confirmation; none for as many as the budget allows.
    pub rounds: Option<u32>,
    /// Seed of the choice of candidates and of all keys and values.
    pub seed: u64,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOutcome {
    /// UUID. The runs have it as their key `search`.
    pub search_id: String,
    /// What a commit has to survive at least.
    pub tier: Tier,
    /// How long it took, ms.
    pub took_ms: u64,
    /// Candidates that there are; not all of them could be tried where it is more than `tried` has.
    pub candidates: usize,
    /// What was tried, in the order of the last rung it reached and then of its figure: the best first.
    pub tried: Vec<Tried>,
    /// What was taken out of the best one before it was confirmed, in this order, and whether it was dropped.
    #[serde(default)]
    pub taken_out: Vec<TakenOut>,
    /// The confirmation of what was left of the best one; its figure alone is the gain. None: nothing was faster than the base, nothing was
    /// left of the best one, or it was stopped.
    pub confirmed: Option<Trial>,
}

/// A candidate, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it changes.
    pub change: Change,
    /// What a commit survives with it.
    pub tier: Tier,
    /// The rung that it reached, from 1.
    pub rung: u32,
    /// Rounds beside the base.
    pub pairs: usize,
    /// Median of the ratios to the base; of a candidate chosen among many this flatters.
    pub ratio: Option<f64>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", content = "reason", rename_all = "snake_case")]
pub enum Fate {
    /// It is in the race.
    Alive,
    /// Others were faster.
    Outrun,
    /// It may not be chosen, for this reason.
    Dropped(String),
}
