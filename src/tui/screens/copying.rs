//! What goes into the terminal's clipboard, and what is said of it.

use super::intent::Intent;
use crate::tui::overlay::ListItem;

/// A text that can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copyable {
    /// What it is, for the list and for what is said.
    what: String,
    text: String,
}

impl Copyable {
    pub(crate) fn new(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self { what: what.into(), text: text.into() }
    }

    /// Puts it into the clipboard.
    pub(crate) fn copied<R, D>(&self) -> Vec<Intent<R, D>> {
        vec![Intent::Copy(self.text.clone()), Intent::said(format!("copied: {}", self.what))]
    }
}

/// Copies what there is; of several, the user chooses one: the dialog is given all of them.
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
    vec![Intent::failed("there is nothing under the cursor to copy")]
}

/// The one of them that was chosen, copied.
pub(crate) fn copy_chosen<R, D>(all: &[Copyable], chosen: &[usize]) -> Vec<Intent<R, D>> {
    let one = chosen.first().and_then(|&at| all.get(at));
    one.map_or_else(Vec::new, Copyable::copied)
}
