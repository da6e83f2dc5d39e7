//! The SQLite that this program is linked with, through rusqlite.

use super::driver::Driver;
use dbdyno_engine::{EngineError, describe::Library, settings::Settings, sql::SqlValue};
use dbdyno_tables::sqlite::{SqliteStatement, failed};
use rusqlite::{Connection, OpenFlags, types};
use std::path::Path;

impl Driver for Connection {
    type Statement<'c> = SqliteStatement<'c>;

    fn open(path: &Path, mutex: bool, _: &Settings) -> Result<Self, EngineError> {
        let mutex = if mutex { OpenFlags::SQLITE_OPEN_FULL_MUTEX } else { OpenFlags::SQLITE_OPEN_NO_MUTEX };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | mutex;
        Self::open_with_flags(path, flags).map_err(EngineError::doing("opening the database"))
    }

    fn library(&self) -> Option<Library> {
        None
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

    fn is_autocommit(&self) -> bool {
        self.is_autocommit()
    }

    #[expect(unsafe_code, reason = "rusqlite has no call for sqlite3_db_mutex")]
    fn has_mutex(&self) -> bool {
        // SAFETY: the handle is that of an open connection, and the mutex is only compared with null.
        unsafe { !rusqlite::ffi::sqlite3_db_mutex(self.handle()).is_null() }
    }

    fn close(self) -> Result<(), EngineError> {
        self.close().map_err(|(_, error)| failed(error))
    }
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
