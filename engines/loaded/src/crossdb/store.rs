//! An open database: one connection, which one thread uses.

use super::{
    api::Functions,
    connection::{Link, OwnedConnection},
    describe::{LIBRARY, LOG_SIZE, SYNC},
    log,
    statement::Prepared,
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::Library,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead},
    settings::Settings,
    suite::KvStatements,
};
use std::{collections::BTreeMap, path::Path};

/// Maximum bytes of a key, as the table is declared.
pub(super) const MOST_KEY: usize = 64;
/// Maximum bytes of a value, as the table is declared.
pub(super) const MOST_VALUE: usize = 1000;
const TABLE: &str = "CREATE TABLE IF NOT EXISTS kv (k VARBINARY(64) PRIMARY KEY, v VARBINARY(1000))";

/// Maximum bytes of the path of a database: CrossDB appends to it in buffers of 512 bytes.
const MOST_PATH: usize = 400;
/// Maximum bytes of its last part, which is the database's name.
const MOST_NAME: usize = 64;

/// An open database. Its statements are closed before its connection is.
pub struct CrossDb {
    pub(super) statements: PreparedStatements,
    connection: OwnedConnection,
}

/// The statements, prepared once.
pub(super) struct PreparedStatements {
    pub(super) get: Prepared,
    pub(super) exists: Prepared,
    pub(super) replace: Prepared,
    pub(super) update: Prepared,
    pub(super) delete: Prepared,
    pub(super) rows: Prepared,
}

impl PreparedStatements {
    fn new(link: Link) -> Result<Self, EngineError> {
        let prepare = |sql| Prepared::new(link, sql);
        Ok(Self {
            get: Prepared::select(link, "SELECT v FROM kv WHERE k=?")?,
            exists: Prepared::select(link, "SELECT k FROM kv WHERE k=?")?,
            replace: prepare("REPLACE INTO kv (k,v) VALUES (?,?)")?,
            update: prepare("UPDATE kv SET v=? WHERE k=?")?,
            delete: prepare("DELETE FROM kv WHERE k=?")?,
            rows: Prepared::select(link, "SELECT k,v FROM kv")?,
        })
    }
}

/// Returns a database's path if it can be used in a statement.
fn quotable(folder: &Path) -> Result<&str, EngineError> {
    let name = folder.file_name().map_or(0, |name| name.len());
    let path =
        folder.to_str().filter(|path| !path.contains(['\'', '"', '`', '\\']) && !path.contains(char::is_control));
    path.filter(|path| path.len() <= MOST_PATH && name <= MOST_NAME).ok_or_else(|| {
        let message = format!(
            "folder {}: expected a path for CrossDB of at most {MOST_PATH} bytes, its last part of at most {MOST_NAME}, \
             without quotes and backslashes; choose another with --work-dir",
            folder.display()
        );
        EngineError::new(message)
    })
}

impl CrossDb {
    pub(super) fn open_in(folder: &Path, settings: &Settings, data_bytes: u64) -> Result<Self, EngineError> {
        let functions = Functions::load(settings.text(LIBRARY)?)?;
        // CrossDB's list of databases keeps only the last part of the path, so that part must be unique within a process.
        let create = format!("CREATE DATABASE IF NOT EXISTS '{}'", quotable(folder)?);
        let sync = settings.text(SYNC)?.to_ascii_uppercase();
        let log_bytes = settings.text(LOG_SIZE)?.parse().unwrap_or_else(|_| log::for_data(data_bytes));
        if log_bytes > 0 {
            log::grow(functions, folder, &create, TABLE, log_bytes)?;
        }
        let connection = OwnedConnection(Link::open(functions)?);
        let link = connection.0;
        link.execute(&format!("{create} SYNCMODE={sync}"))?;
        link.execute(TABLE)?;
        Ok(Self { statements: PreparedStatements::new(link)?, connection })
    }

    pub(super) fn link(&self) -> Link {
        self.connection.0
    }
}

impl EngineInstance for CrossDb {
    /// The folder of the first table: rows, values, index.
    const MAIN_FILE: &'static str = "T000000";
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    /// Returns nothing: CrossDB reports no options.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn library(&self) -> Option<Library> {
        Some(self.link().functions.library())
    }

    /// Looks up each row of the table by its key, because CrossDB has no check of its own.
    fn check(&mut self) -> Result<(), EngineError> {
        let mut keys = Vec::new();
        self.scan(|key, _| keys.push(key.to_owned()))?;
        for key in keys {
            if !self.exists(&key)? {
                let message = format!("the row of key `{}` is not found by its key", String::from_utf8_lossy(&key));
                return Err(EngineError::fatal(message));
            }
        }
        Ok(())
    }
}

impl KvEngine for CrossDb {
    type Session<'e> = &'e mut Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        Self::open_in(open.folder, open.settings, open.data_bytes)
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e mut Self, EngineError> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_cannot_stand_in_a_statement_is_refused_and_said_what_to_do() {
        assert_eq!(quotable(Path::new("/a/main")).unwrap(), "/a/main");
        let long = format!("/{}/main", "a/".repeat(200));
        for wrong in ["/it's/main", "/a\\b/main", "/a\nb/main", &long, &format!("/{}", "n".repeat(65))] {
            let error = quotable(Path::new(wrong)).unwrap_err();
            assert!(error.message.contains("--work-dir"), "{error}");
        }
    }
}
