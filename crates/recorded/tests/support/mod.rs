//! Recordings that are written for a test.

#![allow(dead_code, reason = "each test program uses a part")]
#![allow(clippy::unwrap_used, reason = "only tests call it")]

use dbdyno_recording::{
    CallsWriter, DurationSource, OpenedConnection, RECORDING_VERSION, RecordedCall, RecordedClock, RecordedLine,
    RecordedProcess, RecordedValue, RecorderKind, RecordingManifest, StatementTemplate, calls_file,
};
use std::{fs, path::Path};

pub(crate) fn process(pid: u32) -> RecordedLine {
    RecordedLine::Process(RecordedProcess {
        version: RECORDING_VERSION,
        pid,
        parent: 1,
        program: "/usr/bin/example".to_owned(),
        recorder: RecorderKind::Preload,
        durations: DurationSource::Steps,
        sqlite_version: "3.40.1".to_owned(),
        sqlite_source_id: "2022".to_owned(),
        compile_options: Vec::new(),
        clock: RecordedClock { realtime_ns: 2, monotonic_ns: 1 },
        keys: false,
    })
}

pub(crate) fn open(connection: u32, path: &str, database: Option<String>, at: u64) -> RecordedLine {
    RecordedLine::Open(OpenedConnection { connection, path: path.to_owned(), flags: 6, database, at })
}

pub(crate) fn statement(id: u32, sql: &str) -> RecordedLine {
    RecordedLine::Statement(StatementTemplate { id, sql: sql.to_owned() })
}

/// A call of a connection, from a time for so long, with rows and changes.
pub(crate) fn call(
    (connection, statement): (u32, u32),
    (start_ns, duration_ns): (u64, u64),
    rows: u64,
    changes: u64,
) -> RecordedCall {
    RecordedCall {
        connection,
        thread: connection + 100,
        start_ns,
        duration_ns,
        statement,
        parameters: vec![RecordedValue::Integer(start_ns as i64 / 1_000)],
        rows,
        changes,
        result_code: 0,
    }
}

pub(crate) fn write(folder: &Path, pid: u32, lines: &[RecordedLine]) {
    let mut writer = CallsWriter::new(1).unwrap();
    lines.iter().for_each(|line| writer.line(line));
    fs::write(folder.join(calls_file(pid, 1)), writer.finish_block().unwrap()).unwrap();
}

pub(crate) fn manifest(folder: &Path) {
    let manifest = RecordingManifest {
        version: RECORDING_VERSION,
        command: vec!["example".to_owned()],
        directory: "/".to_owned(),
        started_at: "2026-11-28T00:00:00Z".to_owned(),
        dbdyno_version: "0".to_owned(),
        host: serde_json::Map::new(),
    };
    manifest.write(folder).unwrap();
}
