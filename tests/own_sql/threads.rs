//! Statements of an application's threads.

use super::{run, script};
use crate::support::Place;

/// Two threads that count in a transaction that first reads, and readers beside them.
const COUNTING: &str = "CREATE TABLE counter(n INTEGER);
INSERT INTO counter VALUES (0);
CREATE TABLE entry(id INTEGER PRIMARY KEY, by_whom TEXT);
-- measure
-- thread: writer x 2
-- repeat 100
-- name: count
BEGIN DEFERRED;
SELECT n FROM counter;
UPDATE counter SET n = n + 1;
COMMIT;
-- :id = each 1..1000
INSERT INTO entry VALUES (:id, 'writer');
-- end
-- thread: reader
-- repeat 50
SELECT count(*) FROM entry;
-- end
";

#[test]
fn threads_that_write_do_all_that_they_are_asked_whatever_blocks_them() {
    let place = Place::new();
    run(&place, COUNTING, &["--engine", "sqlite:journal_mode=wal", "--set", "sqlite.busy_timeout=0"]);
    run(&place, COUNTING, &["--engine", "sqlite:journal_mode=delete"]);
    run(&place, COUNTING, &["--engine", "duckdb"]);
    let rows = place.rows(
        "SELECT engine, actor, operations, verified FROM results WHERE actor IS NOT NULL ORDER BY engine, started_at, actor",
    );
    assert!(rows.iter().all(|row| row[3].is_empty()), "their answers depend on their order: {rows:?}");
    for (actor, count) in [
        ("writer", "600"),
        ("reader", "50"),
        ("count", "200"),
        ("UPDATE counter SET n = n + 1", "200"),
        ("INSERT INTO entry VALUES (:id, 'writer')", "200"),
        ("SELECT count(*) FROM entry", "50"),
    ] {
        let of: Vec<&str> = rows.iter().filter(|row| row[1] == actor).map(|row| row[2].as_str()).collect();
        assert_eq!(of, [count; 3], "{actor}: {rows:?}");
    }
}

#[test]
fn what_threads_do_is_told_with_its_line_if_it_is_none() {
    let place = Place::new();
    for (text, expected) in [
        ("-- measure\nSELECT 1;\n-- thread: a\nSELECT 2;", ":3: expected all measured statements after such a line"),
        ("-- measure\n-- thread: a\nSELECT 1;\n-- thread: a\nSELECT 2;", ":4: expected another name"),
        ("-- measure\n-- thread: a\n-- thread: b\nSELECT 2;", ":2: expected at least one statement after it"),
        (
            "-- measure\n-- thread: a\n-- name: a\nSELECT 1;",
            "thread a: expected another name: a statement has that one",
        ),
        ("-- measure\n-- thread: a x 0\nSELECT 2;", ":2: thread a x 0: expected a word"),
        ("-- thread: a\n-- measure\nSELECT 2;", ":1: thread: expected a line `-- measure` before it"),
        (
            "-- measure\n-- thread: a\nBEGIN;\nSELECT 1;\n-- thread: b\nSELECT 2;",
            ":3: BEGIN: expected a COMMIT after it",
        ),
        ("BEGIN CONCURRENT;\nSELECT 1;\nCOMMIT;", ":1: near \"CONCURRENT\": syntax error"),
    ] {
        let sql = script(&place, text);
        let done = place.run(&["run", "--sql", &sql, "--engine", "sqlite", "--dry-run"]);
        assert!(done.code == Some(2) && done.stderr.contains(expected), "{text}: {}", done.stderr);
    }
    let sql = script(&place, COUNTING);
    let done = place.run(&["run", "--sql", &sql, "--engine", "null", "--dry-run"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}
