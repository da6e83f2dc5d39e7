//! Ratios spread over two keys.

use super::above;
use crate::tui::{
    screens::compare::{CompareScreen, PivotPlace, output, pivot_rows},
    widgets::{
        paint::{Paint, piece, rows},
        table::{ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, Pivot, PivotCell, PivotRow};
use dbdyno_foundation::base::units;
use dbdyno_reports::comparison::{Wording, words};
use dbdyno_stats::Verdict;
use ratatui::layout::Rect;

/// Paints the rows and columns around the cursor, and a description of the cell under it.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let Some(pivot) = &comparison.pivot else { return };
    let wording = &Wording::of(comparison);
    let all = pivot_rows(comparison, &screen.looked.filter);
    if all.is_empty() {
        paint.text(area, "no row matches the filter", Role::Dim);
        return;
    }
    let [list, foot] = above(area, 4);
    let corner = format!("{} \\ {}", pivot.row, pivot.column);
    let mut columns = vec![TableColumn::text(corner, 0, |row: &&PivotRow| row.value.clone()).at_most(usize::MAX)];
    columns.extend(pivot.columns.iter().enumerate().map(|(at, value)| {
        let texts = move |row: &&PivotRow| wording.pivot_cell(cell(row, at));
        TableColumn::number(value, 0, move |row| texts(row)[0].clone())
            .coloured(move |row| role_of(cell(row, at)))
            .below(move |row| texts(row)[1].clone())
    }));
    // Pane 0 is a whole row, and the next ones are cells.
    let table = ListTable::new(columns, all, screen.cursor(), 1).led_by(1).scrolled_to(screen.looked.column);
    let shown = table.columns_in(usize::from(list.width)).len() - 1;
    table.paint(paint, list);
    draw_foot(paint, foot, screen, (pivot, wording), shown);
}

fn cell(row: &PivotRow, at: usize) -> Option<&PivotCell> {
    row.cells.get(at).and_then(Option::as_ref)
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
