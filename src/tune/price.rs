//! What a change costs beside time: durability, memory, disk, syncs.

use super::samples::{Sample, Samples};
use serde::{Deserialize, Serialize};

/// Something before a change and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair<T> {
    /// Of the base.
    pub before: T,
    /// With the change.
    pub after: T,
}

/// What a change costs. Each figure is the median over the runs, of the test that takes most; syncs are those of all tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Peak of resident memory, bytes.
    pub peak_rss_bytes: Pair<u64>,
    /// Database with side files, bytes.
    pub database_bytes: Pair<u64>,
    /// Logs, journals and locks left beside the database, bytes.
    pub side_bytes: Pair<u64>,
    /// Sync calls of all tests together.
    pub syncs: Pair<u64>,
}

impl Price {
    /// The price of `changed` against `base`; none without a finished test of both.
    pub fn of(samples: &Samples, base: usize, changed: usize, tests: &[(u32, String)]) -> Option<Self> {
        let each = |field: fn(&Sample) -> u64, variant: usize| -> Vec<u64> {
            tests.iter().filter_map(|(test, _)| middle(samples.of_test(variant, *test).map(field).collect())).collect()
        };
        let most = |field: fn(&Sample) -> u64| {
            let of = |variant| each(field, variant).into_iter().max();
            Some(Pair { before: of(base)?, after: of(changed)? })
        };
        let syncs = |variant| each(|sample| sample.syncs, variant).into_iter().sum();
        Some(Self {
            peak_rss_bytes: most(|sample| sample.peak_rss_bytes)?,
            database_bytes: most(|sample| sample.database_bytes)?,
            side_bytes: most(|sample| sample.side_bytes)?,
            syncs: Pair { before: syncs(base), after: syncs(changed) },
        })
    }
}

/// The median of counts; of an even number the lower of the two middle ones, which was measured.
fn middle(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
