//! The ratios of a comparison for programs that track benchmarks. Drift of a machine from day to day affects both sides of a ratio, so a
//! ratio shows a real change where a time shows only changing conditions.

use super::{
    TrackError, Tracker,
    bmf::{self, BmfMetric},
    figure::{key, numbered},
    github::{GithubEntry, range},
};
use crate::comparison::Wording;
use dbdyno_comparing::compare::{Comparison, JudgedRatio, Line};
use dbdyno_foundation::{base::units::plain, metric::Better};
use std::collections::BTreeMap;

/// The trackers that support the ratios of a comparison.
pub const RATIO_TRACKERS: &[Tracker] = &[Tracker::Bmf, Tracker::GithubActionBenchmark];

/// Returns the ratios A/B of the comparable tests.
///
/// # Errors
/// A tracker that supports no ratios, or a comparison without any.
pub fn ratios(comparison: &Comparison, tracker: Tracker) -> Result<String, TrackError> {
    if comparison.metric.better() == Better::Neither {
        return Err(TrackError::NoDirection { tracker, metric: comparison.metric });
    }
    let found = comparison.lines.iter().filter_map(|line| Some((line, line.found.as_ref()?)));
    let mut items = Vec::new();
    for (line, found) in found.filter(|(_, found)| found.ratio.is_finite()) {
        match tracker {
            Tracker::Bmf => items.extend(of_bencher(comparison, line, found)?),
            Tracker::GithubActionBenchmark => items.push(serde_json::to_string(&entry(comparison, line, found))?),
            _ => return Err(TrackError::NoComparison { tracker }),
        }
    }
    let items = match (tracker, items.is_empty()) {
        (_, true) => return Err(TrackError::Empty),
        (Tracker::Bmf, false) => format!("{{\n{}\n}}\n", items.join(",\n")),
        (_, false) => format!("[\n{}\n]\n", items.join(",\n")),
    };
    Ok(items)
}

/// `engine=head against engine=base/size=10000/02 Random reads`
fn name(comparison: &Comparison, line: &Line) -> String {
    let mut parts =
        vec![format!("{} against {}", comparison.a.selection, comparison.b.selection), format!("size={}", line.size)];
    parts.extend(line.part.iter().map(|(key, value)| format!("{key}={value}")));
    parts.push(numbered(line.test, &line.name));
    plain(&parts.join("/"))
}

fn bounds(found: &JudgedRatio) -> Option<(f64, f64)> {
    let interval = found.interval.filter(|interval| interval.low.is_finite() && interval.high.is_finite())?;
    Some((interval.low, interval.high))
}

fn of_bencher(comparison: &Comparison, line: &Line, found: &JudgedRatio) -> Result<Option<String>, TrackError> {
    let measure = format!("{}-ratio", key(comparison.metric));
    let measures = BTreeMap::from([(measure, BmfMetric::new(found.ratio, bounds(found)))]);
    bmf::item(&name(comparison, line), measures)
}

fn entry(comparison: &Comparison, line: &Line, found: &JudgedRatio) -> GithubEntry {
    let mut extra = vec![Wording::of(comparison).verdict(found)];
    extra.extend(found.interval.map(|interval| {
        format!("{:.1} % interval: {} to {}", interval.confidence * 100.0, interval.low, interval.high)
    }));
    extra.extend(found.p_adjusted.map(|p| format!("p adjusted: {p:.4}")));
    GithubEntry {
        name: format!("{}/{}", name(comparison, line), key(comparison.metric)),
        unit: "A/B",
        value: found.ratio,
        range: bounds(found).map(|bounds| range(found.ratio, bounds)),
        extra: extra.join("\n"),
    }
}
