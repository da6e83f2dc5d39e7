//! The matrix of one reference and all other configurations: tests as rows, configurations as columns.

use super::{above, head, lines, table};
use crate::tui::{
    screens::compare::{CompareScreen, Matrix, MatrixRow, matrix_rows, output},
    widgets::{
        paint::{Paint, fit, piece, width},
        table::{ColumnWidth, ListTable, TableColumn, TableLine},
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
    several::{self, mean_of},
    words,
};
use dbdyno_stats::Verdict;
use ratatui::layout::{Alignment, Rect};

/// Columns of a figure, of a ratio with its sign, and of an interval, each with the space before it.
const FIGURE: usize = 9;
const RATIO: usize = 8;
const INTERVAL: usize = 12;
/// The columns before those of the candidates: the test, and the reference's figure.
const LEAD: usize = 2;

/// Paints the matrix, with a description of the cell under the cursor below it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen) {
    let Some(matrix) = screen.matrix() else { return };
    let sides = &matrix.comparisons;
    let taken = head::draw_reference(paint, area, sides, matrix.leader.as_ref());
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
    let has_figures = has_figures(room.saturating_sub(longest + FIGURE), sides.len());
    let reference = |row: &MatrixRow<'_>| match row {
        MatrixRow::Line(row) => several::reference(row, first.metric),
        MatrixRow::Title(_) | MatrixRow::Mean(_) => String::new(),
    };
    let corner = if let [only] = several::sizes(sides)[..] { format!("size {only}") } else { "test".to_owned() };
    let reference_name = fit(&several::name(&first.b), FIGURE - 1);
    let exactly = ColumnWidth::Filled(FIGURE - 1, FIGURE - 1);
    let mut columns = vec![
        TableColumn::text(corner, 0, name).at_most(usize::MAX).gap(1),
        TableColumn::drawn(short_title(first), 0, exactly, move |row, _| vec![piece(reference(row), Role::B)])
            .above(piece(reference_name, Role::B))
            .aligned(Alignment::Right)
            .gap(0),
    ];
    columns.extend(sides.iter().enumerate().map(|(at, side)| candidate(at, side, has_figures)));
    let rows = all.into_iter().map(|row| match row {
        MatrixRow::Title(_) => TableLine::Title(vec![piece(name(&row), Role::Title)]),
        MatrixRow::Line(_) | MatrixRow::Mean(_) => TableLine::Row(row),
    });
    // Pane 0 is a whole row, and the next ones are cells.
    let table = ListTable::new(columns, rows, screen.cursor(), 1).led_by(LEAD).scrolled_to(screen.looked.candidate);
    let foot = foot(screen, matrix, table.columns_in(room).len() - LEAD);
    let [list, under] = above(below, foot.len() as u16 + 1);
    let taken = table.paint(paint, list).taken + 1;
    let rest = Rect { y: list.y + taken, height: list.height.saturating_sub(taken), ..list };
    lines(paint, rest, output::remarks_of(sides).into_iter().map(|remark| (remark.text(), remark.role())));
    for ((text, role), y) in foot.iter().zip(under.y + 1..under.bottom()) {
        paint.text(Rect { y, height: 1, ..under }, text, *role);
    }
}

/// Whether candidates show their figures in addition to ratio and interval: if this hides none of those that fit into `room` without.
fn has_figures(room: usize, candidates: usize) -> bool {
    let shown = (room / (RATIO + INTERVAL)).clamp(1, candidates.max(1));
    room / (FIGURE + RATIO + INTERVAL) >= shown
}

/// Returns the column of a candidate, below its name: figure, ratio and interval.
fn candidate<'t>(at: usize, side: &'t Comparison, has_figure: bool) -> TableColumn<'t, MatrixRow<'t>> {
    let cell = move |row: &MatrixRow<'t>, _: usize| {
        let (text, role) = match row {
            MatrixRow::Line(row) => line_cell(row.lines.get(at).copied().flatten(), side, has_figure),
            MatrixRow::Mean(size) => mean_cell(side, size, has_figure),
            MatrixRow::Title(_) => (String::new(), Role::Dim),
        };
        vec![piece(text, role)]
    };
    let figure = if has_figure { format!("{:>FIGURE$}", short_title(side)) } else { String::new() };
    // Below a side's name this reads as `lmdb /redb`.
    let over = Some(format!("/{}", several::name(&side.b))).filter(|over| width(over) <= RATIO);
    let title = format!("{figure}{:>RATIO$} 95 %", over.as_deref().unwrap_or("ratio"));
    let each = RATIO + INTERVAL + if has_figure { FIGURE } else { 0 };
    let name = format!("   {}", fit(&several::name(&side.a), each - 3));
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
        assert!(!has_figures(78 - 19 - FIGURE, 3));
        assert!(has_figures(118 - 19 - FIGURE, 3));
        assert!(!has_figures(0, 9));
    }
}
