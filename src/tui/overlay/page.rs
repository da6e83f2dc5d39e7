//! Text to read.

use super::{Outcome, Reply};
use crate::tui::{keys::Key, widgets::cursor::PAGE};

/// Something to read.
#[derive(Debug, Clone, Default)]
pub struct TextPage {
    /// What it is.
    pub title: String,
    /// Its lines; long ones are wrapped.
    pub lines: Vec<String>,
    /// Lines scrolled past.
    pub scroll: usize,
}

impl TextPage {
    pub(super) fn key(&mut self, key: Key) -> Outcome {
        let last = self.lines.len().saturating_sub(1);
        match key {
            Key::Up | Key::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            Key::Down | Key::Char('j') => self.scroll = (self.scroll + 1).min(last),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            Key::PageDown | Key::Char(' ') => self.scroll = (self.scroll + PAGE).min(last),
            Key::Home => self.scroll = 0,
            Key::End => self.scroll = last,
            Key::Enter | Key::Char('q' | '?' | 'x' | 'w') => return Outcome::Closed(Reply::Nothing),
            _ => {}
        }
        Outcome::Stays(None)
    }
}
