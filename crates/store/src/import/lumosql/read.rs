//! The rows of a benchmark database, grouped by run. The file is never written to.

use super::{
    super::ImportError,
    findings::{FindingCounts, ImportFinding},
};
use dbdyno_foundation::base::{input, scratch::Scratch, sqlite::distrust};
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Facts by key.
pub(super) type FactMap = BTreeMap<String, String>;

/// The facts that a database has about a run.
#[derive(Debug, Default)]
pub(super) struct RawRun {
    pub(super) facts: FactMap,
    /// The facts of its tests, by their number in the file.
    pub(super) tests: BTreeMap<i64, FactMap>,
    /// Keys for which it has several values, in words.
    pub(super) differing: BTreeSet<String>,
}

impl RawRun {
    /// Adds a fact of the run. If a key has several values, the last one counts.
    pub(super) fn add_fact(&mut self, key: String, value: String, findings: &mut FindingCounts) {
        if let Some(before) = self.facts.insert(key.clone(), value) {
            findings.add(ImportFinding::DuplicateRunKey);
            if self.facts.get(&key) != Some(&before) {
                self.differing.insert(key);
            }
        }
    }

    /// Adds a fact of one of its tests in the same way.
    pub(super) fn add_test_fact(&mut self, test: i64, key: String, value: String, findings: &mut FindingCounts) {
        let facts = self.tests.entry(test).or_default();
        if let Some(before) = facts.insert(key.clone(), value) {
            findings.add(ImportFinding::DuplicateTestKey);
            if facts.get(&key) != Some(&before) {
                self.differing.insert(format!("{key} of test {test}"));
            }
        }
    }
}

/// All runs by run_id.
pub(super) type RawRuns = BTreeMap<String, RawRun>;

/// Reads all rows.
pub(super) fn read(path: &Path) -> Result<(RawRuns, FindingCounts), ImportError> {
    let database = LumoSqlDatabase::open(path)?;
    let connection = &database.connection;
    let broken = |error: rusqlite::Error| ImportError::Broken { path: path.to_owned(), message: error.to_string() };
    distrust(connection).map_err(broken)?;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND lower(name) IN ('run_data', 'test_data')";
    if connection.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(broken)? != 2 {
        let found = "a SQLite database without the tables run_data and test_data".to_owned();
        return Err(ImportError::Unknown { path: path.to_owned(), found });
    }
    let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(broken)?;
    if sound != "ok" {
        return Err(ImportError::Broken { path: path.to_owned(), message: sound });
    }
    gather(connection).map_err(broken)
}

fn gather(connection: &Connection) -> rusqlite::Result<(RawRuns, FindingCounts)> {
    let mut runs = RawRuns::new();
    let mut findings = FindingCounts::default();
    let mut statement = connection.prepare(&in_order(connection, "run_id, key, value", "run_data"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut text = |at: usize| row.get_ref(at).map(|value| text(value, &mut findings));
        match (text(0)?, text(1)?, text(2)?) {
            (Some(run), Some(key), Some(value)) => {
                runs.entry(run).or_default().add_fact(key, value, &mut findings);
            }
            _ => findings.add(ImportFinding::SkippedRow),
        }
    }
    let mut statement = connection.prepare(&in_order(connection, "run_id, test_number, key, value", "test_data"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut text = |at: usize| row.get_ref(at).map(|value| text(value, &mut findings));
        let number = text(1)?.and_then(|number| number.trim().parse::<i64>().ok());
        match (text(0)?, number, text(2)?, text(3)?) {
            (Some(run), Some(number), Some(key), Some(value)) => {
                runs.entry(run).or_default().add_test_fact(number, key, value, &mut findings);
            }
            _ => findings.add(ImportFinding::SkippedRow),
        }
    }
    Ok((runs, findings))
}

/// Returns a query whose rows come in the order they were written. A table without rowids has no duplicates either.
fn in_order(connection: &Connection, columns: &str, table: &str) -> String {
    let query = format!("SELECT {columns} FROM {table}");
    let ordered = format!("{query} ORDER BY rowid");
    if connection.prepare(&ordered).is_ok() { ordered } else { query }
}

/// Returns a value as text; a number is converted as it is written.
fn text(value: ValueRef<'_>, findings: &mut FindingCounts) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            if let Cow::Owned(_) = text {
                findings.add(ImportFinding::OddText);
            }
            Some(text.into_owned())
        }
    }
}

/// An opened database, with its temporary copy if there is one.
struct LumoSqlDatabase {
    connection: Connection,
    _copy: Option<Scratch>,
}

impl LumoSqlDatabase {
    /// Opens the file as immutable. If there is a journal or log next to it, which SQLite would have to apply, the database is copied
    /// first.
    fn open(path: &Path) -> Result<Self, ImportError> {
        let unreadable = |message: String| ImportError::Unreadable { path: path.to_owned(), message };
        let side_files: Vec<PathBuf> = ["-wal", "-journal"]
            .into_iter()
            .map(|ending| beside(path, ending))
            .filter(|file| fs::metadata(file).is_ok_and(|facts| facts.len() > 0))
            .collect();
        if side_files.is_empty() {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let connection =
                Connection::open_with_flags(uri(path), flags).map_err(|error| unreadable(error.to_string()))?;
            return Ok(Self { connection, _copy: None });
        }
        let copy = || -> std::io::Result<(Scratch, PathBuf)> {
            let folder = Scratch::temporary()?;
            for file in side_files.iter().map(PathBuf::as_path).chain([path]) {
                input::copy(file, &folder.path().join(file.file_name().unwrap_or_default()))?;
            }
            let copy = folder.path().join(path.file_name().unwrap_or_default());
            Ok((folder, copy))
        };
        let (folder, copy) = copy().map_err(|error| unreadable(format!("cannot copy it with its journal: {error}")))?;
        let connection = Connection::open(copy).map_err(|error| unreadable(error.to_string()))?;
        Ok(Self { connection, _copy: Some(folder) })
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Returns the path as SQLite's URI, with every special byte escaped.
fn uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped: String = absolute
        .as_os_str()
        .as_bytes()
        .iter()
        .map(|&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("file:{escaped}?mode=ro&immutable=1")
}
