//! Bencher Metric Format: `{"BENCHMARK": {"MEASURE": {"value": 1.0, "lower_value": 0.9, "upper_value": 1.1}}}`.
//!
//! It has no units: a measure that Bencher knows gets Bencher's name, and any other a name that contains its unit. See
//! bencher.dev/docs/reference/bencher-metric-format.

use super::{
    FileFrame, TrackError,
    figure::{Summary, benchmark, key},
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::TestFigures;
use serde::Serialize;
use serde_json::to_string;
use std::collections::BTreeMap;

pub(super) fn frame() -> FileFrame {
    FileFrame { begin: "{\n".to_owned(), between: ",\n", end: "\n}\n" }
}

#[derive(Debug, Serialize)]
pub(super) struct BmfMetric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl BmfMetric {
    pub(super) fn new(value: f64, bounds: Option<(f64, f64)>) -> Self {
        let (lower_value, upper_value) = bounds.unzip();
        Self { value, lower_value, upper_value }
    }
}

pub(super) fn items(test: &TestFigures, metrics: &[Metric]) -> Result<Option<String>, TrackError> {
    let measures = metrics.iter().filter_map(|metric| {
        let summary = Summary::of(test, *metric)?;
        let bounds = summary.interval.map(|interval| (interval.low, interval.high));
        Some((measure(*metric), BmfMetric::new(summary.median, bounds)))
    });
    item(&benchmark(test), measures.collect())
}

/// Returns a benchmark with its measures; none without any.
pub(super) fn item(name: &str, measures: BTreeMap<String, BmfMetric>) -> Result<Option<String>, TrackError> {
    if measures.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!("{}: {}", to_string(name)?, to_string(&measures)?)))
}

/// Returns the name of a measure. Bencher's own measures are in ns and operations per second.
fn measure(metric: Metric) -> String {
    match metric {
        Metric::Wall => "latency".to_owned(),
        Metric::Rate => "throughput".to_owned(),
        metric => key(metric),
    }
}
