//! The keys of a store's operations.

use dbdyno_recording::RecordedValue;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Limit of the different keys in memory. Each takes about 50 bytes.
const MOST_KEYS: usize = 1_000_000;
/// One key in this many belongs to the hottest.
const HOTTEST: usize = 100;

/// The keys of a store's operations. A scan counts for its first key.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WorkingSetSummary {
    /// Up to 1,000,000.
    pub different_keys: usize,
    /// The sum of the largest value of each of these keys, bytes. An update counts with the bytes that it wrote.
    /// Values of unknown size are left out.
    pub value_bytes: u64,
    /// The share of the operations that the hottest 1 % of the keys have, rounded up to whole keys, from 0 to 1. None: there are more than
    /// 1,000,000 keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hottest_share: Option<f64>,
}

/// The keys so far.
#[derive(Debug, Default)]
pub(super) struct WorkingSet {
    /// By hashes of the keys.
    uses: HashMap<u64, KeyUse>,
    operations: u64,
    /// Whether there were more keys than are told apart.
    has_more: bool,
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, Default)]
struct KeyUse {
    operations: u64,
    /// Of its largest value.
    bytes: u64,
}

impl WorkingSet {
    /// Counts an operation, such as `get ?`, with its parameters.
    pub(super) fn add(&mut self, operation: &str, parameters: &[RecordedValue]) {
        let Some(key) = parameters.first() else { return };
        self.operations += 1;
        let hash = hash(key);
        if self.uses.len() >= MOST_KEYS && !self.uses.contains_key(&hash) {
            self.has_more = true;
            return;
        }
        let of = self.uses.entry(hash).or_default();
        of.operations += 1;
        // The number of a scan is one of keys.
        if let Some(RecordedValue::Integer(bytes)) = parameters.get(1)
            && !operation.starts_with("scan")
        {
            of.bytes = of.bytes.max(u64::try_from(*bytes).unwrap_or_default());
        }
    }

    /// Returns the figures; none without an operation.
    pub(super) fn summary(self) -> Option<WorkingSetSummary> {
        let different_keys = self.uses.len();
        let value_bytes = self.uses.values().fold(0_u64, |sum, of| sum.saturating_add(of.bytes));
        let (operations, has_more) = (self.operations, self.has_more);
        let hottest = self.hottest();
        (operations > 0).then_some(WorkingSetSummary {
            different_keys,
            value_bytes,
            hottest_share: (!has_more).then_some(hottest as f64 / operations as f64),
        })
    }

    /// Returns the number of operations on the hottest keys.
    fn hottest(self) -> u64 {
        let mut counts: Vec<u64> = self.uses.into_values().map(|of| of.operations).collect();
        let hottest = counts.len().div_ceil(HOTTEST);
        if hottest > 0 {
            counts.select_nth_unstable_by_key(hottest - 1, |count| Reverse(*count));
        }
        counts[..hottest].iter().sum()
    }
}

/// A text and a blob of the same bytes are different keys.
fn hash(key: &RecordedValue) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(key).hash(&mut hasher);
    match key {
        RecordedValue::Text(text) => text.hash(&mut hasher),
        RecordedValue::Bytes(bytes) | RecordedValue::Blob(bytes) => bytes.hash(&mut hasher),
        // No import writes others.
        other => format!("{other:?}").hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> RecordedValue {
        RecordedValue::Text(format!("k{number}"))
    }

    #[test]
    fn keys_sizes_and_the_hottest_are_counted() {
        let mut set = WorkingSet::default();
        assert_eq!(WorkingSet::default().summary(), None);
        for number in 0..150 {
            set.add("get ?", &[key(number)]);
        }
        for bytes in [10, 30, 20] {
            set.add("put ? ?", &[key(7), RecordedValue::Integer(bytes)]);
        }
        set.add("get ?", &[key(8), RecordedValue::Integer(5)]);
        set.add("scan ? ?", &[key(8), RecordedValue::Integer(1_000)]);
        set.add("get ?", &[RecordedValue::Blob(b"k1".to_vec())]);
        set.add("put ? ?", &[key(9), RecordedValue::Integer(-1)]);
        let summary = set.summary().unwrap();
        assert_eq!((summary.different_keys, summary.value_bytes), (151, 35));
        // Two of 151 keys, with four and three of 157 operations.
        assert_eq!(summary.hottest_share, Some(7.0 / 157.0));
    }

    #[test]
    fn above_a_million_keys_the_hottest_are_unknown() {
        let mut set = WorkingSet::default();
        for number in 0..=MOST_KEYS {
            set.add("put ? ?", &[key(number), RecordedValue::Integer(1)]);
        }
        set.add("put ? ?", &[key(0), RecordedValue::Integer(3)]);
        let summary = set.summary().unwrap();
        let expected = WorkingSetSummary { different_keys: MOST_KEYS, value_bytes: 1_000_002, hottest_share: None };
        assert_eq!(summary, expected);
    }
}
