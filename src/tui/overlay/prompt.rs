//! A line of text that the user types.

use super::{Outcome, Reply};
use crate::tui::keys::Key;
use tui_input::{Input, InputRequest};

/// A text is asked for.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What for.
    pub title: String,
    /// What is expected.
    pub help: String,
    /// What is typed.
    pub input: Input,
    /// Why the last text was not taken.
    pub error: Option<String>,
}

impl Prompt {
    pub(super) fn key(&mut self, key: Key) -> Outcome {
        if key == Key::Enter {
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
pub(super) fn edit(input: &mut Input, key: Key) -> bool {
    let request = match key {
        Key::Char(c) => InputRequest::InsertChar(c),
        Key::Backspace => InputRequest::DeletePrevChar,
        Key::Delete => InputRequest::DeleteNextChar,
        Key::Left => InputRequest::GoToPrevChar,
        Key::Right => InputRequest::GoToNextChar,
        Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
        Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
        Key::Ctrl('w') => InputRequest::DeletePrevWord,
        Key::Ctrl('u') => InputRequest::DeleteLine,
        Key::Ctrl('k') => InputRequest::DeleteTillEnd,
        _ => return false,
    };
    input.handle(request);
    true
}
