//! The specification of a search, and its outcome.

use crate::tune::{
    race::{CandidateResult, TakenOut},
    trial::Trial,
};
use dbdyno_engine::{durability::Tier, settings::Settings};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The specification of a search.
#[derive(Debug, Clone)]
pub struct SearchSpec {
    /// The ledger for the confirmation.
    pub ledger: String,
    /// The accepted trial that provides the base.
    pub parent_id: Option<String>,
    /// The settings that candidates are compared with.
    pub base: Settings,
    /// The lowest acceptable tier.
    pub tier: Tier,
    /// The time budget of the search, including its confirmation.
    pub budget: Duration,
    /// The maximum memory of a program, bytes.
    pub memory_limit: Option<u64>,
    /// Rounds of the confirmation; none: 6 to 40, by the time left.
    pub rounds: Option<u32>,
    /// The seed for the choice of candidates and for all keys and values.
    pub seed: u64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOutcome {
    /// UUID. The runs have it as their key `search`.
    pub search_id: String,
    /// The lowest acceptable tier.
    pub tier: Tier,
    /// How long it took, ms.
    pub took_ms: u64,
    /// The number of existing candidates. If it exceeds the length of `tried`, not all of them could be tried.
    pub candidates: usize,
    /// The candidates that were tried, sorted by the last rung that they reached and then by their figure, the best first.
    pub tried: Vec<CandidateResult>,
    /// The changes that were taken out of the best candidate before its confirmation, in this order, and whether each was dropped.
    #[serde(default)]
    pub taken_out: Vec<TakenOut>,
    /// The confirmation of the reduced best candidate. Its figure alone is the gain. None: nothing was faster than the base, nothing
    /// remained of the best candidate, or the search was stopped.
    pub confirmed: Option<Trial>,
}
