//! A table with one line for each test: times, ratio, interval, verdict.

use super::above;
use crate::tui::{
    screens::compare::{CompareScreen, TableRow, name, output, remarks, table_rows},
    widgets::{
        list::{CursorRows, VisibleRows},
        paint::{Paint, TextPiece, pad, piece, width, wrap},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Figure, JudgedRatio, Line, Mean};
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{
    comparison::{SideNames, Wording, explain, words},
    sheet::{bar, marks, reach},
};
use dbdyno_stats::Verdict;
use ratatui::layout::Rect;

/// Columns of an interval and a number of runs, and the narrowest of a side's figures and of a ratio.
const FIGURE: usize = 8;
const RATIO: usize = 6;
/// The widest title of a ratio: longer names of sides are A and B there.
const RATIO_TITLE: usize = 16;
const INTERVAL: usize = 12;
const RUNS: usize = 5;
/// The narrowest and the widest bar.
const BARS: (usize, usize) = (9, 61);

/// The columns that there is room for. The lines below the table show what the columns leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TableColumns {
    name: usize,
    /// Columns of each side's figures; 0: not shown.
    figure: usize,
    ratio: usize,
    bar: usize,
    interval: bool,
    runs: bool,
    verdict: usize,
}

impl TableColumns {
    /// Returns the columns that fit, given the longest name, figure and verdict. Names, ratios and verdicts are always shown; then follow
    /// bars, figures, intervals as numbers, and numbers of runs.
    fn new(room: usize, name: usize, figure: usize, ratio: usize, verdict: usize) -> Self {
        let ratio = RATIO.max(ratio + 1);
        let mut columns = Self { name, figure: 0, ratio, bar: 0, interval: false, runs: false, verdict };
        columns.name = name.min(room.saturating_sub(ratio + verdict + 2)).max(8);
        let mut left = room.saturating_sub(columns.name + ratio + verdict + 2);
        let mut take = |wanted: usize| match left.checked_sub(wanted) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        if take(BARS.0 + 2) {
            columns.bar = BARS.0;
        }
        let figure = FIGURE.max(figure + 1);
        if take(2 * figure) {
            columns.figure = figure;
        }
        columns.interval = take(INTERVAL);
        columns.runs = take(RUNS);
        if columns.bar > 0 {
            // An odd number of cells has a middle one, for 1.
            columns.bar = ((columns.bar + left).min(BARS.1) - 1) / 2 * 2 + 1;
        }
        columns
    }
}

/// Paints the table, with a description of the line under the cursor below it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let all = table_rows(comparison, &screen.looked.filter);
    if all.is_empty() {
        let text = if comparison.lines.is_empty() { "no test to compare" } else { "no test matches the filter" };
        paint.text(area, text, Role::Dim);
        return;
    }
    let shown = all.iter().filter_map(|row| if let TableRow::Line(line) = row { Some(*line) } else { None });
    let wording = Wording::of_lines(comparison, shown);
    let mut notes = words::Footnotes::default();
    let marked: Vec<(TableRow<'_>, String)> = all
        .into_iter()
        .map(|row| {
            (
                row,
                if let TableRow::Line(line) = row { marks(&output::numbers(&mut notes, line)) } else { String::new() },
            )
        })
        .collect();
    let longest = |text: &dyn Fn(&(TableRow<'_>, String)) -> usize| marked.iter().map(text).max().unwrap_or(0);
    let names = longest(&|(row, _)| width(&plain(&first_cell(row, &wording))));
    let verdicts = longest(&|(row, marks)| {
        if let TableRow::Line(line) = row { width(&verdict(line, marks, &wording).0) } else { 0 }
    });
    let figures = longest(&|(row, _)| {
        let value = |figure: &Option<Figure>| width(&words::value(figure.as_ref(), comparison.metric));
        if let TableRow::Line(line) = row { value(&line.a).max(value(&line.b)) } else { 0 }
    });
    let columns =
        TableColumns::new(usize::from(area.width), names, figures, width(&ratio_title(&wording.sides)), verdicts);
    let detail = detail(screen.row(), &wording);
    let lines: u16 = detail.iter().map(|text| wrap(&plain(text), usize::from(area.width)).len() as u16).sum();
    let [list, foot] = above(area, (lines + 1).min(area.height / 2));
    paint.line(Rect { height: 1, ..list }, &header(columns, comparison, &wording));
    let list = Rect { y: list.y + 1, height: list.height.saturating_sub(1), ..list };
    let taken = draw_rows(paint, list, screen, (comparison, &wording), &marked, columns);
    draw_remarks(paint, Rect { y: list.y + taken, height: list.height - taken, ..list }, comparison);
    let mut left = Rect { y: foot.y + 1, height: foot.height.saturating_sub(1), ..foot };
    for text in detail {
        let taken = paint.wrapped(left, &text, Role::Dim);
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
    }
}

/// Paints the rows around the cursor. Returns their number.
fn draw_rows(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    (comparison, wording): (&Comparison, &Wording),
    marked: &[(TableRow<'_>, String)],
    columns: TableColumns,
) -> u16 {
    let found = comparison.lines.iter().filter_map(|line| line.found.as_ref());
    let reach = reach(found.map(words::estimate));
    let places = CursorRows::new(marked, |(row, _)| row.is_place());
    let around = VisibleRows::new(marked.len(), places.under(screen.cursor()));
    around.paint(paint, area, places.in_pane(0), |paint, at, place| {
        let (row, marks) = &marked[at];
        paint.line(place, &cells(row, wording, marks, columns, reach));
    })
}

/// Paints the remarks that fit below the rows as a whole.
fn draw_remarks(paint: &mut Paint<'_>, area: Rect, comparison: &Comparison) {
    let mut left = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    for remark in remarks(comparison) {
        let text = remark.text();
        let lines = wrap(&plain(&text), usize::from(left.width)).len() as u16;
        if lines > left.height {
            break;
        }
        paint.wrapped(left, &text, remark.role());
        left = Rect { y: left.y + lines, height: left.height - lines, ..left };
    }
}

fn first_cell(row: &TableRow<'_>, wording: &Wording) -> String {
    match row {
        TableRow::Title(mean) => format!("size {} {}", mean.size, words::part(&mean.part)),
        TableRow::Line(line) => wording.line_name(line),
        TableRow::Mean(mean) => format!("geometric mean ({})", mean.tests),
    }
}

fn header<'t>(columns: TableColumns, comparison: &Comparison, wording: &Wording) -> Vec<TextPiece<'t>> {
    let first = match comparison.means.as_slice() {
        [only] => format!("size {}", only.size),
        _ => "test".to_owned(),
    };
    let mut text = pad(&plain(&first), columns.name);
    if columns.figure > 0 {
        let [a, b] = short_columns(wording, columns.figure);
        text.push_str(&format!("{a:>0$}{b:>0$}", columns.figure));
    }
    text.push_str(&format!("{:>1$}", ratio_title(&wording.sides), columns.ratio));
    if columns.bar > 0 {
        let title = Some(wording.bar_title()).filter(|title| width(title) <= columns.bar);
        text.push_str(&format!("  {:^1$}", title.as_deref().unwrap_or("< 1 >"), columns.bar));
    }
    if columns.interval {
        text.push_str(&format!(" {:<1$}", "95 %", INTERVAL - 1));
    }
    if columns.runs {
        text.push_str(&format!("{:>RUNS$}", "n"));
    }
    text.push_str("  verdict");
    vec![piece(text, Role::Title)]
}

/// Returns the column titles of the sides' values, as long as the columns are wide; the head shows the metric's full name.
fn short_columns(wording: &Wording, room: usize) -> [String; 2] {
    let SideNames { a, b } = &wording.sides;
    let fits = |titles: &[String; 2]| titles.iter().all(|title| width(title) < room);
    let letters = Wording { sides: SideNames::letters(), ..wording.clone() };
    let candidates = [wording.columns(), [a.clone(), b.clone()], letters.columns()];
    candidates.into_iter().find(fits).unwrap_or_else(|| ["A", "B"].map(str::to_owned))
}

/// Returns the title of the ratios: `lmdb/redb`.
fn ratio_title(sides: &SideNames) -> String {
    let title = sides.ratio();
    if width(&title) <= RATIO_TITLE { title } else { SideNames::letters().ratio() }
}

fn cells<'t>(
    row: &TableRow<'_>,
    wording: &Wording,
    marks: &str,
    columns: TableColumns,
    reach: f64,
) -> Vec<TextPiece<'t>> {
    match row {
        TableRow::Title(_) => vec![piece(first_cell(row, wording), Role::Title)],
        TableRow::Mean(mean) => mean_cells(mean, columns),
        TableRow::Line(line) => line_cells(line, wording, marks, columns, reach),
    }
}

fn mean_cells<'t>(mean: &Mean, columns: TableColumns) -> Vec<TextPiece<'t>> {
    let figures = 2 * columns.figure;
    let ratio = mean.ratio.map_or("-".to_owned(), words::ratio);
    let left_out = match mean.left_out.len() {
        0 => String::new(),
        some => format!("  without {some} not comparable"),
    };
    let name = pad(&format!("geometric mean ({})", mean.tests), columns.name);
    let mut pieces = vec![piece(format!("{name}{:figures$}{ratio:>width$}", "", width = columns.ratio), Role::Accent)];
    if columns.interval {
        let bar = if columns.bar > 0 { columns.bar + 2 } else { 0 };
        pieces.push(piece(format!("{:bar$} {:<2$}", "", words::range(mean.interval), INTERVAL - 1), Role::Text));
    }
    pieces.push(piece(left_out, Role::Dim));
    pieces
}

fn line_cells<'t>(
    line: &Line,
    wording: &Wording,
    marks: &str,
    columns: TableColumns,
    reach: f64,
) -> Vec<TextPiece<'t>> {
    let mut cells = vec![piece(pad(&plain(&wording.line_name(line)), columns.name), Role::Text)];
    if columns.figure > 0 {
        let [a, b] = [&line.a, &line.b].map(|figure| words::value(figure.as_ref(), wording.metric));
        cells.push(piece(format!("{a:>0$}", columns.figure), Role::A));
        cells.push(piece(format!("{b:>0$}", columns.figure), Role::B));
    }
    let (verdict, role) = verdict(line, marks, wording);
    let found = line.found.as_ref();
    let ratio = found.map_or("-".to_owned(), |found| words::ratio(found.ratio));
    cells.push(piece(format!("{ratio:>width$}", width = columns.ratio), role));
    if columns.bar > 0 {
        let drawn = found.map_or(" ".repeat(columns.bar), |found| bar(words::estimate(found), columns.bar, reach));
        cells.push(piece(format!("  {drawn}"), role));
    }
    if columns.interval {
        let interval = found.map_or("-".to_owned(), words::interval);
        cells.push(piece(format!(" {interval:<0$}", INTERVAL - 1), Role::Text));
    }
    if columns.runs {
        cells.push(piece(format!("{:>RUNS$}", runs(line)), Role::Dim));
    }
    cells.push(piece(format!("  {verdict}"), role));
    cells
}

/// Returns the verdict with its sign and the numbers of its remarks.
fn verdict(line: &Line, marks: &str, wording: &Wording) -> (String, Role) {
    let Some(found) = &line.found else { return (format!("· not comparable {marks}"), Role::Dim) };
    let role = match found.verdict {
        Verdict::Faster => Role::A,
        Verdict::Slower => Role::B,
        Verdict::Same => Role::Text,
        Verdict::Undecided { .. } | Verdict::TooFew { .. } => Role::Dim,
    };
    let text = format!("{} {} {marks}", words::sign(Some(found.verdict)), wording.short_verdict(found));
    (text.trim_end().to_owned(), role)
}

/// `10`, or `6/12` if runs are not paired.
fn runs(line: &Line) -> String {
    let count = |figure: &Option<Figure>| figure.as_ref().map_or(0, |figure| figure.values.len());
    let (a, b) = (count(&line.a), count(&line.b));
    if a == b { a.to_string() } else { format!("{a}/{b}") }
}

/// Returns a description of the row under the cursor, with all its figures.
fn detail(row: Option<TableRow<'_>>, wording: &Wording) -> Vec<String> {
    match row {
        Some(TableRow::Line(line)) => named_detail(line, wording),
        Some(TableRow::Mean(mean)) => words::left_out(mean).into_iter().collect(),
        Some(TableRow::Title(_)) | None => Vec::new(),
    }
}

/// Returns a description of a line, with all its figures.
pub(super) fn named_detail(line: &Line, wording: &Wording) -> Vec<String> {
    let value = |figure: &Option<Figure>| words::value(figure.as_ref(), wording.metric);
    let SideNames { a, b } = &wording.sides;
    let figures = format!("{} · {a} {} · {b} {}", name(line), value(&line.a), value(&line.b));
    match &line.found {
        None => vec![figures, not_comparable(line)],
        Some(found) => vec![format!("{figures} · {}", wording.verdict(found)), estimate(line, found, &wording.sides)],
    }
}

fn not_comparable(line: &Line) -> String {
    let reasons: Vec<String> = line.obstacles.iter().map(output::obstacle).collect();
    format!("not comparable: {}", reasons.join("; "))
}

/// `lmdb/redb 0.29 [0.27-0.31] · n 10 pairs · p 0.0020, 0.0156 adjusted`.
fn estimate(line: &Line, found: &JudgedRatio, sides: &SideNames) -> String {
    let p = match (found.p, found.p_adjusted) {
        (Some(p), Some(adjusted)) => {
            format!(" · p {}, {} adjusted", explain::p_words(p), explain::p_words(adjusted))
        }
        _ => String::new(),
    };
    let pairs = match found.sessions {
        Some(sessions) if found.paired => format!(" pairs of {} sessions", sessions.a),
        Some(_) => " sessions".to_owned(),
        None if found.paired => " pairs".to_owned(),
        None => String::new(),
    };
    let (ratio, interval) = (words::ratio(found.ratio), words::interval(found));
    format!("{} {ratio} [{interval}] · n {}{pairs}{p}", sides.ratio(), runs(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_drop_by_width_and_figures_come_after_bars() {
        let narrow = TableColumns::new(78, 19, 7, 3, 17);
        assert_eq!((narrow.figure, narrow.bar > 0, narrow.interval), (FIGURE, true, false));
        let wide = TableColumns::new(118, 19, 7, 9, 17);
        assert_eq!((wide.figure, wide.interval, wide.runs), (FIGURE, true, true));
        let taken = wide.name + 2 * FIGURE + wide.ratio + wide.bar + 2 + INTERVAL + RUNS + 2 + wide.verdict;
        assert!(taken <= 118, "{taken}");
        assert_eq!(TableColumns::new(118, 19, "4.37 M/s".len(), 3, 17).figure, 9, "figures do not touch");
        assert!(TableColumns::new(78, 60, 7, 3, 17).name < 60, "a name gives way to the verdict");
    }
}
