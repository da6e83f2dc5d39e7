//! Programs that are killed at random moments. `DBDYNO_KILLS=200` kills more.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{FileEnding, RecordedValue};
use std::{collections::hash_map::RandomState, env, fs, hash::BuildHasher, process::Stdio, thread, time::Duration};
use support::{CallsFileContent, Stage, files};

/// A number that differs from run to run.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// Numbers that the calls inserted.
fn inserted(file: &CallsFileContent) -> Vec<i64> {
    let inserts = file.calls().filter(|call| file.sql(call).starts_with("INSERT"));
    inserts
        .map(|call| match call.parameters[..] {
            [RecordedValue::Integer(n), RecordedValue::Text(_)] if call.result_code == 0 && call.changes == 1 => n,
            _ => panic!("{call:?}"),
        })
        .collect()
}

fn database_rows(path: &std::path::Path) -> i64 {
    let db = rusqlite::Connection::open(path).unwrap();
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let has_table: bool = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    if has_table { db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap() } else { 0 }
}

#[test]
fn after_a_kill_the_recording_is_a_prefix_of_what_the_program_did() {
    let kills = env::var("DBDYNO_KILLS").map_or(15, |kills| kills.parse().unwrap());
    let (mut with_calls, mut cut_off) = (0, 0);
    for _ in 0..kills {
        let Some(stage) = Stage::new() else { return };
        let mut child = stage.recorded("inserts", &["2000000000"]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(random() % 900_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let rows = database_rows(&stage.path("db"));
        let files =
            if stage.recording().read_dir().unwrap().count() > 0 { files(&stage.recording()) } else { Vec::new() };
        for file in files {
            let numbers = inserted(&file);
            let recorded = numbers.len() as i64;
            assert!(numbers.iter().copied().eq(1..=recorded), "no gap and no other order");
            assert!(recorded <= rows, "{recorded} calls, {rows} rows");
            assert_eq!(file.lost(), 0);
            assert!(!matches!(file.ending, FileEnding::Orderly(_)));
            with_calls += u32::from(recorded > 0);
            cut_off += u32::from(matches!(file.ending, FileEnding::CutOff { .. }));
        }
    }
    assert!(with_calls > 0, "some programs lived long enough to be recorded");
    assert!(cut_off <= kills, "{cut_off}");
}

#[test]
fn a_kill_during_the_first_copy_leaves_no_incomplete_copy() {
    for _ in 0..8 {
        let Some(stage) = Stage::new() else { return };
        let db = rusqlite::Connection::open(stage.path("db")).unwrap();
        db.execute_batch(
            "CREATE TABLE big AS WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 20)
                SELECT randomblob(100000) FROM n",
        )
        .unwrap();
        drop(db);
        let mut child = stage.recorded("inserts", &["2000000000"]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(random() % 30_000));
        child.kill().unwrap();
        child.wait().unwrap();
        for entry in fs::read_dir(stage.recording()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "sqlite") {
                let copy = rusqlite::Connection::open(path).unwrap();
                let rows: i64 = copy.query_row("SELECT count(*) FROM big", [], |row| row.get(0)).unwrap();
                assert_eq!(rows, 20);
            }
        }
    }
}
