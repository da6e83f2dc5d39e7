//! Figures that grow call by call.

use dbdyno_recording::RecordedValue;
use hdrhistogram::Histogram;
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

/// The most different values that are counted.
const MOST_VALUES: usize = 100_000;
/// The most intervals that are compared with each other.
const MOST_INTERVALS: usize = 16_000_000;
/// The longest duration of the histogram, ns: an hour. Longer ones count as this.
const LONGEST: u64 = 3_600_000_000_000;

/// Durations of calls.
#[derive(Debug, Clone)]
pub(crate) struct Durations {
    histogram: Option<Histogram<u64>>,
    pub(crate) total_ns: u64,
}

impl Durations {
    pub(crate) fn new() -> Self {
        Self { histogram: Histogram::new_with_bounds(1, LONGEST, 2).ok(), total_ns: 0 }
    }

    pub(crate) fn add(&mut self, ns: u64) {
        self.total_ns = self.total_ns.saturating_add(ns);
        if let Some(histogram) = &mut self.histogram {
            histogram.saturating_record(ns.max(1));
        }
    }

    /// Returns a quantile, ns; 0 without a call.
    pub(crate) fn quantile(&self, quantile: f64) -> u64 {
        self.histogram.as_ref().filter(|all| !all.is_empty()).map_or(0, |all| all.value_at_quantile(quantile))
    }
}

/// Counts different lists of values, up to a limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct DifferentValues(HashSet<u64>);

impl DifferentValues {
    pub(crate) fn add(&mut self, values: &[RecordedValue]) {
        if values.is_empty() || self.0.len() >= MOST_VALUES {
            return;
        }
        let mut hasher = DefaultHasher::new();
        for value in values {
            std::mem::discriminant(value).hash(&mut hasher);
            match value {
                RecordedValue::Null => {}
                RecordedValue::Integer(number) => number.hash(&mut hasher),
                RecordedValue::Real(number) => number.to_bits().hash(&mut hasher),
                RecordedValue::Text(text) | RecordedValue::Literal(text) => text.hash(&mut hasher),
                RecordedValue::Bytes(bytes) | RecordedValue::Blob(bytes) => bytes.hash(&mut hasher),
                RecordedValue::ZeroBlob(bytes) => bytes.hash(&mut hasher),
                RecordedValue::Cut { bytes, hash, .. } => (bytes, hash).hash(&mut hasher),
            }
        }
        self.0.insert(hasher.finish());
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Stretches of time, to find the most that were at once.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl Intervals {
    /// Adds a stretch; the first 16 million count.
    pub(crate) fn add(&mut self, start: u64, end: u64) {
        if self.starts.len() < MOST_INTERVALS {
            self.starts.push(start);
            self.ends.push(end.max(start));
        }
    }

    /// Returns the most that were at once. A stretch that ends as another begins is not at once with it.
    pub(crate) fn most_at_once(mut self) -> usize {
        self.starts.sort_unstable();
        self.ends.sort_unstable();
        let (mut most, mut ended) = (0, 0);
        for (begun, start) in self.starts.iter().enumerate() {
            while self.ends.get(ended).is_some_and(|end| end <= start) && ended < begun {
                ended += 1;
            }
            most = most.max(begun + 1 - ended);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_touch_are_not_at_once() {
        let of = |all: &[(u64, u64)]| {
            let mut intervals = Intervals::default();
            all.iter().for_each(|(start, end)| intervals.add(*start, *end));
            intervals.most_at_once()
        };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[(0, 10), (10, 20)]), 1);
        assert_eq!(of(&[(0, 10), (9, 20), (9, 11), (30, 30)]), 3);
        assert_eq!(of(&[(5, 5), (5, 5)]), 1, "nothing of them is at once");
    }
}
