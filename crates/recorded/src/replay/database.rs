//! The database that is replayed.

use dbdyno_recording::{CallsReader, RecordedLine, RecordedProcess, RecorderKind, RecordingError, RecordingFolder};
use std::{collections::BTreeMap, path::PathBuf};

/// A database of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedSource {
    /// The path as the recording has it. A private database has the number of its connection too.
    pub path: String,
    /// The copy of its content at the beginning; none: it was empty, or it was not copied.
    pub copy: Option<PathBuf>,
    /// Why it was not copied.
    pub not_copied: Option<String>,
    /// The paths of the others, those with the most time first.
    pub others: Vec<String>,
}

/// A database while the recording is read.
#[derive(Default)]
struct FoundDatabase {
    busy_ns: u64,
    calls: u64,
    copy: Option<String>,
    not_copied: Option<String>,
}

/// The name of the database of calls that another program wrote down, which do not say where they went.
const IMPORTED: &str = "the imported calls";

/// Names the databases of a file's connections.
#[derive(Default)]
pub(super) struct DatabaseNames {
    /// The number of the file of calls.
    pub(super) file: usize,
    is_imported: bool,
}

impl DatabaseNames {
    pub(super) fn of_file(file: usize) -> Self {
        Self { file, is_imported: false }
    }

    /// Notes who wrote the file.
    pub(super) fn of_process(&mut self, process: &RecordedProcess) {
        self.is_imported = process.recorder == RecorderKind::Import;
    }

    /// Returns the name of a connection's database. A private one is nobody else's.
    pub(super) fn name(&self, connection: u32, path: &str) -> String {
        match path {
            "" if self.is_imported => IMPORTED.to_owned(),
            path if path.is_empty() || path.starts_with(":memory:") => {
                format!(":memory:{}.{connection}", self.file + 1)
            }
            path => path.to_owned(),
        }
    }
}

/// Chooses the named database, or the one whose calls took the most time. The inner error is the reason why there is none.
pub(super) fn choose(
    files: &RecordingFolder,
    wanted: Option<&str>,
) -> Result<Result<RecordedSource, String>, RecordingError> {
    let mut found: BTreeMap<String, FoundDatabase> = BTreeMap::new();
    for (number, path) in files.calls().iter().enumerate() {
        let mut of_file = DatabaseNames::of_file(number);
        // By connection, from 1.
        let mut names: Vec<String> = Vec::new();
        for line in CallsReader::open(path)? {
            match line? {
                RecordedLine::Process(process) => of_file.of_process(&process),
                RecordedLine::Open(open) => {
                    let name = of_file.name(open.connection, &open.path);
                    let database = found.entry(name.clone()).or_default();
                    if database.copy.is_none() {
                        database.copy = open.database;
                    }
                    names.push(name);
                }
                RecordedLine::NoSnapshot(missing) => {
                    let name = names.get(missing.connection as usize - 1);
                    if let Some(database) = name.and_then(|name| found.get_mut(name)) {
                        database.not_copied.get_or_insert(missing.why);
                    }
                }
                RecordedLine::Call(call) => {
                    let name = names.get(call.connection as usize - 1);
                    if let Some(database) = name.and_then(|name| found.get_mut(name)) {
                        database.calls += 1;
                        database.busy_ns = database.busy_ns.saturating_add(call.duration_ns);
                    }
                }
                _ => {}
            }
        }
    }
    let mut names: Vec<&String> = found.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse((found[*name].busy_ns, found[*name].calls)));
    let listed = || names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let chosen = match wanted {
        Some(wanted) => names.iter().find(|name| name.as_str() == wanted || name.ends_with(&format!("/{wanted}"))),
        None => names.first(),
    };
    let Some(chosen) = chosen else {
        return Ok(Err(match wanted {
            Some(wanted) => format!("it has no database `{wanted}`: expected one of {}", listed()),
            None => "it has no database".to_owned(),
        }));
    };
    let database = &found[*chosen];
    Ok(Ok(RecordedSource {
        path: (*chosen).clone(),
        copy: database.copy.as_deref().and_then(|copy| files.database(copy)),
        not_copied: database.not_copied.clone(),
        others: names.iter().filter(|name| *name != chosen).map(|name| (*name).clone()).collect(),
    }))
}
