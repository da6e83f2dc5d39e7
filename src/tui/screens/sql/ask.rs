//! The requests of the SQL pane: the answer to a statement.

use super::Statement;
use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_store::{AnswerPart, PartialAnswer, ReadWatch, Store, StoreError};

/// Maximum number of rows kept and shown; an export has all of them.
pub(super) const MOST_ROWS: usize = 1_000;

#[derive(Debug)]
pub enum Request {
    /// Runs a statement.
    Ask {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        statement: Statement,
        /// Cancels the query.
        watch: ReadWatch,
    },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Ask { watch, .. } => Subject::watched("answer", watch),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The part of the answer to show, or the reason why there is none.
    Answered { ticket: u64, found: Result<Box<PartialAnswer>, String> },
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request::Ask { ticket, statement, watch } = request;
    let found = answer(&setup.store.watched(&watch), &statement);
    Response::Answered { ticket, found: found.map(Box::new).map_err(|error| error.to_string()) }
}

fn answer(store: &Store, statement: &Statement) -> Result<PartialAnswer, StoreError> {
    // Results that could not be stored earlier are imported first, so that the query sees them.
    if store.exists() || store.has_journals() {
        store.settle()?;
    }
    store.ask_part(&statement.sql, AnswerPart { most_rows: MOST_ROWS, order: statement.order })
}
