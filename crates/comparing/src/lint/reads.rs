//! Checks that reads return rows.

use super::{DoubtAbout, LintFinding, Linter, SessionEvidence, by_configuration};
use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_engine::{
    protocol::SuiteJob,
    suite::{KvActors, KvLoad},
};
use dbdyno_foundation::{
    base::units::counted,
    metric::{Figures, Metric},
};
use dbdyno_store::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a suite that only read.
#[derive(Debug, Default)]
pub struct ReadingTests {
    /// The tests, by number.
    tests: BTreeSet<u32>,
    /// Actors by their test.
    actors: BTreeSet<(u32, String)>,
}

impl ReadingTests {
    /// Returns the reading tests of a suite, for any of its sizes.
    pub fn of(suite: &SuiteJob) -> Self {
        match suite {
            SuiteJob::Kv(suite) => {
                let tests = suite.tests.iter().filter(|test| test.only_reads()).map(|test| test.number).collect();
                let actors = suite.tests.iter().filter_map(|test| match &test.load {
                    KvLoad::Actors(load) => Some((test.number, load)),
                    KvLoad::Alone(_) | KvLoad::Compaction(_) => None,
                });
                let reading = |(test, load): (u32, &KvActors)| -> Vec<(u32, String)> {
                    let actors = load.actors.iter().filter(|actor| !actor.work.writes());
                    actors.map(|actor| (test, actor.name.clone())).collect()
                };
                Self { tests, actors: actors.flat_map(reading).collect() }
            }
            SuiteJob::Sql(suite) => Self {
                tests: suite.tests.iter().filter(|test| test.only_reads()).map(|test| test.number).collect(),
                actors: BTreeSet::new(),
            },
        }
    }
}

/// Reads of a test found no row at all.
pub(super) struct ReadsNothing;

impl Linter for ReadsNothing {
    fn name(&self) -> &'static str {
        "reads found nothing"
    }

    fn about(&self) -> DoubtAbout {
        DoubtAbout::Amount
    }

    fn summary(&self) -> &'static str {
        "tests read and found no row"
    }

    fn explain(&self) -> &'static str {
        "A read that finds nothing is faster than one that does, and says nothing about reading: check that reads look for keys that \
         were written, in the same form."
    }

    fn check<'e>(&self, evidence: &SessionEvidence<'e>) -> Vec<LintFinding<'e>> {
        let runs: BTreeMap<&str, &RunRecord> = evidence.runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let reading = evidence.reading;
        let tests = evidence.results.iter().filter(|result| reading.tests.contains(&result.test));
        let tests = tests.map(|result| (&result.run_id, &result.test_name, &result.figures));
        let mixed = evidence.actors.iter().filter(|actor| {
            !reading.tests.contains(&actor.test) && reading.actors.contains(&(actor.test, actor.actor.clone()))
        });
        let mixed = mixed.map(|actor| (&actor.run_id, &actor.test_name, &actor.figures));
        let mut seen = BTreeSet::new();
        let found = tests.chain(mixed).filter_map(|(run, name, figures)| {
            let (run, reads) = (*runs.get(run.as_str())?, found_nothing(figures)?);
            let is_new = run.engine != HARNESS_ENGINE && seen.insert((&run.label, &run.size, name));
            let place =
                || format!("{name} on {} at {} (0 rows in {})", run.label, run.size, counted(reads, "operation"));
            is_new.then(|| (run, place()))
        });
        by_configuration("reads found no row", found.collect::<Vec<_>>())
    }
}

/// Returns the operations of a test that found no rows.
fn found_nothing(figures: &Figures) -> Option<u64> {
    figures.get(Metric::Operations).filter(|operations| *operations > 0 && figures.get(Metric::Rows) == Some(0))
}
