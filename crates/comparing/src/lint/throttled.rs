//! Checks whether control groups stopped runs because their CPU time was used up.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration, place::disturbed};

/// A CPU time quota ran out during a measurement.
pub(super) struct Throttled;

impl Linter for Throttled {
    fn name(&self) -> &'static str {
        "throttled"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Certainty
    }

    fn summary(&self) -> &'static str {
        "runs were stopped because their quota of CPU time was used up"
    }

    fn explain(&self) -> &'static str {
        "A control group, such as a container's, stops all threads until the next period once the quota of the current \
         period is used up: times and latencies reflect the quota. Measure without a quota, or with one that is larger \
         than the test needs."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let stopped = disturbed(evidence, |run| run.throttled_periods.is_some_and(|periods| periods > 0));
        by_configuration("the CPU quota was used up and the run had to wait", stopped)
    }
}
