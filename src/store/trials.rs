//! Trials: the rows of the ledger of tuning.

use super::{
    Store, StoreError,
    record::{Record, record},
    value::Column,
};
use duckdb::{ToSql, types::Value};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// A change of options that was measured against its base.
    TrialRecord in "trial" {
        /// UUID.
        trial_id: String,
        /// The session of its last look.
        session_id: Option<String>,
        /// The ledger it is kept in.
        ledger: String,
        /// The accepted trial that the base comes from.
        parent_id: Option<String>,
        /// When it began.
        tried_at: Timestamp,
        /// `what-if`, `search`.
        kind: String,
        /// Engine.
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        /// Suite.
        suite: String,
        /// Options of the suite not at their default, as JSON.
        suite_options: String,
        /// Size.
        size: String,
        /// Numbers of the tests that count, as JSON.
        tests: String,
        /// Every option of the engine, as JSON.
        base: String,
        /// Options that are changed, as JSON.
        change: String,
        /// Durability tier of the base.
        tier_before: u8,
        /// Durability tier with the change.
        tier_after: u8,
        /// Why the base has that tier.
        tier_reason_before: String,
        /// Why the change has.
        tier_reason_after: String,
        /// What to know before using the new values, as JSON.
        risks: String,
        /// Seed of the first look.
        seed: u64,
        /// Rounds over all looks.
        rounds: u32,
        /// Looks.
        looks: u32,
        /// How many changes share the allowed false alarms.
        changes: u32,
        /// `tried`, `stopped`, `cannot_differ`, `failed`.
        state: String,
        /// Why it cannot differ, or failed.
        reason: Option<String>,
        /// What it did to each test, as JSON.
        effects: String,
        /// What it did to all of them together, as JSON.
        overall: Option<String>,
        /// What it costs, as JSON.
        price: Option<String>,
        /// Whether it is the base of what follows.
        accepted: bool,
        /// The command that asked for it.
        command_line: String,
    }
}

impl Store {
    /// The trials that meet a condition of SQL with `?` for its parameters, in the order in which they were begun.
    pub(crate) fn trials(&self, condition: &str, parameters: &[&dyn ToSql]) -> Result<Vec<TrialRecord>, StoreError> {
        self.records(condition, "(tried_at, trial_id)", parameters)
    }
}
