//! Tests that were followed second by second.

use super::super::{ActorSlotRecord, ReadingRecord, Store, StoreError};

/// A test of a run with its seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FollowedTest {
    /// Its run's configuration.
    pub label: String,
    pub size: String,
    /// Round of its run, from 0.
    pub round: u32,
    /// Number in its suite.
    pub test: u32,
    pub test_name: String,
    /// In chronological order.
    pub slots: Vec<ActorSlotRecord>,
    /// In chronological order.
    pub readings: Vec<ReadingRecord>,
}

impl Store {
    /// Returns the followed tests of a session, in the order of its runs.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn followed_in_session(&self, session_id: &str) -> Result<Vec<FollowedTest>, StoreError> {
        self.followed("r.session_id::VARCHAR = ?", session_id)
    }

    /// Returns the followed tests of a run.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn followed_in_run(&self, run_id: &str) -> Result<Vec<FollowedTest>, StoreError> {
        self.followed("r.run_id::VARCHAR = ?", run_id)
    }

    fn followed(&self, of: &str, id: &str) -> Result<Vec<FollowedTest>, StoreError> {
        let sql = format!(
            "SELECT r.run_id, r.label, r.size, r.round, t.test, t.test_name FROM run r JOIN result t USING (run_id)
             WHERE {of} AND EXISTS (FROM reading s WHERE s.run_id = r.run_id AND s.test = t.test)
             ORDER BY r.ordinal, t.test"
        );
        let tests: Vec<(String, String, String, u32, u32, String)> = self.rows(&sql, &[&id])?;
        let with_seconds =
            |(run_id, label, size, round, test, test_name): (String, String, String, u32, u32, String)| {
                let of_test = "run_id::VARCHAR = ? AND test = ?";
                Ok(FollowedTest {
                    slots: self.records(of_test, "at_ns, actor", &[&run_id, &test])?,
                    readings: self.records(of_test, "at_ns, name", &[&run_id, &test])?,
                    label,
                    size,
                    round,
                    test,
                    test_name,
                })
            };
        tests.into_iter().map(with_seconds).collect()
    }
}
