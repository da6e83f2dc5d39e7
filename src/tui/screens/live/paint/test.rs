//! A single test of a session: all configurations beside each other, with the curves of their latencies and of their throughput.

use super::{
    facts::{actors, progress, statements},
    race::{WHOLE_VERDICT, verdict},
};
use crate::tui::{
    screens::live::{
        LiveFigures, Phase, Slot, TestPane, WatchedSession,
        race::RacePlace,
        shown::{ConfigurationInView, TestInView},
        usage::Used,
    },
    widgets::{
        cursor::ListCursor,
        curves::{Curve, CurveAxis, curves},
        names::names,
        paint::{Paint, TextPiece, piece, rows, width},
        table::{ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::{base::units, metric::Metric};
use dbdyno_workload::histogram::supported_quantile;
use hdrhistogram::Histogram;
use ratatui::layout::{Constraint, Layout, Rect};

/// Points of a curve of latencies for each doubling of the latency.
const STEPS: f64 = 4.0;
/// Stretches of a timeline from which it is a curve; a shorter test is shown run by run.
const STRETCHES: usize = 3;
/// How a chart that fills the screen makes room for another.
const OTHER_CHARTS: &str = "h l: the other charts";
/// The most columns of a configuration's name.
const NAME: usize = 40;

/// Paints the test in view, or one of its panes.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession, pane: TestPane, zoomed: bool) {
    let Some(view) = session.in_view() else {
        let inner = paint.pane(area, "Test", false);
        match &session.phase {
            Phase::Failed(reason) => paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad),
            _ => paint.wrapped(inner, "no test has begun yet", Role::Dim),
        };
        return;
    };
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, &view, session);
    if zoomed {
        let rest = match pane {
            TestPane::Figures => rest,
            TestPane::Latencies | TestPane::Throughput => draw_legend(paint, rest, &view),
        };
        return match pane {
            TestPane::Latencies => draw_latencies(paint, rest, &view, true),
            TestPane::Throughput => draw_throughput(paint, rest, &view, true),
            TestPane::Figures => draw_figures(paint, rest, &view, true),
        };
    }
    let more = further(&view, usize::from(area.width)).len();
    let wanted = (view.configurations.len() + more + 3) as u16;
    let below = wanted.min(rest.height.saturating_sub(5)).max(4);
    let [charts, figures] = rest.layout(&Layout::vertical([Constraint::Min(5), Constraint::Length(below)]));
    let [left, right] = charts.layout(&Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]));
    draw_latencies(paint, left, &view, pane == TestPane::Latencies);
    draw_throughput(paint, right, &view, pane == TestPane::Throughput);
    draw_figures(paint, figures, &view, pane == TestPane::Figures);
}

/// Returns the figures of the test in view in one line.
pub(super) fn in_words(session: &WatchedSession) -> Option<String> {
    let view = session.in_view()?;
    let told: Vec<String> = view
        .configurations
        .iter()
        .map(|one| {
            let figures = COLUMNS.iter().map(|column| format!("{} {}", column.title, (column.text)(one)));
            format!("{}: {}", one.label, figures.collect::<Vec<_>>().join("  "))
        })
        .collect();
    Some(format!("{} {}, size {}: {}", view.test, view.name, view.size, told.join("; ")))
}

/// Paints the test's name, and the progress of the configuration that runs it.
fn draw_bar(paint: &mut Paint<'_>, area: Rect, view: &TestInView<'_>, session: &WatchedSession) {
    let under_way = view.configurations.iter().find_map(|one| Some((one, one.under_way?)));
    let (what, whose) = match under_way {
        Some((one, figures)) if figures.measured => ("", format!(" · ▶ {}", one.label)),
        Some((one, _)) => (" · preparing, not measured", format!(" · ▶ {}", one.label)),
        None => ("", String::new()),
    };
    let chosen = if view.is_chosen && session.running() { " · chosen: Esc follows again" } else { "" };
    let name = if view.name.is_empty() { String::new() } else { format!(" {}", view.name) };
    let title = format!("{}{name} · size {}{whose}{what}{chosen}", view.test, view.size);
    let inner = paint.pane(area, &title, false);
    match under_way {
        Some((one, figures)) => progress(paint, inner, figures, one.usual),
        None => {
            let other = session.test_under_way().zip(session.figures.as_ref());
            let other = other.and_then(|((at, _), figures)| Some((session.configurations.get(at)?, figures)));
            let text = match other.filter(|_| session.running()) {
                Some((one, figures)) => format!("under way: {} {} · {}", figures.number, figures.name, one.label),
                None => "no test is under way: ] and [ show the other tests".to_owned(),
            };
            paint.text(Rect { height: inner.height.min(1), ..inner }, &text, Role::Dim);
        }
    }
}

/// Paints the marks of the curves with the names of their configurations, which the table has unless a chart fills the screen. Returns the
/// area below.
fn draw_legend(paint: &mut Paint<'_>, area: Rect, view: &TestInView<'_>) -> Rect {
    let labels: Vec<&str> = view.configurations.iter().map(|one| one.label).collect();
    let room = (usize::from(area.width).saturating_sub(width(OTHER_CHARTS)) / labels.len().max(1)).saturating_sub(4);
    let entry = |(one, name): (&ConfigurationInView<'_>, String)| {
        piece(format!("{} {name}  ", mark(one.place)), Role::series(one.place))
    };
    let mut line: Vec<TextPiece<'_>> = view.configurations.iter().zip(names(&labels, room)).map(entry).collect();
    line.push(piece(OTHER_CHARTS, Role::Dim));
    paint.line(Rect { height: 1, ..area }, &line);
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// Paints the latencies of all configurations as curves: the share of their operations at each latency.
fn draw_latencies(paint: &mut Paint<'_>, area: Rect, view: &TestInView<'_>, focused: bool) {
    let of = if view.configurations.iter().all(ConfigurationInView::single) { "operations" } else { "stretches" };
    let inner = paint.pane(area, &format!("Latency, log · share of {of}"), focused);
    let all: Vec<Curve> = view.configurations.iter().filter_map(latency_curve).collect();
    let points = || all.iter().flat_map(|curve| &curve.points);
    let (low, high) =
        points().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (x, _)| (low.min(*x), high.max(*x)));
    if low > high {
        paint.text(Rect { height: inner.height.min(1), ..inner }, "no operation is timed yet", Role::Dim);
        return;
    }
    let most = points().map(|(_, y)| *y).fold(0.0, f64::max);
    let powers = (low.ceil() as i32..=high.floor() as i32).map(f64::from);
    let labels = powers.map(|power| (power, units::duration(power.exp2()))).collect();
    let top = format!("{:.0} %", most * 100.0);
    curves(paint, inner, &all, &CurveAxis { low, high, labels }, (most, &top));
}

/// Returns the curve of a configuration's latencies: for each step of a logarithmic scale the share of samples in it, from the fastest to
/// the one that only a thousandth exceeds.
fn latency_curve(one: &ConfigurationInView<'_>) -> Option<Curve> {
    let counts = steps(&one.latencies);
    let all: u64 = counts.iter().sum();
    let first = counts.iter().position(|count| *count > 0)?;
    let last = (one.latencies.value_at_quantile(0.999).max(1) as f64).log2() * STEPS;
    let point = |(at, count): (usize, &u64)| (at as f64 / STEPS, *count as f64 / all as f64);
    let shown = counts.iter().enumerate().take(last as usize + 2).skip(first).map(point);
    let from = first as f64 - 1.0;
    let mut points: Vec<(f64, f64)> = std::iter::once((from / STEPS, 0.0)).chain(shown).collect();
    points.extend(points.last().map(|(x, _)| (x + 1.0 / STEPS, 0.0)));
    Some(Curve { mark: mark(one.place), role: Role::series(one.place), points })
}

/// Returns the mark of a configuration at a place: its number.
fn mark(place: usize) -> char {
    char::from_digit(place as u32 + 1, 36).unwrap_or('+')
}

/// Counts samples by step of the logarithmic scale.
fn steps(latencies: &Histogram<u64>) -> Vec<u64> {
    let mut counts = Vec::new();
    for value in latencies.iter_recorded() {
        let at = ((value.value_iterated_to().max(1) as f64).log2() * STEPS) as usize;
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] += value.count_at_value();
    }
    counts
}

/// Paints the throughput of all configurations over the time of the test, or run by run if the test is too short for that.
fn draw_throughput(paint: &mut Paint<'_>, area: Rect, view: &TestInView<'_>, focused: bool) {
    let has_timelines = view.configurations.iter().any(|one| one.timeline.len() >= STRETCHES);
    let (title, all): (&str, Vec<Curve>) = match has_timelines {
        true => ("Operations/s from 0, over the test", view.configurations.iter().map(timeline).collect()),
        false => ("Operations/s from 0, run by run", view.configurations.iter().map(run_by_run).collect()),
    };
    let inner = paint.pane(area, title, focused);
    let points = || all.iter().flat_map(|curve| &curve.points);
    let (end, most) = points().fold((0.0_f64, 0.0_f64), |(end, most), (x, y)| (end.max(*x), most.max(*y)));
    if most <= 0.0 {
        let text = if has_timelines { "no stretch of 100 ms has passed yet" } else { "no run has ended yet" };
        paint.text(Rect { height: inner.height.min(1), ..inner }, text, Role::Dim);
        return;
    }
    let axis = match has_timelines {
        true => {
            let labels = vec![(0.0, "0".to_owned()), (end / 2.0, seconds(end / 2.0)), (end, seconds(end))];
            CurveAxis { low: 0.0, high: end, labels }
        }
        false => {
            let runs = end as usize;
            let labels = (1..=runs).map(|run| (run as f64, run.to_string())).collect();
            CurveAxis { low: 1.0, high: (runs as f64).max(2.0), labels }
        }
    };
    curves(paint, inner, &all, &axis, (most * 1.1, &units::rate(most * 1.1)));
}

fn seconds(seconds: f64) -> String {
    units::duration(seconds * 1e9)
}

/// Returns the curve of a configuration's throughput over the seconds of its test.
fn timeline(one: &ConfigurationInView<'_>) -> Curve {
    let middle = |slot: &Slot| (slot.end_ns as f64 - slot.duration_ns as f64 / 2.0) / 1e9;
    let points = one.timeline.iter().map(|slot| (middle(slot), slot.rate())).collect();
    Curve { mark: mark(one.place), role: Role::series(one.place), points }
}

/// Returns the curve of a configuration's throughput over its runs. A single run is a short line.
fn run_by_run(one: &ConfigurationInView<'_>) -> Curve {
    let rate = |run: &crate::tui::screens::live::RunTime| run.operations as f64 * 1e9 / run.ns.max(1.0);
    let mut points: Vec<(f64, f64)> = (1..).zip(one.times).map(|(run, time)| (f64::from(run), rate(time))).collect();
    if let [only] = points.as_slice() {
        points.push((only.0 + 0.2, only.1));
    }
    Curve { mark: mark(one.place), role: Role::series(one.place), points }
}

/// A column of the table of configurations.
struct TestFigure {
    title: &'static str,
    /// Columns with a greater rank are left out first.
    rank: usize,
    text: fn(&ConfigurationInView<'_>) -> String,
}

/// The column of ratios. Its title on the screen names the figure too.
const RATIO: &str = "ratio";

/// The figures of a configuration. Those of a test that runs are of this moment, and the others of all runs or the last one.
const COLUMNS: [TestFigure; 13] = [
    TestFigure { title: "runs", rank: 2, text: |one| one.times.len().to_string() },
    TestFigure { title: "now", rank: 1, text: |one| shown(one.under_way.and_then(now)) },
    TestFigure { title: "mean", rank: 1, text: |one| shown(mean(one)) },
    TestFigure { title: RATIO, rank: 1, text: ratio },
    TestFigure { title: "p50", rank: 1, text: |one| quantile(one, 0.5) },
    TestFigure { title: "p90", rank: 4, text: |one| quantile(one, 0.9) },
    TestFigure { title: "p99", rank: 1, text: |one| quantile(one, 0.99) },
    TestFigure { title: "p99.9", rank: 3, text: |one| quantile(one, 0.999) },
    TestFigure { title: "reads", rank: 6, text: |one| used(one, |used| used.read.map(bytes_rate)) },
    TestFigure { title: "writes", rank: 6, text: |one| used(one, |used| used.written.map(bytes_rate)) },
    TestFigure { title: "RSS", rank: 7, text: |one| used(one, |used| used.rss_bytes.map(units::bytes)) },
    TestFigure { title: "size", rank: 5, text: |one| used(one, |used| used.database_bytes.map(units::bytes)) },
    TestFigure { title: "switches", rank: 8, text: |one| used(one, |used| used.switches.map(units::rate)) },
];

fn shown(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

fn bytes_rate(rate: f64) -> String {
    format!("{}/s", units::bytes(rate as u64))
}

fn used(one: &ConfigurationInView<'_>, figure: impl Fn(&Used) -> Option<String>) -> String {
    shown(one.last.and_then(|last| figure(&last.used)))
}

fn now(figures: &LiveFigures) -> Option<String> {
    figures.slots.last().map(|slot| units::rate(slot.rate()))
}

/// Returns the rate of the test in progress, or of all finished runs.
fn mean(one: &ConfigurationInView<'_>) -> Option<String> {
    let (operations, ns) = one.times.iter().fold((0, 0.0), |(all, ns), time| (all + time.operations, ns + time.ns));
    match one.under_way {
        Some(figures) if figures.done > 0 => Some(units::rate(figures.rate())),
        _ => (ns > 0.0).then(|| units::rate(operations as f64 * 1e9 / ns)),
    }
}

/// Returns the ratio to the reference with its interval and verdict, as in the race.
fn ratio(one: &ConfigurationInView<'_>) -> String {
    match one.cell.place {
        RacePlace::Reference { is_fastest: false } => "reference".to_owned(),
        _ => verdict(&one.cell, WHOLE_VERDICT).0.into_owned(),
    }
}

fn quantile(one: &ConfigurationInView<'_>, quantile: f64) -> String {
    let ns = if one.single() { supported_quantile(&one.latencies, quantile) } else { None };
    shown(ns.map(|ns| units::duration(ns as f64)))
}

/// Paints the figures of all configurations as a table, with the actors and statements of the one that runs below it.
fn draw_figures(paint: &mut Paint<'_>, area: Rect, view: &TestInView<'_>, focused: bool) {
    let inner = paint.pane(area, "Figures", focused);
    let labels: Vec<&str> = view.configurations.iter().map(|one| one.label).collect();
    let shown = names(&labels, NAME);
    let marked = |one: &&ConfigurationInView<'_>| {
        let sign = if one.under_way.is_some() { "▶" } else { " " };
        format!("{sign}{} {}", mark(one.place), shown[one_place(view, one)])
    };
    let mut columns: Vec<TableColumn<'_, &ConfigurationInView<'_>>> =
        vec![TableColumn::text("", 0, marked).coloured(|one| Role::series(one.place)).whole()];
    let rates = view.configurations.iter().any(|one| one.cell.metric == Metric::Rate);
    columns.extend(COLUMNS.iter().map(|column| {
        let title = match column.title {
            RATIO if rates => "rate ratio",
            RATIO => "time ratio",
            title => title,
        };
        TableColumn::number(title, column.rank, |one: &&ConfigurationInView<'_>| (column.text)(one))
    }));
    let table = ListTable::new(columns, view.configurations.iter(), ListCursor::default(), 0).highlighted_if(false);
    let taken = table.paint(paint, inner).taken;
    let rest = Rect { y: inner.y + taken, height: inner.height.saturating_sub(taken), ..inner };
    for (line, row) in further(view, usize::from(inner.width)).iter().zip(rows(rest)) {
        paint.line(row, line);
    }
}

/// Returns the place of a configuration among those in view.
fn one_place(view: &TestInView<'_>, one: &ConfigurationInView<'_>) -> usize {
    view.configurations.iter().position(|other| other.place == one.place).unwrap_or(0)
}

/// Returns the lines below the table: actors and statements of the test in progress, else of the last one.
fn further<'v>(view: &'v TestInView<'_>, columns: usize) -> Vec<Vec<TextPiece<'v>>> {
    let mut lines = Vec::new();
    let under_way = view.configurations.iter().find_map(|one| one.under_way);
    let last = || view.configurations.iter().filter_map(|one| one.last).map(|last| &last.figures).next_back();
    if let Some(figures) = under_way.or_else(last) {
        lines.extend(actors(figures, columns));
        lines.extend(statements(figures, columns));
    }
    lines
}
