//! What a change costs beside time: durability, memory, disk, syncs.

use super::samples::Samples;
use dbdyno_foundation::metric::{Metric, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something before a change and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair<T> {
    /// Of the base.
    pub before: T,
    /// With the change.
    pub after: T,
}

/// What a change costs. Each figure is the median over the runs: of the test that takes most where it is of bytes, of all tests
/// together where things are counted or timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(BTreeMap<Metric, Pair<u64>>);

/// What a change may cost beside time, in the order in which it is told.
const PRICED: [Metric; 6] =
    [Metric::EngineMemory, Metric::Database, Metric::Side, Metric::Syncs, Metric::OutsideSyncs, Metric::Outside];

impl Price {
    /// The price of `changed` against `base`, as far as it is known; none without a finished test of both.
    pub fn new(samples: &Samples, base: usize, changed: usize, tests: &[(u32, String)]) -> Option<Self> {
        let of = |metric: Metric, variant: usize| -> Option<u64> {
            let test = |(test, _): &(u32, String)| {
                let values = samples.of_test(variant, *test).filter_map(|sample| sample.figures.value(metric));
                middle(values.map(|value| value.round() as u64).collect())
            };
            let each = tests.iter().filter_map(test);
            match metric.unit() {
                Unit::Count | Unit::Time => each.reduce(u64::saturating_add),
                _ => each.max(),
            }
        };
        let price = |metric| Some((metric, Pair { before: of(metric, base)?, after: of(metric, changed)? }));
        let known: BTreeMap<_, _> = PRICED.into_iter().filter_map(price).collect();
        (!known.is_empty()).then_some(Self(known))
    }

    /// A figure before and after; none of an older dbdyno that did not know it.
    pub fn get(&self, metric: Metric) -> Option<Pair<u64>> {
        self.0.get(&metric).copied()
    }

    /// The figures in the order in which they are told.
    pub fn each(&self) -> impl Iterator<Item = (Metric, Pair<u64>)> {
        PRICED.into_iter().filter_map(|metric| Some((metric, self.get(metric)?)))
    }
}

/// The median of counts; of an even number the lower of the two middle ones, which was measured.
fn middle(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
