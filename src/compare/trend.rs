//! A configuration over its sessions: one figure a session, and the places at which it moved to another level.

use super::{load::Side, model::RatioRange};
use crate::{
    metric::{Better, Metric},
    stats::{RatioInterval, SessionSpread, change_points, median, session_ratio},
    store::{RunTests, SessionFacts},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use uuid::Uuid;

/// What was asked for over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// Version of the dbdyno that looked.
    pub dbdyno_version: String,
    /// The command that asked for it.
    pub command: String,
    pub selection: String,
    /// What is looked at; its values are in its unit.
    pub metric: Metric,
    /// A series for each configuration, place, size and test, in this order.
    pub series: Vec<TrendSeries>,
}

/// A test of a configuration at a size, session by session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendSeries {
    /// The configuration's label in its newest session.
    pub label: String,
    pub suite: String,
    /// Host and disk.
    pub place: String,
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The sessions, oldest first.
    pub points: Vec<TrendPoint>,
    pub changes: Vec<TrendChange>,
}

/// A session's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendPoint {
    pub session_id: Uuid,
    /// Start, UTC.
    pub started_at: String,
    /// Versions of the engine's library, with spaces between.
    pub engine_version: String,
    pub runs: usize,
    /// Median over its runs, in the metric's unit.
    pub median: f64,
}

/// A move to another level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendChange {
    /// Place of the first session at the new level, from 0.
    pub at: usize,
    /// Level after / level before.
    pub ratio: f64,
    /// Its 95 % interval: Student's, over sessions.
    pub interval: Option<RatioRange>,
    /// How often chance alone gives a split as good.
    pub p: f64,
    /// Whether the new level is the better one; none where neither direction is.
    pub better: Option<bool>,
}

/// What is the same for all sessions of a series: configuration as it was asked for, place, size, test. The version of an engine may move.
type SeriesKey<'s> = (&'s str, &'s str, &'s BTreeMap<String, String>, String, &'s str, u32, &'s str);

/// The runs of a session with their values.
type OfSession<'s> = BTreeMap<Uuid, Vec<(&'s RunTests, f64)>>;

/// Looks at a side over its sessions.
pub fn trend(side: &Side, command: &str) -> Trend {
    let sessions: BTreeMap<Uuid, &SessionFacts> =
        side.sessions.iter().map(|session| (session.session_id, session)).collect();
    let mut found: BTreeMap<SeriesKey<'_>, OfSession<'_>> = BTreeMap::new();
    // Twins are the same configuration once more.
    for run in side.runs.iter().filter(|run| run.twin_of.is_none()) {
        let Some(session) = sessions.get(&run.session_id) else { continue };
        for test in &run.tests {
            // What failed its verification is no figure.
            let Some(value) = test.value.filter(|_| test.agrees != Some(false)) else { continue };
            let configuration = &run.configuration;
            let key = (
                configuration.suite.as_str(),
                configuration.engine.as_str(),
                &*run.asked,
                session.place(),
                &*run.size,
                test.test,
                &*test.name,
            );
            found.entry(key).or_default().entry(run.session_id).or_default().push((run, value));
        }
    }
    let mut series: Vec<TrendSeries> =
        found.into_iter().map(|(key, of)| one(key, &of, &sessions, side.metric)).collect();
    series.sort_by(|one, next| {
        let key = |series: &TrendSeries| (series.suite.clone(), series.label.clone(), series.place.clone());
        key(one)
            .cmp(&key(next))
            .then_with(|| super::layout::by_size(&one.size, &next.size))
            .then_with(|| (one.test, &one.name).cmp(&(next.test, &next.name)))
    });
    Trend {
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        selection: side.selection.clone(),
        metric: side.metric,
        series,
    }
}

fn one(
    (suite, _, _, place, size, test, name): SeriesKey<'_>,
    of: &OfSession<'_>,
    sessions: &BTreeMap<Uuid, &SessionFacts>,
    metric: Metric,
) -> TrendSeries {
    let mut points: Vec<(TrendPoint, Arc<str>)> = of
        .iter()
        .filter_map(|(session_id, runs)| {
            let values: Vec<f64> = runs.iter().map(|(_, value)| *value).collect();
            let versions: BTreeSet<&str> = runs.iter().map(|(run, _)| run.configuration.version.as_str()).collect();
            let point = TrendPoint {
                session_id: *session_id,
                started_at: sessions.get(session_id)?.started_at.clone(),
                engine_version: versions.into_iter().collect::<Vec<_>>().join(" "),
                runs: values.len(),
                median: metric.median(&values).ok()?,
            };
            Some((point, Arc::clone(&runs.first()?.0.label)))
        })
        .collect();
    points.sort_by(|(one, _), (next, _)| (&one.started_at, &one.session_id).cmp(&(&next.started_at, &next.session_id)));
    let label = points.last().map_or_else(String::new, |(_, label)| label.to_string());
    let points: Vec<TrendPoint> = points.into_iter().map(|(point, _)| point).collect();
    let medians: Vec<f64> = points.iter().map(|point| point.median).collect();
    TrendSeries {
        label,
        suite: suite.to_owned(),
        place,
        size: size.to_owned(),
        test,
        name: name.to_owned(),
        changes: changes(&medians, metric),
        points,
    }
}

fn changes(medians: &[f64], metric: Metric) -> Vec<TrendChange> {
    /// The same series has the same changes.
    const SEED: u64 = 0;
    let positive = medians.iter().all(|median| *median > 0.0);
    // Figures move by factors; what may be 0 has no logarithm.
    let series: Vec<f64> = if positive { medians.iter().map(|median| median.ln()).collect() } else { medians.to_vec() };
    let found = change_points(&series, SEED).unwrap_or_default();
    let ends: Vec<usize> =
        std::iter::once(0).chain(found.iter().map(|change| change.at)).chain([medians.len()]).collect();
    let change = |(place, change): (usize, &crate::stats::ChangePoint)| {
        let (before, after) = (&medians[ends[place]..change.at], &medians[change.at..ends[place + 2]]);
        let tested = session_ratio(after, before, SessionSpread::of([after, before]));
        let levels = || Some(median(after).ok()? / median(before).ok()?);
        let interval = tested.ok().map(|(RatioInterval { ratio, low, high, confidence, .. }, _)| {
            (ratio, RatioRange { low, high, confidence })
        });
        let ratio = interval.map(|(ratio, _)| ratio).or_else(levels).unwrap_or(f64::NAN);
        let better = match metric.better() {
            Better::Less => Some(ratio < 1.0),
            Better::More => Some(ratio > 1.0),
            Better::Neither => None,
        };
        TrendChange { at: change.at, ratio, interval: interval.map(|(_, range)| range), p: change.p, better }
    };
    found.iter().enumerate().map(change).collect()
}
