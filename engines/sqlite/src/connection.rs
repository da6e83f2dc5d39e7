//! Opening a database with its options, and what every kind of suite asks of a connection.

use super::{driver::Driver, pragmas};
use dbdyno_engine::{EngineError, engine::Open, settings::Settings, sql::SqlValue};
use std::collections::BTreeMap;

pub(crate) const FILE: &str = "sqlite.db";

/// Opens the file in the database's folder, creating it where there is none, and sets every pragma.
pub(crate) fn open<D: Driver>(open: Open<'_>) -> Result<D, EngineError> {
    let mutex = open.settings.text("open_mutex")? == "fullmutex";
    let connection = D::open(&open.folder.join(FILE), mutex, open.settings)?;
    pragmas::apply(&connection, open.settings)?;
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
    Ok(in_force)
}

/// SQLite's own check of the file.
pub(crate) fn check<D: Driver>(connection: &D) -> Result<(), EngineError> {
    match connection.first_value("PRAGMA integrity_check")? {
        SqlValue::Text(answer) if answer == "ok" => Ok(()),
        other => Err(EngineError::fatal(format!("PRAGMA integrity_check: {other:?}"))),
    }
}
