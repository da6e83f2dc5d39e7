//! A line of text that the user types.

use super::{Outcome, Reply};
use crate::tui::keys::KeyPress;
use dbdyno_reports::format::Format;
use tui_input::{Input, InputRequest};

/// A text is asked for.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub(crate) title: String,
    /// What is expected.
    pub(crate) help: String,
    /// What is typed.
    pub(crate) input: Input,
    /// Where a file is asked for: the formats that its ending can choose.
    pub(crate) formats: &'static [Format],
    /// Why the last text was not taken.
    pub(crate) error: Option<String>,
}

impl Prompt {
    pub(super) fn key(&mut self, key: KeyPress) -> Outcome {
        if key == KeyPress::Enter {
            return Outcome::Closed(Reply::Text(self.input.value().trim().to_owned()));
        }
        if edit(&mut self.input, key) {
            self.error = None;
            return Outcome::Stays(Some(Reply::Typing(self.input.value().to_owned())));
        }
        Outcome::Stays(None)
    }
}

/// Edits a line of text; whether the key meant that.
pub(super) fn edit(input: &mut Input, key: KeyPress) -> bool {
    let request = match key {
        KeyPress::Char(c) => InputRequest::InsertChar(c),
        KeyPress::Backspace => InputRequest::DeletePrevChar,
        KeyPress::Delete => InputRequest::DeleteNextChar,
        KeyPress::Left => InputRequest::GoToPrevChar,
        KeyPress::Right => InputRequest::GoToNextChar,
        KeyPress::Home | KeyPress::Ctrl('a') => InputRequest::GoToStart,
        KeyPress::End | KeyPress::Ctrl('e') => InputRequest::GoToEnd,
        KeyPress::Ctrl('w') => InputRequest::DeletePrevWord,
        KeyPress::Ctrl('u') => InputRequest::DeleteLine,
        KeyPress::Ctrl('k') => InputRequest::DeleteTillEnd,
        _ => return false,
    };
    input.handle(request);
    true
}
