//! Each test over its sizes: the ratios with their median and extremes, and a chart of the test under the cursor.

use super::chart;
use crate::tui::{
    screens::compare::{CompareScreen, TestRow, test_rows},
    widgets::{
        Target,
        paint::{Paint, TextPiece, pad, piece, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, OverSizes};
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::comparison::{SideNames, words};
use dbdyno_stats::Verdict;
use ratatui::layout::{Constraint, Layout, Rect};

/// Columns of the summary: median, then [min, max].
const SUMMARY: usize = 8 + 17;
/// The narrowest column of a size, which holds an interval.
const COLUMN: usize = 12;
/// Rows of a test: ratios with their signs, below them their intervals.
const ROWS: usize = 2;

/// Paints the table of tests, and below it the chart of the test under the cursor.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let tests = test_rows(comparison, &screen.looked.filter);
    if tests.is_empty() {
        paint.text(area, "no test matches the filter", Role::Dim);
        return;
    }
    let chart_rows = (area.height / 2).max(7);
    let table_rows = ((tests.len() * ROWS) as u16 + 1).min(area.height.saturating_sub(chart_rows));
    let [table, below] = area.layout(&Layout::vertical([Constraint::Length(table_rows), Constraint::Min(3)]));
    draw_table(paint, table, screen, comparison, &tests);
    let Some(test) = tests.get(screen.cursor().at) else { return };
    let caption = Rect { y: below.y, height: 1, ..below };
    let figures = test.over.map_or("not comparable at any size".to_owned(), summary_words);
    paint.line(
        caption,
        &[
            piece(format!("{} ", plain(&test.name)), Role::Title),
            piece(format!("· {}: {figures}", SideNames::of(comparison).ratio()), Role::Text),
        ],
    );
    let plot = Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below };
    chart::draw(paint, plot, &test.lines, test.over.map(|over| over.median));
}

/// `median of sizes 0.42, least 0.31, most 0.62 · 3▼`.
fn summary_words(over: &OverSizes) -> String {
    let [median, min, max] = [over.median, over.min, over.max].map(words::ratio);
    let left_out = match over.left_out.len() {
        0 => String::new(),
        some => format!(" · without {}, not comparable", units::counted(some, "size")),
    };
    let verdicts = words::verdicts_over(&over.sizes);
    format!("median of sizes {median}, least {min}, most {max} · {verdicts}{left_out}")
}

fn draw_table(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    comparison: &Comparison,
    tests: &[TestRow<'_>],
) {
    let room = usize::from(area.width);
    let sizes = sizes(comparison);
    let name = tests.iter().map(|test| width(&plain(&test.name))).max().unwrap_or(0);
    let name = name.min(room.saturating_sub(SUMMARY + COLUMN)).max(9);
    let column = sizes.iter().map(|size| width(&plain(size)) + 2).max().unwrap_or(0).max(COLUMN);
    // The sizes that do not fit are in the chart and in every export.
    let shown = sizes.len().min(room.saturating_sub(name + SUMMARY) / column.max(1));
    let more = if shown < sizes.len() { " of more sizes" } else { "" };
    let mut header = pad(&format!("{}, 95 %", SideNames::of(comparison).ratio()), name);
    header.extend(sizes.iter().take(shown).map(|size| format!("{:>column$}", plain(size))));
    header.push_str(&format!("{:>8}  [min, max]{more}", "median"));
    paint.text(Rect { height: 1, ..area }, &header, Role::Title);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let cursor = screen.cursor();
    let offset = cursor.offset(tests.len(), usize::from(list.height) / ROWS);
    let places: Vec<Rect> = rows(list).collect();
    for ((at, test), place) in tests.iter().enumerate().skip(offset).zip(places.as_chunks::<ROWS>().0) {
        for (row, text) in place.iter().zip(cells(test, &sizes[..shown], name, column)) {
            paint.line(*row, &text);
            if at == cursor.at {
                paint.highlight(*row);
            }
            paint.hit(*row, Target::Spot { pane: 0, row: at });
        }
    }
}

/// Returns the ratios of a test with their signs and summary, and below them their intervals.
fn cells<'t>(test: &TestRow<'_>, sizes: &[&str], name: usize, column: usize) -> [Vec<TextPiece<'t>>; ROWS] {
    let mut ratios = vec![piece(pad(&plain(&test.name), name), Role::Text)];
    let mut intervals = vec![piece(" ".repeat(name), Role::Text)];
    for size in sizes {
        let found = test.over.and_then(|over| over.sizes.iter().find(|found| found.size == *size));
        let measured = test.lines.iter().any(|line| line.size == *size);
        let missing = if measured { "n/c" } else { "-" };
        let text = found.map_or(missing.to_owned(), |found| {
            format!("{} {}", words::ratio(found.ratio), words::sign(Some(found.verdict)))
        });
        let interval = found.map_or_else(String::new, |found| words::range(found.interval));
        ratios.push(piece(format!("{text:>column$}"), found.map_or(Role::Dim, |found| role_of(found.verdict))));
        intervals.push(piece(format!("{interval:>column$}"), Role::Dim));
    }
    match test.over {
        None => ratios.push(piece(format!("{:>8}  not comparable", "-"), Role::Dim)),
        Some(over) => {
            let [median, min, max] = [over.median, over.min, over.max].map(words::ratio);
            ratios.push(piece(format!("{median:>8}"), Role::Text));
            ratios.push(piece(format!("  [{min}, {max}]"), Role::Dim));
        }
    }
    [ratios, intervals]
}

/// Returns the role of the side that a verdict favours; its sign shows it too.
fn role_of(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Faster => Role::A,
        Verdict::Slower => Role::B,
        Verdict::Same => Role::Text,
        Verdict::Undecided { .. } | Verdict::TooFew { .. } => Role::Dim,
    }
}

/// Returns the sizes of all lines, in their order.
fn sizes(comparison: &Comparison) -> Vec<&str> {
    let mut sizes: Vec<&str> = Vec::new();
    for line in &comparison.lines {
        if !sizes.contains(&line.size.as_str()) {
            sizes.push(&line.size);
        }
    }
    sizes
}
