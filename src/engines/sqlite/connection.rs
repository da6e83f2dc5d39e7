//! Opening a database with its options, and what every kind of suite asks of a connection.

use super::pragmas;
use dbdyno_engine::{EngineError, kv::Open, settings::Settings, sqlite::failed};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;

/// Opens the file in the database's folder, creating it where there is none, and sets every pragma.
pub(super) fn open(open: Open<'_>, file: &str) -> Result<Connection, EngineError> {
    let mutex = match open.settings.text("open_mutex")? {
        "fullmutex" => OpenFlags::SQLITE_OPEN_FULL_MUTEX,
        _ => OpenFlags::SQLITE_OPEN_NO_MUTEX,
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | mutex;
    let connection = Connection::open_with_flags(open.folder.join(file), flags)
        .map_err(EngineError::doing("opening the database"))?;
    pragmas::apply(&connection, open.settings)?;
    Ok(connection)
}

/// Which BEGIN a write transaction uses.
pub(super) fn begin(settings: &Settings) -> Result<&'static str, EngineError> {
    Ok(match settings.text("transaction")? {
        "immediate" => "BEGIN IMMEDIATE",
        "exclusive" => "BEGIN EXCLUSIVE",
        _ => "BEGIN DEFERRED",
    })
}

/// Every option that can be read back.
pub(super) fn in_force(connection: &Connection) -> Result<BTreeMap<String, String>, EngineError> {
    let mut in_force = pragmas::in_force(connection)?;
    let mutex = if has_mutex(connection) { "fullmutex" } else { "nomutex" };
    in_force.insert("open_mutex".to_owned(), mutex.to_owned());
    Ok(in_force)
}

/// SQLite's own check of the file.
pub(super) fn check(connection: &Connection) -> Result<(), EngineError> {
    let answer: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(failed)?;
    if answer == "ok" { Ok(()) } else { Err(EngineError::fatal(format!("PRAGMA integrity_check: {answer}"))) }
}

#[expect(unsafe_code, reason = "rusqlite has no call for sqlite3_db_mutex")]
fn has_mutex(connection: &Connection) -> bool {
    // SAFETY: the handle is that of an open connection, and the mutex is only compared with null.
    unsafe { !rusqlite::ffi::sqlite3_db_mutex(connection.handle()).is_null() }
}
