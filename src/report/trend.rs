//! A configuration over its sessions, as text for people and programs.

use crate::{
    base::{
        csv::{self, Cells},
        grid::Grid,
        units::{counted, plain},
    },
    compare::{RatioRange, Trend, TrendChange, TrendDrift, TrendSeries},
    metric::Metric,
    report::{
        comparison::rendered,
        format::{Format, WriteError},
    },
};
use console::Alignment;
use serde::Serialize;

/// How a trend can be written: Csv with a row a session.
pub const FORMATS: &[Format] = &[Format::Table, Format::Csv, Format::Json, Format::Html];

const TEMPLATE: &str = include_str!("../../assets/trend.html");

/// The trend. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written.
pub fn text(trend: &Trend, format: Format, cells: Cells) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => table(trend),
        Format::Csv => csv(trend, cells),
        Format::Json => serde_json::to_string_pretty(trend)? + "\n",
        Format::Html => html(trend)?,
        _ => return Err(WriteError::Unsupported { asked: format, supported: FORMATS }),
    })
}

/// What is the same for neighbouring series: configuration, place and size.
pub(crate) fn heading(series: &TrendSeries) -> String {
    let TrendSeries { label, split_by, suite, place, size, .. } = series;
    let split = if split_by.is_empty() { String::new() } else { format!(" with {}", split_by.join(", ")) };
    format!("{label}{split} · {suite} · size {size} · {place}")
}

fn groups(trend: &Trend) -> impl Iterator<Item = &[TrendSeries]> {
    trend.series.chunk_by(|one, next| heading(one) == heading(next))
}

fn table(trend: &Trend) -> String {
    let mut text = match trend.series.is_empty() {
        true => format!("no test has a value of {}\n", trend.metric.title()),
        false => String::new(),
    };
    for series in groups(trend) {
        let mut grid =
            Grid::new([Alignment::Left, Alignment::Right, Alignment::Left, Alignment::Right, Alignment::Left]);
        for one in series {
            let (first, last) = ends(one, trend.metric);
            let line = sparkline(one, LINE);
            grid.row([plain(&format!("{} {}", one.test, one.name)), first, line, last, found_words(one)]);
            for line in moves_words(one, trend.metric) {
                grid.title(format!("    {}", plain(&line)));
            }
        }
        let sessions = series.iter().map(|one| one.points.len()).max().unwrap_or(0);
        text.push_str(&format!(
            "{} · {}\n{}\n",
            plain(&heading(&series[0])),
            counted(sessions, "session"),
            grid.render()
        ));
    }
    text.push_str(&format!("{}\n{}\n{}\n", plain(&legend(trend.metric)), METHOD, plain(&trend.command)));
    text
}

/// Whether the level changed, in a word or two.
pub(crate) fn found_words(series: &TrendSeries) -> String {
    match (series.changes.len(), series.drift, series.too_few) {
        (0, None, Some(_)) => format!("{}: too few", counted(series.points.len(), "session")),
        (0, None, None) => "no change".to_owned(),
        (0, Some(_), _) => "drifting".to_owned(),
        (some, ..) => counted(some, "change"),
    }
}

/// How changes are found.
pub(crate) const METHOD: &str = "a change: energy distance of the sessions before and after, p <= 0.01 of 999 random orders (Matteson and James 2014), \
     and a step explains the sessions better than a line does, or neighbours that resemble each other; drifting: they move, and not in \
     steps; intervals are of 95 %, for sessions whose neighbours correlate";

fn legend(metric: Metric) -> String {
    format!("{} of each session (median of its runs), from the first to the last", name(metric))
}

pub(crate) fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Wall => "time",
        metric => metric.title(),
    }
}

/// The figures of the first and the last session.
pub(crate) fn ends(series: &TrendSeries, metric: Metric) -> (String, String) {
    let shown = |median: Option<f64>| median.map_or("-".to_owned(), |median| metric.shown(median));
    (shown(series.points.first().map(|point| point.median)), shown(series.points.last().map(|point| point.median)))
}

/// The changes or the drift of a series, a line each.
pub(crate) fn moves_words(series: &TrendSeries, metric: Metric) -> Vec<String> {
    let changes = series.changes.iter().map(|change| change_words(series, change, metric));
    changes.chain(series.drift.iter().map(|drift| drift_words(series, drift, metric))).collect()
}

/// `drifting from 1.01 ms to 1.06 ms: time +5.1 % [+2.4 %, +7.8 %], worse; neighbouring sessions correlate by 0.4`.
fn drift_words(series: &TrendSeries, drift: &TrendDrift, metric: Metric) -> String {
    let interval = interval_words(drift.interval);
    let change = drift.ratio.map_or_else(String::new, |ratio| format!(" {}{interval}", percent(ratio)));
    let shown = drift.interval.is_some_and(|range| range.low > 1.0 || range.high < 1.0);
    let direction = if shown { direction(drift.better) } else { ", no direction shown" };
    format!(
        "drifting from {} to {}: {}{change}{direction}; neighbouring sessions correlate by {:.1}",
        metric.shown(drift.from),
        metric.shown(drift.to),
        name(metric),
        series.correlation.unwrap_or(0.0)
    )
}

fn interval_words(interval: Option<RatioRange>) -> String {
    interval.map_or_else(String::new, |range| format!(" [{}, {}]", percent(range.low), percent(range.high)))
}

fn direction(better: Option<bool>) -> &'static str {
    match better {
        Some(true) => ", better",
        Some(false) => ", worse",
        None => "",
    }
}

/// `2026-10-15T09:30:00Z, session 01a20196-f49e: time +5.1 % [+4.4 %, +5.8 %], p 0.001; 0.9.70 before, 0.9.71 since`.
fn change_words(series: &TrendSeries, change: &TrendChange, metric: Metric) -> String {
    let Some(since) = series.points.get(change.at) else { return String::new() };
    let before = change.at.checked_sub(1).and_then(|at| series.points.get(at));
    let id: String = since.session_id.to_string().chars().take(13).collect();
    let versions =
        before.filter(|before| before.engine_version != since.engine_version).map_or_else(String::new, |before| {
            format!("; version {} before, {} since", before.engine_version, since.engine_version)
        });
    format!(
        "{}, session {id}: {} {}{}{}, p {:.3}{versions}",
        since.started_at,
        name(metric),
        percent(change.ratio),
        interval_words(change.interval),
        direction(change.better),
        change.p
    )
}

/// `+5.1 %`, of a ratio.
fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// Columns of the figures of a series, at most.
const LINE: usize = 40;

/// The figures as a line of at most so many columns and one for each change, from the least to the greatest; a bar where the level
/// changes.
pub(crate) fn sparkline(series: &TrendSeries, most_columns: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let medians: Vec<f64> = series.points.iter().map(|point| point.median).collect();
    let each = medians.len().div_ceil(most_columns.max(1)).max(1);
    let least = medians.iter().copied().fold(f64::INFINITY, f64::min);
    let most = medians.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: f64| {
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        BARS[((share * 7.0).round() as usize).min(7)]
    };
    let mut line = String::new();
    for (place, chunk) in medians.chunks(each).enumerate() {
        let range = place * each..place * each + chunk.len();
        if series.changes.iter().any(|change| range.contains(&change.at)) {
            line.push('|');
        }
        line.push(bar(chunk.iter().sum::<f64>() / chunk.len() as f64));
    }
    line
}

const COLUMNS: [&str; 23] = [
    "label",
    "suite",
    "place",
    "size",
    "test",
    "test_name",
    "metric",
    "session_id",
    "started_at",
    "engine_version",
    "runs",
    "median",
    "change",
    "change_low",
    "change_high",
    "p",
    "drift",
    "drift_low",
    "drift_high",
    "correlation",
    "split_by",
    "selection",
    "command",
];

fn csv(trend: &Trend, cells: Cells) -> String {
    let mut out = csv::line(COLUMNS, cells);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for series in &trend.series {
        let drift = series.drift.and_then(|drift| drift.interval);
        for (at, point) in series.points.iter().enumerate() {
            let change = series.changes.iter().find(|change| change.at == at);
            let interval = change.and_then(|change| change.interval);
            let row = [
                series.label.clone(),
                series.suite.clone(),
                series.place.clone(),
                series.size.clone(),
                series.test.to_string(),
                series.name.clone(),
                trend.metric.name().to_owned(),
                point.session_id.to_string(),
                point.started_at.clone(),
                point.engine_version.clone(),
                point.runs.to_string(),
                point.median.to_string(),
                number(change.map(|change| change.ratio)),
                number(interval.map(|range| range.low)),
                number(interval.map(|range| range.high)),
                number(change.map(|change| change.p)),
                number(series.drift.and_then(|drift| drift.ratio)),
                number(drift.map(|range| range.low)),
                number(drift.map(|range| range.high)),
                number(series.correlation),
                series.split_by.join(" "),
                trend.selection.clone(),
                trend.command.clone(),
            ];
            out.push_str(&csv::line(row.iter().map(String::as_str), cells));
        }
    }
    out
}

#[derive(Debug, Serialize)]
struct TrendPage {
    dbdyno_version: String,
    selection: String,
    command: String,
    legend: String,
    method: &'static str,
    groups: Vec<TrendGroup>,
}

#[derive(Debug, Serialize)]
struct TrendGroup {
    heading: String,
    panels: Vec<TrendPanel>,
}

/// One series as a drawing of 100 by 30.
#[derive(Debug, Serialize)]
struct TrendPanel {
    name: String,
    first: String,
    last: String,
    /// Points with what they say.
    points: Vec<(f64, f64, String)>,
    /// Where the level changes.
    steps: Vec<f64>,
    /// Where the line of a drift begins and ends, from the top.
    drift: Option<(f64, f64)>,
    /// The changes or the drift in words.
    moves: Vec<String>,
}

fn html(trend: &Trend) -> Result<String, minijinja::Error> {
    let page = TrendPage {
        dbdyno_version: trend.dbdyno_version.clone(),
        selection: trend.selection.clone(),
        command: trend.command.clone(),
        legend: legend(trend.metric),
        method: METHOD,
        groups: groups(trend)
            .map(|series| TrendGroup {
                heading: heading(&series[0]),
                panels: series.iter().map(|one| panel(one, trend.metric)).collect(),
            })
            .collect(),
    };
    rendered("trend.html", TEMPLATE, page)
}

fn panel(series: &TrendSeries, metric: Metric) -> TrendPanel {
    let (width, height) = (100.0, 30.0);
    let medians = || series.points.iter().map(|point| point.median);
    let (least, most) = (medians().fold(f64::INFINITY, f64::min), medians().fold(f64::NEG_INFINITY, f64::max));
    let between = (series.points.len().max(2) - 1) as f64;
    let x = |at: f64| (at / between * (width - 4.0) + 2.0) * 10.0;
    let y = |value: f64| {
        let share = if most > least { (value - least) / (most - least) } else { 0.5 };
        (height - 3.0 - share * (height - 6.0)) * 10.0
    };
    let (first, last) = ends(series, metric);
    let tip = |point: &crate::compare::TrendPoint| {
        let (started_at, version) = (&point.started_at, &point.engine_version);
        format!("{started_at}: {} of {} ({version})", metric.shown(point.median), counted(point.runs, "run"))
    };
    TrendPanel {
        name: format!("{} {}", series.test, series.name),
        first,
        last,
        points: series
            .points
            .iter()
            .enumerate()
            .map(|(at, point)| (x(at as f64), y(point.median), tip(point)))
            .collect(),
        steps: series.changes.iter().map(|change| x(change.at as f64 - 0.5)).collect(),
        drift: series.drift.map(|drift| (y(drift.from), y(drift.to))),
        moves: moves_words(series, metric),
    }
}
