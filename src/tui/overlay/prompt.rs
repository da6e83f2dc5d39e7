//! A line of text that the user types.

use super::{Outcome, Reply};
use crate::tui::keys::KeyPress;
use dbdyno_reports::format::Format;
use tui_input::{Input, InputRequest};

/// A prompt for a text.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub(crate) title: String,
    /// The expected input.
    pub(crate) help: String,
    /// The typed text.
    pub(crate) input: Input,
    /// The formats that the ending can choose, if the prompt asks for a file.
    pub(crate) formats: &'static [Format],
    /// The reason why the last text was refused.
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

/// Edits a line of text, and returns whether the key was an editing key.
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
