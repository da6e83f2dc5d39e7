//! The store: its guarantees when the file is locked, foreign, newer, damaged, or cannot be written.

use crate::compare::fixture::{Bench, spec};
use crate::support::{Place, asked, wait_until};
use dbdyno::store::{Batch, MeasuredRuns, Store, StoreError, TestRecord, WarningRecord};
use duckdb::Connection;
use std::{fs, path::Path, time::Duration};

const RUN: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "2", "--quiet"];

fn execute(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().map_err(|(_, error)| error).unwrap();
}

#[track_caller]
fn refused(place: &Place, part: &str) {
    let before = fs::read(place.store()).ok();
    let done = place.run(&RUN);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains(part), "expected `{part}` in: {}", done.stderr);
    assert_eq!(fs::read(place.store()).ok(), before, "the file is as it was");
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_as_it_is() {
    let place = Place::new();
    fs::write(place.store(), "my diary\n".repeat(1000)).unwrap();
    refused(&place, "is not a DuckDB file");

    let place = Place::new();
    execute(&place.store(), "CREATE TABLE mine (a INTEGER)");
    refused(&place, "is a DuckDB file but not a dbdyno store");

    let place = Place::new();
    place.ok(&RUN);
    execute(&place.store(), "UPDATE schema_version SET version = 99");
    refused(&place, "has schema version 99, this dbdyno knows");

    let place = Place::new();
    place.ok(&RUN);
    let mut bytes = fs::read(place.store()).unwrap();
    bytes.truncate(bytes.len() / 3);
    bytes[4096..].fill(0xA5);
    fs::write(place.store(), bytes).unwrap();
    refused(&place, "results.duckdb");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let place = Place::new();
    for (store, part) in
        [("/sys/results.duckdb", "--store"), ("/proc/none/results.duckdb", "the folder cannot be created")]
    {
        let done = place.run(&[&RUN[..], &["--store", store]].concat());
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        assert!(
            done.stderr.contains(store.rsplit_once('/').unwrap().0) && done.stderr.contains(part),
            "{}",
            done.stderr
        );
    }
    let folder = place.path("folder.duckdb");
    fs::create_dir(&folder).unwrap();
    let done = place.run(&[&RUN[..], &["--store", folder.to_str().unwrap()]].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
}

#[test]
fn a_locked_store_is_waited_for_and_told_when_it_stays_locked() {
    let place = Place::new();
    place.ok(&RUN);
    let lock = Connection::open(place.store()).unwrap();
    let done = place.run(&[&RUN[..], &["--store-wait", "200ms"]].concat());
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("is in use by another process"), "{}", done.stderr);
    let waiting = place.spawn(&RUN);
    std::thread::sleep(Duration::from_millis(500));
    drop(lock);
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.rows("SELECT count(*), count(DISTINCT session_id) FROM results"), [["32", "2"]]);
}

#[test]
fn results_that_cannot_be_stored_stay_in_the_journal_and_are_taken_in_by_the_next_command() {
    let place = Place::new();
    let long = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "6", "--store-wait", "100ms"];
    let session = place.spawn(&long);
    let mut lock = None;
    wait_until("the store is locked by someone else in the middle", || {
        if place.store().exists() {
            lock = Connection::open(place.store()).ok();
        }
        lock.is_some()
    });
    let output = session.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("is in use by another process"), "{stderr}");
    if !output.status.success() {
        // If the lock came before the session began, the session ran nothing.
        return;
    }
    assert!(stderr.contains("results are kept in") && stderr.contains("results.duckdb.journal"), "{stderr}");
    drop(lock);
    place.ok(&RUN);
    assert_eq!(journals(&place), 0, "the journal is taken in");
    assert_eq!(place.rows("SELECT count(*), count(DISTINCT session_id) FROM results"), [["64", "2"]]);
    assert_eq!(place.value("SELECT count(*) FROM run WHERE status <> 'done'"), "0");
}

/// The number of journals next to the store.
fn journals(place: &Place) -> usize {
    let files = fs::read_dir(place.path("results.duckdb.journal")).unwrap();
    files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "jsonl")).count()
}

fn warning(message: &str) -> Batch {
    let warning = WarningRecord {
        warning_id: "01890000-0000-7000-8000-000000000001".to_owned(),
        session_id: "01890000-0000-7000-8000-000000000002".to_owned(),
        run_id: None,
        test: Some(3),
        linter: "x".to_owned(),
        matter: None,
        message: message.to_owned(),
    };
    Batch { warnings: vec![warning], ..Batch::default() }
}

#[test]
fn a_batch_written_twice_is_there_once() {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    store.write(&warning("first")).unwrap();
    store.write(&warning("it's \u{1b}[31m; DROP TABLE run --")).unwrap();
    let rows = asked(&store, "SELECT message, test FROM warning").unwrap();
    assert_eq!(rows, [[Some("it's \u{1b}[31m; DROP TABLE run --".to_owned()), Some("3".to_owned())]]);
}

#[test]
fn a_query_can_read_and_never_change() {
    let place = Place::new();
    place.ok(&RUN);
    let done = place.run(&["sql", "DELETE FROM result"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    let done = place.run(&["sql", "SELECT nonsense FROM results"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("nonsense"), "{}", done.stderr);
    assert_eq!(place.ok(&["results", "--count"]), "16\n");
    assert_eq!(place.ok(&["results", "--count", "test=3|Mixed", "round>=1"]), "2\n");
    assert_eq!(place.ok(&["results", "--count", "engine=x'; DROP TABLE run; --"]), "0\n");
    assert_eq!(place.ok(&["results", "--count", "latency_ns=1000"]), "16\n");
    let grouped = place.ok(&["results", "--group-by", "test", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&grouped).unwrap().len(), 8);
    let done = place.run(&["results", "engine>=lmdb"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("expected a number"), "{}", done.stderr);
}

#[test]
fn a_newer_schema_is_an_error_of_its_own() {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    execute(&place.store(), "UPDATE schema_version SET version = 99");
    assert!(matches!(store.write(&Batch::default()), Err(StoreError::Newer { found: 99, .. })));
}

#[test]
fn the_newest_of_what_a_session_has_stored_and_journaled_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("results.duckdb"));
    let mut bench = Bench::default();
    let session = bench.session("here");
    bench.run(&session, 0, &spec("lmdb"), &[1000, 2000]);
    bench.run(&session, 1, &spec("lmdb"), &[3000]);
    let all = bench.batch;
    let runs: Vec<String> = all.runs.iter().map(|run| run.run_id.clone()).collect();
    let measured = |may_be_stored| store.measured_runs(&session, &runs, may_be_stored).unwrap();
    let of_round = |round: usize| Batch {
        runs: vec![all.runs[round].clone()],
        results: all.results.iter().filter(|result| result.run_id == runs[round]).cloned().collect(),
        ..Batch::default()
    };
    store.append(&Batch { hosts: all.hosts.clone(), sessions: all.sessions.clone(), ..of_round(0) }).unwrap();
    assert_eq!(measured(false).results, all.results[..2], "with their histograms");
    store.settle().unwrap();
    assert_eq!(measured(false), MeasuredRuns::default(), "the store has taken all of it from the journal");
    assert_eq!(measured(true).results, all.results[..2]);
    let wrong = TestRecord { agrees: Some(false), ..all.results[0].clone() };
    store.append(&Batch { results: vec![wrong.clone()], ..Batch::default() }).unwrap();
    store.append(&of_round(1)).unwrap();
    let found = measured(true);
    assert_eq!(found.runs, all.runs);
    assert_eq!(found.results, [wrong, all.results[1].clone(), all.results[2].clone()]);
    assert_eq!(
        store.measured_runs(&session, &runs[1..], true).unwrap().runs,
        all.runs[1..],
        "only those that are asked for"
    );
}
