//! Rounds that a session adds to its plan, because tests are still undecided.

use super::{BenchPlan, PlannedRun, order::round_order, seed_of};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The rounds after a look at the results, which measure only what the look left undecided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaterRounds {
    /// The first of them.
    pub from: u32,
    /// The numbers of the tests that are measured, by the index of the configuration.
    pub tests: BTreeMap<usize, BTreeSet<u32>>,
}

impl BenchPlan {
    /// Adds this many rounds of these tests, by the index of their configuration.
    pub fn add_rounds(&mut self, rounds: u32, tests: BTreeMap<usize, BTreeSet<u32>>) {
        let measured: Vec<usize> = tests.keys().copied().collect();
        let added = self.rounds..self.rounds + rounds;
        for round in added.clone() {
            for place in round_order(measured.len(), round, self.seed) {
                self.runs.push(PlannedRun {
                    ordinal: self.runs.len() as u32,
                    round,
                    configuration: measured[place],
                    seed: seed_of(self.seed, round),
                });
            }
        }
        self.looks.push(LaterRounds { from: added.start, tests });
        self.rounds = added.end;
    }

    /// Returns the tests of a run; `None` if all that were picked are measured.
    pub(super) fn open_tests(&self, run: &PlannedRun) -> Option<&BTreeSet<u32>> {
        let look = self.looks.iter().rfind(|look| look.from <= run.round)?;
        look.tests.get(&run.configuration)
    }
}
