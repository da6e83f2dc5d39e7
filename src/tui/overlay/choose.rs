//! A list to choose from, narrowed by typing.

use super::{Outcome, Reply, prompt::edit};
use crate::tui::{
    keys::KeyPress,
    widgets::cursor::{ListCursor, PAGE},
};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use tui_input::Input;

/// A list to choose one or several items from, narrowed by typing.
#[derive(Debug, Clone)]
pub struct Choose {
    pub(crate) title: String,
    pub(crate) items: Vec<ListItem>,
    /// Whether several can be chosen, with Space.
    pub(crate) several: bool,
    /// The text that is typed to narrow the list.
    pub(crate) input: Input,
    /// The position among the matching items.
    pub(crate) cursor: ListCursor,
}

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    pub(crate) label: String,
    /// More about it.
    pub(crate) detail: String,
    pub(crate) chosen: bool,
}

impl ListItem {
    /// Returns an item that is not chosen.
    pub(crate) fn new(label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { label: label.into(), detail: detail.into(), chosen: false }
    }
}

impl Choose {
    /// Returns the indices of the items that match the typed text, best first.
    pub(crate) fn matching(&self) -> Vec<usize> {
        matching(&self.items, self.input.value())
    }

    pub(super) fn key(&mut self, key: KeyPress) -> Outcome {
        let matching = self.matching();
        let last = matching.len().saturating_sub(1);
        match key {
            KeyPress::Up => self.cursor.at = self.cursor.at.saturating_sub(1),
            KeyPress::Down => self.cursor.at = (self.cursor.at + 1).min(last),
            KeyPress::PageUp => self.cursor.at = self.cursor.at.saturating_sub(PAGE),
            KeyPress::PageDown => self.cursor.at = (self.cursor.at + PAGE).min(last),
            KeyPress::Char(' ') if self.several => {
                if let Some(item) = matching.get(self.cursor.at).and_then(|&at| self.items.get_mut(at)) {
                    item.chosen = !item.chosen;
                }
            }
            KeyPress::Enter if self.several => {
                let chosen = self.items.iter().enumerate().filter(|(_, item)| item.chosen).map(|(at, _)| at);
                return Outcome::Closed(Reply::Chosen(chosen.collect()));
            }
            KeyPress::Enter => {
                let chosen = matching.get(self.cursor.at).copied();
                return Outcome::Closed(chosen.map_or(Reply::Nothing, |at| Reply::Chosen(vec![at])));
            }
            key => {
                if edit(&mut self.input, key) {
                    self.cursor = ListCursor::default();
                }
            }
        }
        Outcome::Stays(None)
    }
}

/// Returns the indices of the items that match a text, best first.
pub(super) fn matching(items: &[ListItem], typed: &str) -> Vec<usize> {
    if typed.is_empty() {
        return (0..items.len()).collect();
    }
    let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut scored: Vec<(u32, usize)> = Vec::new();
    let mut buffer = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let text = format!("{} {}", item.label, item.detail);
        if let Some(score) = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher) {
            scored.push((score, at));
        }
    }
    scored.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
    scored.into_iter().map(|(_, at)| at).collect()
}
