//! Text to read.

use super::{Outcome, Reply};
use crate::tui::{
    keys::KeyPress,
    widgets::{
        cursor::PAGE,
        paint::{width, wrap},
    },
};
use dbdyno_foundation::base::units::plain;

/// Something to read.
#[derive(Debug, Clone, Default)]
pub struct TextPage {
    pub(crate) title: String,
    /// Its lines; long lines are wrapped.
    pub(crate) lines: Vec<String>,
    /// Lines scrolled past.
    pub(crate) scroll: usize,
    /// The query that fetches the data of the page, if it has one.
    pub(crate) sql: Option<String>,
}

/// Rows of a screen that show no line of a page: tabs, hints, and the border above and below.
const FRAME: u16 = 4;

impl TextPage {
    /// Returns the wrapped lines, and the columns that they take, on a screen of this many columns.
    pub(super) fn wrapped(&self, screen: u16) -> (u16, Vec<String>) {
        let longest = self.lines.iter().map(|line| width(&plain(line))).max().unwrap_or(0).max(width(&self.title) + 4);
        let columns = (longest as u16).clamp(40, page_columns(screen));
        (columns, self.lines.iter().flat_map(|line| wrap(&plain(line), usize::from(columns))).collect())
    }

    /// Handles a key, on a screen of so many columns and rows.
    pub(super) fn key(&mut self, key: KeyPress, (columns, rows): (u16, u16)) -> Outcome {
        let last = self.wrapped(columns).1.len().saturating_sub(usize::from(rows.saturating_sub(FRAME)));
        match key {
            KeyPress::Up | KeyPress::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyPress::Down | KeyPress::Char('j') => self.scroll = (self.scroll + 1).min(last),
            KeyPress::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyPress::PageDown | KeyPress::Char(' ') => self.scroll = (self.scroll + PAGE).min(last),
            KeyPress::Home => self.scroll = 0,
            KeyPress::End => self.scroll = last,
            KeyPress::Char('Q') if self.sql.is_some() => {
                return Outcome::Closed(self.sql.take().map_or(Reply::Nothing, Reply::Text));
            }
            KeyPress::Enter | KeyPress::Char('q' | '?' | 'x' | 'w' | 'M') => return Outcome::Closed(Reply::Nothing),
            _ => {}
        }
        Outcome::Stays(None)
    }
}

/// Returns the columns that the lines of a page take at most, on a screen of this many columns.
pub(crate) fn page_columns(screen: u16) -> u16 {
    screen.saturating_sub(8).clamp(40, 110)
}
