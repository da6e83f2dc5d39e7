//! Results for Conbench's API, one line of JSON each, for `benchconnect augment result` and `post result`.
//!
//! `benchconnect` adds the fields that only the place of the commit knows (`github`, `run_reason`), and `machine_info`, for which Conbench
//! requires more than is recorded; the host is in `info`. See github.com/conbench/conbench.

use super::{
    FileFrame, TrackError,
    figure::{key, test_name, values},
};
use dbdyno_foundation::metric::{Metric, Unit};
use dbdyno_store::{SessionOrigin, TestFigures};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// Returns one of the few units that Conbench knows; each has its direction.
pub(super) fn unit(metric: Metric) -> Option<&'static str> {
    match metric.unit() {
        Unit::Time => Some("ns"),
        Unit::Bytes => Some("B"),
        Unit::Rate => Some("i/s"),
        Unit::Count | Unit::Share => None,
    }
}

pub(super) fn frame() -> FileFrame {
    FileFrame { begin: String::new(), between: "\n", end: "\n" }
}

#[derive(Debug, Serialize)]
struct ConbenchResult {
    run_id: String,
    batch_id: String,
    timestamp: String,
    stats: Stats,
    /// The values that distinguish cases.
    tags: BTreeMap<&'static str, String>,
    /// The values that must stay the same within a history.
    context: BTreeMap<&'static str, &'static str>,
    /// The values that may change within a history.
    info: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct Stats {
    /// One value per run, in the order of the runs.
    data: Vec<f64>,
    unit: &'static str,
    /// Operations per run, if all runs have the same number.
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u64>,
}

pub(super) fn items(origin: &SessionOrigin, test: &TestFigures, metrics: &[Metric]) -> Result<Vec<String>, TrackError> {
    let mut items = Vec::new();
    for metric in metrics {
        let (data, Some(unit)) = (values(test, *metric), unit(*metric)) else { continue };
        if !data.is_empty() {
            items.push(serde_json::to_string(&result(origin, test, *metric, (data, unit))?)?);
        }
    }
    Ok(items)
}

fn result(
    origin: &SessionOrigin,
    test: &TestFigures,
    metric: Metric,
    (data, unit): (Vec<f64>, &'static str),
) -> Result<ConbenchResult, TrackError> {
    let session = origin.session_id;
    let started = origin.started_us.and_then(|us| Timestamp::from_microsecond(us).ok());
    let timestamp = started.ok_or(TrackError::NoTime { session })?.to_string();
    let mut tags = BTreeMap::from([
        ("name", test_name(test)),
        ("suite", test.suite.clone()),
        ("size", test.size.clone()),
        ("configuration", test.label.clone()),
        ("cache", test.cache.clone()),
        ("metric", key(metric)),
    ]);
    tags.extend(test.memory_limit.map(|bytes| ("memory_limit_bytes", bytes.to_string())));
    let known = [
        ("engine_version", Some(&test.engine_version)),
        ("dbdyno_version", origin.dbdyno_version.as_ref()),
        ("host", Some(&origin.host)),
        ("cpu", origin.cpu.as_ref()),
        ("disk", origin.disk.as_ref()),
        ("file_system", origin.file_system.as_ref()),
        ("kernel", origin.kernel.as_ref()),
    ];
    let mut info: BTreeMap<&str, String> =
        known.into_iter().filter_map(|(name, value)| Some((name, value?.clone()))).collect();
    info.extend(test.tier.map(|tier| ("durability_tier", tier.to_string())));
    Ok(ConbenchResult {
        run_id: session.to_string(),
        batch_id: session.to_string(),
        timestamp,
        stats: Stats { data, unit, iterations: iterations(test) },
        tags,
        context: BTreeMap::from([("harness", "dbdyno")]),
        info,
    })
}

fn iterations(test: &TestFigures) -> Option<u64> {
    let operations = test.values(Metric::Operations);
    let first = (*operations.first()?)?;
    operations.iter().all(|count| *count == Some(first)).then_some(first as u64)
}
