//! Painting of the Trend pane: the tests, the one under the cursor over its sessions, and its changes in words.

use super::{TrendScreen, chart, pane};
use crate::tui::{
    screens::Context,
    widgets::{
        names::{names, values_only},
        paint::{Paint, fit, piece, width, wrap},
        table::{ColumnWidth, ListTable, TableColumn},
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

/// Where the trends of other configurations are.
const OTHERS: &str = " · other configurations: T on their row of Results";

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &TrendScreen, context: &Context<'_>) {
    let title = paint.title_after_way(area, title(screen, usize::from(area.width).saturating_sub(4)));
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

/// Returns the configurations that are followed, the figure and the filter, in `room` columns if possible.
fn title(screen: &TrendScreen, room: usize) -> String {
    let filter = if screen.filter.is_empty() { String::new() } else { format!(" · /{}", plain(screen.filter.line())) };
    let metric = screen.found.as_ref().map(|(of, found)| found.as_ref().map_or(of.metric, |found| found.trend.metric));
    let metric = metric.map_or("time", name);
    let rest = format!(" · {metric} of each session{filter}");
    let labels = screen.labels();
    let left = room.saturating_sub(width("Trend of ") + width(&rest));
    let of = match labels.as_slice() {
        [] => return format!("Trend{rest}"),
        [only] if width(&plain(only)) <= left => plain(only),
        [only] => fit(&values_only(&plain(only)), left.max(LEAST_NAME)),
        [_, _] => names(&labels, (left.saturating_sub(width(AND)) / 2).max(LEAST_NAME)).join(AND),
        many => counted(many.len(), "configuration"),
    };
    format!("Trend of {of}{rest}")
}

/// The word between the names of both sides of a pair.
const AND: &str = " and ";
/// Minimum columns for a configuration's name in the title.
const LEAST_NAME: usize = 8;

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
    let words = words(screen, series, metric, usize::from(area.width));
    let least_chart = 8.min(area.height / 2);
    let list = (all.len() as u16 + 1).min((area.height / 3).max(2));
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
    paint.lines(text, &words, |_| "… x shows all of it".to_owned());
}

/// Returns the changes of a series, numbered as in the chart, or its drift, or a text that there is neither. If nothing moved at all, the
/// text says where other configurations are, because one that changed may be among them.
fn words(screen: &TrendScreen, series: &TrendSeries, metric: Metric, columns: usize) -> Vec<(String, Role)> {
    let moves = moves_words(series, metric);
    if moves.is_empty() {
        let others = if screen.is_steady() { OTHERS } else { "" };
        return vec![(format!("{}{others}", found_words(series)), Role::Dim)];
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

type SeriesColumn<'t> = TableColumn<'t, &'t TrendSeries>;

/// Paints the tests: name, first figure, a line of all figures, last figure, and whether the level changed.
fn draw_tests(paint: &mut Paint<'_>, area: Rect, screen: &TrendScreen, all: &[&TrendSeries], metric: Metric) {
    let several = |value: fn(&TrendSeries) -> &String| all.iter().any(|one| value(one) != value(all[0]));
    let (labels, sizes) = (several(|one| &one.label), several(|one| &one.size));
    let called = move |one: &&TrendSeries| {
        let label = if labels { format!("{} ", one.label) } else { String::new() };
        let size = if sizes { format!(" · {}", one.size) } else { String::new() };
        format!("{label}{} {}{size}", one.test, one.name)
    };
    // Each change adds a sign to the line.
    let changes = all.iter().map(|one| one.changes.len()).max().unwrap_or(0);
    let line = move |one: &&TrendSeries, columns: usize| vec![piece(sparkline(one, columns - changes), Role::Accent)];
    let width = ColumnWidth::Filled(LEAST_LINE + changes, WIDEST_LINE + changes);
    let role = |one: &&TrendSeries| chart::roles(one).last().unwrap_or(Role::Dim);
    let columns = vec![
        SeriesColumn::text("", 0, called).at_most(WIDEST_NAME),
        SeriesColumn::number("first", 0, move |one| ends(one, metric).0),
        SeriesColumn::drawn("each session", 0, width, line).or_titled(""),
        SeriesColumn::number("last", 0, move |one| ends(one, metric).1),
        SeriesColumn::text("", 0, |one| found_words(one)).whole().coloured(role),
    ];
    ListTable::new(columns, all.iter().copied(), screen.cursor, pane::TESTS).paint(paint, area);
}
