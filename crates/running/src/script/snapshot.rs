//! A copy of a user's SQLite database, from which runs start. The database is only read, byte by byte: no lock, journal or shared memory
//! appears next to it, and its log is merged in the copy.

use super::{
    ScriptError, schema_stand_ins,
    stand_in::{Missed, StandIns},
};
use crate::runner::RunFolder;
use dbdyno_foundation::{
    base::{identifier::identifier, input, sqlite::distrust},
    host::WorkFolderFacts,
};
use jiff::{Timestamp, tz::TimeZone};
use rusqlite::Connection;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use uuid::Uuid;

/// The endings of the files that belong to a database in addition to its main file.
const BESIDE: [&str; 2] = ["-wal", "-journal"];
/// The file name of the copy.
const COPY: &str = "database.db";

/// A copy of a database in one file, removed when this value is dropped.
#[derive(Debug)]
pub struct DatabaseSnapshot {
    /// Held while the copy is needed. The copy is removed with it.
    _folder: RunFolder,
    path: PathBuf,
    bytes: u64,
    digest: String,
    options: BTreeMap<String, String>,
    /// What stands in for what the database takes from the moment or from its application.
    stand_ins: StandIns,
    missed: BTreeSet<Missed>,
    /// The schema with these stand-ins.
    schema: Vec<schema_stand_ins::SchemaRow>,
}

impl DatabaseSnapshot {
    /// Copies a database, including the content of its log, into the work folder.
    ///
    /// # Errors
    /// The file is not a valid SQLite database, another process writes it at the same time, or the disk has too little room.
    pub fn take(database: &Path, work_dir: &Path) -> Result<Self, ScriptError> {
        let place = database.display().to_string();
        let wrong = |message: String| ScriptError::new(&place, message);
        let before = states(database).map_err(|error| wrong(error.to_string()))?;
        check_room(&before, work_dir).map_err(wrong)?;
        let folder = RunFolder::create(work_dir, &identifier(), false)
            .map_err(|error| wrong(format!("cannot create a copy in {}: {error}", work_dir.display())))?;
        let path = folder.databases().join(COPY);
        copy(database, &path).map_err(|error| wrong(format!("cannot copy it: {error}")))?;
        let after = states(database).map_err(|error| wrong(error.to_string()))?;
        if before != after {
            return Err(wrong("it changed while it was copied: stop its program and try again".to_owned()));
        }
        let invalid = |error: rusqlite::Error| wrong(format!("it is not a valid SQLite database: {error}"));
        let (stand_ins, missed) = schema_stand_ins::put(&path, morning_after(&before)).map_err(invalid)?;
        let options = settle(&path).map_err(invalid)?;
        let schema = Connection::open(&path).and_then(|copy| schema_stand_ins::entries(&copy)).map_err(invalid)?;
        let contents = fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, &contents).to_string();
        Ok(Self { _folder: folder, path, bytes: contents.len() as u64, digest, options, stand_ins, missed, schema })
    }

    /// Returns the path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder that contains only the copy, and that is removed with it.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns what distinguishes its content from others.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn stand_ins(&self) -> &StandIns {
        &self.stand_ins
    }

    /// Puts these stand-ins for functions into its schema. Returns everything in it that has a stand-in.
    pub(super) fn put(&self, stand_ins: &StandIns) -> Result<BTreeSet<Missed>, ScriptError> {
        let functions = schema_stand_ins::put_functions(&self.path, &self.schema, stand_ins).map_err(|error| {
            ScriptError::new(
                self.path.display(),
                format!("a stand-in for a function does not suit its schema: {error}"),
            )
        })?;
        Ok(self.missed.union(&functions).cloned().collect())
    }

    /// Returns the options that the database itself stores, with their names in the engine `sqlite`.
    pub fn options(&self) -> &BTreeMap<String, String> {
        &self.options
    }
}

/// Returns the length and modification time of each existing file of a database.
fn states(database: &Path) -> std::io::Result<Vec<(PathBuf, u64, SystemTime)>> {
    let state = |path: PathBuf| {
        input::check(&path)?;
        let facts = fs::metadata(&path)?;
        Ok((path, facts.len(), facts.modified()?))
    };
    let beside = BESIDE.into_iter().map(|end| with_end(database, end)).filter(|path| path.exists());
    std::iter::once(database.to_owned()).chain(beside).map(state).collect()
}

/// Returns the first moment of the day after a database changed, as SQLite writes it: the present as its content knows it, and the same
/// whenever it is measured.
fn morning_after(files: &[(PathBuf, u64, SystemTime)]) -> String {
    let changed = files.iter().filter_map(|(_, _, changed)| Timestamp::try_from(*changed).ok()).max();
    let day = changed.unwrap_or_default().to_zoned(TimeZone::UTC).date();
    format!("{} 00:00:00", day.tomorrow().unwrap_or(day))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Checks that there is room for this copy, one for trying the statements, and one for a run.
fn check_room(files: &[(PathBuf, u64, SystemTime)], work_dir: &Path) -> Result<(), String> {
    let needed = files.iter().map(|(_, bytes, _)| bytes).sum::<u64>().saturating_mul(3);
    let facts = WorkFolderFacts::read(work_dir);
    match facts.free_bytes {
        Some(free) if free < needed => Err(format!(
            "copies of it take {needed} bytes, and {} has {free} free: choose another work folder",
            facts.path
        )),
        _ => Ok(()),
    }
}

fn copy(database: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    input::copy(database, to)?;
    for end in BESIDE {
        let beside = with_end(database, end);
        if beside.exists() {
            input::copy(&beside, &with_end(to, end))?;
        }
    }
    Ok(())
}

/// Merges the log of the copy, checks the copy, and returns the options that it stores itself.
fn settle(copy: &Path) -> rusqlite::Result<BTreeMap<String, String>> {
    let connection = Connection::open(copy)?;
    distrust(&connection)?;
    let text = |sql: &str| {
        connection.query_row(sql, [], |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str().unwrap_or_default().to_owned(),
            })
        })
    };
    let journal_mode = text("PRAGMA journal_mode")?;
    text("PRAGMA journal_mode = DELETE")?;
    let checked = text("PRAGMA quick_check")?;
    if checked != "ok" {
        return Err(rusqlite::Error::ToSqlConversionFailure(checked.into()));
    }
    let vacuum = match text("PRAGMA auto_vacuum")?.as_str() {
        "1" => "full",
        "2" => "incremental",
        _ => "none",
    };
    let mut options = BTreeMap::from([
        ("page_size".to_owned(), text("PRAGMA page_size")?),
        ("auto_vacuum".to_owned(), vacuum.to_owned()),
    ]);
    // The other modes belong to a connection, not to the file.
    if journal_mode == "wal" {
        options.insert("journal_mode".to_owned(), journal_mode);
    }
    Ok(options)
}
