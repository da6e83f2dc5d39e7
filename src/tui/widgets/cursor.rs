//! A place in a list.

use crate::tui::keys::Action;

/// The row under the cursor; lists may be empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListCursor {
    /// The row, from 0.
    pub(crate) at: usize,
}

/// Rows that PgUp and PgDn move by, if the number of visible rows is unknown.
pub const PAGE: usize = 10;

impl ListCursor {
    /// Moves the cursor in a list of `length` rows, and returns whether the action was a move.
    pub(crate) fn moved(&mut self, action: Action, length: usize) -> bool {
        self.moved_by(action, length, PAGE)
    }

    /// Moves the cursor like `moved`, but with pages of `page` rows, the number of visible rows.
    pub(crate) fn moved_by(&mut self, action: Action, length: usize, page: usize) -> bool {
        let last = length.saturating_sub(1);
        self.at = match action {
            Action::Up => self.at.saturating_sub(1),
            Action::Down => self.at.saturating_add(1),
            Action::PageUp => self.at.saturating_sub(page.max(1)),
            Action::PageDown => self.at.saturating_add(page.max(1)),
            Action::First => 0,
            Action::Last => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Keeps the cursor inside a list that became shorter.
    pub(crate) fn kept_in(&mut self, length: usize) {
        self.at = self.at.min(length.saturating_sub(1));
    }

    /// Returns the first row to show in a window of `height` rows, so that the cursor is in its upper two thirds: the first rows stay in view
    /// as long as they can.
    pub(crate) fn offset(self, length: usize, height: usize) -> usize {
        self.at.saturating_sub(height * 2 / 3).min(length.saturating_sub(height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_its_list_and_in_the_window() {
        let mut cursor = ListCursor::default();
        assert!(cursor.moved(Action::Up, 3));
        assert_eq!(cursor.at, 0);
        assert!(cursor.moved(Action::PageDown, 3));
        assert_eq!(cursor.at, 2);
        assert!(!cursor.moved(Action::Enter, 3));
        assert!(cursor.moved(Action::Down, 0));
        assert_eq!(cursor.at, 0);
        let cursor = ListCursor { at: 50 };
        assert_eq!(cursor.offset(100, 10), 44);
        assert_eq!(ListCursor { at: 99 }.offset(100, 10), 90);
        assert_eq!(ListCursor { at: 2 }.offset(3, 10), 0);
    }
}
