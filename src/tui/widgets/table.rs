//! A list with columns: the columns that fit, the row under the cursor, and the visible range.

use super::{
    columns::{FittedColumn, GAP, fitting},
    cursor::ListCursor,
    list::{VisibleRows, in_pane},
    paint::{Paint, TextPiece, piece},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, plain};
use ratatui::layout::Rect;

/// A column of rows `R`.
pub(crate) struct TableColumn<R> {
    pub(crate) title: &'static str,
    /// The order of dropping if room is short: the greatest rank is dropped first.
    pub(crate) rank: usize,
    /// Whether it is aligned to the right: numbers are.
    pub(crate) right: bool,
    pub(crate) text: fn(&R) -> String,
    pub(crate) role: fn(&R) -> Role,
}

impl<R> TableColumn<R> {
    /// Returns a column of text in the usual colour.
    pub(crate) const fn text(title: &'static str, rank: usize, text: fn(&R) -> String) -> Self {
        Self { title, rank, right: false, text, role: |_| Role::Text }
    }

    /// Returns a column of numbers.
    pub(crate) const fn number(title: &'static str, rank: usize, text: fn(&R) -> String) -> Self {
        Self { right: true, ..Self::text(title, rank, text) }
    }

    /// Returns the same column in a colour that its row decides.
    pub(crate) const fn coloured(self, role: fn(&R) -> Role) -> Self {
        Self { role, ..self }
    }
}

/// Paints the titles, and below them the rows around the cursor. A click on a row carries `pane`. If not all rows fit, the last line shows
/// the visible range.
pub(crate) fn table<R>(
    paint: &mut Paint<'_>,
    area: Rect,
    columns: &[TableColumn<R>],
    list: &[&R],
    cursor: ListCursor,
    pane: usize,
) {
    let cells: Vec<Vec<String>> =
        list.iter().map(|row| columns.iter().map(|column| plain(&(column.text)(row))).collect()).collect();
    let most = (usize::from(area.width) / 2).max(30);
    let fitted = columns.iter().enumerate().map(|(at, column)| {
        FittedColumn::new(at, column.rank, column.right, column.title, most, cells.iter().map(|row| row[at].as_str()))
    });
    let shown = fitting(fitted.collect(), usize::from(area.width));
    let line = |cell: &dyn Fn(usize) -> (String, Role)| -> Vec<TextPiece<'static>> {
        let pieces = shown.iter().flat_map(|column| {
            let (text, role) = cell(column.place);
            [piece(" ".repeat(GAP), Role::Text), piece(column.aligned(&text), role)]
        });
        pieces.skip(1).collect()
    };
    paint.line(Rect { height: 1, ..area }, &line(&|at| (columns[at].title.to_owned(), Role::Title)));
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let goes_on = list.len() > usize::from(below.height);
    let seen = Rect { height: below.height.saturating_sub(u16::from(goes_on)), ..below };
    let around = VisibleRows::new(list.len(), cursor);
    around.paint(paint, seen, in_pane(pane), |paint, at, place| {
        paint.line(place, &line(&|column| (cells[at][column].clone(), (columns[column].role)(list[at]))));
    });
    if goes_on && below.height > 0 {
        let first = around.first(seen.height);
        let last = (first + usize::from(seen.height)).min(list.len());
        let [first, last, all] = [first + 1, last, list.len()].map(|number| count(number as u64));
        paint.text(Rect { y: seen.bottom(), height: 1, ..below }, &format!("{first} to {last} of {all}"), Role::Dim);
    }
}
