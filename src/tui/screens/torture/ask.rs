//! What the Torture screen asks of the world outside: what was found of tiers.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_store::EvidenceRecord;

#[derive(Debug)]
pub enum Request {
    /// All that is stored.
    Evidence {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
    },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Evidence { .. } => Subject::read("evidence"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// What was found, the latest first, or why it cannot be read.
    Evidence { ticket: u64, found: Result<Vec<EvidenceRecord>, String> },
}

/// Reads what is stored.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Evidence { ticket } = request;
    Response::Evidence { ticket, found: setup.store.evidence().map_err(|error| error.to_string()) }
}
