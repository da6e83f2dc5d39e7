//! The requests of the Claims screen: a publication compared with the stored results.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog as catalog;
use dbdyno_comparing::claims::{ClaimsTable, judged};

#[derive(Debug)]
pub enum Request {
    /// A comparison of a publication with the stored results.
    Judge {
        /// Number of the request; a response to an earlier one is dropped.
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
    /// The publication's claims with verdicts, or the reason why there are none.
    Judged { ticket: u64, found: Result<Box<ClaimsTable>, String> },
}

/// Compares the publication with the stored results.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Judge { ticket, claims } = request;
    Response::Judged { ticket, found: judged(&claims, &setup.store).map(Box::new).map_err(|error| error.to_string()) }
}
