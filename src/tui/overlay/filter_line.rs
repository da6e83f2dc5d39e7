//! A filter that is typed below everything: what it narrows is seen above it.

use super::{CommandLine, Completions, Outcome, Reply};
use crate::tui::keys::KeyPress;

/// The keys that the terms of a filter can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterKeys {
    /// All that stored results have.
    Stored,
    /// These, which the rows of a list have.
    Among(&'static [&'static str]),
}

/// A filter that is typed, with what its end can be completed to and the filters of before.
#[derive(Debug, Clone)]
pub struct FilterLine {
    /// What is narrowed or chosen by it.
    pub(crate) title: String,
    pub(crate) keys: FilterKeys,
    pub(crate) line: CommandLine,
    /// What was there to begin with.
    pub(crate) initial: String,
    /// Filters of before, the last one last.
    pub(crate) past: Vec<String>,
    /// The one of them that is shown; beyond the last: what is typed.
    at: usize,
    /// What was typed before older ones were shown.
    typed: String,
}

impl FilterLine {
    pub(super) fn new(title: String, keys: FilterKeys, text: String) -> Self {
        let mut line = CommandLine::default();
        line.set(text.clone());
        Self { title, keys, line, initial: text, past: Vec::new(), at: 0, typed: String::new() }
    }

    /// Has filters of before come back with the arrows.
    pub(crate) fn remember(&mut self, past: Vec<String>) {
        (self.at, self.past) = (past.len(), past);
    }

    pub(crate) fn offer(&mut self, completions: Completions) {
        self.line.offer(completions);
    }

    pub(super) fn key(&mut self, key: KeyPress) -> Outcome {
        match key {
            KeyPress::Up => self.show(self.at.checked_sub(1)),
            KeyPress::Down => self.show(Some(self.at + 1)),
            KeyPress::Ctrl('n') => self.line.key(KeyPress::Down),
            KeyPress::Ctrl('p') => self.line.key(KeyPress::Up),
            KeyPress::Enter => Outcome::Closed(Reply::Text(self.line.text().trim().to_owned())),
            key => self.line.key(key),
        }
    }

    /// Puts a completion that was clicked into the line.
    pub(super) fn click(&mut self, row: usize) -> Outcome {
        self.line.go(row);
        self.line.key(KeyPress::Tab)
    }

    /// Shows one of the filters of before, or what was typed.
    fn show(&mut self, at: Option<usize>) -> Outcome {
        let Some(at) = at.filter(|at| *at <= self.past.len() && *at != self.at) else { return Outcome::Stays(None) };
        if self.at == self.past.len() {
            self.line.text().clone_into(&mut self.typed);
        }
        self.at = at;
        let text = self.past.get(at).unwrap_or(&self.typed).clone();
        self.line.set(text.clone());
        Outcome::Stays(Some(Reply::Typing(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_of_before_come_back_and_what_was_typed_is_not_lost() {
        let mut filter = FilterLine::new("Results".to_owned(), FilterKeys::Stored, "typed".to_owned());
        filter.remember(vec!["one".to_owned(), "two".to_owned()]);
        let typing = |text: &str| Outcome::Stays(Some(Reply::Typing(text.to_owned())));
        assert_eq!(filter.key(KeyPress::Down), Outcome::Stays(None));
        assert_eq!(filter.key(KeyPress::Up), typing("two"));
        assert_eq!(filter.key(KeyPress::Up), typing("one"));
        assert_eq!(filter.key(KeyPress::Up), Outcome::Stays(None));
        assert_eq!((filter.key(KeyPress::Down), filter.key(KeyPress::Down)), (typing("two"), typing("typed")));
        assert_eq!(filter.key(KeyPress::Enter), Outcome::Closed(Reply::Text("typed".to_owned())));
    }
}
