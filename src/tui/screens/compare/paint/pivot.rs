//! Ratios spread over two keys.

use super::above;
use crate::tui::{
    screens::compare::{CompareScreen, PivotPlace, output, pivot_rows},
    widgets::{
        Target,
        paint::{Paint, fit, pad, piece, rows, width},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Pivot, PivotCell};
use dbdyno_foundation::base::units::{self, plain};
use dbdyno_reports::comparison::{Wording, words};
use dbdyno_stats::Verdict;
use ratatui::layout::Rect;

/// The narrowest and the widest column.
const COLUMN: (usize, usize) = (12, 20);
/// Rows of a cell: the ratio with its sign, below it the interval.
const ROWS: usize = 2;

/// Paints the rows and columns around the cursor, and a description of the cell under it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let Some(pivot) = &comparison.pivot else { return };
    let wording = Wording::of(comparison);
    let all = pivot_rows(comparison, &screen.looked.filter);
    if all.is_empty() {
        paint.text(area, "no row matches the filter", Role::Dim);
        return;
    }
    let [list, foot] = above(area, 4);
    let corner = format!("{} \\ {}", pivot.row, pivot.column);
    let names = all.iter().map(|row| width(&plain(&row.value))).max().unwrap_or(0).max(width(&corner));
    let room = usize::from(area.width);
    let name = names.min(room / 2);
    let values = pivot.columns.iter().map(|value| width(&plain(value)) + 2).max().unwrap_or(0);
    let column = values.clamp(COLUMN.0, COLUMN.1);
    let shown = (room.saturating_sub(name) / column).clamp(1, pivot.columns.len().max(1));
    let from = screen.looked.column.saturating_sub(shown / 2).min(pivot.columns.len().saturating_sub(shown));
    let places = from..from + shown;
    let at = |place: usize, row: Rect| Rect {
        x: row.x + (name + (place - from) * column) as u16,
        width: column.min(room) as u16,
        height: 1,
        ..row
    };
    let header = Rect { height: 1, ..list };
    paint.text(header, &pad(&corner, name), Role::Title);
    for place in places.clone() {
        let value = pivot.columns.get(place).map_or("", String::as_str);
        paint.right(at(place, header), &fit(&plain(value), column - 1), Role::Title);
    }
    let body = Rect { y: list.y + 1, height: list.height.saturating_sub(1), ..list };
    let cursor = screen.cursor();
    let offset = cursor.offset(all.len(), usize::from(body.height) / ROWS);
    let lines: Vec<Rect> = rows(body).collect();
    for ((number, pivot_row), row) in all.iter().enumerate().skip(offset).zip(lines.as_chunks::<ROWS>().0) {
        paint.text(row[0], &pad(&plain(&pivot_row.value), name), Role::Text);
        for place in places.clone() {
            let cell = pivot_row.cells.get(place).and_then(Option::as_ref);
            let texts = wording.pivot_cell(cell);
            for (row, (text, role)) in row.iter().zip(texts.iter().zip([role_of(cell), Role::Dim])) {
                let at = at(place, *row);
                paint.right(at, text, role);
                if number == cursor.at && place == screen.looked.column {
                    paint.highlight(at);
                }
                paint.hit(at, Target::Spot { pane: place + 1, row: number });
            }
        }
    }
    draw_foot(paint, foot, screen, (pivot, &wording), shown);
}

/// Returns the role of the side that is better; the sign shows it too.
fn role_of(cell: Option<&PivotCell>) -> Role {
    match cell {
        Some(PivotCell { verdict: Some(Verdict::Faster), .. }) => Role::A,
        Some(PivotCell { verdict: Some(Verdict::Slower), .. }) => Role::B,
        Some(PivotCell { ratio: Some(_), .. }) => Role::Text,
        _ => Role::Dim,
    }
}

fn draw_foot(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    (pivot, wording): (&Pivot, &Wording),
    shown: usize,
) {
    let mut lines = Vec::new();
    if shown < pivot.columns.len() {
        let text =
            format!("column {} of {}: Left and Right show the others", screen.looked.column + 1, pivot.columns.len());
        lines.push((text, Role::Warn));
    }
    if let Some(place) = screen.cell() {
        let words = cell_words(&place, wording);
        lines.push((format!("{} · {}: {words}", place.row, place.column), Role::Text));
    }
    lines.push((wording.signs(), Role::Dim));
    lines.push((words::PIVOT_CELLS.to_owned(), Role::Dim));
    for ((text, role), row) in lines.iter().zip(rows(area)) {
        paint.line(row, &[piece(text.as_str(), *role)]);
    }
}

fn cell_words(place: &PivotPlace<'_>, wording: &Wording) -> String {
    match place.lines.as_slice() {
        [] => "nothing measured".to_owned(),
        [only] => match &only.found {
            Some(found) => {
                format!("{} [{}], {}", words::ratio(found.ratio), words::interval(found), wording.verdict(found))
            }
            None => only.obstacles.iter().map(output::obstacle).collect::<Vec<_>>().join("; "),
        },
        several => {
            let what = format!("geometric mean of {}", units::counted(several.len(), "line"));
            let cell = place.cell.and_then(|cell| Some((cell.ratio?, cell.interval)));
            let Some((ratio, interval)) = cell else { return format!("{what}: not comparable") };
            format!("{} [{}], {what}", words::ratio(ratio), words::range(interval))
        }
    }
}
