//! Checks that there are enough runs, and that they are alike.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration, series, some_of};
use dbdyno_foundation::base::units::counted;
use dbdyno_stats::{MIN_RUNS, median, rounds_needed, within};
use dbdyno_store::Status;
use std::collections::BTreeSet;

pub(super) struct FailedRuns;

impl Linter for FailedRuns {
    fn name(&self) -> &'static str {
        "failed runs"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "runs failed"
    }

    fn explain(&self) -> &'static str {
        "Tests that a failed run finished are kept; its other tests are missing from the table."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let failed = evidence.runs.iter().filter(|run| run.status == Status::Failed);
        let (mut count, mut reasons) = (0, BTreeSet::new());
        for run in failed {
            count += 1;
            reasons.insert(format!("{}: {}", run.label, run.failure.as_deref().unwrap_or("?")));
        }
        if count == 0 {
            return Vec::new();
        }
        vec![
            format!(
                "{count} of {} failed: {}",
                counted(evidence.runs.len(), "run"),
                some_of(reasons.into_iter().collect())
            )
            .into(),
        ]
    }
}

/// There are too few runs for an interval.
pub(super) struct TooFew;

impl Linter for TooFew {
    fn name(&self) -> &'static str {
        "too few repeats"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "sessions have too few rounds for an interval"
    }

    fn explain(&self) -> &'static str {
        "With fewer than six runs there is no 95 % interval. The more tests a table has, the more are significant by chance \
         alone: correcting for that takes more rounds."
    }

    fn is_of_repeats(&self) -> bool {
        true
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let all = series(evidence);
        let Some(runs) = all.iter().map(|series| series.compared_ns.len()).min() else { return Vec::new() };
        let tests = all.iter().map(|series| series.test).collect::<BTreeSet<_>>().len();
        let configurations = all.iter().map(|series| &series.run.label).collect::<BTreeSet<_>>().len();
        if runs < MIN_RUNS {
            vec![
                format!("{} of each test: at least {MIN_RUNS} are needed for a 95 % interval", counted(runs, "run"))
                    .into(),
            ]
        } else if configurations > 1 && runs < rounds_needed(tests) {
            let needed = rounds_needed(tests);
            vec![format!("{runs} rounds cannot show a difference in one of {tests} tests alone: {needed} can").into()]
        } else {
            Vec::new()
        }
    }
}

/// The first run differs from the others.
pub(super) struct FirstRunOutlier;

/// The distance from the median, in median absolute deviations, that makes an outlier (Iglewicz and Hoaglin's 3.5 as a modified z-score
/// would flag too much normal disk behaviour; hyperfine's 14.826 is ten standard deviations).
const OUTLIER: f64 = 14.826;

impl Linter for FirstRunOutlier {
    fn name(&self) -> &'static str {
        "first run an outlier"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "tests have a first run that differs from the others"
    }

    fn explain(&self) -> &'static str {
        "Caches were cold or the processor was in a sleep state. One run does not move a median, but it widens the spread."
    }

    fn is_of_repeats(&self) -> bool {
        true
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let unlike = |times: &[f64]| {
            let [first, others @ ..] = times else { return false };
            let Ok(centre) = median(others) else { return false };
            let distances: Vec<f64> = others.iter().map(|time| (time - centre).abs()).collect();
            // Five runs that are nearly equal by chance make everything an outlier, so nothing below 1 % counts.
            median(&distances).is_ok_and(|mad| (first - centre).abs() > OUTLIER * mad.max(centre * 0.01))
        };
        let all = series(evidence);
        let odd = all.iter().filter(|series| series.compared_ns.len() > 4 && unlike(&series.compared_ns));
        by_configuration("the first run differs much from the others", odd.map(|series| (series.run, series.place())))
    }
}

/// Later runs are all slower, or all faster, than earlier ones.
pub(super) struct Unsettled;

/// The relative difference of the halves' medians below which a series has settled.
const SETTLED: f64 = 0.10;

impl Linter for Unsettled {
    fn name(&self) -> &'static str {
        "did not settle"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "tests were still getting slower or faster"
    }

    fn explain(&self) -> &'static str {
        "Every run of the second half was slower, or every one was faster, than all runs of the first half: heat, a \
         filling disk, or another program. ABBA pairs cancel it; single times depend on when they were measured."
    }

    fn is_of_repeats(&self) -> bool {
        true
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let drifts = |times: &[f64]| {
            let (early, late) = times.split_at(times.len() / 2);
            let (Ok(before), Ok(after)) = (median(early), median(late)) else { return false };
            let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
            let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
            let apart = most(early) < least(late) || most(late) < least(early);
            apart && !within(after / before, SETTLED)
        };
        let all = series(evidence);
        let moving = all.iter().filter(|series| series.compared_ns.len() >= MIN_RUNS && drifts(&series.compared_ns));
        by_configuration("times had not reached a steady state", moving.map(|series| (series.run, series.place())))
    }
}
