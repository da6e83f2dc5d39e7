//! What the Claims screen asks of the world outside: a publication beside what is stored.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog as catalog;
use dbdyno_comparing::claims::{ClaimsTable, judged};

#[derive(Debug)]
pub enum Request {
    /// A publication beside what is stored.
    Judge {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
        claims: Box<catalog::Claims>,
    },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Judge { .. } => Subject::read("claims"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The publication, judged, or why it cannot be.
    Judged { ticket: u64, found: Result<Box<ClaimsTable>, String> },
}

/// Judges the publication.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Judge { ticket, claims } = request;
    Response::Judged { ticket, found: judged(&claims, &setup.store).map(Box::new).map_err(|error| error.to_string()) }
}
