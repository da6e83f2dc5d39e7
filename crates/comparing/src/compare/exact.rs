//! Metrics that are not subject to chance: every run with the same input has the same value.

use super::{layout::SideSample, pairs::Matched};
use dbdyno_foundation::metric::{Metric, Variability};
use std::collections::BTreeMap;

/// The input that decides such a value: suite, size and seed.
type ExactInput<'s> = (&'s str, &'s str, u64);

/// Returns the ratio of values that inputs alone decide: both sides had the same inputs, and the same ratio at each of them. If all values
/// of both sides are 0, the ratio is 1, for any metric. Returns none if the values are subject to chance, if only through the choice of
/// inputs.
pub(super) fn exact(matched: &Matched<'_>, metric: Metric) -> Option<f64> {
    if matched.a.iter().chain(&matched.b).all(|sample| sample.value == 0.0) {
        return Some(1.0);
    }
    if metric.variability() == Variability::Noisy {
        return None;
    }
    let (a, b) = (by_input(&matched.a)?, by_input(&matched.b)?);
    if a == b {
        return Some(1.0);
    }
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let mut ratios = a.values().zip(b.values()).map(|(a, b)| a / b);
    let first = ratios.next()?;
    ratios.all(|ratio| ratio == first).then_some(first)
}

/// Returns the value at each input; none if runs of one input differ, or a seed is unknown.
fn by_input<'s>(samples: &[SideSample<'s>]) -> Option<BTreeMap<ExactInput<'s>, f64>> {
    let mut values = BTreeMap::new();
    for sample in samples {
        let input = (sample.run.configuration.suite.as_str(), &*sample.run.size, sample.seed?);
        if *values.entry(input).or_insert(sample.value) != sample.value {
            return None;
        }
    }
    Some(values)
}
