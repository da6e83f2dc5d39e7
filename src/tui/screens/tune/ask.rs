//! What the Tune screen asks of the world outside: its ledger.

use crate::{
    tui::setup::TuiSetup,
    tune::{Ledger, Trial, accept, ledger},
};

#[derive(Debug)]
pub enum Request {
    /// The ledger of this name.
    Ledger(String),
    /// Make a trial's change the base of what follows.
    Accept(Box<Trial>),
}

#[derive(Debug)]
pub enum Response {
    /// The ledger, or why it cannot be read.
    Ledger(Result<Ledger, String>),
    /// The trial is accepted, or why not.
    Accepted(Result<Box<Trial>, String>),
}

/// Reads or changes the ledger.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::Ledger(name) if !setup.store.exists() => Response::Ledger(Ok(Ledger::new(&name, Vec::new()))),
        Request::Ledger(name) => Response::Ledger(ledger(&setup.store, &name).map_err(|error| error.to_string())),
        Request::Accept(mut trial) => {
            let accepted = accept(&setup.store, &mut trial).map_err(|error| error.to_string());
            Response::Accepted(accepted.map(|()| trial))
        }
    }
}
