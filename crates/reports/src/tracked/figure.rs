//! The data that every tracker gets: names that stay the same from session to session, units, medians with their intervals.

use dbdyno_foundation::{
    base::units::plain,
    metric::{Metric, Unit},
};
use dbdyno_stats::{Interval, median_interval};
use dbdyno_store::TestFigures;

/// Returns the measured configuration: `kv/size=10000/lmdb`. Names caches and memory only if they are not the usual ones.
pub(super) fn configuration(test: &TestFigures) -> String {
    let mut parts = vec![test.suite.clone(), format!("size={}", test.size), test.label.clone()];
    parts.extend((test.cache != "warm").then(|| format!("cache={}", test.cache)));
    parts.extend(test.memory_limit.map(|bytes| format!("memory={bytes}")));
    plain(&parts.join("/"))
}

/// `02 Random reads`
pub(super) fn test_name(test: &TestFigures) -> String {
    numbered(test.test, &test.name)
}

pub(super) fn numbered(test: u32, name: &str) -> String {
    plain(&format!("{test:02} {name}"))
}

/// `kv/size=10000/lmdb/02 Random reads`
pub(super) fn benchmark(test: &TestFigures) -> String {
    format!("{}/{}", configuration(test), test_name(test))
}

/// Returns a metric for use in names: `ns-per-op`, `p99-ns`. Times of a test are per operation, because the number of operations is a
/// choice.
pub(super) fn key(metric: Metric) -> String {
    match metric {
        Metric::Wall => "ns-per-op".to_owned(),
        Metric::Cpu => "cpu-ns-per-op".to_owned(),
        Metric::Rate => "ops-per-s".to_owned(),
        metric => metric.name().replace('_', "-"),
    }
}

pub(super) fn unit(metric: Metric) -> &'static str {
    match (metric, metric.unit()) {
        (Metric::Wall | Metric::Cpu, _) => "ns/op",
        (_, Unit::Time) => "ns",
        (_, Unit::Bytes) => "bytes",
        (_, Unit::Count) => "count",
        (_, Unit::Rate) => "ops/s",
        (_, Unit::Share) => "ppm",
    }
}

/// Returns the values of the runs that have one, in the unit that the tracker gets.
pub(super) fn values(test: &TestFigures, metric: Metric) -> Vec<f64> {
    let all = times(test, metric).iter().copied();
    if !matches!(metric, Metric::Wall | Metric::Cpu) {
        return all.flatten().collect();
    }
    let operations = test.values(Metric::Operations).iter().copied();
    all.zip(operations).filter_map(|(ns, operations)| Some(ns? / operations.filter(|count| *count > 0.0)?)).collect()
}

/// Returns the values unchanged; the time of a test that began cold includes opening.
pub(super) fn times(test: &TestFigures, metric: Metric) -> &[Option<f64>] {
    test.values(if metric == Metric::Wall && test.cache == "cold" { Metric::OpenAndTest } else { metric })
}

/// The figure of a benchmark in a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Summary {
    pub(super) median: f64,
    /// None with too few runs.
    pub(super) interval: Option<Interval>,
    pub(super) runs: usize,
}

impl Summary {
    /// Returns none if no run has a value.
    pub(super) fn of(test: &TestFigures, metric: Metric) -> Option<Self> {
        let values = values(test, metric);
        Some(Self { median: metric.median(&values).ok()?, interval: median_interval(&values).ok(), runs: values.len() })
    }
}
