//! `dbdyno sql`, and how answers of the store are written.

use super::{
    args::{Places, SqlArgs},
    error::CliError,
    print,
};
use crate::{
    base::{csv::Cells, units::plain},
    report::{format::Format, results::text},
    store::{Rows, Settled, Store},
};
use dbdyno_engine::say;
use std::process::ExitCode;

pub(super) fn sql(places: &Places, args: &SqlArgs) -> Result<ExitCode, CliError> {
    let store = opened(places)?;
    write(&store.ask(&args.query)?, args.format, args.csv.cells)
}

/// The store, with what is in its journals taken in. A store that is not there yet is said so.
pub(super) fn opened(places: &Places) -> Result<Store, CliError> {
    let store = places.store().map_err(CliError::Usage)?;
    if !store.exists() && !store.has_journals() {
        return Err(CliError::Usage(format!(
            "there is no store {} yet: run `dbdyno --preset quick`, or give --store",
            store.path().display()
        )));
    }
    notices(&store.settle()?);
    Ok(store)
}

/// Says what was done to bring the store up to date.
pub(super) fn notices(settled: &Settled) {
    settled.notices().iter().for_each(|notice| say!("note: {}", plain(notice)));
}

pub(super) fn write(rows: &Rows, format: Format, cells: Cells) -> Result<ExitCode, CliError> {
    print(&text(rows, format, cells)?)
}
