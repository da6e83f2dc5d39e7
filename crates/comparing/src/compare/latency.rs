//! The pooled latencies of a figure's runs.

use super::{
    layout::SideSample,
    model::{Bucket, Latency},
};
use dbdyno_workload::histogram::empty;
use dbdyno_workload::histogram::supported_quantile;
use std::collections::BTreeMap;

/// Buckets per power of ten.
pub(super) const PER_DECADE: f64 = 20.0;

/// Returns all latencies of these runs; none if a sample is not one operation, or a histogram cannot be read.
pub(super) fn latency(samples: &[SideSample<'_>]) -> Option<Latency> {
    let mut all = empty();
    for SideSample { result, .. } in samples {
        all.add(result.histogram()?).ok()?;
    }
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    for counted in all.iter_recorded() {
        let ns = counted.value_iterated_to().max(1) as f64;
        let end = (ns.log10() * PER_DECADE).ceil() as u32;
        *buckets.entry(end).or_default() += counted.count_at_value();
    }
    let quantile = |q| supported_quantile(&all, q);
    (!all.is_empty()).then(|| Latency {
        operations: all.len(),
        p50_ns: quantile(0.5),
        p90_ns: quantile(0.9),
        p99_ns: quantile(0.99),
        p999_ns: quantile(0.999),
        buckets: buckets.into_iter().map(|(end, operations)| Bucket { end, operations }).collect(),
    })
}

impl Bucket {
    /// Returns the end of the bucket, ns.
    pub fn end_ns(&self) -> f64 {
        10_f64.powf(f64::from(self.end) / PER_DECADE)
    }
}
