//! The costs of a change other than time: durability, memory, disk, syncs.

use super::samples::Samples;
use dbdyno_foundation::metric::{Metric, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A value before a change and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair<T> {
    /// The value of the base.
    pub before: T,
    /// The value with the change.
    pub after: T,
}

/// The costs of a change. Each figure is the median over the runs. Bytes are those of the test with the most; counts and times are summed
/// over all tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(BTreeMap<Metric, Pair<u64>>);

/// The possible costs of a change other than time, in the order in which they are shown.
const PRICED: [Metric; 6] =
    [Metric::EngineMemory, Metric::Database, Metric::Side, Metric::Syncs, Metric::OutsideSyncs, Metric::Outside];

impl Price {
    /// Computes the known costs of `changed` compared with `base`; none without a finished test of both.
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

    /// Returns a figure before and after; none for records of an older dbdyno without that figure.
    pub fn get(&self, metric: Metric) -> Option<Pair<u64>> {
        self.0.get(&metric).copied()
    }

    /// Returns the figures in the order in which they are shown.
    pub fn each(&self) -> impl Iterator<Item = (Metric, Pair<u64>)> {
        PRICED.into_iter().filter_map(|metric| Some((metric, self.get(metric)?)))
    }
}

/// Returns the median of counts. For an even number it is the lower of the two middle ones, which was actually measured.
fn middle(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
