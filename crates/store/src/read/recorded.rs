//! Stored data for the Live screen: usual times, and runs to replay.

use super::super::{Store, StoreError, TestRecord, TimelineRecord};
use serde::Deserialize;

/// The usual duration of a test.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct UsualTime {
    pub engine: String,
    pub size: String,
    pub test: u32,
    /// Median of all stored wall times, ns.
    pub median_ns: f64,
}

/// A run with everything that a replay needs.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// Its label, suite and size.
    pub title: String,
    /// Its tests, in order.
    pub tests: Vec<TestRecord>,
    /// The slots of their timelines, in order.
    pub slots: Vec<TimelineRecord>,
}

impl Store {
    /// Returns the usual times of a suite's tests.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn usual_times(&self, suite: &str) -> Result<Vec<UsualTime>, StoreError> {
        let sql = "SELECT r.engine, r.size, t.test, median(t.wall_ns)::DOUBLE AS median_ns
                   FROM result t JOIN run r USING (run_id) WHERE r.suite = ? AND t.wall_ns IS NOT NULL GROUP BY ALL";
        self.rows(sql, &[&suite])
    }

    /// Returns a run by its identifier, or `None` if it is not stored.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn recorded_run(&self, run_id: &str) -> Result<Option<RecordedRun>, StoreError> {
        let title = "SELECT label || ' · ' || suite || ' ' || size FROM run WHERE run_id::VARCHAR = ?";
        let Some((title,)) = self.rows(title, &[&run_id])?.pop() else { return Ok(None) };
        let of_run = "run_id::VARCHAR = ?";
        Ok(Some(RecordedRun {
            title,
            tests: self.records(of_run, "test", &[&run_id])?,
            slots: self.records(of_run, "test, at_ns", &[&run_id])?,
        }))
    }
}
