//! The page of an open run.

use super::{foot, steps};
use crate::tui::{
    screens::results::{DetailSection, OpenedRun, ResultsScreen, SectionLine, TestsPane, pane},
    widgets::{
        Target,
        histogram::histogram,
        over_time::{OverTime, over_time},
        paint::{Paint, TextPiece, pad, piece, rows, width, wrap},
        table::{ColumnWidth, GAP, ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_foundation::{
    base::units::{count, duration, plain},
    metric::Metric,
};
use dbdyno_store::{StoredRun, StoredTest};
use ratatui::layout::{Constraint, Layout, Rect};

/// Paints the page, or only the focused pane of its tests if it is zoomed.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, opened: &OpenedRun, zoomed: bool) {
    let run = &opened.run;
    let inner = paint.pane(area, &steps(results, usize::from(area.width).saturating_sub(4)), true);
    // In a small terminal, the names of the sections stay.
    let focused = opened.pane().zip(opened.chosen()).filter(|_| zoomed);
    if let Some((pane, chosen)) = focused.filter(|_| !paint.bare) {
        return draw_focused(paint, inner, opened, pane, chosen);
    }
    foot(paint, area, results.busy.as_deref().unwrap_or("Esc back"));
    let [head, tabs, body] =
        inner.layout(&Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(4)]));
    draw_head(paint, head, run);
    draw_tabs(paint, tabs, opened);
    match (opened.section, focused) {
        (DetailSection::Tests, Some((pane, chosen))) => draw_focused(paint, body, opened, pane, chosen),
        (DetailSection::Tests, None) => draw_tests(paint, body, opened),
        _ => draw_lines(paint, body, opened),
    }
}

fn draw_focused(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun, pane: TestsPane, chosen: &StoredTest) {
    match pane {
        TestsPane::Table => draw_table(paint, area, opened),
        TestsPane::OverTime => draw_time(paint, area, opened, chosen),
        TestsPane::Latencies => draw_latency(paint, area, chosen, true),
    }
}

/// Paints the main facts about the run, as many as fit.
fn draw_head(paint: &mut Paint<'_>, area: Rect, run: &StoredRun) {
    let verdict = run.tier_evidence.as_ref().map_or_else(String::new, |verdict| format!(" ({verdict})"));
    let tier = run.tier.map_or_else(|| "not known".to_owned(), |tier| tier.to_string());
    let started = if run.started.is_empty() { "start not known".to_owned() } else { format!("{} UTC", run.started) };
    let parts = [
        run.status.clone(),
        format!("{} {}", run.suite, run.size.parse().map_or_else(|_| run.size.clone(), count)),
        format!("{} {}", run.engine, run.version),
        format!("tier {tier}{verdict}"),
        started,
        format!("round {} of {}", run.round + 1, run.rounds),
        run.tier_reason.clone(),
    ];
    let mut left = usize::from(area.width);
    let mut pieces: Vec<TextPiece<'_>> = Vec::new();
    for (at, part) in parts.into_iter().filter(|part| !part.is_empty()).map(|part| plain(&part)).enumerate() {
        let gap = if at == 0 { "" } else { " · " };
        let Some(rest) = left.checked_sub(width(gap) + width(&part)) else { continue };
        left = rest;
        pieces.push(piece(gap, Role::Dim));
        let role = if at == 0 && part != "done" { Role::Bad } else { Role::Text };
        pieces.push(piece(part, role));
    }
    paint.line(area, &pieces);
}

fn draw_tabs(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun) {
    let mut x = area.x;
    for (at, section) in DetailSection::ALL.into_iter().enumerate() {
        let current = section == opened.section;
        let title = opened.title(section);
        // The current section has brackets, because some terminals do not show colour.
        let text = if current { format!("[{title}]") } else { format!(" {title} ") };
        let place = Rect { x, width: (width(&text) as u16).min(area.right().saturating_sub(x)), ..area };
        paint.text(place, &text, if current { Role::Tab } else { Role::Dim });
        paint.hit(place, Target::Spot { pane: pane::SECTIONS, row: at });
        x = (x + width(&text) as u16 + 1).min(area.right());
    }
    let hints: &[&str] = match opened.pane() {
        Some(TestsPane::OverTime) => &["Esc: the tests  h l: the moment", "h l: the moment"],
        Some(TestsPane::Table) => &["Enter: the charts  h l: the next part", "h l: the next part"],
        Some(TestsPane::Latencies) | None => &["h l: the next part"],
    };
    let rest = Rect { x, width: area.right() - x, ..area };
    if let Some(hint) = hints.iter().find(|hint| width(hint) < usize::from(rest.width)) {
        paint.right(rest, hint, Role::Dim);
    }
}

fn draw_tests(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun) {
    let Some(chosen) = opened.chosen() else {
        paint.text(Rect { height: 1, ..area }, "no test has finished: Notes says why", Role::Dim);
        return;
    };
    let wanted = opened.run.tests.len() as u16 + 1;
    let table = wanted.min(area.height / 2).max(2);
    let [table, charts] = area.layout(&Layout::vertical([Constraint::Length(table), Constraint::Min(3)]));
    draw_table(paint, table, opened);
    let [latency, time] = charts.layout(&Layout::horizontal([Constraint::Percentage(50), Constraint::Min(20)]));
    draw_latency(paint, latency, chosen, opened.pane() == Some(TestsPane::Latencies));
    draw_time(paint, time, opened, chosen);
}

/// The figures of a test, with their ranks where room is short.
const FIGURES: [(Metric, &str, usize); 6] = [
    (Metric::Wall, "wall", 1),
    (Metric::Rate, "rate", 2),
    (Metric::P50, "p50", 4),
    (Metric::P90, "p90", 6),
    (Metric::P99, "p99", 5),
    (Metric::P999, "p99.9", 7),
];

fn test_name(StoredTest { test, .. }: &StoredTest) -> String {
    format!("{} {}", test.test, plain(&test.test_name))
}

fn status(StoredTest { test, .. }: &StoredTest) -> &'static str {
    match (&test.failure, test.agrees) {
        (Some(_), _) => "✗ failed",
        (None, Some(false)) => "✗ disagrees",
        (None, None) if !test.is_verified() => "? not verified",
        _ => "ok",
    }
}

/// Returns a test with all its known figures, in one line.
pub(in crate::tui::screens::results) fn test_in_words(stored: &StoredTest) -> String {
    let figure = |(metric, title, _): (Metric, &str, usize)| {
        stored.test.figures.value(metric).map(|value| format!("{title} {}", metric.shown(value)))
    };
    let figures = FIGURES.into_iter().filter_map(figure).chain([format!("status {}", status(stored))]);
    format!("{}: {}", test_name(stored), figures.collect::<Vec<_>>().join(", "))
}

type TestColumn<'t> = TableColumn<'t, &'t StoredTest>;

fn draw_table(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun) {
    let chosen = opened.chosen();
    let sign = move |stored: &&StoredTest, _: usize| {
        let sign = if chosen.is_some_and(|chosen| std::ptr::eq(chosen, *stored)) { "▸ " } else { "  " };
        vec![piece(sign, Role::Accent)]
    };
    let figure = |(metric, title, rank): (Metric, &'static str, usize)| {
        TestColumn::number(title, rank, move |stored| {
            stored.test.figures.value(metric).map_or_else(|| "-".to_owned(), |value| metric.shown(value))
        })
    };
    let role = |stored: &&StoredTest| if status(stored) == "ok" { Role::Text } else { Role::Bad };
    let columns = [TestColumn::text("test", 0, |stored| test_name(stored))]
        .into_iter()
        .chain(FIGURES.map(figure))
        .chain([TestColumn::text("status", 3, |stored| status(stored))])
        .map(|column| column.coloured(role).titled(Role::Dim));
    let signs = TestColumn::drawn("", 0, ColumnWidth::Filled(2, 2), sign).gap(0);
    let columns = std::iter::once(signs).chain(columns).collect();
    ListTable::new(columns, &opened.run.tests, opened.test, pane::LINES).paint(paint, area);
}

fn draw_latency(paint: &mut Paint<'_>, area: Rect, StoredTest { test, samples, .. }: &StoredTest, focused: bool) {
    let title = match test.operations_per_sample.unwrap_or(1) {
        0 | 1 => format!("Latency · {}", test.test_name),
        many => format!("Time of {many} operations · {}", test.test_name),
    };
    let inner = paint.pane(area, &title, focused);
    match samples.as_ref().filter(|samples| !samples.is_empty()) {
        Some(samples) => histogram(paint, inner, samples, Role::Accent),
        None => drop(paint.text(inner, "no latencies are stored", Role::Dim)),
    }
}

/// Minimum rows of a chart.
const CHART: u16 = 3;
/// Minimum columns for a long chart title.
const ROOMY: u16 = 70;

/// Paints as many figures over time as there is room for, one below the other, all with the same moment marked.
fn draw_time(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun, stored: &StoredTest) {
    let timed = opened.timed();
    let figures = timed.as_ref().map_or(&[][..], |timed| &timed.all);
    let moment = opened.moment();
    let at = timed.as_ref().and(moment).map_or_else(String::new, |ns| format!(" · at {}", duration(ns as f64)));
    let many = figures.len().min(usize::from((area.height.saturating_sub(2) / CHART).max(1)));
    let hidden = match figures.len() - many {
        0 => String::new(),
        hidden => format!(" · {hidden} more: z"),
    };
    // Next to the latencies, whose title names the test, there is no room for the name.
    let of = if area.width >= ROOMY { format!(" · {}", stored.test.test_name) } else { String::new() };
    let inner = paint.pane(area, &format!("Over time{at}{of}{hidden}"), moment.is_some());
    paint.hit(area, Target::Spot { pane: pane::OVER_TIME, row: 0 });
    let Some(timed) = &timed else {
        paint.wrapped(inner, "a test shorter than 100 ms has no timeline", Role::Dim);
        return;
    };
    let places = Layout::vertical(vec![Constraint::Fill(1); many]).split(inner);
    for (figure, place) in figures.iter().zip(places.iter()) {
        let moment = moment.map(|ns| (ns, figure.at(ns)));
        let picture = OverTime { stretches: &figure.stretches, span_ns: timed.span_ns, moment };
        over_time(paint, *place, &picture, |value| figure.shown(value));
    }
}

/// Paints a section that is a list of names and values.
fn draw_lines(paint: &mut Paint<'_>, area: Rect, opened: &OpenedRun) {
    let lines = opened.lines();
    let names =
        lines.iter().map(|line| if let SectionLine::Fact { name, .. } = line { width(&plain(name)) } else { 0 });
    let name = names.max().unwrap_or(0).min(usize::from(area.width) / 3);
    let mut painted: Vec<(usize, Vec<TextPiece<'static>>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        painted.extend(line_rows(line, name, usize::from(area.width)).into_iter().map(|row| (at, row)));
    }
    let first = painted.iter().position(|(at, _)| *at == opened.line.at).unwrap_or(0);
    let height = usize::from(area.height);
    let offset = first.saturating_sub(height / 2).min(painted.len().saturating_sub(height));
    for ((at, pieces), row) in painted.iter().skip(offset).zip(rows(area)) {
        paint.line(row, pieces);
        if *at == opened.line.at {
            paint.highlight(row);
        }
        paint.hit(row, Target::Spot { pane: pane::LINES, row: *at });
    }
}

/// Returns the rows of a line; a long value continues in the rows below.
fn line_rows(line: &SectionLine, name_width: usize, room: usize) -> Vec<Vec<TextPiece<'static>>> {
    match line {
        SectionLine::Title(title) => vec![vec![piece(plain(title), Role::Title)]],
        SectionLine::None(text) => vec![vec![piece(format!("  {text}"), Role::Dim)]],
        SectionLine::Fact { name, value, odd } => {
            let (sign, role) = if *odd { ("! ", Role::Warn) } else { ("  ", Role::Text) };
            let values = wrap(&plain(value), room.saturating_sub(name_width + 2 + GAP));
            let row = |(at, value): (usize, String)| {
                let (sign, name) = if at == 0 { (sign, plain(name)) } else { ("  ", String::new()) };
                let gap = " ".repeat(GAP);
                vec![
                    piece(sign, role),
                    piece(pad(&name, name_width), Role::Dim),
                    piece(gap, Role::Dim),
                    piece(value, role),
                ]
            };
            values.into_iter().enumerate().map(row).collect()
        }
    }
}
