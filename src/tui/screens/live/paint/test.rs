//! The test under way: its bar, latencies, throughput, percentiles and resources.

use super::{counted, fact};
use crate::{
    base::units,
    catalog::Role,
    runner::Uses,
    tui::{
        screens::live::{LiveActor, LiveFigures, Phase, Slot, WatchedSession},
        widgets::{
            histogram::histogram,
            over_time::{Stretch, over_time},
            paint::{Paint, TextPiece, fit, piece, rows, width},
        },
    },
};
use dbdyno_workload::histogram::supported_quantile;
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints the test of a session.
pub(super) fn draw_of_session(paint: &mut Paint<'_>, area: Rect, session: &WatchedSession) {
    let label = session.configuration().map_or("", |(_, measured)| measured.label.as_str());
    match &session.figures {
        Some(figures) => {
            let used = used(&session.uses, figures.elapsed_ns);
            draw(paint, area, label, figures, session.ghost(), session.usual_ns(), &used);
        }
        None => {
            let inner = paint.pane(area, "Test", false);
            match &session.phase {
                Phase::Failed(reason) => paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad),
                _ => paint.wrapped(inner, "no test has begun yet", Role::Dim),
            };
        }
    }
}

/// What the worker uses, as facts.
fn used((now, before): &(Uses, Uses), elapsed_ns: u64) -> Vec<(&'static str, String)> {
    if now.rss_bytes == 0 {
        return Vec::new();
    }
    let seconds = elapsed_ns.max(1) as f64 / 1e9;
    let rate = |now: u64, before: u64| {
        let bytes = now.saturating_sub(before) as f64 / seconds.max(0.25);
        format!("{}/s", units::bytes(bytes as u64))
    };
    vec![
        ("reads", rate(now.read_bytes, before.read_bytes)),
        ("writes", rate(now.written_bytes, before.written_bytes)),
        ("RSS", units::bytes(now.rss_bytes)),
        ("size", units::bytes(now.database_bytes)),
        ("switches", units::count(now.switches.saturating_sub(before.switches))),
    ]
}

/// Paints a test. `ghost`: label and throughput of the reference; `usual`: what the test usually takes, ns.
pub(super) fn draw(
    paint: &mut Paint<'_>,
    area: Rect,
    label: &str,
    figures: &LiveFigures,
    ghost: Option<(&str, &[Slot])>,
    usual: Option<f64>,
    used: &[(&str, String)],
) {
    let [bar, rest] = area.layout(&Layout::vertical([Constraint::Length(3), Constraint::Min(5)]));
    draw_bar(paint, bar, label, figures, usual);
    let [left, right] = rest.layout(&Layout::horizontal([Constraint::Percentage(46), Constraint::Percentage(54)]));
    let stretches = !figures.latencies.is_empty() && !figures.single();
    let title = if stretches { "Latency of stretches (log)" } else { "Latency of operations (log)" };
    let inner = paint.pane(left, title, false);
    histogram(paint, inner, &figures.latencies, Role::Accent);

    let inside = usize::from(right.width).saturating_sub(2);
    let lines = facts(figures, ghost, used, inside);
    let facts_height = (lines.len() as u16 + 2).min(right.height.saturating_sub(5));
    let [chart, below] = right.layout(&Layout::vertical([Constraint::Min(5), Constraint::Length(facts_height)]));
    let inner = paint.pane(chart, "Operations a second", false);
    let (ghost_slots, ghost_ns) = match ghost {
        Some((_, slots)) => (slots, slots.last().map_or(0, |slot| slot.end_ns)),
        None => (&[][..], 0),
    };
    let usual_ns = usual.map_or(0, |usual| usual as u64);
    let span = figures.expected_ns().max(ghost_ns);
    let span = if figures.share().is_none() { span.max(usual_ns) } else { span };
    draw_throughput(paint, inner, &figures.slots, ghost_slots, span);
    let inner = paint.pane(below, "Figures", false);
    for (line, row) in lines.iter().zip(rows(inner)) {
        paint.line(row, line);
    }
}

/// Paints throughput over `span_ns`.
fn draw_throughput(paint: &mut Paint<'_>, area: Rect, slots: &[Slot], ghost: &[Slot], span_ns: u64) {
    let rate = |slot: &Slot| Stretch { end_ns: slot.end_ns, duration_ns: slot.duration_ns, value: slot.rate() };
    let (now, then): (Vec<Stretch>, Vec<Stretch>) =
        (slots.iter().map(rate).collect(), ghost.iter().map(rate).collect());
    over_time(paint, area, &now, &then, span_ns, units::rate);
}

/// The test's bar. A single long statement has no share: its time stands against what it usually takes.
fn draw_bar(paint: &mut Paint<'_>, area: Rect, label: &str, figures: &LiveFigures, usual: Option<f64>) {
    let what = if figures.measured { "" } else { " · preparing, not measured" };
    let dot = if label.is_empty() { "" } else { " · " };
    let title = format!("{label}{dot}{} {}{what}", figures.number, figures.name);
    let inner = paint.pane(area, &title, true);
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
        (None, None) => (0.0, format!("one statement, {elapsed}; no earlier run to go by")),
    };
    let text = fit(&text, usize::from(inner.width).saturating_sub(6));
    let role = if figures.finished { Role::Good } else { Role::Accent };
    let bar = Rect { height: 1, width: inner.width.saturating_sub(width(&text) as u16 + 1), ..inner };
    paint.gauge(bar, share, role);
    paint.right(Rect { height: 1, ..inner }, &text, Role::Text);
}

/// Rates, percentiles and resources, whole facts in lines that fit.
fn facts<'t>(
    figures: &LiveFigures,
    ghost: Option<(&'t str, &'t [Slot])>,
    used: &'t [(&'t str, String)],
    columns: usize,
) -> Vec<Vec<TextPiece<'t>>> {
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
    if !figures.actors.is_empty() {
        groups.extend(figures.actors.iter().map(|actor| actor_facts(actor, figures.elapsed_ns, figures.finished)));
        groups.push(used.iter().map(|(name, figure)| fact(name, figure.clone())).collect());
        return groups.into_iter().flat_map(|group| lines(group, columns)).collect();
    }
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];
    let shown = quantiles.map(|(name, quantile)| {
        fact(name, figures.quantile(quantile).map_or("-".to_owned(), |ns| units::duration(ns as f64)))
    });
    groups.push(shown.into());
    groups.push(used.iter().map(|(name, figure)| fact(name, figure.clone())).collect());
    groups.into_iter().flat_map(|group| lines(group, columns)).collect()
}

/// An actor: its rate and the one that is due, latencies, and what others cost it.
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

/// Facts in lines, whole ones only.
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
