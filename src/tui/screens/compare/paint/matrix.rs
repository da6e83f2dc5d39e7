//! The matrix of one reference and all other configurations: tests as rows, configurations as columns.

use super::{above, head, lines, table};
use crate::tui::{
    screens::compare::{CompareScreen, Matrix, MatrixRow, matrix_rows, output},
    widgets::{
        Target,
        list::{CursorRows, VisibleRows},
        paint::{Paint, fit, pad, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Line};
use dbdyno_foundation::{
    base::units::{counted, plain},
    metric::Metric,
};
use dbdyno_reports::comparison::{
    Wording, sentence,
    several::{self, SeveralRow, mean_of},
    words,
};
use dbdyno_stats::Verdict;
use ratatui::layout::Rect;

/// Columns of a figure, of a ratio with its sign, and of an interval, each with the space before it.
const FIGURE: usize = 9;
const RATIO: usize = 8;
const INTERVAL: usize = 12;
/// The narrowest name of a test.
const NAME: usize = 12;

/// The columns that there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MatrixColumns {
    name: usize,
    /// Whether configurations show their figures in addition to ratio and interval.
    figures: bool,
    /// Index of the first candidate shown, and the number of candidates shown.
    from: usize,
    shown: usize,
}

impl MatrixColumns {
    /// Fits as many candidates as possible around the one under the cursor. Shows their figures if this hides no candidate.
    fn new(room: usize, longest: usize, candidates: usize, under: usize) -> Self {
        let least = FIGURE + RATIO + INTERVAL;
        let name = longest.min(room.saturating_sub(least)).max(NAME);
        let left = room.saturating_sub(name + FIGURE);
        let shown = (left / Self::each(false)).clamp(1, candidates.max(1));
        let figures = left / Self::each(true) >= shown;
        let from = under.saturating_sub(shown / 2).min(candidates.saturating_sub(shown));
        Self { name, figures, from, shown }
    }

    fn each(figures: bool) -> usize {
        RATIO + INTERVAL + if figures { FIGURE } else { 0 }
    }

    /// Returns the area of a candidate's cells in a row.
    fn place(self, row: Rect, candidate: usize) -> Rect {
        let each = Self::each(self.figures);
        let x = row.x + (self.name + FIGURE + (candidate - self.from) * each) as u16;
        Rect { x, width: (each as u16).min(row.right().saturating_sub(x)), ..row }
    }
}

/// Paints the matrix, with a description of the cell under the cursor below it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen) {
    let Some(matrix) = screen.matrix() else { return };
    let sides = &matrix.comparisons;
    let taken = head::draw_reference(paint, area, sides);
    let below = Rect { y: area.y + taken, height: area.height.saturating_sub(taken), ..area };
    let all = matrix_rows(sides, &screen.looked.filter);
    if all.is_empty() {
        paint.text(below, "no test matches the filter", Role::Dim);
        return;
    }
    let shown = all.iter().filter_map(|row| if let MatrixRow::Line(row) = row { Some(row.first) } else { None });
    let wording = Wording::of_lines(&sides[0], shown);
    let names = all.iter().map(|row| width(&plain(&first_cell(row, &wording)))).max().unwrap_or(0);
    let columns = MatrixColumns::new(usize::from(below.width), names, sides.len(), screen.looked.candidate);
    let foot = foot(screen, matrix, columns);
    let [list, under] = above(below, foot.len() as u16 + 1);
    draw_header(paint, list, screen, sides, columns);
    let body = Rect { y: list.y + 2, height: list.height.saturating_sub(2), ..list };
    let taken = draw_rows(paint, body, screen, (matrix, &wording), &all, columns);
    let rest = Rect { y: body.y + taken + 1, height: body.height.saturating_sub(taken + 1), ..body };
    lines(paint, rest, output::remarks_of(sides).into_iter().map(|remark| (remark.text(), remark.role())));
    let under = Rect { y: under.y + 1, height: under.height.saturating_sub(1), ..under };
    for ((text, role), row) in foot.iter().zip(rows(under)) {
        paint.text(row, text, *role);
    }
}

fn first_cell(row: &MatrixRow<'_>, wording: &Wording) -> String {
    match row {
        MatrixRow::Title(size) => format!("size {size}"),
        MatrixRow::Line(row) => wording.line_name(row.first),
        MatrixRow::Mean(_) => "geometric mean".to_owned(),
    }
}

fn draw_header(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    sides: &[Comparison],
    columns: MatrixColumns,
) {
    let [names, titles] = [0, 1].map(|down| Rect { y: area.y + down, height: 1, ..area });
    let Some(first) = sides.first() else { return };
    let sizes = several::sizes(sides);
    let corner = if let [only] = sizes.as_slice() { format!("size {only}") } else { "test".to_owned() };
    paint.text(Rect { width: columns.name as u16, ..titles }, &corner, Role::Title);
    let reference = Rect { x: names.x + columns.name as u16, width: FIGURE as u16, ..names };
    paint.right(reference, &fit(&several::name(&first.b), FIGURE - 1), Role::B);
    let figure = short_title(first);
    paint.right(Rect { y: titles.y, ..reference }, figure, Role::Title);
    // Below a side's name this reads as `lmdb /redb`.
    let over = Some(format!("/{}", several::name(&first.b))).filter(|over| width(over) <= RATIO);
    let over = over.unwrap_or_else(|| "ratio".to_owned());
    for candidate in columns.from..columns.from + columns.shown {
        let Some(side) = sides.get(candidate) else { break };
        let place = columns.place(names, candidate);
        let room = usize::from(place.width).saturating_sub(3);
        paint.text(place, &format!("   {}", fit(&several::name(&side.a), room)), Role::A);
        if candidate == screen.looked.candidate {
            paint.highlight(place);
        }
        let figure = if columns.figures { format!("{figure:>FIGURE$}") } else { String::new() };
        let text = format!("{figure}{over:>RATIO$} {:<9}", "95 %");
        paint.text(columns.place(titles, candidate), &text, Role::Title);
    }
}

/// Returns the column title of the figures; the head shows the metric's full name.
fn short_title(side: &Comparison) -> &'static str {
    match side.metric {
        Metric::Wall => "time",
        Metric::OpenAndTest => "open+test",
        _ => "figure",
    }
}

/// Paints the rows around the cursor. Returns their number.
fn draw_rows(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    (matrix, wording): (&Matrix, &Wording),
    all: &[MatrixRow<'_>],
    columns: MatrixColumns,
) -> u16 {
    let places = CursorRows::new(all, MatrixRow::is_place);
    // The cursor is on a cell, not on a whole row.
    let around = VisibleRows::new(all.len(), places.under(screen.cursor())).highlighted_if(false);
    around.paint(
        paint,
        area,
        |_| None,
        |paint, at, place| {
            let row = &all[at];
            let name = pad(&plain(&first_cell(row, wording)), columns.name);
            let role = if row.is_place() { Role::Text } else { Role::Title };
            paint.text(place, &name, role);
            let Some(number) = places.of(at) else { return };
            if let MatrixRow::Line(row) = row {
                let reference = Rect { x: place.x + columns.name as u16, width: FIGURE as u16, ..place };
                paint.right(reference, &figure_of_reference(row, matrix), Role::B);
            }
            for candidate in columns.from..columns.from + columns.shown {
                let Some(side) = matrix.comparisons.get(candidate) else { break };
                let cell = columns.place(place, candidate);
                let (text, role) = match row {
                    MatrixRow::Line(row) => {
                        line_cell(row.lines.get(candidate).copied().flatten(), side, columns.figures)
                    }
                    MatrixRow::Mean(size) => mean_cell(side, size, columns.figures),
                    MatrixRow::Title(_) => continue,
                };
                paint.text(cell, &text, role);
                if number == screen.cursor().at && candidate == screen.looked.candidate {
                    paint.highlight(cell);
                }
                paint.hit(cell, Target::Spot { pane: candidate + 1, row: number });
            }
        },
    )
}

fn figure_of_reference(row: &SeveralRow<'_>, matrix: &Matrix) -> String {
    matrix.comparisons.first().map_or_else(String::new, |side| several::reference(row, side.metric))
}

/// `517 µs  0.29 ▼  0.27-0.31`.
fn line_cell(line: Option<&Line>, side: &Comparison, figures: bool) -> (String, Role) {
    let [ratio, interval] = several::cells(line, &Wording::of(side));
    let role = match line.and_then(|line| line.found.as_ref()).map(|found| found.verdict) {
        Some(Verdict::Faster) => Role::A,
        Some(Verdict::Slower) => Role::B,
        Some(Verdict::Same) => Role::Text,
        _ => Role::Dim,
    };
    // A ratio without a sign is aligned with those that have one.
    let ratio = if ratio.contains(' ') { ratio } else { format!("{ratio}  ") };
    let figure = match figures {
        true => format!("{:>FIGURE$}", words::value(line.and_then(|line| line.a.as_ref()), side.metric)),
        false => String::new(),
    };
    (format!("{figure}{ratio:>RATIO$} {interval}"), role)
}

fn mean_cell(side: &Comparison, size: &str, figures: bool) -> (String, Role) {
    let mean = mean_of(side, size);
    let ratio = mean.and_then(|mean| mean.ratio).map_or("-".to_owned(), words::ratio);
    let interval = words::range(mean.and_then(|mean| mean.interval));
    let figure = if figures { " ".repeat(FIGURE) } else { String::new() };
    (format!("{figure}{:>RATIO$} {interval}", format!("{ratio}  ")), Role::Accent)
}

/// Returns the description of the cell under the cursor and the key to the signs.
fn foot(screen: &CompareScreen, matrix: &Matrix, columns: MatrixColumns) -> Vec<(String, Role)> {
    let mut text = Vec::new();
    let all = matrix.comparisons.len();
    if columns.shown < all {
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
    text.push((Wording::of(side).signs(), Role::Dim));
    let reference = several::name(&side.b);
    text.push((format!("ratio: each / {reference} · Enter opens the pair · r makes it the reference"), Role::Dim));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_screen_shows_ratio_and_interval_and_a_wide_one_figures_too() {
        let narrow = MatrixColumns::new(78, 19, 3, 2);
        assert_eq!((narrow.figures, narrow.shown, narrow.from), (false, 2, 1));
        let wide = MatrixColumns::new(118, 19, 3, 0);
        assert_eq!((wide.figures, wide.shown, wide.from), (true, 3, 0));
        let long = MatrixColumns::new(78, 70, 9, 8);
        assert_eq!((long.shown, long.from), (1, 8));
        assert!(long.name + FIGURE + MatrixColumns::each(long.figures) <= 78);
    }
}
