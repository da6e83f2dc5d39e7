//! The dialogs of the Claims screen and the handling of their replies.

use super::{ClaimsScreen, Intents, rows::CLAIM_KEYS};
use crate::tui::{filter::ListFilter, overlay::Reply, widgets::cursor::ListCursor};

/// A question that the Claims screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The filter for the claims shown.
    Filter,
    /// The file to write the claims to.
    Export,
}

impl ClaimsScreen {
    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
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
