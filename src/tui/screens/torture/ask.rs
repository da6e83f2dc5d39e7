//! The requests of the Torture screen: the evidence about tiers.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_store::EvidenceRecord;

#[derive(Debug)]
pub enum Request {
    /// All stored evidence.
    Evidence {
        /// Number of the request; a response to an earlier one is dropped.
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
    /// The evidence, latest first, or the reason why it cannot be read.
    Evidence { ticket: u64, found: Result<Vec<EvidenceRecord>, String> },
}

/// Reads the stored evidence.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Evidence { ticket } = request;
    Response::Evidence { ticket, found: setup.store.evidence().map_err(|error| error.to_string()) }
}
