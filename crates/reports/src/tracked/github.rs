//! The JSON of github-action-benchmark's tools `customSmallerIsBetter` and `customBiggerIsBetter`: an array of names, units and values.
//!
//! `range` is `± N`, the only form in which the action recognises a number. See github.com/benchmark-action/github-action-benchmark.

use super::{
    TrackError,
    figure::{Summary, benchmark, key, unit},
};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_store::{SessionOrigin, TestFigures};
use serde::Serialize;

/// Returns the tool name that the workflow must use.
pub(super) fn tool(better: Better) -> &'static str {
    match better {
        Better::More => "customBiggerIsBetter",
        Better::Less | Better::Neither => "customSmallerIsBetter",
    }
}

#[derive(Debug, Serialize)]
pub(super) struct GithubEntry {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<String>,
    /// The text lines that the chart shows for a point.
    pub(super) extra: String,
}

/// Returns the interval in the action's form: a half-width so large that it covers the whole interval.
pub(super) fn range(value: f64, (low, high): (f64, f64)) -> String {
    format!("± {}", (value - low).max(high - value))
}

pub(super) fn items(origin: &SessionOrigin, test: &TestFigures, metrics: &[Metric]) -> Result<Vec<String>, TrackError> {
    let entries = metrics.iter().filter_map(|metric| Some((*metric, Summary::of(test, *metric)?)));
    let entries = entries.map(|(metric, summary)| entry(origin, test, metric, summary));
    Ok(entries.map(|entry| serde_json::to_string(&entry)).collect::<Result<_, _>>()?)
}

fn entry(origin: &SessionOrigin, test: &TestFigures, metric: Metric, summary: Summary) -> GithubEntry {
    let Summary { median, interval, runs } = summary;
    let unit = unit(metric);
    let mut extra = vec![format!("median of runs: {runs}")];
    extra.extend(interval.map(|interval| {
        let (low, high, confidence) = (interval.low, interval.high, interval.confidence * 100.0);
        format!("{confidence:.1} % interval: {low} to {high} {unit}")
    }));
    extra.push(format!("engine: {} {}", test.engine, test.engine_version));
    extra.push(format!("host: {}", origin.host));
    extra.push(format!("session: {}", origin.session_id));
    GithubEntry {
        name: format!("{}/{}", benchmark(test), key(metric)),
        unit,
        value: median,
        range: interval.map(|interval| range(median, (interval.low, interval.high))),
        extra: extra.join("\n"),
    }
}
