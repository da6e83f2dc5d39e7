//! Text to read.

use super::{Outcome, Reply};
use crate::tui::{keys::KeyPress, widgets::cursor::PAGE};

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

impl TextPage {
    pub(super) fn key(&mut self, key: KeyPress) -> Outcome {
        let last = self.lines.len().saturating_sub(1);
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
