use crate::{
    RecordingError,
    manifest::{read_json, write_json},
};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Ending of the name of a file of calls.
pub const CALLS_ENDING: &str = ".jsonl.zst";

/// Returns the name of the `number`th file of calls of a process.
pub fn calls_file(pid: u32, number: u32) -> String {
    format!("calls-{pid}-{number}{CALLS_ENDING}")
}

/// Returns the name of the copy of a recording's `number`th database, from 1 on.
pub fn database_file(number: u32) -> String {
    format!("database-{number}.sqlite")
}

/// Returns the name of the description of a recording's `number`th database.
pub fn description_file(number: u32) -> String {
    format!("database-{number}.json")
}

/// A copied database: `database-N.json`. Written after the copy is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDatabase {
    /// The path that it was copied from.
    pub path: String,
    /// Nanoseconds since 1970.
    pub taken_at_ns: u64,
    pub pages: u64,
    /// Bytes.
    pub page_size: u32,
    /// As `PRAGMA journal_mode` returns it.
    pub journal_mode: String,
    pub user_version: i64,
    pub application_id: i64,
}

impl RecordedDatabase {
    /// Writes the description as a new file.
    ///
    /// # Errors
    ///
    /// Fails if the file exists or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RecordingError> {
        write_json(path, self)
    }
}

/// The files of a recording.
#[derive(Debug, Clone)]
pub struct RecordingFolder {
    path: PathBuf,
    calls: Vec<PathBuf>,
    databases: Vec<(u32, RecordedDatabase)>,
}

impl RecordingFolder {
    /// Lists the files of the recording in `folder`. Copies of databases that are incomplete are left out.
    ///
    /// # Errors
    ///
    /// Fails if the folder, or the description of a database, cannot be read.
    pub fn open(folder: &Path) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { path: folder.to_owned(), source };
        let (mut calls, mut databases) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder).map_err(io)? {
            let name = entry.map_err(io)?.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.starts_with("calls-") && name.ends_with(CALLS_ENDING) {
                calls.push(folder.join(name));
            } else if let Some(number) = numbered(name) {
                databases.push((number, read_json(&folder.join(name))?));
            }
        }
        calls.sort();
        databases.sort_by_key(|(number, _)| *number);
        Ok(Self { path: folder.to_owned(), calls, databases })
    }

    /// Returns the files of calls, in the order of their names.
    pub fn calls(&self) -> &[PathBuf] {
        &self.calls
    }

    /// Returns the numbers and descriptions of the copied databases.
    pub fn databases(&self) -> &[(u32, RecordedDatabase)] {
        &self.databases
    }

    /// Returns the path of a copy that a line names, such as `database-1.sqlite`. Returns nothing for names with a
    /// folder and for incomplete copies.
    pub fn database(&self, name: &str) -> Option<PathBuf> {
        let known = self.databases.iter().any(|(number, _)| database_file(*number) == name);
        known.then(|| self.path.join(name))
    }
}

/// The N of `database-N.json`.
fn numbered(name: &str) -> Option<u32> {
    let number = name.strip_prefix("database-")?.strip_suffix(".json")?.parse().ok()?;
    (description_file(number) == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_format_are_databases() {
        assert_eq!(numbered("database-12.json"), Some(12));
        for name in ["database-012.json", "database-.json", "database-1.json.lock", "database-99999999999.json"] {
            assert_eq!(numbered(name), None, "{name}");
        }
    }
}
