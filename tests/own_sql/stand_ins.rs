//! Statements that ask for the time, for chance, or for something of their application.

use super::run;
use crate::support::Place;
use rusqlite::Connection;

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
