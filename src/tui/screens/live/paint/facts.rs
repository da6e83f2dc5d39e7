//! Facts about a test in lines, and its progress.

use crate::tui::{
    screens::live::{LiveActor, LiveFigures, LiveStatement},
    widgets::paint::{Paint, TextPiece, fit, piece, width},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units;
use dbdyno_workload::histogram::supported_quantile;
use ratatui::layout::Rect;

pub(super) fn fact<'t>(label: &'t str, figure: String) -> [TextPiece<'t>; 3] {
    [piece(label, Role::Dim), piece(" ", Role::Dim), piece(figure, Role::Text)]
}

/// Splits facts into lines without breaking a fact.
pub(super) fn fact_lines(facts: Vec<[TextPiece<'_>; 3]>, columns: usize) -> Vec<Vec<TextPiece<'_>>> {
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

/// Returns a count of operations with its total, if known.
fn counted(done: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{} / {}", units::count(done), units::count(total)),
        None => units::count(done),
    }
}

/// Paints a test's progress. That of a single long statement is unknown, so its time is compared with its usual time, ns.
pub(super) fn progress(paint: &mut Paint<'_>, row: Rect, figures: &LiveFigures, usual: Option<f64>) {
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
    let row = Rect { height: row.height.min(1), ..row };
    let text = fit(&text, usize::from(row.width).saturating_sub(6));
    let role = if figures.finished { Role::Good } else { Role::Accent };
    let bar = Rect { width: row.width.saturating_sub(width(&text) as u16 + 1), ..row };
    paint.gauge(bar, share, role);
    paint.right(row, &text, Role::Text);
}

/// Returns a line for each statement with the most time, and one that says of which run.
pub(super) fn statements(figures: &LiveFigures, columns: usize) -> Vec<Vec<TextPiece<'_>>> {
    if figures.statements.is_empty() {
        return Vec::new();
    }
    let of = if figures.are_of_before { "statements of the run before" } else { "statements of this run" };
    let line = |one: &'_ LiveStatement| {
        let figures = format!("{}  {}x", units::duration(one.ns as f64), units::count(one.executions));
        let room = columns.saturating_sub(width(&figures) + 2);
        let name = fit(&one.name, room);
        let gap = " ".repeat(room.saturating_sub(width(&name)) + 2);
        vec![piece(name, Role::Text), piece(gap, Role::Dim), piece(figures, Role::Accent)]
    };
    std::iter::once(vec![piece(of, Role::Dim)]).chain(figures.statements.iter().map(line)).collect()
}

/// Returns the lines about the actors of a test; none if it has no actors, or they have done nothing yet. A replay of a recording counts the
/// calls of all its connections together, as the test's own.
pub(super) fn actors(figures: &LiveFigures, columns: usize) -> Vec<Vec<TextPiece<'_>>> {
    if figures.actors.iter().all(|actor| actor.done == 0) {
        return Vec::new();
    }
    let of_actor = |actor: &LiveActor| fact_lines(actor_facts(actor, figures.elapsed_ns, figures.finished), columns);
    figures.actors.iter().flat_map(of_actor).collect()
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
