//! Recordings from what other programs wrote down: the shell's `.trace`, and CSV.

mod csv;
mod shell;

use dbdyno_foundation::base::input;
use dbdyno_recording::{
    CallsWriter, DurationSource, OpenedConnection, RECORDING_VERSION, RecordedCall, RecordedClock, RecordedEnd,
    RecordedLine, RecordedProcess, RecordedValue, RecorderKind, RecordingError, RecordingManifest, StatementTemplate,
    calls_file,
};
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Bytes of lines from which a block is written, and the level of zstd.
const BLOCK: usize = 1 << 20;
const LEVEL: i32 = 3;

/// What was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedRecording {
    pub format: ImportFormat,
    pub calls: u64,
}

/// The formats that are read. The content decides which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// The statements that `.trace` of SQLite's shell prints, or any SQL text.
    Sql,
    /// CSV with a column `sql`.
    Csv,
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

/// A call of another program's record.
#[derive(Debug, Clone, PartialEq, Default)]
struct ImportedCall {
    connection: String,
    /// Since the record's beginning, ns.
    start_ns: u64,
    duration_ns: u64,
    sql: String,
    parameters: Vec<RecordedValue>,
    rows: u64,
    changes: u64,
}

/// Makes a recording of a file that another program wrote. `dbdyno_version` and `started_at` (RFC 3339) are written down.
///
/// # Errors
/// The file has none of the formats, or the folder exists or cannot be written.
pub fn import(
    file: &Path,
    to: &Path,
    dbdyno_version: &str,
    started_at: String,
) -> Result<ImportedRecording, CallImportError> {
    let unreadable = |reason: String| CallImportError::Unreadable { path: file.to_owned(), reason };
    let text = input::read_text(file).map_err(|error| unreadable(error.to_string()))?;
    let at = |(line, reason): (u64, String)| CallImportError::Line { path: file.to_owned(), line, reason };
    let (format, calls) = match csv::is_csv(&text) {
        true => (ImportFormat::Csv, csv::calls(&text).map_err(at)?),
        false => (ImportFormat::Sql, shell::calls(&text).map_err(at)?),
    };
    if calls.is_empty() {
        return Err(unreadable("it has no statement: expected SQL, or CSV with a column `sql`".to_owned()));
    }
    let io = |source| CallImportError::Io { path: to.to_owned(), source };
    fs::create_dir(to).map_err(io)?;
    let manifest = RecordingManifest {
        version: RECORDING_VERSION,
        command: vec![file.display().to_string()],
        directory: String::new(),
        started_at,
        dbdyno_version: dbdyno_version.to_owned(),
        host: serde_json::Map::new(),
    };
    manifest.write(to)?;
    write(file, &calls, &to.join(calls_file(1, 1))).map_err(io)?;
    Ok(ImportedRecording { format, calls: calls.len() as u64 })
}

/// Writes calls in their order.
fn write(from: &Path, calls: &[ImportedCall], to: &Path) -> io::Result<()> {
    let mut file = File::create_new(to)?;
    let mut writer = CallsWriter::new(LEVEL)?;
    writer.line(&RecordedLine::Process(RecordedProcess {
        version: RECORDING_VERSION,
        pid: 1,
        parent: 0,
        program: from.display().to_string(),
        recorder: RecorderKind::Import,
        durations: DurationSource::Import,
        sqlite_version: "unknown".to_owned(),
        sqlite_source_id: String::new(),
        compile_options: Vec::new(),
        clock: RecordedClock { realtime_ns: 0, monotonic_ns: 0 },
    }));
    let (mut connections, mut statements) = (HashMap::new(), HashMap::new());
    let mut last = 0;
    for call in calls {
        let next = connections.len() as u32 + 1;
        let connection = *connections.entry(call.connection.as_str()).or_insert_with(|| {
            writer.line(&RecordedLine::Open(OpenedConnection {
                connection: next,
                path: String::new(),
                flags: 0,
                database: None,
                at: call.start_ns,
            }));
            next
        });
        let next = statements.len() as u32 + 1;
        let statement = *statements.entry(call.sql.as_str()).or_insert_with(|| {
            writer.line(&RecordedLine::Statement(StatementTemplate { id: next, sql: call.sql.clone() }));
            next
        });
        last = last.max(call.start_ns.saturating_add(call.duration_ns));
        writer.line(&RecordedLine::Call(RecordedCall {
            connection,
            thread: connection,
            start_ns: call.start_ns,
            duration_ns: call.duration_ns,
            statement,
            parameters: call.parameters.clone(),
            rows: call.rows,
            changes: call.changes,
            // Other programs do not write it down.
            result_code: -1,
        }));
        if writer.block_bytes() >= BLOCK {
            file.write_all(writer.finish_block()?)?;
        }
    }
    writer.line(&RecordedLine::End(RecordedEnd { at: last, calls: calls.len() as u64, cost_ns: 0, dropped: 0 }));
    file.write_all(writer.finish_block()?)
}
