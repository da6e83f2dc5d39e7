//! Metrics without chance in them: what one run of an input says, every run of it says.

use super::{layout::SideSample, pairs::Matched};
use dbdyno_foundation::metric::{Metric, Variability};
use std::collections::BTreeMap;

/// What decides such a value: suite, size and seed.
type Input<'s> = (&'s str, &'s str, u64);

/// The ratio of values that inputs alone decide: both sides had the same inputs, and at each of them the same ratio. Or nothing on both
/// sides, of any metric. None: chance has a part in the values, if only by which inputs were drawn.
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

/// The value at each input; none where runs of one input differ, or a seed is unknown.
fn by_input<'s>(samples: &[SideSample<'s>]) -> Option<BTreeMap<Input<'s>, f64>> {
    let mut values = BTreeMap::new();
    for sample in samples {
        let input = (sample.run.configuration.suite.as_str(), &*sample.run.size, sample.seed?);
        if *values.entry(input).or_insert(sample.value) != sample.value {
            return None;
        }
    }
    Some(values)
}
