//! The SQLite that this program is linked with, through rusqlite.

use super::{busy::BusyHandler, driver::Driver};
use dbdyno_engine::{EngineError, describe::Library, settings::Settings, sql::SqlValue};
use dbdyno_tables::sqlite::{SqliteStatement, failed};
use rusqlite::{Connection, OpenFlags, ffi, types};
use std::{
    collections::BTreeMap,
    ffi::c_int,
    path::Path,
    sync::{Mutex, PoisonError},
};

impl Driver for Connection {
    type Statement<'c> = SqliteStatement<'c>;

    fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError> {
        if settings.get("memory_statistics").is_some() {
            count_memory(settings.flag("memory_statistics")?)?;
        }
        let mutex = if mutex { OpenFlags::SQLITE_OPEN_FULL_MUTEX } else { OpenFlags::SQLITE_OPEN_NO_MUTEX };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | mutex;
        Self::open_with_flags(path, flags).map_err(EngineError::doing("opening the database"))
    }

    fn library(&self) -> Option<Library> {
        None
    }

    fn in_force(&self) -> BTreeMap<String, String> {
        let word = if counts_memory() { "on" } else { "off" };
        BTreeMap::from([("memory_statistics".to_owned(), word.to_owned())])
    }

    fn batch(&self, sql: &str) -> Result<(), EngineError> {
        self.execute_batch(sql).map_err(EngineError::doing(sql))
    }

    fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError> {
        let run = || -> rusqlite::Result<types::Value> {
            let mut statement = self.prepare(sql)?;
            let mut rows = statement.query([])?;
            let first = rows.next()?.map_or(Ok(types::Value::Null), |row| row.get(0))?;
            while rows.next()?.is_some() {}
            Ok(first)
        };
        run().map(owned).map_err(EngineError::doing(sql))
    }

    fn set_busy_handler(&mut self, handler: BusyHandler) -> Result<(), EngineError> {
        self.busy_handler(Some(handler)).map_err(failed)
    }

    fn is_autocommit(&self) -> bool {
        self.is_autocommit()
    }

    #[expect(unsafe_code, reason = "rusqlite has no call for sqlite3_db_mutex")]
    fn has_mutex(&self) -> bool {
        // SAFETY: the handle belongs to an open connection, and the mutex is only compared with null.
        unsafe { !ffi::sqlite3_db_mutex(self.handle()).is_null() }
    }

    fn close(self) -> Result<(), EngineError> {
        self.close().map_err(|(_, error)| failed(error))
    }
}

/// Returns whether SQLite counts memory: if it does, an open connection uses some.
#[expect(unsafe_code, reason = "rusqlite has no call for sqlite3_memory_used")]
fn counts_memory() -> bool {
    // SAFETY: the call has no arguments and is allowed at any time.
    unsafe { ffi::sqlite3_memory_used() > 0 }
}

/// Switches SQLite's memory statistics on or off, from its start on.
#[expect(unsafe_code, reason = "rusqlite has no calls for the configuration of SQLite as a whole")]
fn count_memory(on: bool) -> Result<(), EngineError> {
    static COUNTS: Mutex<bool> = Mutex::new(true);
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    if *counts == on {
        return Ok(());
    }
    // SAFETY: a worker has one database, which is not open yet, and no other thread that uses SQLite.
    let code = unsafe {
        ffi::sqlite3_shutdown();
        let code = ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, c_int::from(on));
        ffi::sqlite3_initialize();
        code
    };
    if code != ffi::SQLITE_OK {
        return Err(EngineError::new(format!("sqlite3_config(SQLITE_CONFIG_MEMSTATUS) fails with code {code}")));
    }
    *counts = on;
    Ok(())
}

fn owned(value: types::Value) -> SqlValue {
    match value {
        types::Value::Null => SqlValue::Null,
        types::Value::Integer(number) => SqlValue::Integer(number),
        types::Value::Real(number) => SqlValue::Real(number),
        types::Value::Text(text) => SqlValue::Text(text),
        types::Value::Blob(bytes) => SqlValue::Blob(bytes),
    }
}
