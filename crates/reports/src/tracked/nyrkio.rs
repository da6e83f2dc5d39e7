//! Nyrkiö's JSON: an array with one point of a series per session. See nyrkio.com/openapi.
//!
//! Commit, branch and repository come from the runs' keys `git_commit`, `branch` and `git_repo`, because Nyrkiö accepts no point without
//! them.

use super::{
    TrackError,
    figure::{Summary, benchmark, key, unit},
};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_store::{SessionFigures, SessionOrigin};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
struct Point<'p> {
    /// Seconds since 1970.
    timestamp: i64,
    metrics: Vec<NyrkioMetric>,
    attributes: Attributes<'p>,
    extra_info: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct NyrkioMetric {
    name: String,
    unit: &'static str,
    value: f64,
    direction: &'static str,
}

#[derive(Debug, Serialize)]
struct Attributes<'a> {
    git_commit: &'a str,
    branch: &'a str,
    git_repo: &'a str,
}

pub(super) fn item(session: &SessionFigures, metrics: &[Metric]) -> Result<Option<String>, TrackError> {
    let of_test = session.tests.iter().flat_map(|test| metrics.iter().map(move |metric| (test, *metric)));
    let metrics = of_test.filter_map(|(test, metric)| {
        let summary = Summary::of(test, metric)?;
        let direction = match metric.better() {
            Better::More => "higher_is_better",
            Better::Less | Better::Neither => "lower_is_better",
        };
        let name = format!("{}/{}", benchmark(test), key(metric));
        Some(NyrkioMetric { name, unit: unit(metric), value: summary.median, direction })
    });
    let metrics: Vec<NyrkioMetric> = metrics.collect();
    if metrics.is_empty() {
        return Ok(None);
    }
    let origin = &session.origin;
    let started = origin.started_us.ok_or(TrackError::NoTime { session: origin.session_id })?;
    let mut extra_info = BTreeMap::from([("session", origin.session_id.to_string()), ("host", origin.host.clone())]);
    extra_info.extend(origin.dbdyno_version.clone().map(|version| ("dbdyno_version", version)));
    let point =
        Point { timestamp: started.div_euclid(1_000_000), metrics, attributes: attributes(origin)?, extra_info };
    Ok(Some(serde_json::to_string(&point)?))
}

fn attributes(origin: &SessionOrigin) -> Result<Attributes<'_>, TrackError> {
    Ok(Attributes {
        git_commit: told(origin, origin.git_commit.as_deref(), "git_commit")?,
        branch: told(origin, origin.branch.as_deref(), "branch")?,
        git_repo: told(origin, origin.git_repo.as_deref(), "git_repo")?,
    })
}

fn told<'o>(origin: &SessionOrigin, value: Option<&'o str>, key: &'static str) -> Result<&'o str, TrackError> {
    value.ok_or(TrackError::Untold { session: origin.session_id, key })
}
