//! Ratios spread over two keys.

use super::above;
use crate::{
    base::units::{self, plain},
    catalog::Role,
    compare::{Comparison, Line, Pivot, PivotCell},
    metric::Metric,
    report::comparison::words,
    stats::Verdict,
    tui::{
        screens::compare::{CompareScreen, pivot_rows},
        widgets::{
            Target,
            paint::{Paint, fit, pad, piece, rows, width},
        },
    },
};
use ratatui::layout::Rect;

/// The narrowest and the widest column.
const COLUMN: (usize, usize) = (9, 20);

/// Paints the rows and the columns around the cursor, and the cell under it in words.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let Some(pivot) = &comparison.pivot else { return };
    let all = pivot_rows(comparison, &screen.filter);
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
    let from = screen.column.saturating_sub(shown / 2).min(pivot.columns.len().saturating_sub(shown));
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
    let offset = cursor.offset(all.len(), usize::from(body.height));
    for ((number, pivot_row), row) in all.iter().enumerate().skip(offset).zip(rows(body)) {
        paint.text(row, &pad(&plain(&pivot_row.value), name), Role::Text);
        for place in places.clone() {
            let cell = pivot_row.cells.get(place).and_then(Option::as_ref);
            let (text, role) = cell_text(cell);
            let place_at = at(place, row);
            paint.right(place_at, &text, role);
            if number == cursor.at && place == screen.column {
                paint.highlight(place_at);
            }
            paint.hit(place_at, Target::Spot { pane: place + 1, row: number });
        }
    }
    draw_foot(paint, foot, screen, pivot, shown);
}

/// The ratio with the verdict's sign: `0.42 ▼`, `n/c`, `-`.
fn cell_text(cell: Option<&PivotCell>) -> (String, Role) {
    let Some(cell) = cell else { return ("-".to_owned(), Role::Dim) };
    let Some(ratio) = cell.ratio else { return ("n/c".to_owned(), Role::Dim) };
    let role = match cell.verdict {
        Some(Verdict::Faster) => Role::A,
        Some(Verdict::Slower) => Role::B,
        _ => Role::Text,
    };
    let sign = words::sign(cell.verdict);
    let without = if cell.left_out > 0 { "*" } else { "" };
    (format!("{}{without} {}", words::ratio(ratio), if sign.is_empty() { " " } else { sign }), role)
}

fn draw_foot(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, pivot: &Pivot, shown: usize) {
    let mut lines = Vec::new();
    if shown < pivot.columns.len() {
        let text = format!("column {} of {}: Left and Right show the others", screen.column + 1, pivot.columns.len());
        lines.push((text, Role::Warn));
    }
    if let Some((row, column, cell)) = screen.cell() {
        lines.push((format!("{row} · {column}: {}", cell_words(&cell, screen.metric)), Role::Text));
    }
    lines.push((words::signs(screen.metric), Role::Dim));
    lines.push(("n/c not comparable · of several tests their geometric mean, * without n/c".to_owned(), Role::Dim));
    for ((text, role), row) in lines.iter().zip(rows(area)) {
        paint.line(row, &[piece(text.as_str(), *role)]);
    }
}

fn cell_words(lines: &[&Line], metric: Metric) -> String {
    match lines {
        [] => "nothing measured".to_owned(),
        [only] => match &only.found {
            Some(found) => {
                format!("{} [{}], {}", words::ratio(found.ratio), words::interval(found), words::verdict(found, metric))
            }
            None => only.obstacles.iter().map(words::obstacle).collect::<Vec<_>>().join("; "),
        },
        several => units::counted(several.len(), "line"),
    }
}
