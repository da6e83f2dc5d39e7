//! A configuration over its sessions: one figure per session, and whether it moved to another level, or drifts.

use super::{
    load::{Side, metric_named},
    model::RatioRange,
};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_stats::{CONFIDENCE, LevelStep, Movement, MovementKind, NoAnswer, StraightLine, median, movement};
use dbdyno_store::{RunTests, SessionFacts};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use uuid::Uuid;

/// The requested series over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// Version of the dbdyno that created the trend.
    pub dbdyno_version: String,
    /// The command that requested it.
    pub command: String,
    pub selection: String,
    /// The metric of the series; values are in its unit.
    pub metric: Metric,
    /// A series for each configuration, place, size and test, in this order.
    pub series: Vec<TrendSeries>,
}

/// A test of a configuration at a size, session by session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendSeries {
    /// The configuration's label in its newest session.
    pub label: String,
    /// Options that distinguish it from other series of its engine and suite, unless its label contains them: `cache_size=-2000`.
    pub split_by: Vec<String>,
    pub suite: String,
    /// Host and disk.
    pub place: String,
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The sessions, oldest first.
    pub points: Vec<TrendPoint>,
    /// The moves to another level.
    pub changes: Vec<TrendChange>,
    /// The drift, if the series moves without steps; it then has no changes.
    pub drift: Option<TrendDrift>,
    /// The correlation of neighbouring sessions, beyond changes and drift: 0 for none, up to nearly 1. None: too few sessions.
    pub correlation: Option<f64>,
    /// The number of sessions needed to see a change, if there are fewer.
    pub too_few: Option<usize>,
}

/// A session's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendPoint {
    pub session_id: Uuid,
    /// Start, UTC.
    pub started_at: String,
    /// Versions of the engine's library, separated by spaces.
    pub engine_version: String,
    pub runs: usize,
    /// Median over its runs, in the metric's unit.
    pub median: f64,
}

/// A move to another level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendChange {
    /// The index of the first session at the new level, from 0.
    pub at: usize,
    /// Level after / level before.
    pub ratio: f64,
    /// Its 95 % interval, which allows for correlated neighbouring sessions.
    pub interval: Option<RatioRange>,
    /// The probability that a random order of the sessions has a split as good.
    pub p: f64,
    /// Whether the new level is better; none if the metric has no better direction.
    pub better: Option<bool>,
}

/// A movement without steps: the straight line through all sessions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrendDrift {
    /// The line at the first session, in the metric's unit.
    pub from: f64,
    /// The line at the last session.
    pub to: f64,
    /// `to` / `from`; none if one of them is not above 0.
    pub ratio: Option<f64>,
    /// Its 95 % interval, which allows for correlated neighbouring sessions. An interval that contains 1 shows no direction.
    pub interval: Option<RatioRange>,
    /// Whether it leads to better figures; none if it shows no direction, or the metric has no better direction.
    pub better: Option<bool>,
}

/// The properties that all sessions of a series share: requested configuration, place, size, test. The version of an engine may change.
type SeriesKey<'s> = (&'s str, &'s str, &'s BTreeMap<String, String>, String, &'s str, u32, &'s str);

/// The runs of a session with their values.
type RunsBySession<'s> = BTreeMap<Uuid, Vec<(&'s RunTests, f64)>>;

/// Builds the trend of a side over its sessions.
pub fn trend(side: &Side, command: &str) -> Trend {
    let sessions: BTreeMap<Uuid, &SessionFacts> =
        side.sessions.iter().map(|session| (session.session_id, session)).collect();
    let mut found: BTreeMap<SeriesKey<'_>, RunsBySession<'_>> = BTreeMap::new();
    // Twins repeat the same configuration.
    for run in side.runs.iter().filter(|run| run.twin_of.is_none()) {
        let Some(session) = sessions.get(&run.session_id) else { continue };
        for test in &run.tests {
            // A result that failed its verification is not a figure.
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
    let asked: BTreeSet<_> = found.keys().map(|(suite, engine, asked, ..)| (*suite, *engine, *asked)).collect();
    let with_split = |(key, of): (SeriesKey<'_>, RunsBySession<'_>)| {
        let (suite, engine, own, ..) = key;
        let alike = asked.iter().filter(|(of_suite, of_engine, _)| (*of_suite, *of_engine) == (suite, engine));
        let others: Vec<&BTreeMap<String, String>> = alike.map(|(.., asked)| *asked).collect();
        let series = one(key, &of, &sessions, side.metric);
        TrendSeries { split_by: split_by(own, &others, &series.label), ..series }
    };
    let mut series: Vec<TrendSeries> = found.into_iter().map(with_split).collect();
    series.sort_by(|one, next| {
        let key = |series: &TrendSeries| {
            (series.suite.clone(), series.label.clone(), series.split_by.clone(), series.place.clone())
        };
        key(one)
            .cmp(&key(next))
            .then_with(|| super::layout::by_size(&one.size, &next.size))
            .then_with(|| (one.test, &one.name).cmp(&(next.test, &next.name)))
    });
    Trend {
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        selection: side.selection.clone(),
        metric: metric_named(&[side]),
        series,
    }
}

/// Returns the options in which a configuration differs from others, with its values, except options in its label.
fn split_by(own: &BTreeMap<String, String>, others: &[&BTreeMap<String, String>], label: &str) -> Vec<String> {
    let names: BTreeSet<&String> = others.iter().flat_map(|other| other.keys()).collect();
    let differs = |name: &&String| others.iter().any(|other| other.get(*name) != own.get(*name));
    let said = |name: &String| format!("{name}={}", own.get(name).map_or("none", String::as_str));
    names.into_iter().filter(differs).map(said).filter(|said| !label.contains(said.as_str())).collect()
}

fn one(
    (suite, _, _, place, size, test, name): SeriesKey<'_>,
    of: &RunsBySession<'_>,
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
    let Moves { changes, drift, correlation, too_few } = moves(&medians, metric);
    TrendSeries {
        label,
        split_by: Vec::new(),
        suite: suite.to_owned(),
        place,
        size: size.to_owned(),
        test,
        name: name.to_owned(),
        changes,
        drift,
        correlation,
        too_few,
        points,
    }
}

/// The movement of a series.
#[derive(Default)]
struct Moves {
    changes: Vec<TrendChange>,
    drift: Option<TrendDrift>,
    correlation: Option<f64>,
    too_few: Option<usize>,
}

fn moves(medians: &[f64], metric: Metric) -> Moves {
    /// A fixed seed, so that the same series has the same changes.
    const SEED: u64 = 0;
    // Figures change by factors, but a figure that may be 0 has no logarithm.
    let factors = medians.iter().all(|median| *median > 0.0);
    let series: Vec<f64> = if factors { medians.iter().map(|median| median.ln()).collect() } else { medians.to_vec() };
    let Movement { kind, correlation } = match movement(&series, SEED) {
        Ok(found) => found,
        Err(NoAnswer::TooFew { need, .. }) => return Moves { too_few: Some(need), ..Moves::default() },
        Err(_) => return Moves::default(),
    };
    let moves = Moves { correlation: Some(correlation), ..Moves::default() };
    match kind {
        MovementKind::Still => moves,
        MovementKind::Steps(steps) => {
            let ends: Vec<usize> = steps.iter().map(|step| step.at).chain([medians.len()]).collect();
            let begins = std::iter::once(0).chain(ends.iter().copied());
            let levels = begins.zip(&ends).map(|(begin, end)| median(&medians[begin..*end]).unwrap_or(f64::NAN));
            let levels: Vec<f64> = levels.collect();
            let change = |(step, levels): (&LevelStep, &[f64])| {
                let interval = factors.then(|| range(step.low, step.high));
                let ratio = if factors { step.shift.exp() } else { levels[1] / levels[0] };
                TrendChange { at: step.at, ratio, interval, p: step.p, better: is_better(ratio, metric) }
            };
            Moves { changes: steps.iter().zip(levels.windows(2)).map(change).collect(), ..moves }
        }
        MovementKind::Drift(StraightLine { from, shift, low, high }) => {
            let figure = |place: f64| if factors { place.exp() } else { place };
            let (from, to) = (figure(from), figure(from + shift));
            let drift = TrendDrift {
                from,
                to,
                ratio: (from > 0.0 && to > 0.0).then(|| to / from),
                interval: factors.then(|| range(low, high)),
                better: Some(shift.exp())
                    .filter(|_| low > 0.0 || high < 0.0)
                    .and_then(|ratio| is_better(ratio, metric)),
            };
            Moves { drift: Some(drift), ..moves }
        }
    }
}

/// Returns the range of a ratio from the range of its logarithm.
fn range(low: f64, high: f64) -> RatioRange {
    RatioRange { low: low.exp(), high: high.exp(), confidence: CONFIDENCE }
}

/// Whether a figure becomes better if it is multiplied by `ratio`.
fn is_better(ratio: f64, metric: Metric) -> Option<bool> {
    match metric.better() {
        Better::Less => Some(ratio < 1.0),
        Better::More => Some(ratio > 1.0),
        Better::Neither => None,
    }
}
