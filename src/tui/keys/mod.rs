//! The keys of each screen. Hints, help and the command palette are generated from these tables, so they are always correct.

mod action;
mod key;
mod key_table;
mod screen_id;
mod table;

pub(crate) use action::Action;
pub use key::KeyPress;
pub(crate) use key_table::FILE;
pub use key_table::KeyTable;
pub use screen_id::ScreenId;

use std::borrow::Cow;

/// A key, its action, and its texts.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    /// The keys of the action; hints show the first.
    pub(crate) keys: Cow<'static, [KeyPress]>,
    pub(crate) action: Action,
    /// One or two words for the line of hints; empty if only the help lists the key.
    pub(crate) hint: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
}

impl Binding {
    /// Returns its keys in words, most important first.
    pub(crate) fn words(&self) -> String {
        self.keys.iter().map(|key| key.word()).collect::<Vec<_>>().join(" ")
    }
}
