//! Opens a database with its options, and provides the functions of a connection that every kind of suite needs.

use super::{
    busy::{self, BUSY_HANDLER, OWN},
    driver::Driver,
    pragmas::{self, FileBefore},
};
use dbdyno_engine::{EngineError, settings::Settings, sql::SqlValue};
use std::{collections::BTreeMap, fs, path::Path};

pub(crate) const FILE: &str = "sqlite.db";

/// Opens the file in a database's folder, creates it if it does not exist, and sets every pragma.
pub(crate) fn open_in<D: Driver>(folder: &Path, settings: &Settings) -> Result<D, EngineError> {
    let (path, mutex) = (folder.join(FILE), settings.text("open_mutex")? == "fullmutex");
    let filled = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
    let mut connection = D::open(&path, mutex, settings)?;
    pragmas::apply(&connection, settings, if filled { FileBefore::Filled } else { FileBefore::Fresh })?;
    if let Some(handler) = busy::handler(settings)? {
        connection.set_busy_handler(handler)?;
    }
    if begin(settings)? == BEGIN_CONCURRENT {
        try_concurrent(&connection)?;
    }
    Ok(connection)
}

/// Begins a transaction that locks nothing until it commits; only SQLite's branch `begin-concurrent` supports it.
const BEGIN_CONCURRENT: &str = "BEGIN CONCURRENT";

fn try_concurrent<D: Driver>(connection: &D) -> Result<(), EngineError> {
    connection.batch("BEGIN CONCURRENT; ROLLBACK").map_err(|error| {
        let message = "transaction=concurrent: the library has no BEGIN CONCURRENT: expected a build of SQLite's branch begin-concurrent";
        EngineError::new(format!("{message} ({error})"))
    })
}

/// Returns the BEGIN statement of write transactions.
pub(crate) fn begin(settings: &Settings) -> Result<&'static str, EngineError> {
    Ok(match settings.text("transaction")? {
        "immediate" => "BEGIN IMMEDIATE",
        "exclusive" => "BEGIN EXCLUSIVE",
        "concurrent" => BEGIN_CONCURRENT,
        _ => "BEGIN DEFERRED",
    })
}

/// Returns every option that can be read back.
pub(crate) fn in_force<D: Driver>(
    connection: &D,
    settings: &Settings,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut in_force = pragmas::told(connection, settings)?;
    if settings.text(BUSY_HANDLER)? != OWN {
        // SQLite reports the timeout of its own handler only.
        in_force.remove("busy_timeout");
    }
    let mutex = if connection.has_mutex() { "fullmutex" } else { "nomutex" };
    in_force.insert("open_mutex".to_owned(), mutex.to_owned());
    in_force.extend(connection.in_force());
    Ok(in_force)
}

/// Checks that several threads can have connections of their own.
///
/// # Errors
/// The build supports only one thread.
pub(crate) fn check_threads<D: Driver>(connection: &D) -> Result<(), EngineError> {
    if connection.first_value("SELECT sqlite_compileoption_used('THREADSAFE=0')")? == SqlValue::Integer(1) {
        return Err(EngineError::new("this build of SQLite is for one thread (THREADSAFE=0)"));
    }
    Ok(())
}

/// Runs SQLite's own check of the file.
pub(crate) fn check<D: Driver>(connection: &D) -> Result<(), EngineError> {
    match connection.first_value("PRAGMA integrity_check")? {
        SqlValue::Text(answer) if answer == "ok" => Ok(()),
        other => Err(EngineError::fatal(format!("PRAGMA integrity_check: {other:?}"))),
    }
}
