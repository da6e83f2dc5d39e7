//! Checks what the turns of slices do to the figures: whether workers rest in the turns of others, and what these turns cost them.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, TestSeries, by_configuration, series};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_stats::median;
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

/// The turns of others left other data in the caches of the CPU.
pub(super) struct ColdCaches;

/// The share by which others' turns may prolong a test without a mark.
const RETURNING_SHARE: f64 = 0.03;

/// Returns the share by which others' turns prolonged a test in its runs, the median, if it is above 3 %. They leave other data in the caches
/// of the CPU.
pub fn prolonged_by_turns<'f>(runs: impl Iterator<Item = &'f Figures>) -> Option<f64> {
    let share = |figures: &Figures| {
        let (returning, wall) = (figures.value(Metric::Returning)?, figures.value(Metric::Wall)?);
        (wall > returning).then(|| returning / (wall - returning))
    };
    let shares: Vec<f64> = runs.filter_map(share).collect();
    median(&shares).ok().filter(|share| *share > RETURNING_SHARE)
}

impl Linter for ColdCaches {
    fn name(&self) -> &'static str {
        "cold caches"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "tests took longer because others had turns between their slices"
    }

    fn explain(&self) -> &'static str {
        "Others' turns leave other data in the caches of the CPU, so operations after them take longer. Every side pays this, but not \
         equally. To know how fast an engine is alone, measure in one go: --slices off."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let place = |series: TestSeries<'e>| {
            let share = prolonged_by_turns(series.figures.iter().copied())? * 100.0;
            Some((series.run, format!("{} ({share:.0} % longer)", series.place())))
        };
        let matter = format!("others' turns make operations more than {:.0} % slower", RETURNING_SHARE * 100.0);
        by_configuration(&matter, series(evidence).into_iter().filter_map(place))
    }
}
