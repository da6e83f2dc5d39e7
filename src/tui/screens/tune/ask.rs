//! The requests of the Tune screen: ledgers, the user's SQL statements, stored runs of a sweep.

use crate::tui::{
    screens::ReadOwn,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_comparing::compare::load;
use dbdyno_engine::describe::Description;
use dbdyno_foundation::metric::Metric;
use dbdyno_running::own::OwnFiles;
use dbdyno_running::tune::{
    Ledger, Trial, accept,
    effects::{GridEffects, effects},
    last_ledger, ledger, ledgers,
};
use dbdyno_store::{Latencies, Selection, Store};

#[derive(Debug)]
pub enum Request {
    /// The ledger with this name.
    Ledger(String),
    /// The ledger used last.
    LastLedger,
    /// The names of all ledgers, for a choice.
    Names,
    /// Makes a trial's change the base of later trials.
    Accept(Box<Trial>),
    /// Makes a workload of the user's own files.
    Own { ticket: u64, files: OwnFiles, engine: Box<Description> },
    /// The importance of each option in the runs of a selection.
    Effects { ticket: u64, selection: String },
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Ledger(_) => Subject::read("ledger"),
            Self::LastLedger => Subject::read("last ledger"),
            Self::Names => Subject::read("names"),
            Self::Accept(_) => Subject::Change,
            Self::Own { .. } => Subject::read("own files"),
            Self::Effects { .. } => Subject::read("effects"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// The ledger, or the reason why it cannot be read.
    Ledger(Result<Ledger, String>),
    /// The ledger used last; none if nothing was tried yet.
    LastLedger(Result<Option<Ledger>, String>),
    /// The names of all ledgers.
    Names(Result<Vec<String>, String>),
    /// The accepted trial, or the reason why it was not accepted.
    Accepted(Result<Box<Trial>, String>),
    /// The workload, or the error in the files.
    Own { ticket: u64, read: Result<Box<ReadOwn>, String> },
    /// The effects of the options, or the reason why the selection is not a grid.
    Effects { ticket: u64, found: Result<Box<GridEffects>, String> },
}

/// Reads or changes the store.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let store = &setup.store;
    match request {
        Request::Ledger(name) if !store.exists() => Response::Ledger(Ok(Ledger::new(&name, Vec::new()))),
        Request::Ledger(name) => Response::Ledger(ledger(store, &name).map_err(|error| error.to_string())),
        Request::LastLedger if !store.exists() => Response::LastLedger(Ok(None)),
        Request::LastLedger => Response::LastLedger(last(store)),
        Request::Names if !store.exists() => Response::Names(Ok(Vec::new())),
        Request::Names => Response::Names(ledgers(store).map_err(|error| error.to_string())),
        Request::Accept(mut trial) => {
            let accepted = accept(store, &mut trial).map_err(|error| error.to_string());
            Response::Accepted(accepted.map(|()| trial))
        }
        Request::Own { ticket, files, engine } => {
            Response::Own { ticket, read: own(files, &engine, setup).map(Box::new) }
        }
        Request::Effects { ticket, selection } => {
            Response::Effects { ticket, found: found(&selection, store).map(Box::new) }
        }
    }
}

/// Reads files that this engine will run.
fn own(files: OwnFiles, engine: &Description, setup: &TuiSetup) -> Result<ReadOwn, String> {
    if files.database.is_some() && !engine.sqlite_files {
        return Err(format!("databases of {} are no files of SQLite: it cannot start from one", engine.name));
    }
    ReadOwn::read(files, &[engine], &setup.work_dir)
}

fn last(store: &Store) -> Result<Option<Ledger>, String> {
    let name = last_ledger(store).map_err(|error| error.to_string())?;
    name.map(|name| ledger(store, &name).map_err(|error| error.to_string())).transpose()
}

fn found(line: &str, store: &Store) -> Result<GridEffects, String> {
    if !store.exists() {
        return Err("nothing is stored yet".to_owned());
    }
    let selection = Selection::parse_line(line)?;
    let side = load(store, line, &selection, Metric::Wall, Latencies::Left).map_err(|error| error.to_string())?;
    effects(&side).map_err(|error| error.to_string())
}
