//! Copies of databases as the recording first saw them.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{RecordedLine, RecordingFolder};
use rusqlite::Connection;
use std::{collections::BTreeSet, fs, path::Path};
use support::{Stage, files};

fn database(path: &Path, sql: &str) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(sql).unwrap();
    db
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Runs a program that only reads, once without and once with the recorder. Returns the reasons of `no_snapshot` lines.
fn reasons(stage: &Stage) -> Vec<String> {
    let missing = |line: &RecordedLine| match line {
        RecordedLine::NoSnapshot(missing) => Some(missing.why.clone()),
        _ => None,
    };
    files(&stage.recording()).iter().flat_map(|file| file.lines.iter().filter_map(missing)).collect()
}

#[test]
fn a_database_is_copied_once_as_it_was() {
    for mode in ["delete", "wal", "truncate", "persist"] {
        let Some(stage) = Stage::new() else { return };
        let sql = format!(
            "PRAGMA page_size=1024; PRAGMA journal_mode={mode}; PRAGMA user_version=7; PRAGMA application_id=-9;
             CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE before(x); INSERT INTO before VALUES (1), (2)"
        );
        drop(database(&stage.path("db"), &sql));
        let before = names(&stage.path(""));
        for _ in 0..2 {
            assert!(stage.recorded("ends", &["exit"]).output().unwrap().status.code() == Some(3));
        }
        assert_eq!(names(&stage.path("")), before, "{mode}: no file is left next to the database");
        let folder = RecordingFolder::open(&stage.recording()).unwrap();
        let [(1, copy)] = folder.databases() else { panic!("{mode}: {:?}", folder.databases()) };
        assert_eq!((copy.page_size, copy.user_version, copy.application_id), (1024, 7, -9));
        assert_eq!(copy.journal_mode, mode.replace("truncate", "delete").replace("persist", "delete"));
        assert_eq!(copy.path, stage.path("db").canonicalize().unwrap().to_str().unwrap());
        let path = folder.database("database-1.sqlite").unwrap();
        let rows =
            Connection::open(path).unwrap().query_row("SELECT count(*) FROM before", [], |row| row.get::<_, i64>(0));
        assert_eq!(rows, Ok(2));
        for file in files(&stage.recording()) {
            let Some(RecordedLine::Open(open)) = file.lines.get(1) else { panic!("{:?}", file.lines) };
            assert_eq!(open.database.as_deref(), Some("database-1.sqlite"));
        }
        assert_eq!(reasons(&stage), Vec::<String>::new());
    }
}

#[test]
fn a_log_that_another_process_left_is_copied_and_stays() {
    let Some(stage) = Stage::new() else { return };
    let other =
        database(&stage.path("db"), "PRAGMA journal_mode=wal; CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)");
    let log = || fs::metadata(stage.path("db-wal")).unwrap().len();
    let before = log();
    assert!(before > 0);
    assert!(stage.recorded("ends", &["exit"]).output().unwrap().status.code() == Some(3));
    assert_eq!(log(), before, "the log was not written back");
    let path = RecordingFolder::open(&stage.recording()).unwrap().database("database-1.sqlite").unwrap();
    let rows = Connection::open(path).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows, Ok(1));
    drop(other);
}

#[test]
fn locked_and_foreign_files_are_not_copied_and_the_reason_is_noted() {
    let Some(stage) = Stage::new() else { return };
    let other = database(&stage.path("db"), "CREATE TABLE t(a, b); BEGIN EXCLUSIVE");
    assert!(stage.recorded("ends", &["exit"]).output().unwrap().status.code() == Some(3));
    assert_eq!(reasons(&stage), ["database is locked"]);
    drop(other);
    // After the first failure the next connection copies it.
    assert!(stage.recorded("ends", &["exit"]).output().unwrap().status.code() == Some(3));
    assert_eq!(RecordingFolder::open(&stage.recording()).unwrap().databases().len(), 1);

    let Some(stage) = Stage::new() else { return };
    fs::write(stage.path("db"), [0x5a; 8192]).unwrap();
    assert!(stage.recorded("ends", &["exit"]).output().unwrap().status.code() == Some(3));
    assert_eq!(reasons(&stage), ["file is not a database"]);
    assert!(!stage.recording().join("database-1.sqlite").exists());
}

#[test]
fn a_copy_beyond_the_limits_is_not_made() {
    for (name, value, reason) in [
        ("DBDYNO_RECORD_MAX", "50000", "the copy would exceed the size limit of the recording"),
        ("DBDYNO_RECORD_COPY_MS", "0", "the copy took longer than 0 ms"),
    ] {
        let Some(stage) = Stage::new() else { return };
        drop(database(&stage.path("db"), "CREATE TABLE big AS SELECT randomblob(9000000)"));
        assert!(stage.recorded("ends", &["exit"]).env(name, value).output().unwrap().status.code() == Some(3));
        assert_eq!(reasons(&stage), [reason]);
        assert!(!names(&stage.recording()).iter().any(|name| name.ends_with(".sqlite") || name.ends_with(".part")));
    }
}

#[test]
fn the_programs_locks_survive_the_copy() {
    let Some(stage) = Stage::new() else { return };
    drop(database(&stage.path("db"), "CREATE TABLE t(a, b)"));
    let program = "import sqlite3, sys, subprocess
one = sqlite3.connect(sys.argv[1], isolation_level=None)
one.execute('BEGIN IMMEDIATE')
two = sqlite3.connect(sys.argv[1])
print(subprocess.run([sys.executable, '-c', '''import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=0)
try: db.execute('BEGIN IMMEDIATE'); print('not locked')
except sqlite3.OperationalError as error: print(error)''', sys.argv[1]], capture_output=True, text=True).stdout)";
    let mut python = std::process::Command::new("/usr/bin/python3");
    python.args(["-c", program]).arg(stage.path("db"));
    support::record(&mut python, &stage.recording());
    let Ok(output) = python.output() else { return support::not_checked("/usr/bin/python3 is missing") };
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "database is locked");
}
