//! What lies over a screen: a prompt, a list to choose from, a page to read. Who opened it, and what the reply is for, is not known here.

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
pub use prompt::Prompt;

use crate::tui::{keys::KeyPress, widgets::cursor::ListCursor};
use tui_input::Input;

/// Yes or no.
#[derive(Debug, Clone)]
pub struct Confirm {
    /// What is asked.
    pub(crate) title: String,
    /// What to know before replying.
    pub(crate) lines: Vec<String>,
}

/// Something that takes the keys until the user has replied.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// A text is asked for.
    Prompt(Prompt),
    /// One or several of a list.
    Choose(Choose),
    /// Yes or no.
    Confirm(Confirm),
    /// Something to read.
    Page(TextPage),
    /// A command is typed.
    Command(CommandLine),
    /// A filter is typed.
    Filter(FilterLine),
}

/// What the user replied.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// A text, as it is typed; sent with every change for those that narrow a screen.
    Typing(String),
    Text(String),
    /// Indices of the chosen items.
    Chosen(Vec<usize>),
    Yes,
    /// It was closed without a reply.
    Nothing,
}

/// What a key did to an overlay.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It stays; with what was typed so far, for those that follow the typing.
    Stays(Option<Reply>),
    /// It is closed, with this reply.
    Closed(Reply),
}

impl Overlay {
    /// Asks for a text; `text` is there to begin with.
    pub(crate) fn prompt(title: impl Into<String>, help: impl Into<String>, text: impl Into<String>) -> Self {
        let input = Input::new(text.into());
        Self::Prompt(Prompt { title: title.into(), help: help.into(), input, formats: &[], error: None })
    }

    /// Has a filter typed below everything, whose terms have these keys; `title` is what it narrows.
    pub(crate) fn filter(title: impl Into<String>, keys: FilterKeys, text: impl Into<String>) -> Self {
        Self::Filter(FilterLine::new(title.into(), keys, text.into()))
    }

    /// Has one or `several` of a list chosen; the cursor is on the first that is chosen already.
    pub(crate) fn choose(title: impl Into<String>, items: Vec<ListItem>, several: bool) -> Self {
        let at = items.iter().position(|item| item.chosen).unwrap_or(0);
        let input = Input::default();
        Self::Choose(Choose { title: title.into(), items, several, input, cursor: ListCursor { at } })
    }

    /// Asks yes or no; `lines` is what to know before.
    pub(crate) fn confirm(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Confirm(Confirm { title: title.into(), lines })
    }

    /// Shows something to read.
    pub(crate) fn page(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Page(TextPage { title: title.into(), lines, scroll: 0, sql: None })
    }

    /// Shows something to read, and leads to the query that fetches what it is about.
    pub(crate) fn explanation(title: impl Into<String>, lines: Vec<String>, sql: Option<String>) -> Self {
        Self::Page(TextPage { title: title.into(), lines, scroll: 0, sql })
    }

    pub(crate) fn key(&mut self, key: KeyPress) -> Outcome {
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
            Self::Page(page) => page.key(key),
            Self::Command(line) => line.key(key),
            Self::Filter(filter) => filter.key(key),
        }
    }

    /// Takes pasted text; line ends become spaces, because every input is one line.
    pub(crate) fn paste(&mut self, text: &str) -> Outcome {
        let mut outcome = Outcome::Stays(None);
        for c in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
            outcome = self.key(KeyPress::Char(c));
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

    fn typed(overlay: &mut Overlay, text: &str) -> Outcome {
        text.chars().map(|c| overlay.key(KeyPress::Char(c))).last().unwrap()
    }

    #[test]
    fn a_list_is_narrowed_by_typing_and_the_best_match_is_taken() {
        let items = ["journal_mode", "page_size", "synchronous"].map(|label| ListItem::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("option", items, false);
        typed(&mut overlay, "sync");
        assert_eq!(overlay.key(KeyPress::Enter), Outcome::Closed(Reply::Chosen(vec![2])));
        typed(&mut overlay, "zzz");
        assert_eq!(overlay.key(KeyPress::Enter), Outcome::Closed(Reply::Nothing));
    }

    #[test]
    fn several_are_chosen_with_space() {
        let items = ["a", "b", "c"].map(|label| ListItem::new(label, "")).to_vec();
        let mut overlay = Overlay::choose("values", items, true);
        for key in [KeyPress::Char(' '), KeyPress::Down, KeyPress::Down, KeyPress::Char(' ')] {
            overlay.key(key);
        }
        assert_eq!(overlay.key(KeyPress::Enter), Outcome::Closed(Reply::Chosen(vec![0, 2])));
    }

    #[test]
    fn pasted_line_ends_do_not_answer_a_prompt() {
        let mut overlay = Overlay::prompt("note", "", "");
        overlay.paste("two\nlines\u{1b}[2J");
        assert_eq!(overlay.key(KeyPress::Enter), Outcome::Closed(Reply::Text("two lines [2J".to_owned())));
    }
}
