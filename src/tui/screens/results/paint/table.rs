//! The table: the columns that fit, and the known rows around the cursor.

use super::cells;
use crate::tui::{
    screens::results::{ListedColumn, ListedRow, Markable, ResultsScreen, Which, columns, pane},
    widgets::{
        Target,
        columns::{FittedColumn, GAP, fitting},
        list::{VisibleRows, in_pane},
        paint::{Paint, TextPiece, piece},
    },
};
use dbdyno_catalog::Role;
use ratatui::layout::Rect;

/// Columns before the first: the side for which a row is marked, and a sign for figures that do not count.
const SIGNS: usize = 3;

/// Paints titles and rows.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen) {
    let all = results.columns();
    let shown = fitting_columns(results, &all, usize::from(area.width));
    let body = Rect { x: area.x + SIGNS as u16, width: area.width.saturating_sub(SIGNS as u16), ..area };
    titles(paint, Rect { height: 1, ..body }, results, &all, &shown);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let around = VisibleRows::new(results.table.length(), results.table.cursor);
    around.paint(paint, list, in_pane(pane::ROWS), |paint, at, row| match results.table.row(at) {
        Some(known) => draw_row(paint, row, results, known, &all, &shown),
        None => drop(paint.text(row, "   …", Role::Dim)),
    });
}

/// Returns none if a column is not the sort column, else whether the order is descending.
fn ordered(results: &ResultsScreen, column: &ListedColumn) -> Option<bool> {
    let (by, descending) = columns::ordering(&results.listing);
    (by == *column).then_some(descending)
}

/// Returns the title of a column, with its order and focus.
fn title(results: &ResultsScreen, column: &ListedColumn) -> String {
    let word = column.word(columns::key(&results.listing));
    cells::title(word, ordered(results, column), *column == results.focus)
}

/// Returns the columns that fit. The sort column and the cursor's column are never dropped.
pub(super) fn fitting_columns(results: &ResultsScreen, all: &[ListedColumn], screen: usize) -> Vec<FittedColumn> {
    let ended_well = results.table.known().all(|row| cells::sign(row).0 == " ");
    let candidates = all.iter().enumerate().map(|(place, column)| {
        let shape = cells::shape(column, screen, ended_well);
        let texts: Vec<String> = results.table.known().map(|row| cells::cell(results, row, column, screen)).collect();
        // Columns that identify the row come first, then the sort column, the cursor's column and those that the user asked for.
        let is_kept = ordered(results, column).is_some() || *column == results.focus || results.is_wanted(column);
        let rank = if is_kept { shape.rank.min(1) } else { shape.rank + 2 };
        let rank = if shape.rank == 0 { 0 } else { rank.max(1) };
        let title = title(results, column);
        FittedColumn::new(place, rank, shape.right, &title, shape.most, texts.iter().map(String::as_str))
    });
    fitting(candidates.collect(), screen.saturating_sub(SIGNS))
}

fn titles(paint: &mut Paint<'_>, area: Rect, results: &ResultsScreen, all: &[ListedColumn], shown: &[FittedColumn]) {
    let mut x = area.x;
    for fitted in shown {
        let column = &all[fitted.place];
        let place = Rect { x, width: fitted.width as u16, ..area };
        let stands_out = ordered(results, column).is_some() || *column == results.focus;
        let role = if stands_out { Role::Title } else { Role::Dim };
        paint.text(place, &fitted.aligned(&title(results, column)), role);
        paint.hit(place, Target::Spot { pane: pane::TITLES, row: fitted.place });
        x = x.saturating_add((fitted.width + GAP) as u16);
    }
}

/// Returns the side for which a row is marked.
fn marked(results: &ResultsScreen, known: ListedRow<'_>) -> Option<Which> {
    let side = |line: String| results.marks.side_of(Markable::Selection(&line));
    match known {
        _ if results.marks.is_empty() => None,
        ListedRow::Result(row) => results.marks.side_of(Markable::Run(&row.run_id)),
        ListedRow::Run(row) => results.marks.side_of(Markable::Run(&row.run_id)),
        ListedRow::Configuration(row) => side(results.filter.of_configuration(row).ok()?.line),
        ListedRow::Group(row) => side(results.filter.of_group(columns::key(&results.listing)?, row).ok()?.line),
    }
}

fn draw_row(
    paint: &mut Paint<'_>,
    row: Rect,
    results: &ResultsScreen,
    known: ListedRow<'_>,
    all: &[ListedColumn],
    shown: &[FittedColumn],
) {
    let mut line: Vec<TextPiece<'_>> = Vec::new();
    line.push(match marked(results, known) {
        Some(Which::A) => piece("A", Role::A),
        Some(Which::B) => piece("B", Role::B),
        None => piece(" ", Role::Dim),
    });
    let (sign, role) = cells::sign(known);
    line.push(piece(format!("{sign} "), role));
    let screen = usize::from(row.width);
    for (at, fitted) in shown.iter().enumerate() {
        if at > 0 {
            line.push(piece(" ".repeat(GAP), Role::Dim));
        }
        let column = &all[fitted.place];
        let text = cells::cell(results, known, column, screen);
        line.push(piece(fitted.aligned(&text), cells::role(known, column)));
    }
    paint.line(row, &line);
}
