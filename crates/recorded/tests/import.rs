//! Small traces of other programs, as their documentation describes them, and what becomes of them.

#![allow(clippy::unwrap_used, reason = "a test")]

use dbdyno_recorded::{
    ImportFormat, ImportedRecording, LeftOutOperations, RecordingSummary, StatementKind, WorkingSetSummary, import,
    plans,
};
use dbdyno_recording::{
    CallsReader, FileEnding, RecordedCall, RecordedLine, RecordedProcess, RecordedValue, RecorderKind, calls_file,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const SECOND: u64 = 1_000_000_000;

/// A folder with a trace in it.
struct Traced {
    folder: TempDir,
    file: PathBuf,
}

impl Traced {
    fn new(trace: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trace");
        fs::write(&file, trace).unwrap();
        Self { folder, file }
    }

    fn recording(&self) -> PathBuf {
        self.folder.path().join("trace.rec")
    }

    fn import(&self) -> Result<ImportedRecording, String> {
        let imported = import(&self.file, &self.recording(), "0", "2026-11-28T00:00:00Z".to_owned());
        imported.map_err(|error| error.to_string())
    }

    fn lines(&self) -> Vec<RecordedLine> {
        let mut reader = CallsReader::open(&self.recording().join(calls_file(1, 1))).unwrap();
        let lines = reader.by_ref().map(Result::unwrap).collect();
        assert!(matches!(reader.ending(), Some(FileEnding::Orderly(_))), "{:?}", reader.ending());
        lines
    }

    fn summary(&self) -> RecordingSummary {
        RecordingSummary::read(&self.recording()).unwrap()
    }

    /// The error of the import, without the path, and with no folder left.
    fn error(&self) -> String {
        let error = self.import().unwrap_err();
        assert!(!self.recording().exists(), "{error}: a failed import leaves nothing");
        let path = self.file.display().to_string();
        error.strip_prefix(&path).unwrap_or_else(|| panic!("{error}: expected {path}")).to_owned()
    }
}

fn process(lines: &[RecordedLine]) -> &RecordedProcess {
    match &lines[0] {
        RecordedLine::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

/// A call of a connection: its statement, its parameters, its time in ns, and its rows and changes.
type ShownCall = (u32, String, Vec<RecordedValue>, u64, u64, u64);

fn calls(lines: &[RecordedLine]) -> Vec<ShownCall> {
    let mut statements = Vec::new();
    let mut calls = Vec::new();
    for line in lines {
        match line {
            RecordedLine::Statement(statement) => statements.push(statement.sql.clone()),
            RecordedLine::Call(call) => {
                let RecordedCall { connection, start_ns, statement, parameters, rows, changes, .. } = call.clone();
                assert_eq!((call.thread, call.duration_ns, call.result_code), (connection, 0, -1));
                let sql = statements[statement as usize - 1].clone();
                calls.push((connection, sql, parameters, start_ns, rows, changes));
            }
            _ => {}
        }
    }
    calls
}

fn text(text: &str) -> RecordedValue {
    RecordedValue::Text(text.to_owned())
}

fn shown(connection: u32, sql: &str, parameters: &[RecordedValue], at: u64, rows: u64, changes: u64) -> ShownCall {
    (connection, sql.to_owned(), parameters.to_vec(), at, rows, changes)
}

/// Two clients; times begin at 100 s.
const CACHE: &str = "100,nz:u:k1,7,100,c1,get,0\n\
                     100,nz:u:k2,7,0,c2,gets,0\n\
                     101,nz:u:k1,7,120,c1,set,60\n\
                     103,nz:u:k1,7,5,c1,append,0\n\
                     103.5,nz:u:k3,7,0,c2,delete,0\n";

#[test]
fn a_cache_trace_is_one_connection_for_each_client() {
    use RecordedValue::Integer;
    let traced = Traced::new(CACHE);
    let expected = ImportedRecording { format: ImportFormat::Cache, calls: 5, left_out: Vec::new() };
    assert_eq!(traced.import(), Ok(expected));
    let lines = traced.lines();
    assert!(process(&lines).keys && process(&lines).recorder == RecorderKind::Import);
    assert_eq!(
        calls(&lines),
        [
            shown(1, "get ?", &[text("nz:u:k1"), Integer(100)], 0, 1, 0),
            shown(2, "get ?", &[text("nz:u:k2"), Integer(0)], 0, 0, 0),
            shown(1, "put ? ?", &[text("nz:u:k1"), Integer(120)], SECOND, 0, 1),
            shown(1, "merge ? ?", &[text("nz:u:k1"), Integer(5)], 3 * SECOND, 0, 1),
            shown(2, "delete ?", &[text("nz:u:k3")], 3_500_000_000, 0, 1),
        ]
    );
    let of = |line: &RecordedLine| match line {
        RecordedLine::Open(open) => Some((open.connection, "open", open.at)),
        RecordedLine::Close(close) => Some((close.connection, "close", close.at)),
        _ => None,
    };
    let expected = [(1, "open", 0), (2, "open", 0), (1, "close", 3 * SECOND), (2, "close", 3_500_000_000)];
    assert_eq!(lines.iter().filter_map(of).collect::<Vec<_>>(), expected);
}

#[test]
fn a_recording_of_keys_is_summarised_as_one() {
    let traced = Traced::new(CACHE);
    traced.import().unwrap();
    let summary = traced.summary();
    assert!(summary.keys && summary.processes[0].ended_in_order);
    let of = |sql: &str| summary.fingerprints.iter().find(|one| one.sql == sql).unwrap();
    let figures = |sql: &str| (of(sql).kind, of(sql).calls, of(sql).rows, of(sql).different_values);
    assert_eq!(figures("get ?"), (StatementKind::Read, 2, 1, 2));
    assert_eq!(figures("put ? ?"), (StatementKind::Write, 1, 0, 1));
    assert_eq!(figures("merge ? ?"), (StatementKind::Write, 1, 0, 1));
    assert_eq!(figures("delete ?"), (StatementKind::Write, 1, 0, 1));
    assert_eq!((summary.transactions.reading, summary.transactions.writing), (2, 3));
    assert_eq!((summary.concurrency.connections, summary.concurrency.connections_at_once), (2, 2));
    let expected = WorkingSetSummary { different_keys: 3, value_bytes: 120, hottest_share: Some(0.6) };
    assert_eq!(summary.working_set, Some(expected));
    assert!(plans(&traced.recording(), &summary, 10).unwrap().is_empty(), "nothing of it is SQL");
}

#[test]
fn a_recording_of_sql_is_none_of_keys() {
    let traced = Traced::new("sql,connection\nget ?,a\nSELECT 1,b\n");
    traced.import().unwrap();
    let lines = traced.lines();
    assert!(!process(&lines).keys);
    assert!(!lines.iter().any(|line| matches!(line, RecordedLine::Close(_))), "when they were closed is unknown");
    let summary = traced.summary();
    assert!(!summary.keys && summary.working_set.is_none());
    let kinds: Vec<StatementKind> = summary.fingerprints.iter().map(|one| one.kind).collect();
    assert!(kinds.contains(&StatementKind::Other) && kinds.contains(&StatementKind::Read), "{kinds:?}");
    assert!(!serde_json::to_string(&summary).unwrap().contains("working_set"));
}

#[test]
fn a_header_may_have_any_order() {
    let traced = Traced::new("\u{feff}operation,key,value_size,timestamp\nset,\"a,\"\"b\",7,2\nget,c,0,1\n");
    assert_eq!(traced.import().unwrap().format, ImportFormat::Cache);
    let expected = [
        shown(1, "put ? ?", &[text("a,\"b"), RecordedValue::Integer(7)], 0, 0, 1),
        // What comes before the first one is with it.
        shown(1, "get ?", &[text("c"), RecordedValue::Integer(0)], 0, 0, 0),
    ];
    assert_eq!(calls(&traced.lines()), expected);
}

#[test]
fn a_trace_of_rocksdb_says_what_is_left_out() {
    use RecordedValue::{Blob, Integer};
    let traced = Traced::new(
        "0x6B31 1 0 100 1533000630000000\n\
         0x6B31 0 0 0 1533000630000010\n\
         0xFF00 1 0 8 1533000630000020\n\
         0x6B31 1 3 9 1533000630000030\n\
         0x6B31 5 0 4 1533000630000040\n\
         0x6B30 6 0 0 1533000630000050\n\
         0x6B39 7 0 0 1533000630000060\n\
         0x6B31 4 0 0 1533000630000070\n\
         0x6B31 0x6B39 4 0 0 1533000630000080\n\
         0x6B32 8 0 0 1533000630000090\n\
         0x6B31 3 0 0 1533000630000100\n",
    );
    let imported = traced.import().unwrap();
    assert_eq!((imported.format, imported.calls), (ImportFormat::RocksDb, 8));
    let left_out = |name, operations| LeftOutOperations { name, operations };
    assert_eq!(imported.left_out, [left_out("backward seek", 1), left_out("range delete", 2)]);
    assert_eq!(
        calls(&traced.lines()),
        [
            shown(1, "put ? ?", &[text("k1"), Integer(100)], 0, 0, 1),
            shown(1, "get ?", &[text("k1")], 10_000, 0, 0),
            shown(1, "put ? ?", &[Blob(vec![0xff, 0]), Integer(8)], 20_000, 0, 1),
            // Of another column family.
            shown(1, "put ? ?", &[text("3:k1"), Integer(9)], 30_000, 0, 1),
            shown(1, "merge ? ?", &[text("k1"), Integer(4)], 40_000, 0, 1),
            shown(1, "scan ? ?", &[text("k0"), Integer(1)], 50_000, 0, 0),
            shown(1, "get ?", &[text("k2")], 90_000, 0, 0),
            shown(1, "delete ?", &[text("k1")], 100_000, 0, 1),
        ]
    );
    let expected = WorkingSetSummary { different_keys: 5, value_bytes: 117, hottest_share: Some(0.5) };
    assert_eq!(traced.summary().working_set, Some(expected));
}

#[test]
fn what_ycsb_prints_has_an_order_and_no_times() {
    use RecordedValue::Integer;
    let traced = Traced::new(
        "***************** properties *****************\n\
         \"recordcount\"=\"2\"\n\
         **********************************************\n\
         INSERT usertable user1 [ field0=ab c field1==] ]\n\
         READ usertable user1 [ <all fields>]\n\
         READ usertable user2 [ field0 field1 ]\n\
         UPDATE usertable user1 [ field0=xy ]\n\
         SCAN usertable user1 25 [ <all fields>]\n\
         DELETE usertable user1\n\
         DELETE other user1\n\
         [OVERALL], RunTime(ms), 12\n",
    );
    let imported = traced.import().unwrap();
    assert_eq!(imported, ImportedRecording { format: ImportFormat::Ycsb, calls: 7, left_out: Vec::new() });
    assert_eq!(
        calls(&traced.lines()),
        [
            shown(1, "put ? ?", &[text("user1"), Integer(6)], 0, 0, 1),
            shown(1, "get ?", &[text("user1")], 1, 0, 0),
            shown(1, "get ?", &[text("user2")], 2, 0, 0),
            shown(1, "merge ? ?", &[text("user1"), Integer(2)], 3, 0, 1),
            shown(1, "scan ? ?", &[text("user1"), Integer(25)], 4, 0, 0),
            shown(1, "delete ?", &[text("user1")], 5, 0, 1),
            shown(1, "delete ?", &[text("other:user1")], 6, 0, 1),
        ]
    );
}

#[test]
fn a_compressed_trace_is_unpacked_or_refused() {
    let frame = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).unwrap();
    let (first, rest) = CACHE.split_at(60);
    let traced = Traced::new([frame(first), frame(rest)].concat());
    assert_eq!(traced.import().unwrap().calls, 5, "several frames are one trace");
    let cut = frame(&CACHE.repeat(1_000));
    let error = Traced::new(&cut[..cut.len() - 20]).error();
    assert!(error.contains("incomplete frame"), "{error}");
    let gzip = Traced::new(b"\x1f\x8b\x08\x00rest").error();
    assert_eq!(gzip, ": it is compressed with gzip: unpack it with `gunzip` first");
}

#[test]
fn wrong_lines_are_named() {
    for (trace, expected) in [
        (&[CACHE, "104,nz:u:k"].concat(), ":6: `104,nz:u:k`: expected timestamp,key,"),
        (&[CACHE, "104,k,1,-7,c,get,0\n"].concat(), ":6: value size `-7`: expected a whole number up to 4294967295"),
        (&[CACHE, "104,k,1,4294967296,c,get,0\n"].concat(), ":6: value size `4294967296`: expected a whole number"),
        (&[CACHE, "1e300,k,1,1,c,get,0\n"].concat(), ":6: timestamp `1e300`: expected seconds"),
        (&[CACHE, "104,k,1,1,c,touch,0\n"].concat(), ":6: operation `touch`: expected get, gets,"),
        (&"timestamp,key,value size,operation\n1,k,1\n".to_owned(), ":2: columns: 3, expected 4 as in the header"),
        (&"timestamp,key,operation\n".to_owned(), ":1: there is no column `value size`"),
        (&"0x61 1 0 1 10\n0x61 1 0".to_owned(), ":2: `0x61 1 0`: expected KEY TYPE FAMILY SIZE TIME"),
        (&"0x61 1 0 1 10\n0x61 11 0 1 10\n".to_owned(), ":2: type 11: expected 0 to 9"),
        (&"1 0 10 1533000630\n".to_owned(), ":1: `1 0 10 1533000630`: expected KEY TYPE FAMILY SIZE TIME. trace_"),
        (&"READ t k [ <all fields>]\nREAD t k [ <all".to_owned(), ":2: `READ t k [ <all`: expected READ TABLE KEY"),
        (
            &"READ t k [ <all fields>]\n\nDROP t".to_owned(),
            ":3: `DROP t`: expected READ, SCAN, INSERT, UPDATE or DELETE",
        ),
        (&"0x61 4 0 0 1\n0x61 4 0 0 1\n".to_owned(), ": it has only what a recording cannot have: 2 range deletes"),
        (&String::new(), ": it has no statement: expected SQL, CSV with a column `sql`, or a trace of keys and values"),
    ] {
        let error = Traced::new(trace).error();
        assert!(error.starts_with(expected), "{error}: expected {expected}");
    }
}

#[test]
fn bytes_that_are_no_text_are_a_key_nevertheless() {
    let traced = Traced::new(b"1,\xff\x00k,3,1,\xfe,get,0\n".as_slice());
    traced.import().unwrap();
    let expected = [RecordedValue::Blob(b"\xff\x00k".to_vec()), RecordedValue::Integer(1)];
    assert_eq!(calls(&traced.lines()), [shown(1, "get ?", &expected, 0, 1, 0)]);
    let error = Traced::new(b"1,k,3,\xff,c,get,0\n".as_slice()).error();
    assert_eq!(error, ":1: value size `\u{fffd}`: expected a whole number up to 4294967295");
    let sql = Traced::new(b"SELECT '\xff'".as_slice()).error();
    assert!(sql.contains("UTF-8"), "{sql}");
}

#[test]
fn a_line_of_100_mb_is_refused() {
    const LONG: usize = 100 << 20;
    let long = |before: &[u8]| {
        let mut trace = Vec::with_capacity(before.len() + LONG);
        trace.extend_from_slice(before);
        trace.resize(before.len() + LONG, b'k');
        Traced::new(trace).error()
    };
    let error = long(b"1,k,1,1,c,get,0\n1,");
    assert_eq!(error, ":2: the line has more than 1048576 bytes");
    let error = long(b"timestamp,key,value size,operation\n1,k,1,get\n1,\"");
    assert_eq!(error, ":3: the row has more than 1048576 bytes");
    // Compressed, it takes a few kilobytes.
    let packed = zstd::bulk::compress(&[b"1,k,1,1,c,get,0\n".as_slice(), &vec![b'k'; LONG]].concat(), 1).unwrap();
    assert_eq!(Traced::new(packed).error(), ":2: the line has more than 1048576 bytes");
}

#[test]
fn a_folder_that_exists_stays_as_it_is() {
    let traced = Traced::new(CACHE);
    fs::create_dir(traced.recording()).unwrap();
    fs::write(traced.recording().join("mine"), "mine").unwrap();
    let error = traced.import().unwrap_err();
    assert!(error.starts_with(&traced.recording().display().to_string()), "{error}");
    assert_eq!(fs::read_dir(traced.recording()).unwrap().count(), 1);
    let nowhere = import(Path::new("/nowhere"), &traced.folder.path().join("x"), "0", String::new()).unwrap_err();
    assert!(nowhere.to_string().starts_with("/nowhere: "), "{nowhere}");
}
