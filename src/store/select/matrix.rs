//! What a matrix of tests and runs is made of.

use super::{
    super::{Store, StoreError},
    Selection,
};

/// A test of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestTime {
    /// The run.
    pub run_id: String,
    /// Its configuration's label.
    pub label: String,
    /// Its size.
    pub size: String,
    /// The test's number.
    pub test: u32,
    /// Its name.
    pub test_name: String,
    /// `ok`, or why the time does not count.
    pub status: String,
    /// Wall time, ns; none where it does not count or is not known.
    pub wall_ns: Option<u64>,
}

impl Store {
    /// The tests of a selection's runs, oldest run first.
    pub fn test_times(&self, selection: &Selection) -> Result<Vec<TestTime>, StoreError> {
        let (condition, parameters) = selection.condition();
        let sql = format!(
            "SELECT run_id, label, size, test, test_name, status, wall_ns FROM results WHERE {condition}
             ORDER BY started_at NULLS FIRST, run_id, test"
        );
        let time = |row: Vec<Option<String>>| {
            let [run_id, label, size, test, test_name, status, wall_ns]: [Option<String>; 7] = row.try_into().ok()?;
            let wall_ns = wall_ns.and_then(|ns| ns.parse().ok());
            let test = test?.parse().ok()?;
            Some(TestTime {
                run_id: run_id?,
                label: label?,
                size: size?,
                test,
                test_name: test_name?,
                status: status?,
                wall_ns,
            })
        };
        Ok(self.bound(&sql, &parameters)?.rows.into_iter().filter_map(time).collect())
    }
}
