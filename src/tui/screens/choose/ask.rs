//! The requests of the Choose screen: the latest choice in the store.

use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_running::choose::{StoredChoice, find_choice};

#[derive(Debug)]
pub enum Request {
    /// The latest choice.
    Latest,
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        Subject::read("choice")
    }
}

#[derive(Debug)]
pub enum Response {
    /// The latest choice, if there is one, or the reason why it cannot be read.
    Latest(Result<Option<Box<StoredChoice>>, String>),
}

/// Reads the latest choice.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Latest = request;
    let found = find_choice(&setup.store, "last");
    Response::Latest(found.map(|found| found.map(Box::new)).map_err(|error| error.to_string()))
}
