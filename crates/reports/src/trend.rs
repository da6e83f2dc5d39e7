//! A configuration over its sessions as a sheet, and the words that the screens share with it.

use super::sheet::{
    Cell, Chart, ChartAxis, ChartKind, ChartMark, ChartSeries, Column, ColumnRole, Row, Scale, Section, SeriesStyle,
    Sheet, Table,
};
use dbdyno_comparing::compare::{RatioRange, Trend, TrendChange, TrendDrift, TrendPoint, TrendSeries};
use dbdyno_foundation::{base::units::counted, metric::Metric};

/// Builds a trend as a sheet: a section for neighbouring series with the same heading, with a chart of each; a record for each session.
pub fn sheet(trend: &Trend) -> Sheet {
    let nothing = trend.series.is_empty().then(|| format!("no test has a value of {}", trend.metric.title()));
    let nothing = nothing.map(|sentence| Section::lines(vec![sentence]));
    let close = vec![legend(trend.metric), METHOD.to_owned(), trend.command.clone()];
    let groups = trend.series.chunk_by(|one, next| heading(one) == heading(next));
    let groups = groups.map(|series| section(series, trend.metric));
    Sheet {
        title: format!("{} over time", trend.selection),
        sections: nothing.into_iter().chain(groups).chain([Section::lines(close)]).collect(),
        records: Some(records(trend)),
        command: trend.command.clone(),
    }
}

/// Returns the heading for neighbouring series: configuration, place and size.
pub fn heading(series: &TrendSeries) -> String {
    let TrendSeries { label, split_by, suite, place, size, .. } = series;
    let split = if split_by.is_empty() { String::new() } else { format!(" with {}", split_by.join(", ")) };
    format!("{label}{split} · {suite} · size {size} · {place}")
}

fn section(series: &[TrendSeries], metric: Metric) -> Section {
    let columns = vec![
        Column::new("test", "test", ColumnRole::Name),
        Column::new("first", "first", ColumnRole::Figure),
        Column::new("line", "", ColumnRole::Sparkline),
        Column::new("last", "last", ColumnRole::Figure),
        Column::new("found", "found", ColumnRole::Verdict),
    ];
    let row = |one: &TrendSeries| {
        let (first, last) = ends(one, metric);
        let name = format!("{} {}", one.test, one.name);
        let cells = [name, first, sparkline(one, LINE), last, found_words(one)].map(Cell::new).to_vec();
        let moves = moves_words(one, metric).into_iter().map(Row::Detail);
        [Row::Cells(cells)].into_iter().chain(moves).collect::<Vec<_>>()
    };
    let sessions = series.iter().map(|one| one.points.len()).max().unwrap_or(0);
    Section {
        heading: Some(format!("{} · {}", heading(&series[0]), counted(sessions, "session"))),
        table: Some(Table { columns, rows: series.iter().flat_map(row).collect(), ..Table::default() }),
        charts: series.iter().map(|one| chart(one, metric)).collect(),
        ..Section::default()
    }
}

fn chart(series: &TrendSeries, metric: Metric) -> Chart {
    let (first, last) = ends(series, metric);
    let name = format!("{} {}", series.test, series.name);
    let mark = |(at, point): (usize, &TrendPoint)| {
        let (started_at, version) = (&point.started_at, &point.engine_version);
        let about =
            format!("{started_at}: {} of {} ({version})", metric.shown(point.median), counted(point.runs, "run"));
        ChartMark { x: at as f64, y: point.median, range: None, about }
    };
    let fitted = series.drift.iter().flat_map(|drift| [drift.from, drift.to]);
    let up = Scale::over(series.points.iter().map(|point| point.median).chain(fitted), metric);
    let (below, above) = (up.value_at(0.0), up.value_at(1.0));
    let end = series.points.len() as f64 - 0.5;
    let break_of = |change: &TrendChange| {
        let at = change.at as f64 - 0.5;
        ChartSeries::line(SeriesStyle::Break, vec![(at, below), (at, above)])
    };
    let fit =
        series.drift.map(|drift| ChartSeries::line(SeriesStyle::Fit, vec![(0.0, drift.from), (end - 0.5, drift.to)]));
    let points = ChartSeries::joined(SeriesStyle::Plain, series.points.iter().enumerate().map(mark).collect());
    let said = format!("{first} at first, {last} at last");
    let day = |at: usize| series.points.get(at).map(|point| (at as f64, point.started_at.chars().take(10).collect()));
    let days = [day(0), day(series.points.len().saturating_sub(1))].into_iter().flatten();
    Chart {
        kind: ChartKind::Trend,
        about: format!("{name}: {said}"),
        name,
        across: ChartAxis::spaced(Scale::straight(-0.5, end), days, DAY),
        up: ChartAxis::labelled(up, |value| metric.shown(value)),
        series: series.changes.iter().map(break_of).chain(fit).chain([points]).collect(),
        notes: [said].into_iter().chain(moves_words(series, metric)).collect(),
    }
}

/// The share of an axis that a date label below it needs.
const DAY: f64 = 0.25;

/// Summarises whether the level changed: `1 change, +35.0 %`, `2 changes, last -4.1 %`, `no change found`, `drifting`.
pub fn found_words(series: &TrendSeries) -> String {
    match (series.changes.as_slice(), series.drift, series.too_few) {
        ([], None, Some(_)) => format!("{}: too few", counted(series.points.len(), "session")),
        ([], None, None) => "no change found".to_owned(),
        ([], Some(_), _) => "drifting".to_owned(),
        ([only], ..) => format!("1 change, {}", percent(only.ratio)),
        ([.., last], ..) => format!("{}, last {}", counted(series.changes.len(), "change"), percent(last.ratio)),
    }
}

/// The explanation of how changes are found.
pub const METHOD: &str = "a change: energy distance of the sessions before and after, p <= 0.01 of 999 random orders \
     (Matteson and James 2014), and a step explains the sessions better than a line or correlated neighbours do; \
     drifting: they move, but not in steps; intervals are 95 %, adjusted for the correlation of neighbouring sessions";

fn legend(metric: Metric) -> String {
    format!("{} of each session (median of its runs), from the first to the last", name(metric))
}

pub fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Wall => "time",
        metric => metric.title(),
    }
}

/// Formats the figures of the first and the last session.
pub fn ends(series: &TrendSeries, metric: Metric) -> (String, String) {
    let shown = |median: Option<f64>| median.map_or("-".to_owned(), |median| metric.shown(median));
    (shown(series.points.first().map(|point| point.median)), shown(series.points.last().map(|point| point.median)))
}

/// Describes the changes or the drift of a series, one per line.
pub fn moves_words(series: &TrendSeries, metric: Metric) -> Vec<String> {
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

/// Formats a ratio as a percentage: `+5.1 %`.
fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// The most columns for the figures of a series.
const LINE: usize = 40;

/// Draws the figures as a line of at most `most_columns` columns plus one for each change, scaled from the least to the greatest; a bar
/// marks each change of level.
pub fn sparkline(series: &TrendSeries, most_columns: usize) -> String {
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

/// Builds a record for each session of each series.
fn records(trend: &Trend) -> Table {
    let of_point = |series: &TrendSeries, at: usize, point: &TrendPoint| {
        let drift = series.drift.and_then(|drift| drift.interval);
        let change = series.changes.iter().find(|change| change.at == at);
        let interval = change.and_then(|change| change.interval);
        Row::Cells(vec![
            Cell::new(&series.label),
            Cell::new(&series.suite),
            Cell::new(&series.place),
            Cell::new(&series.size),
            Cell::new(series.test.to_string()),
            Cell::new(&series.name),
            Cell::new(trend.metric.name()),
            Cell::new(point.session_id.to_string()),
            Cell::new(&point.started_at),
            Cell::new(&point.engine_version),
            Cell::new(point.runs.to_string()),
            Cell::number(Some(point.median)),
            Cell::number(change.map(|change| change.ratio)),
            Cell::number(interval.map(|range| range.low)),
            Cell::number(interval.map(|range| range.high)),
            Cell::number(change.map(|change| change.p)),
            Cell::number(series.drift.and_then(|drift| drift.ratio)),
            Cell::number(drift.map(|range| range.low)),
            Cell::number(drift.map(|range| range.high)),
            Cell::number(series.correlation),
            Cell::new(series.split_by.join(" ")),
            Cell::new(&trend.selection),
            Cell::new(&trend.command),
        ])
    };
    let of_series = |series: &TrendSeries| -> Vec<Row> {
        series.points.iter().enumerate().map(|(at, point)| of_point(series, at, point)).collect()
    };
    Table::records(COLUMNS, trend.series.iter().flat_map(of_series))
}
