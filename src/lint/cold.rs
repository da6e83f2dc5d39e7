//! Whether tests that were to begin cold did.

use super::{Found, Linter, SessionEvidence, by_configuration};
use crate::{metric::Metric, store::RunRecord};
use std::collections::BTreeMap;

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

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<Found<'e>> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut places: BTreeMap<(&str, &str, u32), (f64, &RunRecord, &str)> = BTreeMap::new();
        for result in evidence.results {
            let share = result.figures.value(Metric::ResidentShare).filter(|share| *share > RESIDENT_PPM);
            if let (Some(share), Some(run)) = (share, runs.get(result.run_id.as_str())) {
                let place = places.entry((&run.label, &run.size, result.test));
                let (most, ..) = place.or_insert((share, run, &result.test_name));
                *most = most.max(share);
            }
        }
        let place = |(most, run, test): (f64, &'e RunRecord, &str)| {
            let share = Metric::ResidentShare.shown(most);
            (run, format!("{test} on {} at {} (up to {share})", run.label, run.size))
        };
        let matter = "of tests that were to begin cold, some of the database was still in memory";
        by_configuration(matter, places.into_values().map(place))
    }
}
