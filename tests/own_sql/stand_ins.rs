//! Statements that ask for the time, for chance, or for something of their application.

use super::{run, script};
use crate::support::Place;
use rusqlite::Connection;
use std::fs;

/// Returns why a file is refused.
fn refused(place: &Place, text: &str, more: &[&str]) -> String {
    let sql = script(place, text);
    let done = place.run(&[&["run", "--sql", &sql, "--repeat", "1"][..], more].concat());
    assert_eq!(done.code, Some(2), "{}{}", done.stdout, done.stderr);
    done.stderr
}

const VERIFIED: &str = "SELECT count(DISTINCT verification), count(DISTINCT run_id) FROM results WHERE actor IS NULL";

#[test]
fn the_clock_and_chance_are_the_same_in_every_round() {
    let place = Place::new();
    let text = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, at TEXT DEFAULT CURRENT_TIMESTAMP, key BLOB);
                CREATE TRIGGER later AFTER INSERT ON t BEGIN UPDATE t SET a = a || datetime('now', '+1 day') WHERE id = new.id; END;
                -- measure\n-- repeat 20\nINSERT INTO t(a, key) VALUES (random(), randomblob(16)) RETURNING *;\n-- end
                SELECT a, at, hex(key) FROM t ORDER BY a LIMIT 3;\nSELECT CURRENT_DATE, strftime('%Y', 'now');";
    let said = run(
        &place,
        text,
        &["--engine", "sqlite:journal_mode=wal", "--engine", "sqlite:journal_mode=delete", "--seed", "3"],
    );
    assert_eq!(place.rows(VERIFIED), [["1", "2"]], "{said}");
    assert!(
        said.contains("stand-in: the clock stands still: 'now' and CURRENT_TIMESTAMP are 2026-01-01 00:00:00"),
        "{said}"
    );
    assert!(said.contains("stand-in: random() and randomblob() are values drawn from the run's seed"), "{said}");
    run(&place, text, &["--engine", "sqlite", "--seed", "4"]);
    assert_eq!(place.rows(VERIFIED), [["2", "3"]], "another seed has other chance");
}

#[test]
fn chance_that_cannot_be_drawn_is_told_with_the_way_out() {
    let place = Place::new();
    let said = run(&place, "SELECT random() * 0;", &["--engine", "sqlite"]);
    assert!(
        said.contains("line 1: random() has other values on each engine") && said.contains("-- :n = uniform"),
        "{said}"
    );
}

#[test]
fn a_database_with_a_collation_of_its_application_is_measured() {
    let place = Place::new();
    let database = place.path("cards.db");
    let cards = Connection::open(&database).unwrap();
    cards.create_collation("unicase", |a: &str, b: &str| a.to_lowercase().cmp(&b.to_lowercase())).unwrap();
    cards
        .execute_batch(
            "CREATE TABLE deck(id INTEGER PRIMARY KEY, name TEXT COLLATE unicase, at TEXT DEFAULT CURRENT_TIMESTAMP);
             CREATE UNIQUE INDEX deck_name ON deck(name); INSERT INTO deck(name) VALUES ('Zoo'), ('apple'), ('Bee')",
        )
        .unwrap();
    drop(cards);
    let text = "-- measure\nSELECT name FROM deck WHERE name > 'B' COLLATE unicase ORDER BY name;
                INSERT INTO deck(name) VALUES ('new') RETURNING date(at) >= date('now'), at LIKE '%00:00:00';";
    let of = ["--database", database.to_str().unwrap(), "--engine", "sqlite"];
    let said = run(&place, text, &of);
    assert!(said.contains("stand-in: the collation unicase belongs to the application: NOCASE replaces it"), "{said}");
    let rows = "SELECT rows FROM results WHERE actor LIKE 'SELECT%'";
    assert_eq!(place.value(rows), "2", "Bee and Zoo");
}

#[test]
fn a_function_of_the_application_has_the_stand_in_that_the_file_declares() {
    let place = Place::new();
    let text = "-- function: plain(x) = lower(trim(x))\nCREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
                -- repeat 5\n-- :id = each 1..5\n-- :a = text 20\nINSERT INTO t VALUES (:id, plain('  ' || :a || ' '));\n-- end
                -- measure\n-- :least = one of 'A'\nSELECT id, Plain(a) FROM t WHERE plain(a) >= plain(:least) ORDER BY 1;";
    let said = run(&place, text, &["--engine", "sqlite,duckdb", "--seed", "3"]);
    assert_eq!(place.rows(VERIFIED), [["1", "2"]], "both engines give the same answers: {said}");
    let stand_in = "stand-in: the function plain(x) belongs to the application: lower(trim(x)) replaces it";
    assert!(said.contains(stand_in), "{said}");
    assert_eq!(place.value("SELECT rows FROM results WHERE actor LIKE 'SELECT%' LIMIT 1"), "5");
}

#[test]
fn a_database_that_needs_a_function_of_its_application_is_measured() {
    let place = Place::new();
    let database = place.path("notes.db");
    // The application's function does what upper() does.
    let made =
        "CREATE TABLE note(a TEXT); CREATE INDEX by_plain ON note(upper(a)); INSERT INTO note VALUES ('b'), ('A');
                PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'upper', 'plain')";
    Connection::open(&database).unwrap().execute_batch(made).unwrap();
    let before = fs::read(&database).unwrap();
    let with = |functions: &str| {
        format!("{functions}-- measure\nINSERT INTO note VALUES ('C');\nSELECT a FROM note WHERE plain(a) < 'c';\n")
    };
    let of = ["--database", database.to_str().unwrap(), "--engine", "sqlite"];
    let missing = refused(&place, &with(""), &of);
    assert!(missing.contains("function: plain") && missing.contains("`-- function: plain(x) = lower(x)`"), "{missing}");
    // Lower letters, where the application has capitals: the index has values of the stand-in.
    let said = run(&place, &with("-- function: plain(x) = lower(x)\n"), &of);
    assert!(said.contains("the function plain(x) belongs to the application"), "{said}");
    assert_eq!(place.value("SELECT rows FROM results WHERE actor LIKE 'SELECT%'"), "2", "a and b");
    let wrong = refused(&place, &with("-- function: plain(x) = lower(x\n"), &of);
    assert!(wrong.contains("mine.sql:1"), "{wrong}");
    assert_eq!(fs::read(&database).unwrap(), before, "the database is as it was");
}
