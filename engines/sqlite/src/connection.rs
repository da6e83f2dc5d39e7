//! Opening a database with its options, and what every kind of suite asks of a connection.

use super::{
    driver::Driver,
    pragmas::{self, FileBefore},
};
use dbdyno_engine::{EngineError, settings::Settings, sql::SqlValue};
use std::{collections::BTreeMap, fs, path::Path};

pub(crate) const FILE: &str = "sqlite.db";

/// Opens the file in a database's folder, creating it where there is none, and sets every pragma.
pub(crate) fn open_in<D: Driver>(folder: &Path, settings: &Settings) -> Result<D, EngineError> {
    let (path, mutex) = (folder.join(FILE), settings.text("open_mutex")? == "fullmutex");
    let filled = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
    let connection = D::open(&path, mutex, settings)?;
    pragmas::apply(&connection, settings, if filled { FileBefore::Filled } else { FileBefore::Fresh })?;
    Ok(connection)
}

/// Which BEGIN a write transaction uses.
pub(crate) fn begin(settings: &Settings) -> Result<&'static str, EngineError> {
    Ok(match settings.text("transaction")? {
        "immediate" => "BEGIN IMMEDIATE",
        "exclusive" => "BEGIN EXCLUSIVE",
        _ => "BEGIN DEFERRED",
    })
}

/// Every option that can be read back.
pub(crate) fn in_force<D: Driver>(connection: &D) -> Result<BTreeMap<String, String>, EngineError> {
    let mut in_force = pragmas::in_force(connection)?;
    let mutex = if connection.has_mutex() { "fullmutex" } else { "nomutex" };
    in_force.insert("open_mutex".to_owned(), mutex.to_owned());
    in_force.extend(connection.in_force());
    Ok(in_force)
}

/// SQLite's own check of the file.
pub(crate) fn check<D: Driver>(connection: &D) -> Result<(), EngineError> {
    match connection.first_value("PRAGMA integrity_check")? {
        SqlValue::Text(answer) if answer == "ok" => Ok(()),
        other => Err(EngineError::fatal(format!("PRAGMA integrity_check: {other:?}"))),
    }
}
