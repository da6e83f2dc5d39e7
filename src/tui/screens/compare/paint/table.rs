//! A table with one line for each test: times, ratio, interval, verdict.

use super::{above, lines, reason};
use crate::tui::{
    screens::compare::{CompareScreen, TableRow, name, output, remarks, table_rows},
    widgets::{
        paint::{Paint, piece, width, wrap},
        table::{ColumnWidth, ListTable, TableColumn, TableLine},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Figure, JudgedRatio, Line};
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::{
    comparison::{SideNames, Wording, words},
    sheet::{bar, marks, reach},
};
use dbdyno_stats::Verdict;
use ratatui::layout::{Alignment, Rect};

/// The narrowest column of a side's figures.
const FIGURE: usize = 7;
/// The widest title of a ratio: longer names of sides are A and B there.
const RATIO_TITLE: usize = 16;
/// The narrowest and the widest bar.
const BARS: ColumnWidth = ColumnWidth::Filled(9, 61);

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
    let rows = all.iter().copied().map(|row| match row {
        TableRow::Title(mean) => {
            let title = format!("size {} {}", mean.size, words::part(&mean.part));
            TableLine::Title(vec![piece(title, Role::Title)])
        }
        TableRow::Line(line) => TableLine::Row((row, marks(&output::numbers(&mut notes, line)))),
        TableRow::Mean(_) => TableLine::Row((row, String::new())),
    });
    let table = ListTable::new(columns(comparison, &wording), rows, screen.cursor(), 0);
    let mut detail = detail(screen.row(), &wording);
    if paint.bare {
        // The last line has the interval, which the narrow table lacks.
        detail.reverse();
    }
    let height: u16 = detail.iter().map(|text| wrap(&plain(text), usize::from(area.width)).len() as u16).sum();
    let reason = screen.row().and_then(|row| if let TableRow::Line(line) = row { line.reason.as_ref() } else { None });
    let of_reason = reason.map_or(0, |one| reason::height(one, &wording, usize::from(area.width)));
    let [list, foot] = above(area, (height + of_reason + 1).min(area.height / 2));
    let taken = table.paint(paint, list).taken + 1;
    let rest = Rect { y: list.y + taken, height: list.height.saturating_sub(taken), ..list };
    lines(paint, rest, remarks(comparison).into_iter().map(|remark| (remark.text(), remark.role())));
    let foot = Rect { y: foot.y + 1, height: foot.height.saturating_sub(1), ..foot };
    let taken = lines(paint, foot, detail.into_iter().map(|text| (text, Role::Dim)));
    if let Some(reason) = reason {
        let left = Rect { y: foot.y + taken, height: foot.height - taken, ..foot };
        reason::draw(paint, left, reason, &wording);
    }
}

/// A test or a mean, with the numbers of its remarks.
type MarkedRow<'t> = (TableRow<'t>, String);
type JudgedColumn<'t> = TableColumn<'t, MarkedRow<'t>>;

/// Returns the columns. If room is short, numbers of runs are dropped first, then intervals, figures and bars. The description below the table
/// has all of them.
fn columns<'t>(comparison: &'t Comparison, wording: &'t Wording) -> Vec<JudgedColumn<'t>> {
    let first = match comparison.means.as_slice() {
        [only] => format!("size {}", only.size),
        _ => "test".to_owned(),
    };
    let name = |(row, _): &MarkedRow<'t>| match row {
        TableRow::Line(line) => wording.line_name(line),
        TableRow::Mean(mean) | TableRow::Title(mean) => format!("geometric mean ({})", mean.tests),
    };
    let is_line = |(row, _): &MarkedRow<'t>| matches!(row, TableRow::Line(_));
    let value = |figure: &Option<Figure>| words::value(figure.as_ref(), comparison.metric);
    let values = comparison.lines.iter().flat_map(|line| [&line.a, &line.b]).map(value);
    let room = values.map(|value| width(&value)).fold(FIGURE, usize::max);
    let [a, b] = short_columns(wording, room);
    let figures = move |(row, _): &MarkedRow<'t>, _: usize| {
        let TableRow::Line(line) = row else { return Vec::new() };
        let sides = [(&line.a, Role::A), (&line.b, Role::B)];
        let [a, b] = sides.map(|(figure, role)| piece(format!("{:>room$}", value(figure)), role));
        vec![a, piece(" ", Role::Text), b]
    };
    let found = |row: &TableRow<'t>| if let TableRow::Line(line) = row { line.found.as_ref() } else { None };
    let ratio = move |(row, _): &MarkedRow<'t>| {
        let ratio = if let TableRow::Mean(mean) = row { mean.ratio } else { found(row).map(|found| found.ratio) };
        ratio.map_or("-".to_owned(), words::ratio)
    };
    let interval = move |(row, _): &MarkedRow<'t>| match row {
        TableRow::Mean(mean) => words::range(mean.interval),
        _ => found(row).map_or("-".to_owned(), words::interval),
    };
    let reach = reach(comparison.lines.iter().filter_map(|line| line.found.as_ref()).map(words::estimate));
    // An odd number of cells has a middle one, for 1.
    let bar = move |(row, _): &MarkedRow<'t>, room: usize| {
        let bar = found(row).map(|found| bar(words::estimate(found), (room - 1) / 2 * 2 + 1, reach));
        bar.map(|bar| piece(bar, Role::Text)).into_iter().collect()
    };
    let runs = |(row, _): &MarkedRow<'t>| if let TableRow::Line(line) = row { runs(line) } else { String::new() };
    let role = |row: &MarkedRow<'t>| verdict(row, wording).1;
    let both = ColumnWidth::Filled(2 * room + 1, 2 * room + 1);
    vec![
        JudgedColumn::text(first, 0, name)
            .at_most(usize::MAX)
            .coloured(move |row| if is_line(row) { Role::Text } else { Role::Accent })
            .gap(1),
        JudgedColumn::drawn(format!("{a:>room$} {b:>room$}"), 2, both, figures).gap(1),
        JudgedColumn::number(ratio_title(&wording.sides), 0, ratio).coloured(role),
        JudgedColumn::drawn(wording.bar_title(), 1, BARS, bar)
            .or_titled("< 1 >")
            .aligned(Alignment::Center)
            .coloured(role),
        JudgedColumn::text("95 %", 3, interval).whole(),
        JudgedColumn::number("n", 4, runs).coloured(|_| Role::Dim),
        JudgedColumn::text("verdict", 0, |row| verdict(row, wording).0).whole().coloured(role),
    ]
}

/// Returns the column titles of the sides' values, as long as the columns are wide; the head shows the metric's full name.
fn short_columns(wording: &Wording, room: usize) -> [String; 2] {
    let SideNames { a, b } = &wording.sides;
    let fits = |titles: &[String; 2]| titles.iter().all(|title| width(title) <= room);
    let letters = Wording { sides: SideNames::letters(), ..wording.clone() };
    let candidates = [wording.columns(), [a.clone(), b.clone()], letters.columns()];
    candidates.into_iter().find(fits).unwrap_or_else(|| ["A", "B"].map(str::to_owned))
}

/// Returns the title of the ratios: `lmdb/redb`.
fn ratio_title(sides: &SideNames) -> String {
    let title = sides.ratio();
    if width(&title) <= RATIO_TITLE { title } else { SideNames::letters().ratio() }
}

/// Returns the verdict with its sign and the numbers of its remarks.
fn verdict((row, marks): &MarkedRow<'_>, wording: &Wording) -> (String, Role) {
    let line = match row {
        TableRow::Line(line) => line,
        TableRow::Mean(mean) | TableRow::Title(mean) => {
            let left_out = mean.left_out.len();
            let text = if left_out > 0 { format!("· {left_out} not comparable") } else { String::new() };
            return (text, Role::Accent);
        }
    };
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
            format!(" · p {}, {} adjusted", words::short_p(p), words::short_p(adjusted))
        }
        _ => String::new(),
    };
    let pairs = match found.sessions {
        Some(sessions) if found.paired => format!(" pairs of {} sessions", sessions.a),
        Some(sessions) => format!(" runs of {}/{} sessions", sessions.a, sessions.b),
        None if found.paired => " pairs".to_owned(),
        None => String::new(),
    };
    let (ratio, interval) = (words::ratio(found.ratio), words::interval(found));
    format!("{} {ratio} [{interval}] · n {}{pairs}{p}", sides.ratio(), runs(line))
}
