//! Painting of the Trend pane: the tests, the one under the cursor over its sessions, and its changes in words.

use super::{TrendScreen, chart, pane};
use crate::tui::{
    screens::Context,
    widgets::{
        list::{VisibleRows, in_pane},
        paint::{Paint, pad, piece, rows, width, wrap},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{TrendPoint, TrendSeries};
use dbdyno_foundation::{
    base::units::{counted, plain},
    metric::Metric,
};
use dbdyno_reports::trend::{ends, found_words, heading, moves_words, name, sparkline};
use ratatui::layout::{Constraint, Layout, Rect};

/// Maximum columns for a test's name, if there is no room for more.
const WIDEST_NAME: usize = 28;
/// Minimum columns for a test's figures as a line.
const LEAST_LINE: usize = 8;
/// Maximum columns for this line.
const WIDEST_LINE: usize = 60;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &TrendScreen, context: &Context<'_>) {
    let title = paint.title_after_way(area, title(screen));
    let inner = paint.pane(area, &title, true);
    if let Some((awaited, of)) = &screen.reading {
        paint.text(Rect { height: 1, ..inner }, &of.selections.join("  ·  "), Role::Text);
        let below = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        return awaited.draw(paint, below, context);
    }
    match &screen.found {
        None => {
            paint.wrapped(inner, "T on Results or Compare shows a configuration over its sessions", Role::Dim);
        }
        Some((_, Err(reason))) => {
            paint.wrapped(inner, &format!("✗ {reason}"), Role::Bad);
        }
        Some((_, Ok(followed))) => draw_found(paint, inner, screen, followed.trend.metric),
    }
}

fn title(screen: &TrendScreen) -> String {
    let filter = if screen.filter.is_empty() { String::new() } else { format!(" · /{}", plain(screen.filter.line())) };
    let metric = screen.found.as_ref().map(|(of, found)| found.as_ref().map_or(of.metric, |found| found.trend.metric));
    let metric = metric.map_or("time", name);
    format!("Trend · {metric} of each session{filter}")
}

fn draw_found(paint: &mut Paint<'_>, area: Rect, screen: &TrendScreen, metric: Metric) {
    let all = screen.series();
    let Some(series) = screen.current() else {
        let why = if screen.filter.is_empty() {
            "no test has this figure: m chooses another"
        } else {
            "no test matches the filter"
        };
        paint.text(area, why, Role::Dim);
        return;
    };
    let words = words(series, metric, usize::from(area.width));
    let least_chart = 8.min(area.height / 2);
    let list = (all.len() as u16).min((area.height / 3).max(1));
    let below = (words.len() as u16).min(area.height.saturating_sub(list + 2 + least_chart)).max(1);
    let parts = [
        Constraint::Length(list),
        Constraint::Length(1),
        Constraint::Min(least_chart),
        Constraint::Length(1),
        Constraint::Length(below),
    ];
    let [tests, head, plot, session, text] = area.layout(&Layout::vertical(parts));
    draw_tests(paint, tests, screen, &all, metric);
    paint.text(head, &heading(series), Role::Title);
    chart::draw(paint, plot, series, metric, screen.session);
    draw_session(paint, session, series, metric, screen.session);
    let fits = usize::from(text.height);
    for (at, ((line, role), row)) in words.iter().zip(rows(text)).enumerate() {
        if at + 1 == fits && words.len() > fits {
            paint.text(row, "… x shows all of it", Role::Dim);
        } else {
            paint.text(row, line, *role);
        }
    }
}

/// Returns the changes of a series, numbered as in the chart, or its drift, or a text that there is neither.
fn words(series: &TrendSeries, metric: Metric, columns: usize) -> Vec<(String, Role)> {
    let moves = moves_words(series, metric);
    if moves.is_empty() {
        return vec![(found_words(series), Role::Dim)];
    }
    let lines = (1..).zip(moves).zip(chart::roles(series)).flat_map(|((number, text), role)| {
        let number = if series.changes.is_empty() { String::new() } else { format!("{number} ") };
        let lines = wrap(&format!("{number}{}", plain(&text)), columns);
        lines.into_iter().map(move |line| (line, role)).collect::<Vec<_>>()
    });
    lines.collect()
}

fn draw_session(paint: &mut Paint<'_>, row: Rect, series: &TrendSeries, metric: Metric, at: usize) {
    let Some(point) = series.points.get(at) else { return };
    let id: String = point.session_id.to_string().chars().take(13).collect();
    let text = format!(" {} of {} · {} · {id}", at + 1, series.points.len(), point_in_words(point, metric));
    paint.line(row, &[piece("◆", Role::Focus), piece(text, Role::Text)]);
}

/// `1.06 ms of 6 runs · 2027-01-16T13:00 · version 1.1`
pub(super) fn point_in_words(point: &TrendPoint, metric: Metric) -> String {
    format!(
        "{} of {} · {} · version {}",
        metric.shown(point.median),
        counted(point.runs, "run"),
        point.started_at.get(..16).unwrap_or(&point.started_at),
        point.engine_version
    )
}

/// Paints the tests: name, first figure, a line of all figures, last figure, and whether the level changed.
fn draw_tests(paint: &mut Paint<'_>, area: Rect, screen: &TrendScreen, all: &[&TrendSeries], metric: Metric) {
    let several = |value: fn(&TrendSeries) -> &String| all.iter().any(|one| value(one) != value(all[0]));
    let (labels, sizes) = (several(|one| &one.label), several(|one| &one.size));
    let called = |one: &TrendSeries| {
        let label = if labels { format!("{} ", one.label) } else { String::new() };
        let size = if sizes { format!(" · {}", one.size) } else { String::new() };
        plain(&format!("{label}{} {}{size}", one.test, one.name))
    };
    let names: Vec<String> = all.iter().map(|one| called(one)).collect();
    let figures: Vec<(String, String)> = all.iter().map(|one| ends(one, metric)).collect();
    let found: Vec<String> = all.iter().map(|one| found_words(one)).collect();
    let widest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| width(text)).max().unwrap_or(0);
    let first = widest(&mut figures.iter().map(|(first, _)| first));
    let last = widest(&mut figures.iter().map(|(_, last)| last));
    let words = widest(&mut found.iter());
    let changes = all.iter().map(|one| one.changes.len()).max().unwrap_or(0);
    let room = usize::from(area.width).saturating_sub(first + last + words + 8 + changes);
    let name = widest(&mut names.iter()).min(room.saturating_sub(2 * LEAST_LINE).max(WIDEST_NAME));
    let line = room.saturating_sub(name).clamp(LEAST_LINE, WIDEST_LINE);
    VisibleRows::new(all.len(), screen.cursor).paint(paint, area, in_pane(pane::TESTS), |paint, at, row| {
        let one = &all[at];
        let role = chart::roles(one).last().unwrap_or(Role::Dim);
        let pieces = [
            piece(pad(&names[at], name), Role::Text),
            piece(format!("  {:>first$}  ", figures[at].0), Role::Text),
            piece(pad(&sparkline(one, line), line + changes), Role::Accent),
            piece(format!("  {:>last$}  ", figures[at].1), Role::Text),
            piece(found[at].as_str(), role),
        ];
        paint.line(row, &pieces);
    });
}
