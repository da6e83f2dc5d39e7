//! Lines, and files of them in memory.

#![allow(dead_code, reason = "each test program uses a part")]
#![allow(clippy::unwrap_used, reason = "only tests call it")]

use dbdyno_recording::{
    CallsReader, CallsWriter, DurationSource, FileEnding, OpenedConnection, ReaderLimits, RecordedCall, RecordedClock,
    RecordedLine, RecordedProcess, RecordedValue, RecorderKind, RecordingError, StatementTemplate,
};
use std::path::Path;

pub(crate) fn process() -> RecordedLine {
    RecordedLine::Process(RecordedProcess {
        version: 1,
        pid: 12,
        parent: 11,
        program: "/usr/bin/example".to_owned(),
        recorder: RecorderKind::Preload,
        durations: DurationSource::Steps,
        sqlite_version: "3.40.1".to_owned(),
        sqlite_source_id: "2022".to_owned(),
        compile_options: vec!["THREADSAFE=1".to_owned()],
        clock: RecordedClock { realtime_ns: 2, monotonic_ns: 1 },
        keys: false,
    })
}

pub(crate) fn open(connection: u32) -> RecordedLine {
    let path = "/tmp/x.db".to_owned();
    RecordedLine::Open(OpenedConnection { connection, path, flags: 6, database: None, at: 5 })
}

pub(crate) fn statement(id: u32, sql: &str) -> RecordedLine {
    RecordedLine::Statement(StatementTemplate { id, sql: sql.to_owned() })
}

pub(crate) fn call(parameters: Vec<RecordedValue>) -> RecordedLine {
    RecordedLine::Call(RecordedCall {
        connection: 1,
        thread: 7,
        start_ns: 1000,
        duration_ns: 50,
        statement: 1,
        parameters,
        rows: 1,
        changes: 0,
        result_code: 0,
    })
}

/// A file's first lines and one more.
pub(crate) fn lines_of(last: RecordedLine) -> Vec<RecordedLine> {
    vec![process(), open(1), statement(1, "SELECT ?"), last]
}

/// A file with blocks of so many lines.
pub(crate) fn written(lines: &[RecordedLine], block: usize) -> Vec<u8> {
    let mut writer = CallsWriter::new(1).unwrap();
    let mut file = Vec::new();
    for chunk in lines.chunks(block) {
        chunk.iter().for_each(|line| writer.line(line));
        file.extend_from_slice(writer.finish_block().unwrap());
    }
    file
}

pub(crate) fn read(file: &[u8]) -> Result<(Vec<RecordedLine>, Option<FileEnding>), RecordingError> {
    read_within(file, ReaderLimits::default())
}

pub(crate) fn read_within(
    file: &[u8],
    limits: ReaderLimits,
) -> Result<(Vec<RecordedLine>, Option<FileEnding>), RecordingError> {
    let mut reader = CallsReader::new(Path::new("calls-1-1.jsonl.zst"), file, limits)?;
    let lines = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((lines, reader.ending()))
}
