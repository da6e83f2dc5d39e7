//! Checks that cold tests really began cold.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_store::{RunRecord, TestRecord};
use std::collections::BTreeMap;

/// The largest share of the database in memory, in millionths, for a start that counts as cold.
const RESIDENT_PPM: f64 = 5e4;

/// Some of the database was in memory when the timer began.
pub(super) struct NotCold;

impl Linter for NotCold {
    fn name(&self) -> &'static str {
        "not cold"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "cold tests had part of the database in memory when their timer started"
    }

    fn explain(&self) -> &'static str {
        "An engine may read its database while it opens it: compare opening plus test (open_test_ns), never latencies alone. Other \
         pages in memory could not be dropped: pages that another program has mapped stay in memory, and a file system \
         in memory drops nothing. Choose a work folder on a disk."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut places: BTreeMap<(&str, &str, u32), (f64, &TestRecord, &RunRecord)> = BTreeMap::new();
        for result in evidence.results {
            let share = share_in_memory(&result.figures).filter(|share| *share > RESIDENT_PPM);
            if let (Some(share), Some(run)) = (share, runs.get(result.run_id.as_str())) {
                let place = places.entry((&run.label, &run.size, result.test)).or_insert((share, result, run));
                if share > place.0 {
                    *place = (share, result, run);
                }
            }
        }
        let place = |(most, test, run): (f64, &TestRecord, &'e RunRecord)| {
            let share = Metric::OpenedShare.shown(most);
            let read = test.figures.value(Metric::OpenRead).map(|bytes| Metric::OpenRead.shown(bytes));
            let read = read.map_or_else(String::new, |bytes| format!(", opening read {bytes}"));
            (run, format!("{} on {} at {} (up to {share}{read})", test.test_name, run.label, run.size))
        };
        let matter = "cold tests had part of the database in memory when the timer started";
        by_configuration(matter, places.into_values().map(place))
    }
}

/// Returns the share of the database in memory when a test's timer began, in millionths. For results without that figure, returns the share
/// that could not be dropped.
fn share_in_memory(figures: &Figures) -> Option<f64> {
    figures.value(Metric::OpenedShare).or_else(|| figures.value(Metric::ResidentShare))
}
