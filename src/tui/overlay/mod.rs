//! Overlays above a screen: a prompt, a list to choose from, a page to read. They know neither their opener nor the purpose of the reply.

mod choose;
mod command_line;
mod filter_line;
mod page;
pub(crate) mod paint;
mod prompt;

pub use choose::{Choose, ListItem};
pub use command_line::{CommandLine, Completions};
pub(crate) use filter_line::FilterKeys;
pub use filter_line::FilterLine;
pub use page::TextPage;
pub(crate) use page::page_columns;
pub use prompt::Prompt;

use crate::tui::{keys::KeyPress, widgets::cursor::ListCursor};
use tui_input::Input;

/// A question to answer with yes or no.
#[derive(Debug, Clone)]
pub struct Confirm {
    /// The question.
    pub(crate) title: String,
    /// Information for the decision.
    pub(crate) lines: Vec<String>,
}

/// Something that takes the keys until the user has replied.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// A prompt for a text.
    Prompt(Prompt),
    /// A choice of one or several items.
    Choose(Choose),
    /// Yes or no.
    Confirm(Confirm),
    /// Something to read.
    Page(TextPage),
    /// A command that is being typed.
    Command(CommandLine),
    /// A filter that is being typed.
    Filter(FilterLine),
}

/// The user's reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The text so far. Overlays that narrow a screen send it with every change.
    Typing(String),
    Text(String),
    /// Indices of the chosen items.
    Chosen(Vec<usize>),
    Yes,
    /// The overlay was closed without a reply.
    Nothing,
}

/// The effect of a key on an overlay.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It stays open, with the text so far for screens that follow the typing.
    Stays(Option<Reply>),
    /// It is closed, with this reply.
    Closed(Reply),
}

impl Overlay {
    /// Asks for a text; `text` is the initial value.
    pub(crate) fn prompt(title: impl Into<String>, help: impl Into<String>, text: impl Into<String>) -> Self {
        let input = Input::new(text.into());
        Self::Prompt(Prompt { title: title.into(), help: help.into(), input, formats: &[], error: None })
    }

    /// Opens a filter line below everything, whose terms have these keys; `title` names the list that it narrows.
    pub(crate) fn filter(title: impl Into<String>, keys: FilterKeys, text: impl Into<String>) -> Self {
        Self::Filter(FilterLine::new(title.into(), keys, text.into()))
    }

    /// Lets the user choose one item, or several if `several`. The cursor is on the first item that is already chosen.
    pub(crate) fn choose(title: impl Into<String>, items: Vec<ListItem>, several: bool) -> Self {
        let at = items.iter().position(|item| item.chosen).unwrap_or(0);
        let input = Input::default();
        Self::Choose(Choose { title: title.into(), items, several, input, cursor: ListCursor { at } })
    }

    /// Asks a question to answer with yes or no; `lines` is information for the decision.
    pub(crate) fn confirm(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Confirm(Confirm { title: title.into(), lines })
    }

    /// Shows something to read.
    pub(crate) fn page(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Page(TextPage { title: title.into(), lines, scroll: 0, sql: None })
    }

    /// Shows something to read, and offers the query that fetches its data.
    pub(crate) fn explanation(title: impl Into<String>, lines: Vec<String>, sql: Option<String>) -> Self {
        Self::Page(TextPage { title: title.into(), lines, scroll: 0, sql })
    }

    /// Handles a key, on a screen of so many columns and rows.
    pub(crate) fn key(&mut self, key: KeyPress, size: (u16, u16)) -> Outcome {
        if matches!(key, KeyPress::Esc | KeyPress::Ctrl('c')) {
            return Outcome::Closed(Reply::Nothing);
        }
        match self {
            Self::Prompt(prompt) => prompt.key(key),
            Self::Choose(choose) => choose.key(key),
            Self::Confirm(_) => match key {
                KeyPress::Char('y' | 'Y') => Outcome::Closed(Reply::Yes),
                KeyPress::Char('n' | 'N' | 'q') | KeyPress::Enter => Outcome::Closed(Reply::Nothing),
                _ => Outcome::Stays(None),
            },
            Self::Page(page) => page.key(key, size),
            Self::Command(line) => line.key(key),
            Self::Filter(filter) => filter.key(key),
        }
    }

    /// Takes pasted text; line ends become spaces, because every input is one line.
    pub(crate) fn paste(&mut self, text: &str, size: (u16, u16)) -> Outcome {
        let mut outcome = Outcome::Stays(None);
        for c in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
            outcome = self.key(KeyPress::Char(c), size);
        }
        outcome
    }

    /// Takes a click on one of its rows.
    pub(crate) fn click(&mut self, row: usize) -> Outcome {
        match self {
            Self::Choose(choose) => {
                choose.cursor.at = row;
                choose.key(if choose.several { KeyPress::Char(' ') } else { KeyPress::Enter })
            }
            Self::Command(line) => {
                line.go(row);
                line.key(KeyPress::Enter)
            }
            Self::Filter(filter) => filter.click(row),
            _ => Outcome::Stays(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns and rows of the screen.
    const SIZE: (u16, u16) = (80, 24);

    fn typed(overlay: &mut Overlay, text: &str) -> Outcome {
        text.chars().map(|c| overlay.key(KeyPress::Char(c), SIZE)).last().unwrap()
    }

    #[test]
    fn a_list_is_narrowed_by_typing_and_the_best_match_is_taken() {
        let items = ["journal_mode", "page_size", "synchronous"].map(|label| ListItem::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("option", items, false);
        typed(&mut overlay, "sync");
        assert_eq!(overlay.key(KeyPress::Enter, SIZE), Outcome::Closed(Reply::Chosen(vec![2])));
        typed(&mut overlay, "zzz");
        assert_eq!(overlay.key(KeyPress::Enter, SIZE), Outcome::Closed(Reply::Nothing));
    }

    #[test]
    fn several_are_chosen_with_space() {
        let items = ["a", "b", "c"].map(|label| ListItem::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("values", items, true);
        for key in [KeyPress::Char(' '), KeyPress::Down, KeyPress::Down, KeyPress::Char(' ')] {
            overlay.key(key, SIZE);
        }
        assert_eq!(overlay.key(KeyPress::Enter, SIZE), Outcome::Closed(Reply::Chosen(vec![0, 2])));
    }

    #[test]
    fn pasted_line_ends_do_not_answer_a_prompt() {
        let mut overlay = Overlay::prompt("note", "", "");
        overlay.paste("two\nlines\u{1b}[2J", SIZE);
        assert_eq!(overlay.key(KeyPress::Enter, SIZE), Outcome::Closed(Reply::Text("two lines [2J".to_owned())));
    }
}
