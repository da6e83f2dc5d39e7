//! Checks that workers rest while others have their turns.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_store::RunRecord;
use std::collections::BTreeMap;

/// A worker used the CPU while others had their turns.
pub(super) struct WorkInOthersTurns;

/// The share of the time of others' turns above which a worker's CPU time in it counts as work.
const AT_REST: f64 = 0.03;
/// The CPU time that a worker may always use, ns: a report of its progress takes a tenth of it.
const FOR_REPORTS_NS: f64 = 5e6;

/// Returns the share of the time of others' turns in which a worker worked too, if it did. Its work then counts in no time of its own, and
/// disturbs theirs.
pub fn worked_in_others_turns(figures: &Figures) -> Option<f64> {
    let (cpu, away) = (figures.value(Metric::AwayCpu)?, figures.value(Metric::Away)?);
    (cpu > FOR_REPORTS_NS && cpu > AT_REST * away).then_some(cpu / away)
}

impl Linter for WorkInOthersTurns {
    fn name(&self) -> &'static str {
        "work in others' turns"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "configurations worked while others were measured"
    }

    fn explain(&self) -> &'static str {
        "An engine's own threads went on in the turns of others: that work is in no time, and slows the others down. \
         Measure such tests in one go: --slices auto or off."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut most: BTreeMap<(&str, &str, u32), (f64, &RunRecord, &str)> = BTreeMap::new();
        for result in evidence.results {
            let (Some(share), Some(run)) =
                (worked_in_others_turns(&result.figures), runs.get(result.run_id.as_str()).copied())
            else {
                continue;
            };
            let found = most.entry((&run.label, &run.size, result.test)).or_insert((share, run, &result.test_name));
            found.0 = found.0.max(share);
        }
        let place = |(share, run, test): (f64, &'e RunRecord, &str)| {
            (run, format!("{test} on {} at {} (up to {:.0} %)", run.label, run.size, share * 100.0))
        };
        let matter = format!("a worker used more than {:.0} % of a CPU in others' turns", AT_REST * 100.0);
        by_configuration(&matter, most.into_values().map(place))
    }
}
