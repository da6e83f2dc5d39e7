//! What the Claims screen asks the user, and what becomes of the replies.

use super::{ClaimsScreen, Intents, rows::CLAIM_KEYS};
use crate::tui::{filter::ListFilter, overlay::Reply, widgets::cursor::ListCursor};

/// What the Claims screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Which claims are shown.
    Filter,
    /// The file to write the claims to.
    Export,
}

impl ClaimsScreen {
    /// Takes what the user replied.
    ///
    /// # Errors
    /// Why it cannot be taken, with what was expected.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Filter, Reply::Typing(text) | Reply::Text(text)) => {
                self.filter = ListFilter::read(&text, CLAIM_KEYS)?;
                *self.cursor_mut() = ListCursor::default();
            }
            (Dialog::Export, Reply::Text(path)) => return self.export(&path),
            _ => {}
        }
        Ok(Intents::new())
    }
}
