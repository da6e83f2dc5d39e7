//! Whether tests that were to begin cold did.

use super::{Linter, SessionEvidence, some_of};
use crate::{metric::Metric, store::RunRecord};
use std::collections::{BTreeMap, BTreeSet};

/// More of the database than this in memory, millionths, and the start was not cold.
const RESIDENT_PPM: f64 = 5e4;

/// Some of the database was in memory all the same.
pub(super) struct NotCold;

impl Linter for NotCold {
    fn name(&self) -> &'static str {
        "not cold"
    }

    fn summary(&self) -> &'static str {
        "tests that were to begin cold had some of the database in memory"
    }

    fn explain(&self) -> &'static str {
        "Pages that another program has mapped stay in memory, and a file system in memory drops nothing: choose a work folder on a disk."
    }

    fn check(&self, evidence: &SessionEvidence<'_>) -> Vec<String> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut places = BTreeSet::new();
        let mut most: f64 = 0.0;
        for result in evidence.results {
            let share = result.figures.value(Metric::ResidentShare).filter(|share| *share > RESIDENT_PPM);
            if let (Some(share), Some(run)) = (share, runs.get(result.run_id.as_str())) {
                most = most.max(share);
                places.insert(format!("{} on {} at {}", result.test_name, run.label, run.size));
            }
        }
        if places.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "in tests that were to begin cold, up to {} of the database was still in memory: {}",
            Metric::ResidentShare.shown(most),
            some_of(places.into_iter().collect())
        )]
    }
}
