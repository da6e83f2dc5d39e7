//! The file of an imported recording's calls.

use super::{ImportStop, ImportedCall};
use dbdyno_recording::{
    CallNumbers, CallsWriter, ClosedConnection, DurationSource, OpenedConnection, RECORDING_VERSION, ReaderLimits,
    RecordedClock, RecordedEnd, RecordedLine, RecordedProcess, RecordedValueRef, RecorderKind, StatementTemplate,
};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write},
    path::Path,
};

/// Bytes of lines from which a block is written, and the level of zstd.
const BLOCK: usize = 1 << 20;
const LEVEL: i32 = 3;

/// Writes calls in their order. It keeps the connections, the statements and one block.
pub(super) struct ImportWriter {
    file: File,
    writer: CallsWriter,
    limits: ReaderLimits,
    keys: bool,
    /// By their names, from 1.
    connections: HashMap<Box<[u8]>, u32>,
    /// The end of each connection's last call, ns.
    last_ends: Vec<u64>,
    /// By their texts, from 1.
    statements: HashMap<Box<str>, u32>,
    calls: u64,
    /// The end of the last call, ns.
    last: u64,
}

impl ImportWriter {
    /// Begins a file. `keys`: see [`RecordedProcess::keys`]; each connection is closed after its last call then, as of SQL it is not known.
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    pub(super) fn create(to: &Path, program: String, keys: bool) -> Result<Self, ImportStop> {
        let file = File::create_new(to).map_err(ImportStop::Output)?;
        let mut writer = CallsWriter::new(LEVEL).map_err(ImportStop::Output)?;
        writer.line(&RecordedLine::Process(RecordedProcess {
            version: RECORDING_VERSION,
            pid: 1,
            parent: 0,
            program,
            recorder: RecorderKind::Import,
            durations: DurationSource::Import,
            sqlite_version: "unknown".to_owned(),
            sqlite_source_id: String::new(),
            compile_options: Vec::new(),
            clock: RecordedClock { realtime_ns: 0, monotonic_ns: 0 },
            keys,
        }));
        Ok(Self {
            file,
            writer,
            limits: ReaderLimits::default(),
            keys,
            connections: HashMap::new(),
            last_ends: Vec::new(),
            statements: HashMap::new(),
            calls: 0,
            last: 0,
        })
    }

    /// Writes a call, and before it its connection and its statement if they are new.
    ///
    /// # Errors
    /// No reader of recordings would accept it, or the file cannot be written.
    pub(super) fn call<'v>(
        &mut self,
        call: &ImportedCall<'_>,
        parameters: impl IntoIterator<Item = RecordedValueRef<'v>>,
    ) -> Result<(), ImportStop> {
        let connection = self.connection(call)?;
        let statement = self.statement(call)?;
        let end = call.start_ns.saturating_add(call.duration_ns);
        let last_end = &mut self.last_ends[connection as usize - 1];
        *last_end = end.max(*last_end);
        self.last = self.last.max(end);
        let numbers = CallNumbers {
            connection,
            thread: connection,
            start_ns: call.start_ns,
            duration_ns: call.duration_ns,
            statement,
            rows: call.rows,
            changes: call.changes,
            // Other programs do not write it down.
            result_code: -1,
        };
        let before = self.writer.block_bytes();
        self.writer.call(&numbers, parameters);
        self.calls += 1;
        self.check(before, call.line)?;
        if self.writer.block_bytes() >= BLOCK { self.block() } else { Ok(()) }
    }

    /// Ends the file. Returns the number of its calls.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn finish(mut self) -> Result<u64, ImportStop> {
        let ends = if self.keys { std::mem::take(&mut self.last_ends) } else { Vec::new() };
        for (connection, at) in (1..).zip(ends) {
            self.writer.line(&RecordedLine::Close(ClosedConnection { connection, at }));
            if self.writer.block_bytes() >= BLOCK {
                self.block()?;
            }
        }
        let end = RecordedEnd { at: self.last, calls: self.calls, cost_ns: 0, dropped: 0 };
        self.writer.line(&RecordedLine::End(end));
        self.block()?;
        Ok(self.calls)
    }

    fn connection(&mut self, call: &ImportedCall<'_>) -> Result<u32, ImportStop> {
        if let Some(known) = self.connections.get(call.connection) {
            return Ok(*known);
        }
        let next = next(self.connections.len(), self.limits.connections, "connections", call.line)?;
        self.connections.insert(call.connection.into(), next);
        self.last_ends.push(call.start_ns);
        self.writer.line(&RecordedLine::Open(OpenedConnection {
            connection: next,
            path: String::new(),
            flags: 0,
            database: None,
            at: call.start_ns,
        }));
        Ok(next)
    }

    fn statement(&mut self, call: &ImportedCall<'_>) -> Result<u32, ImportStop> {
        if let Some(known) = self.statements.get(call.sql) {
            return Ok(*known);
        }
        let next = next(self.statements.len(), self.limits.statements, "statements", call.line)?;
        self.statements.insert(call.sql.into(), next);
        let before = self.writer.block_bytes();
        self.writer.line(&RecordedLine::Statement(StatementTemplate { id: next, sql: call.sql.to_owned() }));
        self.check(before, call.line)?;
        Ok(next)
    }

    /// Checks that a reader accepts the line that was just written. `before`: the bytes of the block without it.
    fn check(&self, before: usize, line: u64) -> Result<(), ImportStop> {
        let most = self.limits.call_bytes;
        if self.writer.block_bytes() - before > most {
            return Err(ImportStop::Line(line, format!("the call has more than {most} bytes as JSON")));
        }
        Ok(())
    }

    fn block(&mut self) -> Result<(), ImportStop> {
        let written =
            |file: &mut File, writer: &mut CallsWriter| -> io::Result<()> { file.write_all(writer.finish_block()?) };
        written(&mut self.file, &mut self.writer).map_err(ImportStop::Output)
    }
}

/// Returns the identifier that follows so many.
fn next(known: usize, limit: u32, of: &str, line: u64) -> Result<u32, ImportStop> {
    u32::try_from(known + 1)
        .ok()
        .filter(|next| *next <= limit)
        .ok_or_else(|| ImportStop::Line(line, format!("a recording has at most {limit} {of}")))
}
