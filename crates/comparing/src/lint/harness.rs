//! The cost of the measured loop itself, within the times that engines are credited with.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration, series};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_store::{HarnessRecord, RunRecord};
use std::collections::{BTreeMap, BTreeSet};

/// The smallest time of an operation, as a multiple of the harness's time around it.
pub const HARNESS_FACTOR: f64 = 20.0;

/// The harness cost of each engine: engines in other languages have measured loops of their own.
#[derive(Debug, Clone, Default)]
pub struct HarnessCosts {
    /// The measured costs, by size, no-op engine, and test.
    pub measured: Vec<HarnessRecord>,
    /// The no-op engine in the measured loop of each engine, or the reason why the cost of that loop is unknown.
    pub nulls: BTreeMap<String, Result<String, String>>,
}

impl HarnessCosts {
    /// Returns the harness's time around an operation of a run's test, in ns. Returns none if it is unknown, for tests of several threads,
    /// and for the no-op engine itself.
    pub fn around(&self, run: &RunRecord, test: u32) -> Option<f64> {
        let null = self.nulls.get(&run.engine).filter(|_| run.engine != HARNESS_ENGINE)?.as_ref().ok()?;
        let cost = self.measured.iter().find(|cost| (&cost.size, &cost.engine, cost.test) == (&run.size, null, test));
        cost.map(|cost| cost.ns_per_operation)
    }

    /// Whether the harness is a significant part of an operation of a run's test that takes `operation_ns`.
    pub fn bounds(&self, run: &RunRecord, test: u32, operation_ns: f64) -> bool {
        self.around(run, test).is_some_and(|harness| operation_ns < HARNESS_FACTOR * harness)
    }
}

/// Operations are so fast that the harness is a significant part of the measured time.
pub(super) struct HarnessBound;

impl Linter for HarnessBound {
    fn name(&self) -> &'static str {
        "harness-bound"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "tests are so fast that the harness is part of the measured time"
    }

    fn explain(&self) -> &'static str {
        "Making a key, reading the clock and checking the answer take time too, the same for every engine of one language. It pulls \
         ratios towards 1: a true difference is larger than the one shown."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let mut places = Vec::new();
        for series in series(evidence) {
            let (harness, median) = (evidence.harness.around(series.run, series.test), series.median());
            if let (Some(harness), Some(median)) = (harness, median) {
                let own = median / series.operations.max(1) as f64;
                if evidence.harness.bounds(series.run, series.test, own) {
                    let place = format!("{} ({own:.0} ns, harness {harness:.0} ns)", series.place());
                    places.push((series.run, place));
                }
            }
        }
        by_configuration(&format!("an operation takes less than {HARNESS_FACTOR}x the harness around it"), places)
    }
}

/// Engines whose loop cost could not be measured.
pub(super) struct UnknownHarness;

impl Linter for UnknownHarness {
    fn name(&self) -> &'static str {
        "harness unknown"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "configurations have a harness of unknown cost"
    }

    fn explain(&self) -> &'static str {
        "Times of an engine include the cost of its program's measured loop. If that cost is unknown, tests may be \
         harness-bound without a mark. Add an engine that does nothing to the program, under the name that `harness` \
         in its description gives."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        // The harness of several threads is not measured for any engine.
        let of_threads: BTreeSet<_> = evidence.actors.iter().map(|actor| (actor.run_id.as_str(), actor.test)).collect();
        let alone: BTreeSet<&str> = evidence
            .results
            .iter()
            .filter(|result| !of_threads.contains(&(result.run_id.as_str(), result.test)))
            .map(|result| result.run_id.as_str())
            .collect();
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for run in evidence.runs.iter().filter(|run| alone.contains(run.run_id.as_str())) {
            let reason = evidence.harness.nulls.get(&run.engine).and_then(|null| null.as_ref().err());
            if let Some(reason) = reason.filter(|_| seen.insert((&run.label, &run.size))) {
                let place = format!("{} at {}", run.label, run.size);
                let matter = format!("the harness cost is unknown, {}", reason.replace(": ", ", "));
                found.extend(by_configuration(&matter, [(run, place)]));
            }
        }
        found
    }
}
