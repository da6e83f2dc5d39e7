//! The calls of the database that is replayed, in a file that is read in another order than it is written.

use super::{
    ReplayError,
    database::{DatabaseNames, RecordedSource},
    statements::{ROWS_LEFT, ReplayStatements, has_failed},
};
use dbdyno_engine::{
    replay::{ReplayedValue, encode_call},
    sql::SqlValueRef,
};
use dbdyno_recording::{CallsReader, RecordedCall, RecordedLine, RecordedValue, RecordingFolder};
use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

/// A connection to the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpooledConnection {
    /// From its opening to its end, or those of its calls, ns of the recording's clock.
    pub(super) first: u64,
    pub(super) last: u64,
}

/// A call in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpooledCall {
    pub(super) connection: u32,
    pub(super) statement: u32,
    pub(super) start: u64,
    pub(super) end: u64,
    offset: u64,
    length: u32,
    pub(super) has_failed: bool,
}

/// The calls, sorted by connection and start.
pub(super) struct CallSpool {
    path: PathBuf,
    pub(super) connections: Vec<SpooledConnection>,
    pub(super) calls: Vec<SpooledCall>,
    pub(super) changed_values: u64,
    pub(super) processes: usize,
    /// The compile options of the first library that made a call.
    pub(super) compile_options: Vec<String>,
}

impl CallSpool {
    /// Reads the calls of a database, and writes them into a folder.
    pub(super) fn read(
        files: &RecordingFolder,
        source: &RecordedSource,
        statements: &mut ReplayStatements<'_>,
        into: &Path,
    ) -> Result<Self, ReplayError> {
        let path = into.join("calls");
        let io = |source: io::Error| ReplayError::Io { path: path.clone(), source };
        let mut file = BufWriter::new(File::create_new(&path).map_err(io)?);
        let mut spool = Self {
            path: path.clone(),
            connections: Vec::new(),
            calls: Vec::new(),
            changed_values: 0,
            processes: 0,
            compile_options: Vec::new(),
        };
        let mut offset = 0;
        let mut encoded = Vec::new();
        for (number, calls) in files.calls().iter().enumerate() {
            let names = DatabaseNames::of_file(number);
            let mut of_file = SpooledFile { names, ..SpooledFile::default() };
            let before = spool.calls.len();
            for line in CallsReader::open(calls)? {
                let Some(call) = spool.line(line?, &mut of_file, source, statements) else { continue };
                encoded.clear();
                spool.encode(&call, &mut encoded);
                file.write_all(&encoded).map_err(io)?;
                spool.calls.push(SpooledCall {
                    connection: call.connection,
                    statement: call.statement,
                    start: call.start_ns,
                    end: call.start_ns.saturating_add(call.duration_ns),
                    offset,
                    length: u32::try_from(encoded.len()).unwrap_or(u32::MAX),
                    has_failed: has_failed(&call),
                });
                offset += encoded.len() as u64;
            }
            if spool.calls.len() > before {
                spool.processes += 1;
                if spool.compile_options.is_empty() {
                    spool.compile_options = of_file.compile_options;
                }
            }
        }
        file.flush().map_err(io)?;
        // Stable: calls with the same times stay in the order of their file.
        spool.calls.sort_by_key(|call| (call.connection, call.start, call.end));
        Ok(spool)
    }

    /// Notes a line. Returns a call that is replayed, with the numbers of its connection and its statement among all files.
    fn line(
        &mut self,
        line: RecordedLine,
        file: &mut SpooledFile,
        source: &RecordedSource,
        statements: &mut ReplayStatements<'_>,
    ) -> Option<RecordedCall> {
        match line {
            RecordedLine::Process(process) => {
                file.names.of_process(&process);
                file.compile_options = process.compile_options;
            }
            RecordedLine::Open(open) => {
                let is_of_source = file.names.name(open.connection, &open.path) == source.path;
                file.connections.push(is_of_source.then_some(self.connections.len() as u32));
                if is_of_source {
                    self.connections.push(SpooledConnection { first: open.at, last: open.at });
                }
            }
            RecordedLine::Close(close) => {
                if let Some(connection) = file.connections[close.connection as usize - 1] {
                    self.lives(connection, close.at, close.at);
                }
            }
            RecordedLine::Statement(statement) => file.statements.push(StatementText::New(statement.sql)),
            RecordedLine::Call(call) => {
                let connection = file.connections[call.connection as usize - 1]?;
                let statement = file.statements[call.statement as usize - 1].place(statements);
                if !statements.takes(statement, &call) {
                    return None;
                }
                self.lives(connection, call.start_ns, call.start_ns.saturating_add(call.duration_ns));
                return Some(RecordedCall { connection, statement: statement as u32, ..call });
            }
            _ => {}
        }
        None
    }

    fn lives(&mut self, connection: u32, first: u64, last: u64) {
        let connection = &mut self.connections[connection as usize];
        connection.first = connection.first.min(first);
        connection.last = connection.last.max(last);
    }

    fn encode(&mut self, call: &RecordedCall, into: &mut Vec<u8>) {
        let changed = &mut self.changed_values;
        let replaced: Vec<Cow<'_, [u8]>> = call.parameters.iter().map(|value| bytes(value, changed)).collect();
        let values = call.parameters.iter().zip(&replaced).map(|(value, bytes)| replayed(value, bytes));
        let most_rows = (call.result_code == ROWS_LEFT).then_some(call.rows);
        encode_call(into, call.statement as usize, most_rows, values);
    }

    /// Returns when the first call began and the last one ended.
    pub(super) fn span(&self) -> (u64, u64) {
        let first = self.calls.iter().map(|call| call.start).min().unwrap_or(0);
        (first, self.calls.iter().map(|call| call.end).max().unwrap_or(first))
    }

    /// Returns the time in which at least one call was under way, ns.
    pub(super) fn busy_ns(&self) -> u64 {
        let mut times: Vec<(u64, u64)> = self.calls.iter().map(|call| (call.start, call.end)).collect();
        times.sort_unstable();
        let (mut busy, mut until) = (0, 0);
        for (start, end) in times {
            busy += end.saturating_sub(start.max(until));
            until = until.max(end);
        }
        busy
    }

    /// Opens the file for reading.
    pub(super) fn open(&self) -> io::Result<SpoolReader> {
        Ok(SpoolReader { file: BufReader::with_capacity(1 << 18, File::open(&self.path)?), at: 0 })
    }

    /// Removes the file.
    pub(super) fn remove(&self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

/// A file of the recording while it is read.
#[derive(Default)]
struct SpooledFile {
    compile_options: Vec<String>,
    names: DatabaseNames,
    /// The number of each connection among all; none: it is of another database.
    connections: Vec<Option<u32>>,
    statements: Vec<StatementText>,
}

/// A statement of a file: only those of the database get a place.
enum StatementText {
    New(String),
    Placed(usize),
}

impl StatementText {
    fn place(&mut self, statements: &mut ReplayStatements<'_>) -> usize {
        match self {
            Self::Placed(place) => *place,
            Self::New(sql) => {
                let place = statements.place(std::mem::take(sql));
                *self = Self::Placed(place);
                place
            }
        }
    }
}

/// Reads encoded calls.
pub(super) struct SpoolReader {
    file: BufReader<File>,
    at: u64,
}

impl SpoolReader {
    /// Appends a call to `into`.
    pub(super) fn append(&mut self, call: &SpooledCall, into: &mut Vec<u8>) -> io::Result<()> {
        self.file.seek_relative(call.offset as i64 - self.at as i64)?;
        let from = into.len();
        into.resize(from + call.length as usize, 0);
        self.file.read_exact(&mut into[from..])?;
        self.at = call.offset + u64::from(call.length);
        Ok(())
    }
}

/// Returns the bytes with which a text or a blob is replayed.
fn bytes<'v>(value: &'v RecordedValue, changed: &mut u64) -> Cow<'v, [u8]> {
    match value {
        RecordedValue::Text(text) => Cow::Borrowed(text.as_bytes()),
        RecordedValue::Blob(bytes) => Cow::Borrowed(bytes),
        RecordedValue::Bytes(bytes) => {
            *changed += 1;
            Cow::Owned(String::from_utf8_lossy(bytes).into_owned().into_bytes())
        }
        RecordedValue::Literal(text) => {
            *changed += 1;
            Cow::Borrowed(text.as_bytes())
        }
        RecordedValue::Cut { bytes, hash, .. } => {
            *changed += 1;
            let digits = format!("{hash:016x}").into_bytes();
            Cow::Owned(digits.into_iter().cycle().take(usize::try_from(*bytes).unwrap_or(0)).collect())
        }
        _ => Cow::Borrowed(&[]),
    }
}

fn replayed<'v>(value: &RecordedValue, bytes: &'v [u8]) -> ReplayedValue<'v> {
    ReplayedValue::Value(match value {
        RecordedValue::Null => SqlValueRef::Null,
        RecordedValue::Integer(number) => SqlValueRef::Integer(*number),
        RecordedValue::Real(number) => SqlValueRef::Real(*number),
        RecordedValue::ZeroBlob(length) => return ReplayedValue::Zeros(*length),
        RecordedValue::Blob(_) | RecordedValue::Cut { is_text: false, .. } => SqlValueRef::Blob(bytes),
        _ => SqlValueRef::Text(bytes),
    })
}
