//! Each test over its sizes: the ratios with their median and extremes, and a chart of the test under the cursor.

use super::chart;
use crate::tui::{
    screens::compare::{CompareScreen, TestRow, test_rows},
    widgets::{
        paint::{Paint, piece},
        table::{ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, OverSizes};
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::comparison::{SideNames, words};
use dbdyno_stats::Verdict;
use ratatui::layout::{Constraint, Layout, Rect};

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
    ListTable::new(columns(comparison), &tests, screen.cursor(), 0).paint(paint, table);
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

type TestSizesColumn<'t> = TableColumn<'t, &'t TestRow<'t>>;

/// Returns the columns of the tests. Sizes that do not fit are in the chart and in every export.
fn columns<'t>(comparison: &'t Comparison) -> Vec<TestSizesColumn<'t>> {
    let extremes = |over: &OverSizes| format!("[{}, {}]", words::ratio(over.min), words::ratio(over.max));
    let title = format!("{}, 95 %", SideNames::of(comparison).ratio());
    let mut columns =
        vec![TestSizesColumn::text(title, 0, |test| test.name.as_str()).or_titled("A/B, 95 %").at_most(usize::MAX)];
    columns.extend((1..).zip(sizes(comparison)).map(|(rank, size)| of_size(rank, size)));
    columns.push(TestSizesColumn::number("median", 0, |test| {
        test.over.map_or("-".to_owned(), |over| words::ratio(over.median))
    }));
    let summary = TestSizesColumn::text("[min, max] of all", 0, move |test| {
        test.over.map_or("not comparable".to_owned(), extremes)
    });
    columns.push(summary.whole().coloured(|_| Role::Dim));
    columns
}

/// Returns the column of a size: ratios with their signs, and below them their intervals.
fn of_size<'t>(rank: usize, size: &'t str) -> TestSizesColumn<'t> {
    let found = move |test: &TestRow<'t>| test.over.and_then(|over| over.sizes.iter().find(|found| found.size == size));
    let ratio = move |test: &&'t TestRow<'t>| match found(test) {
        Some(found) => format!("{} {}", words::ratio(found.ratio), words::sign(Some(found.verdict))),
        None if test.lines.iter().any(|line| line.size == size) => "n/c".to_owned(),
        None => "-".to_owned(),
    };
    TestSizesColumn::number(size, rank, ratio)
        .coloured(move |test| found(test).map_or(Role::Dim, |found| role_of(found.verdict)))
        .below(move |test| found(test).map_or(String::new(), |found| words::range(found.interval)))
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
