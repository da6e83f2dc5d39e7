//! A filter line below everything else: the list that it narrows is visible above it.

use super::{CommandLine, Completions, Outcome, Reply};
use crate::tui::keys::KeyPress;

/// The keys that the terms of a filter can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterKeys {
    /// All keys of stored results.
    Stored,
    /// These keys, which the rows of a list have.
    Among(&'static [&'static str]),
}

/// A filter that is being typed, with its completions and the earlier filters.
#[derive(Debug, Clone)]
pub struct FilterLine {
    /// The name of what the filter narrows or chooses.
    pub(crate) title: String,
    pub(crate) keys: FilterKeys,
    pub(crate) line: CommandLine,
    /// The text at the start.
    pub(crate) initial: String,
    /// Earlier filters, newest last.
    pub(crate) past: Vec<String>,
    /// The index of the earlier filter that is shown; beyond the last: the typed text.
    at: usize,
    /// The text that was typed before earlier filters were shown.
    typed: String,
}

impl FilterLine {
    pub(super) fn new(title: String, keys: FilterKeys, text: String) -> Self {
        let mut line = CommandLine::default();
        line.set(text.clone());
        Self { title, keys, line, initial: text, past: Vec::new(), at: 0, typed: String::new() }
    }

    /// Makes earlier filters available with the arrow keys.
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

    /// Puts a clicked completion into the line.
    pub(super) fn click(&mut self, row: usize) -> Outcome {
        self.line.go(row);
        self.line.key(KeyPress::Tab)
    }

    /// Shows an earlier filter, or the typed text.
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
