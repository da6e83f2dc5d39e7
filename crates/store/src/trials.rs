//! Trials: the rows of the tuning ledger.

use super::{
    Store, StoreError,
    record::{Record, record},
    schema::TESTS,
    value::StoredField,
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::metric::Figures;
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
        /// The ledger to which it belongs.
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
        /// Changed options, as JSON.
        change: String,
        /// What a commit survives with the base; NULL: unknown.
        tier_before: Tier,
        /// What a commit survives with the change; NULL: unknown.
        tier_after: Tier,
        /// Reason for the base's tier.
        tier_reason_before: String,
        /// Reason for the tier with the change.
        tier_reason_after: String,
        /// Risks of the new values, as JSON.
        risks: String,
        /// Seed of the first look.
        seed: u64,
        /// Rounds over all looks.
        rounds: u32,
        looks: u32,
        /// Number of changes that share the allowed false alarms.
        changes: u32,
        /// `tried`, `stopped`, `cannot_differ`, `failed`.
        state: String,
        /// Why it cannot differ, or why it failed.
        reason: Option<String>,
        /// The effect on each test, as JSON.
        effects: String,
        /// The effect on all tests together, as JSON.
        overall: Option<String>,
        /// The costs of the change, as JSON.
        price: Option<String>,
        /// Whether it is the base of the next trials.
        accepted: bool,
        /// The command that started it.
        command_line: String,
    }
}

/// A test of a run that belongs to a trial, or a part of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TrialTest {
    /// The label of the run's configuration.
    pub label: String,
    /// The run's session.
    pub session_id: String,
    /// The run's round, from 0.
    pub round: u32,
    /// The test's number.
    pub test: u32,
    /// The part's name: an actor or a statement. None: the whole test.
    pub actor: Option<String>,
    /// Whether the answers are right; none: there were none to check.
    pub agrees: Option<bool>,
    #[serde(flatten)]
    pub figures: Figures,
}

impl Store {
    /// Returns the names of all ledgers, the most recently used first.
    pub fn ledgers(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT ledger FROM trial GROUP BY ledger ORDER BY max(tried_at) DESC, ledger";
        Ok(self.rows::<(String,)>(sql, &[])?.into_iter().map(|(name,)| name).collect())
    }

    /// Returns the trials of a ledger, in the order in which they began.
    pub fn trials_of(&self, ledger: &str) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("ledger = ?", &[&ledger])
    }

    /// Returns the trials whose identifiers begin with this text.
    pub fn trials_named(&self, id: &str) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("starts_with(trial_id::VARCHAR, lower(?))", &[&id])
    }

    /// Returns the trial that began last, if there is one.
    pub fn last_trial(&self) -> Result<Vec<TrialRecord>, StoreError> {
        self.trials("trial_id = (SELECT arg_max(trial_id, tried_at) FROM trial)", &[])
    }

    fn trials(&self, condition: &str, parameters: &[&dyn ToSql]) -> Result<Vec<TrialRecord>, StoreError> {
        self.records(condition, "(tried_at, trial_id)", parameters)
    }

    /// Returns the tests, with their parts, of the runs that belong to a trial and ended well.
    pub fn trial_tests(&self, trial_id: &str) -> Result<Vec<TrialTest>, StoreError> {
        let sql = format!(
            "SELECT r.label, r.session_id, r.round, t.* REPLACE (NULL::BLOB AS histogram)
             FROM run r JOIN run_key k USING (run_id) JOIN {TESTS} t ON t.run_id = r.run_id
             WHERE k.key = 'trial' AND k.value = ? AND r.status = 'done'"
        );
        self.rows(&sql, &[&trial_id])
    }
}
