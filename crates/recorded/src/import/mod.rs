//! Recordings from what other programs wrote down: the shell's `.trace`, CSV, and traces of stores of keys and values.
//!
//! Files are read line by line, and blocks are written on the way: the memory grows with the connections and the statements, and not with
//! the calls. SQL text alone is read as a whole, since a statement has no end that a line could show.

mod cache;
mod csv;
mod keys;
mod numbers;
mod rocksdb;
mod rows;
mod shell;
mod source;
mod writing;
mod ycsb;

pub(crate) use keys::KeyVerb;

use dbdyno_foundation::base::units::counted;
use dbdyno_recording::{RECORDING_VERSION, RecordingError, RecordingManifest, calls_file};
use keys::LeftOutCounts;
use source::{TraceLines, TraceSource};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use writing::ImportWriter;

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRecording {
    pub format: ImportFormat,
    pub calls: u64,
    /// By their names.
    pub left_out: Vec<LeftOutOperations>,
}

/// Operations that a trace has and a recording cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOutOperations {
    /// Such as `range delete`. Its plural ends in `s`.
    pub name: &'static str,
    pub operations: u64,
}

/// The formats that are read. The content decides which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// The statements that `.trace` of SQLite's shell prints, or any SQL text.
    Sql,
    /// CSV with a column `sql`.
    Csv,
    /// The requests of a cache, in the shape of Twitter's traces: `timestamp,key,key size,value size,client id,operation,TTL`.
    Cache,
    /// What `trace_analyzer -convert_to_human_readable_trace` of RocksDB writes.
    RocksDb,
    /// The operations that YCSB's `basic` database prints.
    Ycsb,
}

/// The reason why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum CallImportError {
    #[error("{}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// The line, and what was expected there.
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: u64, reason: String },
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A call of another program's record, without its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ImportedCall<'c> {
    /// Of the file, for errors.
    line: u64,
    /// The name that the record has for it.
    connection: &'c [u8],
    /// Since the record's beginning, ns.
    start_ns: u64,
    duration_ns: u64,
    sql: &'c str,
    rows: u64,
    changes: u64,
}

/// Why an import stops.
#[derive(Debug)]
enum ImportStop {
    /// The line, and what was expected there.
    Line(u64, String),
    /// The trace cannot be read.
    Input(io::Error),
    /// The recording cannot be written.
    Output(io::Error),
}

impl ImportFormat {
    /// Returns the format of a file that begins so. What has no other one is SQL.
    fn of(head: &[u8]) -> Self {
        let formats = [
            (csv::is_csv as fn(&[u8]) -> bool, Self::Csv),
            (cache::is_cache_trace, Self::Cache),
            (rocksdb::is_rocksdb_trace, Self::RocksDb),
            (ycsb::is_ycsb_log, Self::Ycsb),
        ];
        formats.into_iter().find(|(is, _)| is(head)).map_or(Self::Sql, |(_, format)| format)
    }

    /// Whether its statements are operations of a store of keys and values.
    fn has_keys(self) -> bool {
        matches!(self, Self::Cache | Self::RocksDb | Self::Ycsb)
    }
}

/// Makes a recording of a file that another program wrote. `dbdyno_version` and `started_at` (RFC 3339) are written down.
///
/// # Errors
/// The file has none of the formats, or the folder exists or cannot be written. There is no folder then, unless there was one before.
pub fn import(
    file: &Path,
    to: &Path,
    dbdyno_version: &str,
    started_at: String,
) -> Result<ImportedRecording, CallImportError> {
    let source = source::open(file)
        .map_err(|error| CallImportError::Unreadable { path: file.to_owned(), reason: error.to_string() })?;
    fs::create_dir(to).map_err(|source| CallImportError::Io { path: to.to_owned(), source })?;
    let manifest = RecordingManifest {
        version: RECORDING_VERSION,
        command: vec![file.display().to_string()],
        directory: String::new(),
        started_at,
        dbdyno_version: dbdyno_version.to_owned(),
        host: serde_json::Map::new(),
    };
    // The manifest is last: without it, what an interrupted import leaves is no recording.
    let imported = calls(file, source, to).and_then(|imported| {
        manifest.write(to)?;
        Ok(imported)
    });
    if imported.is_err() {
        remove(to);
    }
    imported
}

/// Removes what a failed import wrote. A folder that has more in it stays: that is someone else's.
fn remove(folder: &Path) {
    for file in [calls_file(1, 1).as_str(), RecordingManifest::FILE] {
        let _ = fs::remove_file(folder.join(file));
    }
    let _ = fs::remove_dir(folder);
}

/// Writes the calls of a file to a recording's folder.
fn calls(file: &Path, source: TraceSource, to: &Path) -> Result<ImportedRecording, CallImportError> {
    let unreadable = |reason: String| CallImportError::Unreadable { path: file.to_owned(), reason };
    let stopped = |stop: ImportStop| match stop {
        ImportStop::Line(line, reason) => CallImportError::Line { path: file.to_owned(), line, reason },
        ImportStop::Input(error) => unreadable(error.to_string()),
        ImportStop::Output(source) => CallImportError::Io { path: to.to_owned(), source },
    };
    let format = ImportFormat::of(&source.head);
    let path = to.join(calls_file(1, 1));
    let program = file.display().to_string();
    let mut writer = ImportWriter::create(&path, program, format.has_keys()).map_err(stopped)?;
    let left_out = read(format, source, &mut writer).map_err(stopped)?;
    let calls = writer.finish().map_err(stopped)?;
    let left_out: Vec<LeftOutOperations> =
        left_out.into_iter().map(|(name, operations)| LeftOutOperations { name, operations }).collect();
    if calls == 0 {
        return Err(unreadable(nothing_in_it(&left_out)));
    }
    Ok(ImportedRecording { format, calls, left_out })
}

fn nothing_in_it(left_out: &[LeftOutOperations]) -> String {
    if left_out.is_empty() {
        let expected = "expected SQL, CSV with a column `sql`, or a trace of keys and values";
        return format!("it has no statement: {expected}");
    }
    let counts: Vec<String> = left_out.iter().map(|one| counted(one.operations, one.name)).collect();
    format!("it has only what a recording cannot have: {}", counts.join(", "))
}

/// Hands a file's calls to a writer, and returns what was left out.
fn read(format: ImportFormat, source: TraceSource, to: &mut ImportWriter) -> Result<LeftOutCounts, ImportStop> {
    match format {
        ImportFormat::Sql => shell::read(source.whole(), to).map(|()| LeftOutCounts::new()),
        ImportFormat::Csv => csv::read(source.whole(), to).map(|()| LeftOutCounts::new()),
        ImportFormat::Cache => cache::read(source, to),
        ImportFormat::RocksDb => keys::read(TraceLines::new(source.whole()), rocksdb::line, to),
        ImportFormat::Ycsb => keys::read(TraceLines::new(source.whole()), ycsb::line, to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_says_which_format_it_is() {
        for (text, format) in [
            ("time,sql\n", ImportFormat::Csv),
            ("\"SQL\",connection\n", ImportFormat::Csv),
            ("0,k,1,25,1,get,0\n", ImportFormat::Cache),
            ("operation,key,timestamp\nget,k,1\n", ImportFormat::Cache),
            ("0x61 0 0 0 1533000630\n", ImportFormat::RocksDb),
            ("READ usertable user1 [ <all fields>]\n", ImportFormat::Ycsb),
            ("***************** properties *****************\n\"db\"=\"x\"\n", ImportFormat::Ycsb),
            ("SELECT a, key, operation FROM t;\n", ImportFormat::Sql),
            ("INSERT INTO t VALUES (1,2,3,4,5,6,7);\n", ImportFormat::Sql),
            ("DELETE FROM t;\n", ImportFormat::Sql),
            ("UPDATE t SET [a b] = 1;\n", ImportFormat::Sql),
            ("", ImportFormat::Sql),
        ] {
            assert_eq!(ImportFormat::of(text.as_bytes()), format, "{text}");
        }
    }
}
