//! Trials: the rows of the ledger of tuning.

use super::{
    Store, StoreError, TestRecord,
    record::{Record, record},
    value::StoredField,
};
use dbdyno_engine::durability::Tier;
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
        engine: String,
        /// Version of the engine's library.
        engine_version: String,
        suite: String,
        /// Options of the suite not at their default, as JSON.
        suite_options: String,
        size: String,
        /// Numbers of the tests that count, as JSON.
        tests: String,
        /// Every option of the engine, as JSON.
        base: String,
        /// Options that are changed, as JSON.
        change: String,
        /// What a commit survives with the base; NULL: unknown.
        tier_before: Tier,
        /// What a commit survives with the change; NULL: unknown.
        tier_after: Tier,
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

/// A test of a run that was made for a trial.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TrialTest {
    /// The label of the run's configuration.
    pub label: String,
    /// The run's session.
    pub session_id: String,
    /// The run's round, from 0.
    pub round: u32,
    /// The test, without its latencies.
    #[serde(flatten)]
    pub test: TestRecord,
}

impl Store {
    /// The names of all ledgers, the one used last first.
    pub fn ledgers(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT ledger FROM trial GROUP BY ledger ORDER BY max(tried_at) DESC, ledger";
        Ok(self.rows::<(String,)>(sql, &[])?.into_iter().map(|(name,)| name).collect())
    }

    /// The trials of a ledger, in the order in which they were begun.
    pub fn trials_of(&self, ledger: &str) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("ledger = ?", &[&ledger])
    }

    /// The trials whose identifiers begin with these letters.
    pub fn trials_named(&self, id: &str) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("starts_with(trial_id::VARCHAR, lower(?))", &[&id])
    }

    /// The trial that was begun last, where there is one.
    pub fn last_trial(&self) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("trial_id = (SELECT arg_max(trial_id, tried_at) FROM trial)", &[])
    }

    fn trials(&self, condition: &str, parameters: &[&dyn ToSql]) -> Result<Vec<TrialRecord>, StoreError> {
        self.records(condition, "(tried_at, trial_id)", parameters)
    }

    /// The tests of the runs that were made for a trial and ended well.
    pub fn trial_tests(&self, trial_id: &str) -> Result<Vec<TrialTest>, StoreError> {
        let sql = "
            SELECT r.label, r.session_id, r.round, t.* REPLACE (NULL::BLOB AS histogram)
            FROM run r JOIN run_key k USING (run_id) JOIN result t ON t.run_id = r.run_id
            WHERE k.key = 'trial' AND k.value = ? AND r.status = 'done'";
        self.rows(sql, &[&trial_id])
    }
}
