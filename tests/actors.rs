//! Tests with several threads: results that hold in any order of the threads, operations that are due at set times, and the stored figures
//! of each actor.

use crate::support::{Place, engine_program};
use std::fs;

/// Writes a suite with one reading actor into the configuration folder of a place.
fn lookups(place: &Place, rate: &str) {
    let suite = format!(
        r#"
        name = "lookups"
        kind = "kv"
        title = "One actor"
        source = "a test"
        [size]
        name = "records"
        default = [1000]
        choices = [1000]
        [sql]
        schema = ["CREATE TABLE kv(key BLOB PRIMARY KEY, value BLOB)"]
        get = "SELECT value FROM kv WHERE key = ?1"
        put = "INSERT OR REPLACE INTO kv VALUES (?1, ?2)"
        delete = "DELETE FROM kv WHERE key = ?1"
        exists = "SELECT 1 FROM kv WHERE key = ?1"
        scan = "SELECT key, value FROM kv ORDER BY key"
        [[test]]
        number = 1
        name = "Lookups"
        database = "main"
        key = "{{key:08}}"
        seconds = 10
        actor = [{{ name = "readers", threads = 1, keys = "uniform", work = [{{ op = "get" }}], transaction = "read" {rate} }}]
        "#
    );
    fs::write(place.path("config/suites/lookups.toml"), suite).unwrap();
}

/// 99th percentiles of the actor's service and response times, in ms. Simulated time stops for 200 ms in each second.
fn stalled(rate: &str) -> (f64, Option<f64>) {
    let place = Place::new();
    lookups(&place, rate);
    let engine = "null:clock=simulated,latency_ns=1000,stall_ms=200";
    place.ok(&["run", "--suite", "lookups", "--engine", engine, "--repeat", "1", "--quiet"]);
    let found = place.rows("SELECT p99_ns / 1e6, response_p99_ns / 1e6 FROM results WHERE actor = 'readers'");
    (found[0][0].parse().unwrap(), found[0][1].parse().ok())
}

#[test]
fn a_stall_is_seen_by_all_who_waited_in_it() {
    let (service, response) = stalled("");
    assert!(service < 1.0 && response.is_none(), "closed loop: {service} ms");
    for gaps in ["even", "poisson"] {
        let (service, response) = stalled(&format!(r#", rate = 1000, gaps = "{gaps}""#));
        let response = response.unwrap();
        assert!(service < 1.0, "{gaps}: service {service} ms");
        // Of a thousand operations in a second, 200 are due during the stall. The ten slowest of them wait 190 ms or more.
        assert!((170.0..=205.0).contains(&response), "{gaps}: response {response} ms");
    }
}

#[test]
fn transfers_keep_the_sum_in_every_snapshot_on_every_engine() {
    let place = Place::new();
    let engines =
        ["sqlite:journal_mode=wal,synchronous=off", "lmdb:sync=nosync", "redb:durability=none", "fjall", "duckdb"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    let set = ["--set", "contention.seconds=1", "--set", "contention.writers=2", "--test", "4,5,6", "--size", "1000"];
    place.ok(&[&["run", "--suite", "contention", "--repeat", "1", "--quiet"][..], &engines, &set].concat());
    let found = place.rows("SELECT DISTINCT verification, status FROM results WHERE actor IS NULL");
    assert_eq!(found, [["invariants:held", "ok"]]);
    let found = place.rows(
        "SELECT test, actor, threads, count(*), bool_and(operations > 0), bool_and(agrees), bool_and(samples > 0)
         FROM actor_result GROUP BY ALL ORDER BY ALL",
    );
    let actor = |test: &str, name: &str, threads: &str| {
        [test, name, threads, "5", "true", "true", "true"].map(str::to_owned).to_vec()
    };
    assert_eq!(
        found,
        [
            actor("4", "readers", "2"),
            actor("4", "writers", "2"),
            actor("5", "auditor", "1"),
            actor("5", "writers", "2"),
            actor("6", "auditor", "1"),
            actor("6", "writers", "2")
        ]
    );
}

#[test]
fn an_engine_whose_reads_are_of_no_snapshot_is_caught() {
    let place = Place::new();
    let set = ["--set", "contention.seconds=1", "--test", "5", "--size", "1000"];
    let run = ["run", "--suite", "contention", "--engine", "null:answers=torn", "--repeat", "1"];
    let done = place.run(&[&run[..], &set].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("✗ null"), "{}", done.stdout);
    let found = place.rows("SELECT verification, status FROM results WHERE test = 5 AND actor IS NULL");
    assert!(
        found[0][0].starts_with("invariants:an audit found 1,000")
            || found[0][0].starts_with("invariants:an audit found 1000"),
        "{found:?}"
    );
    assert_eq!(found[0][1], "disagrees");
    let actors = "SELECT DISTINCT status FROM results WHERE actor IS NOT NULL";
    assert_eq!(place.rows(actors), [["disagrees"]], "what is wrong with a test is wrong with all its actors");
}

#[test]
fn sqlite_waits_for_locks_as_it_is_told() {
    let place = Place::new();
    let set = ["--set", "contention.seconds=1", "--set", "contention.writers=2", "--test", "4", "--size", "1000"];
    let engine = "sqlite:synchronous=off,busy_timeout=20,busy_handler=sleep|yield|brief";
    place.ok(&[&["run", "--suite", "contention", "--engine", engine, "--repeat", "1", "--quiet"][..], &set].concat());
    let found = place.rows(
        "SELECT options['busy_handler'], verification, bool_and(operations > 100) FROM results WHERE actor IS NULL GROUP BY ALL ORDER BY 1",
    );
    assert_eq!(found, ["brief", "sleep", "yield"].map(|handler| [handler, "invariants:held", "true"]));
}

#[test]
fn lmdb1_is_shared_by_threads_unless_it_has_a_checksum() {
    if engine_program("lmdb1").is_none() {
        return;
    }
    let place = Place::new();
    let run = |engine: &str| {
        let set = ["--set", "contention.seconds=1", "--set", "contention.writers=2", "--test", "4,5", "--size", "1000"];
        place.run(
            &[&["run", "--suite", "contention", "--engine", engine, "--repeat", "1", "--quiet"][..], &set].concat(),
        )
    };
    assert_eq!(run("lmdb1:sync=nosync").code, Some(0));
    let found = place.rows("SELECT DISTINCT verification, status FROM results WHERE actor IS NULL");
    assert_eq!(found, [["invariants:held", "ok"]]);
    let checksum = run("lmdb1:sync=nosync,checksum=on");
    assert_eq!(checksum.code, Some(1), "{}", checksum.stdout);
    let failure = place.value("SELECT failure FROM run WHERE status = 'failed'");
    assert!(
        failure.contains("an environment with encrypt or checksum on is for one thread: expected both off"),
        "{failure}"
    );
}

#[test]
fn an_engine_for_one_thread_is_refused_with_the_reason() {
    let place = Place::new();
    let done = place.run(&["run", "--suite", "contention", "--engine", "log", "--engine", "sqlite"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("engine `log` cannot run suite `contention`: it works with one thread"),
        "{}",
        done.stderr
    );
}

#[test]
fn ycsb_has_the_same_answers_on_every_engine() {
    let place = Place::new();
    let engines = ["sqlite:synchronous=off", "lmdb:sync=nosync", "redb:durability=none", "fjall", "log:sync=off"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    place.ok(&[&["run", "--suite", "ycsb", "--repeat", "2", "--seed", "42", "--quiet"][..], &engines].concat());
    let found = place.rows(
        "SELECT count(*), count(DISTINCT status), min(status), count(DISTINCT (round, test)) = count(DISTINCT (round, test, verification))
         FROM results",
    );
    assert_eq!(found, [["80", "1", "ok", "true"]]);
    // 95 % of the operations are ranges of 1 to 100 rows, and the others insert one row.
    let rows: f64 = place.value("SELECT avg(rows) FROM results WHERE test = 8").parse().unwrap();
    assert!((rows / (1_000.0 * (0.95 * 50.5 + 0.05)) - 1.0).abs() < 0.1, "{rows}");
}
