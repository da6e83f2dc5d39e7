//! The answer in view, with its cursor.

use super::Statement;
use crate::tui::{
    keys::Action,
    widgets::{cursor::ListCursor, paint::width},
};
use dbdyno_foundation::base::units::plain;
use dbdyno_store::{ColumnKind, PartialAnswer};

/// Maximum width of a column in the terminal; Enter shows a cell whole.
const WIDEST: usize = 40;
/// The text for an unknown value.
pub(super) const NULL: &str = "NULL";

/// An answer, and the cell under the cursor.
#[derive(Debug)]
pub(super) struct ShownAnswer {
    /// The statement that it answers.
    pub(super) statement: Statement,
    pub(super) answer: PartialAnswer,
    pub(super) row: ListCursor,
    /// The column under the cursor.
    pub(super) column: usize,
    /// The width of each column.
    pub(super) widths: Vec<usize>,
}

impl ShownAnswer {
    /// Returns a new answer, with the cursor on its first cell.
    pub(super) fn new(statement: Statement, answer: PartialAnswer) -> Self {
        let rows = &answer.rows;
        let width_of = |(at, name): (usize, &String)| {
            let widest = rows.rows.iter().map(|row| width(&text(row.get(at)))).max().unwrap_or(0);
            // A sign next to the name marks the sort column.
            widest.max(width(&plain(name)) + 2).min(WIDEST)
        };
        let widths = rows.columns.iter().enumerate().map(width_of).collect();
        Self { statement, answer, row: ListCursor::default(), column: 0, widths }
    }

    /// Moves the cursor, by a page of `page` rows. Returns whether the action was a move.
    pub(super) fn moved(&mut self, action: Action, page: usize) -> bool {
        match action {
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column = (self.column + 1).min(self.widths.len().saturating_sub(1)),
            action => return self.row.moved_by(action, self.answer.rows.rows.len(), page),
        }
        true
    }

    /// Returns the name and value of the cell under the cursor.
    pub(super) fn cell(&self) -> Option<(&str, Option<&str>)> {
        let name = self.answer.rows.columns.get(self.column)?;
        Some((name, self.answer.rows.rows.get(self.row.at)?.get(self.column)))
    }

    /// Whether only a part of the rows was read.
    pub(super) fn is_cut(&self) -> bool {
        (self.answer.rows.rows.len() as u64) < self.answer.total
    }

    /// Whether the values of a column are numbers.
    pub(super) fn is_number(&self, column: usize) -> bool {
        self.answer.rows.kinds.get(column) == Some(&ColumnKind::Number)
    }
}

/// Returns a value as it is painted.
pub(super) fn text(value: Option<&str>) -> String {
    /// Maximum number of characters to process, because few are painted.
    const MOST: usize = 4 * WIDEST;
    value.map_or_else(|| NULL.to_owned(), |value| plain(&value.chars().take(MOST).collect::<String>()))
}
