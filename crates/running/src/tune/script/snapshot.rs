//! A copy of a user's SQLite database, to start runs from. The database is only read, byte by byte: no lock, journal or
//! shared memory appears beside it, and its log is worked off in the copy.

use super::ScriptError;
use crate::runner::RunFolder;
use dbdyno_foundation::{
    base::{identifier::identifier, input, sqlite::distrust},
    host::WorkFolderFacts,
};
use rusqlite::Connection;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use uuid::Uuid;

/// What belongs to a database beside its main file.
const BESIDE: [&str; 2] = ["-wal", "-journal"];
/// What the copy is called in its folder.
const COPY: &str = "database.db";

/// A copy of a database in one file; gone with this value.
#[derive(Debug)]
pub struct DatabaseSnapshot {
    /// Held for as long as the copy is needed; the copy goes with it.
    _folder: RunFolder,
    path: PathBuf,
    bytes: u64,
    digest: String,
    options: BTreeMap<String, String>,
}

impl DatabaseSnapshot {
    /// Copies a database with what its log holds into the work folder.
    ///
    /// # Errors
    /// A file that is no sound SQLite database, or that somebody writes at the same time; a disk without room.
    pub fn take(database: &Path, work_dir: &Path) -> Result<Self, ScriptError> {
        let place = database.display().to_string();
        let wrong = |message: String| ScriptError::new(&place, message);
        let before = states(database).map_err(|error| wrong(error.to_string()))?;
        check_room(&before, work_dir).map_err(wrong)?;
        let folder = RunFolder::create(work_dir, &identifier(), false)
            .map_err(|error| wrong(format!("a copy in {}: {error}", work_dir.display())))?;
        let path = folder.databases().join(COPY);
        copy(database, &path).map_err(|error| wrong(format!("copying it: {error}")))?;
        let after = states(database).map_err(|error| wrong(error.to_string()))?;
        if before != after {
            return Err(wrong("it was written while it was copied: stop its program and try again".to_owned()));
        }
        let options = settle(&path).map_err(|error| wrong(format!("it is no sound SQLite database: {error}")))?;
        let contents = fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, &contents).to_string();
        Ok(Self { _folder: folder, path, bytes: contents.len() as u64, digest, options })
    }

    /// The copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that it is alone in, and that goes with it.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What tells its contents from others.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The options that the database has by itself, as the engine `sqlite` names them.
    pub fn options(&self) -> &BTreeMap<String, String> {
        &self.options
    }
}

/// Length and time of the last change of a database's files, those that there are.
fn states(database: &Path) -> std::io::Result<Vec<(PathBuf, u64, SystemTime)>> {
    let state = |path: PathBuf| {
        input::check(&path)?;
        let facts = fs::metadata(&path)?;
        Ok((path, facts.len(), facts.modified()?))
    };
    let beside = BESIDE.into_iter().map(|end| with_end(database, end)).filter(|path| path.exists());
    std::iter::once(database.to_owned()).chain(beside).map(state).collect()
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The copy here, one for the trial of the statements, and one for a run.
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

/// Works the log of the copy off, checks it, and says which options it has by itself.
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
    // The other modes are those of a connection, not of the file.
    if journal_mode == "wal" {
        options.insert("journal_mode".to_owned(), journal_mode);
    }
    Ok(options)
}
