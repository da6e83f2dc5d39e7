//! More rounds of two configurations of a plan.

use super::{BenchPlan, PlanError, runs};
use crate::TestPick;
use std::collections::BTreeSet;

impl BenchPlan {
    /// Returns the plan with only two of its configurations, by label and size, and one test, in `rounds` rounds of ABBA.
    ///
    /// # Errors
    /// The plan does not have one of the configurations.
    pub fn pair(self, pair: [(&str, &str); 2], test: u32, rounds: u32, seed: u64) -> Result<Self, PlanError> {
        let find = |(label, size): (&str, &str)| {
            let found = self.configurations.iter().find(|one| one.label == label && one.size.to_string() == size);
            found.cloned().ok_or_else(|| {
                PlanError::Request(format!("the session's plan has no configuration {label} at size {size}"))
            })
        };
        let configurations = vec![find(pair[0])?, find(pair[1])?];
        let runs = runs(configurations.len(), rounds, seed);
        let pick = TestPick(BTreeSet::from([test]));
        let (left_out, missing, looks) = Default::default();
        Ok(Self { pick, configurations, left_out, missing, runs, rounds, until_decided: None, looks, seed, ..self })
    }
}
