//! The test in progress: its bar, latencies, throughput, percentiles and resources.

use super::{counted, fact};
use crate::tui::{
    screens::live::{
        LiveActor, LiveFigures, LiveStatement, Phase, Slot, TestPane, WatchedSession, shown::TestInView, usage::Used,
    },
    widgets::{
        histogram::histogram,
        over_time::{OverTime, Stretch, over_time},
        paint::{Paint, TextPiece, fit, piece, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use dbdyno_workload::histogram::supported_quantile;
use hdrhistogram::Histogram;
use ratatui::layout::{Constraint, Layout, Rect};

/// A test with the data around it.
#[derive(Debug)]
pub(super) struct TestPicture<'t> {
    /// The configuration; empty for a replay.
    pub(super) label: &'t str,
    pub(super) figures: &'t LiveFigures,
    /// Latencies of all its rounds.
    pub(super) latencies: &'t Histogram<u64>,
    /// Number of rounds in the latencies.
    pub(super) rounds: usize,
    /// Label and throughput of the reference.
    pub(super) ghost: Option<(&'t str, &'t [Slot])>,
    /// Usual time of the test, ns.
    pub(super) usual: Option<f64>,
    pub(super) used: Vec<(&'static str, String)>,
}

impl TestPicture<'_> {
    /// `lmdb · 2 Random reads`
    fn title(&self) -> String {
        let dot = if self.label.is_empty() { "" } else { " · " };
        format!("{}{dot}{} {}", self.label, self.figures.number, self.figures.name)
    }
}

/// Paints the test of a session.
pub(super) fn draw_of_session(
    paint: &mut Paint<'_>,
    area: Rect,
    session: &WatchedSession,
    pane: TestPane,
    zoomed: bool,
) {
    let painted = with_picture(session, |picture| match zoomed {
        true => draw_pane(paint, area, picture, pane),
        false => draw(paint, area, picture, pane),
    });
    if painted.is_none() {
        let inner = paint.pane(area, "Test", false);
        match &session.phase {
            Phase::Failed(reason) => paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad),
            _ => paint.wrapped(inner, "no test has begun yet", Role::Dim),
        };
    }
}

/// Calls a function with the test in view; none before a test has begun.
pub(super) fn with_picture<T>(session: &WatchedSession, act: impl FnOnce(&TestPicture<'_>) -> T) -> Option<T> {
    let TestInView { configuration, figures, used: known, latencies, rounds } = session.in_view()?;
    Some(act(&TestPicture {
        label: session.configurations.get(configuration).map_or("", |measured| measured.label.as_str()),
        figures,
        latencies: &latencies,
        rounds,
        ghost: session.ghost(configuration, figures.number),
        usual: session.usual_ns(configuration, figures.number),
        used: used(known),
    }))
}

/// Returns the figures of a test in one line.
pub(super) fn in_words(picture: &TestPicture<'_>) -> String {
    let facts = facts(picture, usize::from(u16::MAX));
    let told: Vec<String> =
        facts.iter().map(|line| line.iter().map(|(text, _)| text.as_ref()).collect::<String>()).collect();
    format!("{}: {}", picture.title(), told.join("  "))
}

/// Returns the resources of the worker as facts; `-` means unknown.
fn used(known: Used) -> Vec<(&'static str, String)> {
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let rate = |rate: f64| format!("{}/s", units::bytes(rate as u64));
    vec![
        ("reads", shown(known.read.map(rate))),
        ("writes", shown(known.written.map(rate))),
        ("RSS", shown(known.rss_bytes.map(units::bytes))),
        ("size", shown(known.database_bytes.map(units::bytes))),
        ("switches", shown(known.switches.map(units::rate))),
    ]
}

/// Paints the single test with its histogram, its throughput over time and its resources; one of them has the focus.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focus: TestPane) {
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, picture);
    let [left, right] = rest.layout(&Layout::horizontal([Constraint::Percentage(46), Constraint::Percentage(54)]));
    draw_latencies(paint, left, picture, focus == TestPane::Latencies);
    let lines = facts(picture, usize::from(right.width).saturating_sub(2)).len() as u16;
    let facts_height = (lines + 2).min(right.height.saturating_sub(5));
    let [chart, below] = right.layout(&Layout::vertical([Constraint::Min(5), Constraint::Length(facts_height)]));
    draw_throughput(paint, chart, picture, focus == TestPane::Throughput);
    draw_figures(paint, below, picture, focus == TestPane::Figures);
}

/// Paints one pane of the test below its bar.
pub(super) fn draw_pane(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, pane: TestPane) {
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, picture);
    match pane {
        TestPane::Latencies => draw_latencies(paint, rest, picture, true),
        TestPane::Throughput => draw_throughput(paint, rest, picture, true),
        TestPane::Figures => draw_figures(paint, rest, picture, true),
    }
}

fn draw_latencies(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let TestPicture { figures, latencies, rounds, .. } = *picture;
    let stretches = !figures.latencies.is_empty() && !figures.single();
    let of = if stretches { "stretches" } else { "operations" };
    let count = if rounds > 1 { format!(" n{rounds}") } else { String::new() };
    let inner = paint.pane(area, &format!("Latency of {of} (log){count}"), focused);
    histogram(paint, inner, latencies, Role::Accent);
}

fn draw_figures(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let inner = paint.pane(area, "Figures", focused);
    for (line, row) in facts(picture, usize::from(inner.width)).iter().zip(rows(inner)) {
        paint.line(row, line);
    }
}

/// Paints throughput over the actual or expected time of the test.
fn draw_throughput(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>, focused: bool) {
    let TestPicture { figures, ghost, usual, .. } = *picture;
    let inner = paint.pane(area, "Operations a second", focused);
    let (ghost, ghost_ns) = match ghost {
        Some((_, slots)) => (slots, slots.last().map_or(0, |slot| slot.end_ns)),
        None => (&[][..], 0),
    };
    let usual_ns = usual.map_or(0, |usual| usual as u64);
    let span = figures.expected_ns().max(ghost_ns);
    let span_ns = if figures.share().is_none() { span.max(usual_ns) } else { span };
    let rate = |slot: &Slot| Stretch { end_ns: slot.end_ns, duration_ns: slot.duration_ns, value: slot.rate() };
    let (now, then): (Vec<Stretch>, Vec<Stretch>) =
        (figures.slots.iter().map(rate).collect(), ghost.iter().map(rate).collect());
    let timed = OverTime { stretches: &now, ghost: &then, span_ns, moment: None };
    over_time(paint, inner, &timed, units::rate);
}

/// Paints the test's bar. A single long statement has no known progress, so its time is compared with its usual time.
fn draw_bar(paint: &mut Paint<'_>, area: Rect, picture: &TestPicture<'_>) {
    let TestPicture { figures, usual, .. } = *picture;
    let what = if figures.measured { "" } else { " · preparing, not measured" };
    let inner = paint.pane(area, &format!("{}{what}", picture.title()), false);
    let elapsed = units::duration(figures.elapsed_ns as f64);
    let (share, text) = match (figures.share(), usual) {
        (Some(share), _) if !figures.finished && figures.time_ns.is_some() => {
            let left = figures.time_ns.unwrap_or(0).saturating_sub(figures.elapsed_ns);
            let left = format!("{:.0} s left", (left as f64 / 1e9).ceil());
            (share, format!("{}  {:>3.0} %  {left}", counted(figures.done, None), share * 100.0))
        }
        (Some(share), _) => {
            (share, format!("{}  {:>3.0} %  {elapsed}", counted(figures.done, figures.total), share * 100.0))
        }
        (None, Some(usual)) => {
            let share = (figures.elapsed_ns as f64 / usual.max(1.0)).min(0.99);
            (share, format!("one statement, {elapsed} of usually {}", units::duration(usual)))
        }
        (None, None) => (0.0, format!("one statement, {elapsed}; usual time unknown")),
    };
    let text = fit(&text, usize::from(inner.width).saturating_sub(6));
    let role = if figures.finished { Role::Good } else { Role::Accent };
    let bar = Rect { height: 1, width: inner.width.saturating_sub(width(&text) as u16 + 1), ..inner };
    paint.gauge(bar, share, role);
    paint.right(Rect { height: 1, ..inner }, &text, Role::Text);
}

/// Returns rates, percentiles and resources as whole facts, in lines that fit.
fn facts<'t>(picture: &'t TestPicture<'_>, columns: usize) -> Vec<Vec<TextPiece<'t>>> {
    let TestPicture { figures, latencies, ghost, ref used, .. } = *picture;
    let mut groups: Vec<Vec<[TextPiece<'t>; 3]>> = Vec::new();
    let now = figures.slots.last().map(Slot::rate).filter(|_| !figures.finished);
    let mut rates: Vec<[TextPiece<'t>; 3]> = now.map(|rate| fact("now", units::rate(rate))).into_iter().collect();
    rates.push(fact("mean", units::rate(figures.rate())));
    groups.push(rates);
    if let Some((label, slots)) = ghost {
        let (operations, ns) =
            slots.iter().fold((0, 0), |(operations, ns), slot| (operations + slot.operations, ns + slot.duration_ns));
        let rate = units::rate(operations as f64 * 1e9 / ns.max(1) as f64);
        groups.push(vec![[piece("┄ ", Role::Ghost), piece(label, Role::Dim), piece(format!(" {rate}"), Role::Dim)]]);
    }
    // A replay counts the calls of all its connections together, as the test's own.
    if figures.actors.iter().any(|actor| actor.done > 0) {
        groups.extend(figures.actors.iter().map(|actor| actor_facts(actor, figures.elapsed_ns, figures.finished)));
        groups.push(used.iter().map(|(name, figure)| fact(name, figure.clone())).collect());
        let facts = groups.into_iter().flat_map(|group| lines(group, columns));
        return facts.chain(statements(figures, columns)).collect();
    }
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];
    let shown = quantiles.map(|(name, quantile)| {
        fact(name, figures.quantile(latencies, quantile).map_or("-".to_owned(), |ns| units::duration(ns as f64)))
    });
    groups.push(shown.into());
    groups.push(used.iter().map(|(name, figure)| fact(name, figure.clone())).collect());
    let facts = groups.into_iter().flat_map(|group| lines(group, columns));
    facts.chain(statements(figures, columns)).collect()
}

/// Returns a line for each statement with the most time, and one that says of which run.
fn statements<'t>(figures: &'t LiveFigures, columns: usize) -> Vec<Vec<TextPiece<'t>>> {
    if figures.statements.is_empty() {
        return Vec::new();
    }
    let of = if figures.are_of_before { "statements of the run before" } else { "statements of this run" };
    let line = |one: &'t LiveStatement| {
        let figures = format!("{}  {}x", units::duration(one.ns as f64), units::count(one.executions));
        let room = columns.saturating_sub(width(&figures) + 2);
        let name = fit(&one.name, room);
        let gap = " ".repeat(room.saturating_sub(width(&name)) + 2);
        vec![piece(name, Role::Text), piece(gap, Role::Dim), piece(figures, Role::Accent)]
    };
    std::iter::once(vec![piece(of, Role::Dim)]).chain(figures.statements.iter().map(line)).collect()
}

/// Returns an actor's rate (with its target rate), latencies, how often others blocked it, and its backlog.
fn actor_facts<'t>(actor: &LiveActor, elapsed_ns: u64, finished: bool) -> Vec<[TextPiece<'t>; 3]> {
    let mean = actor.done as f64 * 1e9 / elapsed_ns.max(1) as f64;
    let rate = units::rate(if finished { mean } else { actor.rate });
    let due = actor.head.rate.map_or_else(String::new, |due| format!(" of {}", units::rate(due as f64)));
    let name = format!("{} x{} ", actor.head.name, actor.head.threads);
    let mut facts = vec![[piece(name, Role::Accent), piece(rate, Role::Text), piece(due, Role::Dim)]];
    let quantile = |name, quantile| {
        let ns = supported_quantile(&actor.latencies, quantile);
        fact(name, ns.map_or("-".to_owned(), |ns| units::duration(ns as f64)))
    };
    facts.extend([quantile("p50", 0.5), quantile("p99", 0.99)]);
    if actor.busy > 0 {
        facts.push(fact("busy", units::count(actor.busy)));
    }
    facts.extend(actor.backlog.map(|behind| fact("behind", units::count(behind))));
    facts
}

/// Splits facts into lines without breaking a fact.
fn lines(facts: Vec<[TextPiece<'_>; 3]>, columns: usize) -> Vec<Vec<TextPiece<'_>>> {
    let mut lines: Vec<Vec<TextPiece<'_>>> = Vec::new();
    let mut left = 0;
    for fact in facts {
        let wide: usize = fact.iter().map(|(text, _)| width(text)).sum();
        if lines.is_empty() || wide + 2 > left {
            lines.push(Vec::new());
            left = columns + 2;
        }
        left = left.saturating_sub(wide + 2);
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(piece("  ", Role::Dim));
            }
            line.extend(fact);
        }
    }
    lines
}
