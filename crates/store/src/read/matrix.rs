//! The data of a matrix of tests and runs.

use super::super::{Selection, Store, StoreError};
use serde::Deserialize;

/// A test of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TestTime {
    pub run_id: String,
    /// Its configuration's label.
    pub label: String,
    pub engine_version: String,
    pub size: String,
    /// Its options in force, as a JSON object of texts.
    pub options: String,
    pub test: u32,
    pub test_name: String,
    /// `ok`, or why the time does not count.
    pub status: String,
    /// Wall time, ns; none if it does not count or is unknown.
    pub wall_ns: Option<u64>,
    /// Operations a second; none in the same cases as the time.
    pub rate: Option<f64>,
    /// Whether the test ended after a set time, so that only its rate is meaningful.
    pub timed: bool,
}

impl Store {
    /// Returns the tests of a selection's runs, oldest run first.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn test_times(&self, selection: &Selection) -> Result<Vec<TestTime>, StoreError> {
        let sql =
            "SELECT run_id, label, engine_version, size, to_json(options)::VARCHAR AS options, test, test_name, status,
                          wall_ns, rate::DOUBLE AS rate, limit_ns IS NOT NULL AS timed
                   FROM selected WHERE actor IS NULL ORDER BY started_at NULLS FIRST, run_id, test";
        self.selected_rows(selection, sql, &[])
    }
}
