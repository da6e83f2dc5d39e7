//! Each test over its sizes: the ratios with their median and extremes, and the test under the cursor drawn.

use super::chart;
use crate::{
    base::units::{self, plain},
    catalog::Role,
    compare::{Comparison, OverSizes},
    report::comparison::words,
    tui::{
        screens::compare::{CompareScreen, TestRow, test_rows},
        widgets::{
            Target,
            paint::{Paint, TextPiece, pad, piece, rows, width},
        },
    },
};
use ratatui::layout::{Constraint, Layout, Rect};

/// Columns of the summary: median, then [min, max].
const SUMMARY: usize = 8 + 17;

/// Paints the table of tests, and below it the chart of the one under the cursor.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let tests = test_rows(comparison, &screen.filter);
    if tests.is_empty() {
        paint.text(area, "no test matches the filter", Role::Dim);
        return;
    }
    let chart_rows = (area.height / 2).max(7);
    let table_rows = (tests.len() as u16 + 1).min(area.height.saturating_sub(chart_rows));
    let [table, below] = area.layout(&Layout::vertical([Constraint::Length(table_rows), Constraint::Min(3)]));
    draw_table(paint, table, screen, comparison, &tests);
    let Some(test) = tests.get(screen.cursor().at) else { return };
    let caption = Rect { y: below.y, height: 1, ..below };
    let figures = test.over.map_or("not comparable at any size".to_owned(), summary_words);
    paint.line(
        caption,
        &[piece(format!("{} ", plain(&test.name)), Role::Title), piece(format!("· A/B: {figures}"), Role::Text)],
    );
    let plot = Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below };
    chart::draw(paint, plot, &test.lines, test.over.map(|over| over.median));
}

/// `median 0.42 [0.31, 0.62]`, as LumoSQL writes it.
fn summary_words(over: &OverSizes) -> String {
    let [median, min, max] = [over.median, over.min, over.max].map(words::ratio);
    let left_out = match over.left_out.len() {
        0 => String::new(),
        some => format!(" · without {}, not comparable", units::counted(some, "size")),
    };
    format!("median {median} [{min}, {max}]{left_out}")
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
    let name = name.min(room.saturating_sub(SUMMARY)).max(8);
    let column = sizes.iter().map(|size| width(&plain(size)) + 2).max().unwrap_or(0).max(8);
    // The sizes that do not fit are in the chart and in every export.
    let shown = sizes.len().min(room.saturating_sub(name + SUMMARY) / column.max(1));
    let more = if shown < sizes.len() { " of more sizes" } else { "" };
    let mut header = pad("A/B", name);
    header.extend(sizes.iter().take(shown).map(|size| format!("{:>column$}", plain(size))));
    header.push_str(&format!("{:>8}  [min, max]{more}", "median"));
    paint.text(Rect { height: 1, ..area }, &header, Role::Title);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let cursor = screen.cursor();
    let offset = cursor.offset(tests.len(), usize::from(list.height));
    for ((at, test), row) in tests.iter().enumerate().skip(offset).zip(rows(list)) {
        paint.line(row, &cells(test, &sizes[..shown], name, column));
        if at == cursor.at {
            paint.highlight(row);
        }
        paint.hit(row, Target::Spot { pane: 0, row: at });
    }
}

fn cells<'t>(test: &TestRow<'_>, sizes: &[&str], name: usize, column: usize) -> Vec<TextPiece<'t>> {
    let mut line = vec![piece(pad(&plain(&test.name), name), Role::Text)];
    for size in sizes {
        let found = test.over.and_then(|over| over.sizes.iter().find(|found| found.size == *size));
        let measured = test.lines.iter().any(|line| line.size == *size);
        let missing = if measured { "n/c" } else { "-" };
        let text = found.map_or(missing.to_owned(), |found| words::ratio(found.ratio));
        let role = found.map_or(Role::Dim, |found| side_of(found.ratio));
        line.push(piece(format!("{text:>column$}"), role));
    }
    let Some(over) = test.over else {
        line.push(piece(format!("{:>8}  not comparable", "-"), Role::Dim));
        return line;
    };
    let [median, min, max] = [over.median, over.min, over.max].map(words::ratio);
    line.push(piece(format!("{median:>8}"), side_of(over.median)));
    line.push(piece(format!("  [{min}, {max}]"), Role::Dim));
    line
}

/// The side that a ratio speaks for; the figure itself says so too.
fn side_of(ratio: f64) -> Role {
    if ratio < 1.0 { Role::A } else { Role::B }
}

/// The sizes of all lines, in their order.
fn sizes(comparison: &Comparison) -> Vec<&str> {
    let mut sizes: Vec<&str> = Vec::new();
    for line in &comparison.lines {
        if !sizes.contains(&line.size.as_str()) {
            sizes.push(&line.size);
        }
    }
    sizes
}
