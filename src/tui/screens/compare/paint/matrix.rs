//! The matrix of one reference and all other configurations: tests as rows, configurations as columns.

use super::{above, head, lines, table};
use crate::tui::{
    screens::compare::{CompareScreen, Matrix, MatrixPlace, MatrixRow, matrix_rows, output},
    widgets::{
        names::names,
        paint::{Paint, TextPiece, piece, width},
        table::{ColumnWidth, ListTable, TableColumn, TableLine},
    },
};
use dbdyno_catalog::{Difference, Role};
use dbdyno_comparing::compare::{Comparison, Line, Obstacle, ObstacleKind};
use dbdyno_foundation::{
    base::units::{counted, plain},
    metric::Metric,
};
use dbdyno_reports::comparison::{
    Wording, sentence,
    several::{self, mean_of},
    words,
};
use dbdyno_stats::Verdict;
use ratatui::layout::{Alignment, Rect};

/// Columns of a figure, of a ratio with its sign, and of an interval, each with the space before it.
const FIGURE: usize = 9;
const RATIO: usize = 9;
const INTERVAL: usize = 12;
/// The columns before those of the candidates: the test, and the reference's figure.
const LEAD: usize = 2;

/// Paints the matrix, with a description of the cell under the cursor below it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen) {
    let Some(matrix) = screen.matrix() else { return };
    let sides = &matrix.comparisons;
    let taken = head::draw_reference(paint, area, matrix);
    let below = Rect { y: area.y + taken, height: area.height.saturating_sub(taken), ..area };
    let all = matrix_rows(sides, &screen.looked.filter);
    let (Some(first), false) = (sides.first(), all.is_empty()) else {
        paint.text(below, "no test matches the filter", Role::Dim);
        return;
    };
    let shown = all.iter().filter_map(|row| if let MatrixRow::Line(row) = row { Some(row.first) } else { None });
    let wording = Wording::of_lines(first, shown);
    let name = |row: &MatrixRow<'_>| match row {
        MatrixRow::Title(size) => format!("size {size}"),
        MatrixRow::Line(row) => wording.line_name(row.first),
        MatrixRow::Mean(_) => "geometric mean".to_owned(),
    };
    let room = usize::from(below.width);
    let longest = all.iter().map(|row| width(&plain(&name(row)))).max().unwrap_or(0);
    let has_intervals =
        has_intervals(room.saturating_sub(longest + reference_width(room, &several::name(&first.b)) + 1), sides.len());
    let corner = if let [only] = several::sizes(sides)[..] { format!("size {only}") } else { "test".to_owned() };
    let places = [vec![MatrixPlace::Reference(0)], matrix.columns()].concat();
    let labels: Vec<String> = places.iter().map(|place| place.label(sides)).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let referred = reference_width(room, labels[0]);
    let of_candidate = FIGURE + RATIO + if has_intervals { INTERVAL } else { 0 };
    let (of_references, of_candidates) = (names(&labels, referred), names(&labels, of_candidate - INDENT));
    let mut columns = vec![TableColumn::text(corner, 0, name).at_most(usize::MAX).gap(1)];
    columns.extend(places.iter().enumerate().map(|(place, column)| match *column {
        MatrixPlace::Reference(at) => reference(sides, at, of_references[place].clone(), referred),
        MatrixPlace::Candidate(at) => candidate(at, &sides[at], &of_candidates[place], has_intervals),
    }));
    let others = &places[1..];
    let rows = all.into_iter().map(|row| match row {
        MatrixRow::Title(_) => TableLine::Title(vec![piece(name(&row), Role::Title)]),
        MatrixRow::Line(_) | MatrixRow::Mean(_) => TableLine::Row(row),
    });
    // Pane 0 is a whole row, and the next ones are cells.
    let under_cursor = MatrixPlace::Candidate(screen.looked.candidate);
    let across = others.iter().position(|column| *column == under_cursor).unwrap_or(0);
    let table = ListTable::new(columns, rows, screen.cursor(), 1).led_by(LEAD).scrolled_to(across);
    let seen = table.columns_in(room).into_iter().filter_map(|(at, _)| others.get(at.checked_sub(LEAD)?));
    let mut foot = foot(screen, matrix, seen.filter(|column| matches!(column, MatrixPlace::Candidate(_))).count());
    if paint.bare {
        // The tests need the rows of a small terminal; `?` has the keys and `n` the facts.
        foot.truncate(SHORT_FOOT);
    }
    let [list, under] = above(below, foot.len() as u16 + 1);
    let taken = table.paint(paint, list).taken + 1;
    let rest = Rect { y: list.y + taken, height: list.height.saturating_sub(taken), ..list };
    lines(paint, rest, output::remarks_of(sides).into_iter().map(|remark| (remark.text(), remark.role())));
    for ((text, role), y) in foot.iter().zip(under.y + 1..under.bottom()) {
        paint.text(Rect { y, height: 1, ..under }, text, *role);
    }
}

/// Whether candidates show intervals in addition to figure and ratio: if this hides none of those that fit into `room` without.
fn has_intervals(room: usize, candidates: usize) -> bool {
    let shown = (room / (FIGURE + RATIO)).clamp(1, candidates.max(1));
    room / (FIGURE + RATIO + INTERVAL) >= shown
}

/// Lines below the matrix of a small terminal.
const SHORT_FOOT: usize = 3;

/// Columns before the name of a candidate.
const INDENT: usize = 3;
/// The widest column of a reference, where room is short and where there is much.
const REFERENCE: [usize; 2] = [14, 30];
/// Columns that are much room.
const MUCH: usize = 150;

/// Returns the width of the columns of references, from the name of the first.
fn reference_width(room: usize, name: &str) -> usize {
    width(name).clamp(FIGURE - 1, REFERENCE[usize::from(room >= MUCH)])
}

impl MatrixPlace {
    /// Returns the label of its configuration.
    fn label(self, sides: &[Comparison]) -> String {
        match self {
            Self::Reference(at) => several::name(&sides[at].b),
            Self::Candidate(at) => several::name(&sides[at].a),
        }
    }
}

/// Returns the column of the reference of the group that begins with a side.
fn reference<'t>(
    sides: &'t [Comparison],
    begins: usize,
    name: String,
    columns: usize,
) -> TableColumn<'t, MatrixRow<'t>> {
    let first = &sides[begins];
    let of_group = move |at: &usize| sides[*at].b.selection == first.b.selection;
    let figure = move |row: &MatrixRow<'_>, _: usize| {
        let MatrixRow::Line(row) = row else { return Vec::new() };
        let mut lines = row.lines.iter().enumerate().filter(|(at, _)| of_group(at)).filter_map(|(_, line)| *line);
        vec![piece(words::value(lines.find_map(|line| line.b.as_ref()), first.metric), Role::B)]
    };
    TableColumn::drawn(short_title(first), 0, ColumnWidth::Filled(columns, columns), figure)
        .above(piece(name, Role::B))
        .aligned(Alignment::Right)
        .gap(0)
}

/// Returns the column of a candidate, below its name: figure, ratio and interval.
fn candidate<'t>(at: usize, side: &'t Comparison, name: &str, has_interval: bool) -> TableColumn<'t, MatrixRow<'t>> {
    let cell = move |row: &MatrixRow<'t>, _: usize| match row {
        MatrixRow::Line(row) => line_cell(row.lines.get(at).copied().flatten(), side, has_interval),
        MatrixRow::Mean(size) => mean_cell(side, size, has_interval),
        MatrixRow::Title(_) => Vec::new(),
    };
    // Below a side's name this reads as `lmdb /redb`.
    let over = Some(format!("/{}", several::name(&side.b))).filter(|over| width(over) < RATIO);
    let interval = if has_interval { " 95 %" } else { "" };
    let title = format!("{:>FIGURE$}{:>RATIO$}{interval}", short_title(side), over.as_deref().unwrap_or("ratio"));
    let each = FIGURE + RATIO + if has_interval { INTERVAL } else { 0 };
    let name = format!("{}{name}", " ".repeat(INDENT));
    TableColumn::drawn(title, 0, ColumnWidth::Filled(each, each), cell).above(piece(name, Role::A)).gap(0)
}

/// Returns the column title of the figures; the head shows the metric's full name.
fn short_title(side: &Comparison) -> &'static str {
    match side.metric {
        Metric::Wall => "time",
        Metric::OpenAndTest => "open+test",
        _ => "figure",
    }
}

/// `517 µs  0.29 ▼  0.27-0.31`. A ratio without a verdict is dim, with a sign for what differs.
fn line_cell<'t>(line: Option<&Line>, side: &Comparison, has_interval: bool) -> Vec<TextPiece<'t>> {
    let figure = format!("{:>FIGURE$}", words::value(line.and_then(|line| line.a.as_ref()), side.metric));
    let role = match line.and_then(|line| line.found.as_ref()).map(|found| found.verdict) {
        Some(Verdict::Faster) => Role::A,
        Some(Verdict::Slower) => Role::B,
        Some(Verdict::Same) => Role::Text,
        _ => Role::Dim,
    };
    let (ratio, interval) = match line.and_then(|line| without_verdict(line, side)) {
        Some(ratio) => (ratio, String::new()),
        None => {
            let [ratio, interval] = several::cells(line, &Wording::of(side));
            // A ratio without a sign is aligned with those that have one.
            (if ratio.contains(' ') { ratio } else { format!("{ratio}  ") }, interval)
        }
    };
    let interval = if has_interval { format!(" {interval}") } else { String::new() };
    vec![
        piece(figure, if role == Role::Dim { Role::Text } else { role }),
        piece(format!("{ratio:>RATIO$}{interval}"), role),
    ]
}

/// Returns the ratio of two figures that are not compared, with a sign for the reason: the tier of the candidate, or that something else
/// differs.
fn without_verdict(line: &Line, side: &Comparison) -> Option<String> {
    let (a, b) = (line.a.as_ref()?.median, line.b.as_ref()?.median);
    let differs = |one: Option<Difference>| {
        let is_it = |found: &Obstacle| match (&found.kind, one) {
            (ObstacleKind::Differ(kind), Some(one)) => *kind == one,
            (_, None) => true,
            _ => false,
        };
        line.obstacles.iter().any(is_it)
    };
    if line.found.is_some() || b <= 0.0 || !differs(None) {
        return None;
    }
    let sign = match side.a.configurations.first().filter(|_| differs(Some(Difference::Tiers))) {
        Some(one) => one.configuration.tier.map_or_else(|| "T?".to_owned(), |tier| format!("T{tier}")),
        None => "≠".to_owned(),
    };
    Some(format!("{} {sign:<2}", words::ratio(a / b)))
}

fn mean_cell<'t>(side: &Comparison, size: &str, has_interval: bool) -> Vec<TextPiece<'t>> {
    let mean = mean_of(side, size);
    let ratio = mean.and_then(|mean| mean.ratio).map_or("-".to_owned(), words::ratio);
    let interval = match has_interval {
        true => format!(" {}", words::range(mean.and_then(|mean| mean.interval))),
        false => String::new(),
    };
    vec![piece(format!("{}{:>RATIO$}{interval}", " ".repeat(FIGURE), format!("{ratio}  ")), Role::Accent)]
}

/// Returns the description of the cell under the cursor and the key to the signs.
fn foot(screen: &CompareScreen, matrix: &Matrix, shown: usize) -> Vec<(String, Role)> {
    let mut text = Vec::new();
    let all = matrix.comparisons.len();
    if shown < all {
        let at = screen.looked.candidate + 1;
        let others = counted(all, "configuration");
        text.push((format!("{at} of {others} against the reference: h and l show the others"), Role::Warn));
    }
    let under = screen.under_cursor();
    let (side, line) = match &under {
        Some((side, line)) => (*side, *line),
        None => return text,
    };
    match line {
        Some(line) => {
            text.extend(table::named_detail(line, &Wording::of(side)).into_iter().map(|text| (text, Role::Text)));
        }
        None => text.push((sentence(side), Role::Text)),
    }
    let differs = line.is_some_and(|line| line.found.is_none() && !line.obstacles.is_empty());
    let signs = Wording::of(side).signs();
    text.push((
        if differs { format!("{signs} · T1 another tier, ≠ something else differs") } else { signs },
        Role::Dim,
    ));
    let reference = several::name(&side.b);
    text.push((format!("Enter: the pair · r: the reference · ratio: each / {reference}"), Role::Dim));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_screen_shows_figure_and_ratio_and_a_wide_one_intervals_too() {
        assert!(!has_intervals(78 - 19 - FIGURE, 3));
        assert!(has_intervals(118 - 19 - FIGURE, 3));
        assert!(!has_intervals(0, 9));
    }
}
