//! A command line with completions.

use super::{ListItem, Outcome, Reply, choose::matching, prompt::edit};
use crate::tui::{
    keys::KeyPress,
    widgets::cursor::{ListCursor, PAGE},
};
use tui_input::Input;

/// A line that is being typed, with completions for the place in the line.
#[derive(Debug, Clone, Default)]
pub struct CommandLine {
    pub(crate) input: Input,
    pub(crate) completions: Completions,
    /// The position among the matching items.
    pub(crate) cursor: ListCursor,
    /// Whether the cursor was moved since something was typed.
    moved: bool,
    /// The reason why the line was refused.
    pub(crate) error: Option<String>,
}

/// The completions for the end of a line.
#[derive(Debug, Clone, Default)]
pub struct Completions {
    /// The beginning of the line, which is no longer completed.
    pub(crate) head: String,
    pub(crate) items: Vec<ListItem>,
    /// The text that follows a completed item in the line.
    pub(crate) tail: &'static str,
    /// Whether other text is allowed too. If so, an item counts only after the cursor was moved to it.
    pub(crate) is_free: bool,
    /// The expected input, or the effect of the line.
    pub(crate) note: String,
}

impl CommandLine {
    /// Returns the typed text.
    pub(crate) fn text(&self) -> &str {
        self.input.value()
    }

    /// Returns the typed text after the beginning that is no longer completed.
    pub(crate) fn argument(&self) -> &str {
        self.text().strip_prefix(&self.completions.head).unwrap_or_default()
    }

    /// Replaces the typed text with another line.
    pub(crate) fn set(&mut self, text: String) {
        self.input = Input::new(text);
        (self.cursor, self.moved, self.error) = (ListCursor::default(), false, None);
    }

    /// Returns the indices of the matching items, best first. An exact match comes first, then items that begin with the typed text, then
    /// items that have it elsewhere.
    pub(crate) fn matching(&self) -> Vec<usize> {
        let (items, typed) = (&self.completions.items, self.argument());
        let mut all = matching(items, typed);
        all.sort_by_key(|at| {
            let label = &items[*at].label;
            (label != typed, !label.starts_with(typed))
        });
        all
    }

    /// Returns the item that the line refers to if it is accepted now.
    pub(crate) fn pointed(&self) -> Option<usize> {
        self.is_pointing().then(|| self.under_cursor()).flatten()
    }

    /// Whether the cursor selects an item.
    pub(crate) fn is_pointing(&self) -> bool {
        self.moved || !self.completions.is_free
    }

    /// Offers other completions. At a new place in the line, the cursor starts on the item that is chosen there.
    pub(crate) fn offer(&mut self, completions: Completions) {
        let is_elsewhere = completions.head != self.completions.head || self.completions.items.is_empty();
        self.completions = completions;
        if is_elsewhere {
            let chosen = self.completions.items.iter().position(|item| item.chosen);
            self.cursor.at = chosen.filter(|_| self.argument().is_empty()).unwrap_or(0);
            self.moved = false;
        }
        let length = self.matching().len();
        self.cursor.kept_in(length);
    }

    fn under_cursor(&self) -> Option<usize> {
        self.matching().get(self.cursor.at).copied()
    }

    pub(super) fn key(&mut self, key: KeyPress) -> Outcome {
        let last = self.matching().len().saturating_sub(1);
        // If no item was selected before, the first step goes to the first item.
        let step = usize::from(self.is_pointing());
        match key {
            KeyPress::Up => self.go(self.cursor.at.saturating_sub(1)),
            KeyPress::Down => self.go((self.cursor.at + step).min(last)),
            KeyPress::PageUp => self.go(self.cursor.at.saturating_sub(PAGE)),
            KeyPress::PageDown => self.go((self.cursor.at + PAGE).min(last)),
            KeyPress::Enter => return Outcome::Closed(Reply::Text(self.text().to_owned())),
            KeyPress::Tab => match self.under_cursor().and_then(|at| self.completions.items.get(at)) {
                Some(item) => {
                    let Completions { head, tail, .. } = &self.completions;
                    self.set(format!("{head}{}{tail}", item.label));
                }
                None => return Outcome::Stays(None),
            },
            key if edit(&mut self.input, key) => (self.cursor, self.moved) = (ListCursor::default(), false),
            _ => return Outcome::Stays(None),
        }
        self.error = None;
        Outcome::Stays(Some(Reply::Typing(self.text().to_owned())))
    }

    /// Puts the cursor onto a row.
    pub(super) fn go(&mut self, row: usize) {
        (self.cursor.at, self.moved) = (row, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(is_free: bool) -> CommandLine {
        let items = ["dark", "light"].map(|label| ListItem::new(label, "")).to_vec();
        let mut line = CommandLine::default();
        line.set("theme ".to_owned());
        line.offer(Completions { head: "theme ".to_owned(), items, is_free, ..Completions::default() });
        line
    }

    #[test]
    fn only_what_follows_the_beginning_narrows_and_is_completed() {
        let mut line = line(false);
        assert_eq!((line.argument(), line.matching().len(), line.pointed()), ("", 2, Some(0)));
        // `t` occurs in `theme` too, but after it only in `light`.
        line.key(KeyPress::Char('t'));
        assert_eq!(line.pointed(), Some(1));
        line.key(KeyPress::Tab);
        assert_eq!(line.text(), "theme light");
        line.key(KeyPress::Char('x'));
        assert_eq!((line.pointed(), line.key(KeyPress::Tab)), (None, Outcome::Stays(None)));
    }

    #[test]
    fn what_is_typed_whole_comes_first_and_the_cursor_leads_on_from_it() {
        let items = ["p99.9", "p99"].map(|label| ListItem::new(label, "")).to_vec();
        let mut line = CommandLine::default();
        line.offer(Completions { items, ..Completions::default() });
        "p99".chars().for_each(|c| drop(line.key(KeyPress::Char(c))));
        assert_eq!(line.pointed(), Some(1));
        line.key(KeyPress::Down);
        assert_eq!(line.pointed(), Some(0));
    }

    #[test]
    fn what_begins_with_what_is_typed_comes_before_what_has_it_elsewhere() {
        let items = vec![ListItem::new("metric", "compare another figure"), ListItem::new("compare", "A with B")];
        let mut line = CommandLine::default();
        line.offer(Completions { items, ..Completions::default() });
        "comp".chars().for_each(|c| drop(line.key(KeyPress::Char(c))));
        assert_eq!(line.matching(), [1, 0]);
    }

    #[test]
    fn where_anything_can_be_typed_an_item_is_meant_once_the_cursor_is_on_it() {
        let mut line = line(true);
        assert_eq!(line.pointed(), None);
        line.key(KeyPress::Down);
        assert_eq!(line.pointed(), Some(0));
        line.key(KeyPress::Down);
        assert_eq!(line.pointed(), Some(1));
        line.key(KeyPress::Char('l'));
        assert_eq!(line.pointed(), None);
    }
}
