//! Texts for the terminal's clipboard, and the messages about them.

use super::intent::Intent;
use crate::tui::overlay::ListItem;

/// A text that can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copyable {
    /// A description, for the list and for the message.
    what: String,
    text: String,
}

impl Copyable {
    pub(crate) fn new(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self { what: what.into(), text: text.into() }
    }

    /// Copies the text to the clipboard.
    pub(crate) fn copied<R, D>(&self) -> Vec<Intent<R, D>> {
        vec![Intent::Copy(self.text.clone()), Intent::said(format!("copied: {}", self.what))]
    }
}

/// Copies the only text, or lets the user choose one of several; `dialog` receives all of them.
pub(crate) fn copy_one_of<R, D>(all: Vec<Copyable>, dialog: impl FnOnce(Vec<Copyable>) -> D) -> Vec<Intent<R, D>> {
    match all.as_slice() {
        [] => nothing_to_copy(),
        [only] => only.copied(),
        several => {
            let items = several.iter().map(|one| ListItem::new(&one.what, &one.text)).collect();
            vec![Intent::choose_one(dialog(all), "Copy", items)]
        }
    }
}

pub(crate) fn nothing_to_copy<R, D>() -> Vec<Intent<R, D>> {
    vec![Intent::refused("there is nothing under the cursor to copy")]
}

/// Copies the text that the user chose.
pub(crate) fn copy_chosen<R, D>(all: &[Copyable], chosen: &[usize]) -> Vec<Intent<R, D>> {
    let one = chosen.first().and_then(|&at| all.get(at));
    one.map_or_else(Vec::new, Copyable::copied)
}
