//! `dbdyno run --sql`: a user's own statements, each with a row of its own, on every engine that speaks SQL.

mod declared;
mod stand_ins;
mod threads;

use crate::support::{Place, system_sqlite};
use rusqlite::Connection;
use std::{fs, path::Path};

/// An application's statements, with every form of value, a loop, a mix and a transaction.
const READER: &str = "\u{feff}CREATE TABLE feed(id INTEGER PRIMARY KEY, title TEXT);\r
CREATE TABLE entry(id INTEGER PRIMARY KEY, feed INTEGER, title TEXT, data BLOB, score DOUBLE);\r
-- repeat 50\r
-- :id = each 1..50\r
-- :feed = hot:20/80 1..10\r
-- :title = text 5..20\r
-- :data = bytes 8\r
-- :score = one of 1.5, -2e0, NULL\r
INSERT INTO entry VALUES (:id, :feed, :title, :data, :score);\r
-- end\r
-- measure\r
-- repeat 20\r
-- name: of a feed\r
-- ?1 = zipf 1..10\r
SELECT id, title, data, score FROM entry WHERE feed = ? ORDER BY id;\r
-- name: one\r
-- @id = select id FROM entry WHERE id > 10 ORDER BY id\r
SELECT title FROM entry WHERE id = @id;\r
BEGIN;\r
-- $id = each select id FROM entry ORDER BY id\r
UPDATE entry SET title = 'read' WHERE id = $id;\r
COMMIT;\r
-- end\r
-- mix 30\r
-- weight: 9\r
SELECT count(*) FROM entry;\r
-- name: added\r
-- :id = each 1..1000\r
-- :title = csv titles.csv title\r
INSERT INTO feed VALUES (:id, :title);\r
-- end\r
";

fn script(place: &Place, text: &str) -> String {
    fs::write(place.path("titles.csv"), "id,title\n1,\"a, b\"\n2,\n3,12\n").unwrap();
    let file = place.path("mine.sql");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(place: &Place, text: &str, more: &[&str]) -> String {
    let sql = script(place, text);
    place.ok(&[&["run", "--sql", &sql, "--repeat", "1"][..], more].concat())
}

const STATEMENTS: &str = "SELECT actor, operations, rows, verified FROM results WHERE actor IS NOT NULL AND engine = 'sqlite' ORDER BY actor";

#[test]
fn every_statement_has_a_row_and_the_same_answers_on_every_engine() {
    let place = Place::new();
    let said = run(&place, READER, &["--engine", "sqlite,duckdb", "--seed", "7"]);
    for name in ["of a feed", "UPDATE entry SET title = 'read' WHERE id = $id", "COMMIT", "added"] {
        assert!(said.contains(name), "{name}: {said}");
    }
    let rows = place.rows(STATEMENTS);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(
        names,
        [
            "COMMIT",
            "SELECT count(*) FROM entry",
            "UPDATE entry SET title = 'read' WHERE id = $id",
            "added",
            "of a feed",
            "one"
        ]
    );
    let count = |name: &str| rows.iter().find(|row| row[0] == name).map(|row| row[1].parse::<u64>().unwrap()).unwrap();
    assert_eq!([count("of a feed"), count("one"), count("COMMIT")], [20, 20, 20]);
    let (counts, added) = (count("SELECT count(*) FROM entry"), count("added"));
    assert_eq!(counts + added, 30, "a mix does one of its statements each time");
    assert!(counts > added && added > 0, "nine of ten");
    assert_eq!(
        rows.iter().find(|row| row[0] == "one").unwrap()[2],
        "20",
        "the values are those of rows that are there"
    );
    let answers = place.rows(
        "SELECT actor, count(DISTINCT operations || ' ' || rows), bool_and(verified = 'yes') FROM results
         WHERE actor IS NOT NULL AND actor <> 'COMMIT' GROUP BY actor",
    );
    assert!(answers.len() == 5 && answers.iter().all(|row| row[1..] == ["1", "true"]), "{answers:?}");
    let shares = place.value(
        "SELECT max(parts / whole) FROM (SELECT sum(wall_ns) FILTER (actor IS NOT NULL) AS parts,
                              any_value(wall_ns) FILTER (actor IS NULL) AS whole FROM results GROUP BY run_id)",
    );
    assert!(shares.parse::<f64>().unwrap() <= 1.0, "the parts are of the whole: {shares}");
    // Another seed draws other values.
    assert_eq!(place.value("SELECT count(DISTINCT verification) FROM results WHERE actor IS NULL"), "1");
    run(&place, READER, &["--engine", "sqlite", "--seed", "8"]);
    assert_eq!(place.value("SELECT count(DISTINCT verification) FROM results WHERE actor IS NULL"), "2");
}

#[test]
fn the_statement_whose_answer_differs_is_named_and_no_other() {
    let place = Place::new();
    let text = "CREATE TABLE t(a INTEGER);\n-- measure\nSELECT 1;\n-- name: division\nSELECT 7 / 2;\nBEGIN;\nINSERT INTO t VALUES (1);\nCOMMIT;\n";
    let sql = script(&place, text);
    let done = place.run(&["run", "--sql", &sql, "--repeat", "1", "--engine", "sqlite,duckdb"]);
    let said = done.stdout + &done.stderr;
    assert!(said.contains("answers differ between engines: mine on duckdb (division)"), "{said}");
    let rows = place.rows(
        "SELECT DISTINCT actor, status FROM results WHERE engine = 'duckdb' AND actor IS NOT NULL ORDER BY actor",
    );
    // A commit has no answer that could be wrong.
    let [ok, wrong] = ["ok", "disagrees"];
    assert_eq!(
        rows,
        [["COMMIT", ok], ["INSERT INTO t VALUES (1)", ok], ["SELECT 1", ok], ["division", wrong]],
        "{said}"
    );
}

/// REAL has 32 bits in DuckDB, which has no function datetime() either.
#[test]
fn numbers_and_times_of_sqlite_are_the_same_on_duckdb() {
    let place = Place::new();
    let text = "CREATE TABLE t(id INTEGER PRIMARY KEY, price REAL, made TEXT DEFAULT (datetime('now')));
                INSERT INTO t(id, price) VALUES (1, 0.1), (2, 12.3);\n-- measure\nSELECT price, made, price > 1 FROM t ORDER BY id;";
    let said = run(&place, text, &["--engine", "sqlite,duckdb"]);
    let verified = "SELECT count(DISTINCT verification), count(DISTINCT run_id) FROM results WHERE actor IS NULL";
    assert_eq!(place.rows(verified), [["1", "2"]], "{said}");
}

#[test]
fn what_only_another_engine_refuses_is_told_with_its_statement() {
    let place = Place::new();
    let sql = script(&place, "SELECT 1;\n-- name: all prices\nSELECT total(1);\n");
    let done = place.run(&["run", "--sql", &sql, "--repeat", "1", "--engine", "sqlite,duckdb"]);
    assert!(done.code == Some(1) && done.stderr.contains("`all prices`: "), "{}", done.stderr);
}

#[test]
fn engines_of_different_tiers_are_named_before_they_run() {
    let place = Place::new();
    let sql = script(&place, "SELECT 1;\n");
    let stderr = |more: &[&str]| {
        let done =
            place.run(&[&["run", "--sql", &sql, "--repeat", "1", "--engine", "duckdb", "--engine"], more].concat());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        done.stderr
    };
    let note = "note: duckdb has tier 3, sqlite has tier 2, and different tiers are not compared: sqlite has tier 3 with journal_mode=";
    let said = stderr(&["sqlite"]);
    assert!(said.contains(note) && said.contains("wal") && said.contains("--allow tiers"), "{said}");
    for equal in [&["sqlite:journal_mode=wal"][..], &["sqlite", "--allow", "tiers"]] {
        let said = stderr(equal);
        assert!(!said.contains("different tiers"), "{said}");
    }
}

#[test]
fn statements_start_from_a_copy_of_a_database() {
    let place = Place::new();
    let database = place.path("mine.db");
    let held = Connection::open(&database).unwrap();
    held.execute_batch(
        "PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)",
    )
    .unwrap();
    let before = fs::read(&database).unwrap();
    let text = "-- measure\n-- repeat 5\n-- :a = select a FROM t ORDER BY a\nSELECT a FROM t WHERE a = :a;\n-- end\nDELETE FROM t;";
    let of = ["--database", database.to_str().unwrap()];
    run(&place, text, &[&["--engine", "sqlite"][..], &of].concat());
    assert_eq!(
        place.rows(STATEMENTS),
        [["DELETE FROM t", "1", "2", ""], ["SELECT a FROM t WHERE a = :a", "5", "5", ""]]
    );
    assert_eq!(place.value("SELECT DISTINCT options['journal_mode'] FROM results"), "wal", "as the database has it");
    assert_eq!(fs::read(&database).unwrap(), before);
    let sql = script(&place, text);
    let refused = place.run(&[&["run", "--sql", &sql, "--engine", "duckdb"][..], &of].concat());
    assert!(refused.code == Some(2) && refused.stderr.contains("are no files of SQLite"), "{}", refused.stderr);
    assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn mistakes_in_comments_are_told_with_their_line_and_what_was_expected() {
    let place = Place::new();
    for (text, expected) in [
        (
            "SELECT 1;\nSELECT :a;",
            ":2: it has the parameter :a: say its values in a comment before it, such as `-- :a = uniform 1..1000`",
        ),
        ("-- :b = each 1..2\nSELECT :a;", ":2: line 1 is about its parameter :b: did you mean `:a`?"),
        ("-- :a = zipff 1..2\nSELECT :a;", ":1: :a: `zipff`: did you mean `zipf`?"),
        ("-- :a = uniform 2..1\nSELECT :a;", ":1: :a: `2..1`: expected two whole numbers"),
        ("-- :a = one of 1 2\nSELECT :a;", ":2: :a: near \"2\": syntax error"),
        (
            "BEGIN;\nSELECT 1;\n-- name: x\nCOMMIT;",
            ":4: COMMIT: expected the name and the weight of a transaction before its BEGIN",
        ),
        ("-- :a = text 0..5\nSELECT :a;", ":1: :a: text 0..5: expected bytes"),
        ("-- :a = select b FROM missing\nSELECT :a;", ":2: :a: no such table: missing"),
        ("-- :a = csv titles.csv titles\nSELECT :a;", "column `titles`: did you mean `title`?"),
        ("-- name: x\n-- repeat 2\nSELECT 1;\n-- end", ":2: expected a statement after line 1"),
        ("SELECT 1;\n-- name: x", ":2: expected a statement after it"),
        ("-- repeat 2\nSELECT 1;", ":1: repeat: expected a line `-- end`"),
        ("SELECT 1;\n-- end", ":2: end: expected a `-- repeat N`"),
        ("-- repeat 0\nSELECT 1;\n-- end", ":1: repeat 0: expected a whole number"),
        ("-- weight: 2\nSELECT 1;", ":2: weight: expected a `-- mix N`"),
        (
            "PRAGMA jornal_mode = WAL;\nSELECT 1;",
            ":1: PRAGMA jornal_mode: no SQLite has it: did you mean `journal_mode`?",
        ),
    ] {
        let sql = script(&place, text);
        let done = place.run(&["run", "--sql", &sql, "--engine", "sqlite", "--dry-run"]);
        assert!(done.code == Some(2) && done.stderr.contains(expected), "{text}: {}", done.stderr);
    }
    assert!(!place.store().exists(), "nothing was run");
}

#[test]
fn a_pragma_of_a_dump_does_not_undo_an_option_that_was_asked_for() {
    let place = Place::new();
    let query = "-- measure\nSELECT foreign_keys FROM pragma_foreign_keys;";
    let dump = format!("PRAGMA foreign_keys = OFF;\n{query}");
    for engine in ["sqlite:foreign_keys=on", "sqlite:foreign_keys=off"] {
        run(&place, query, &["--engine", engine]);
        run(&place, &dump, &["--engine", engine]);
    }
    let answers = place.rows(
        "SELECT options['foreign_keys'], count(*), count(DISTINCT verification) FROM results WHERE actor IS NULL GROUP BY 1 ORDER BY 1",
    );
    assert_eq!(answers, [["off", "2", "1"], ["on", "2", "1"]], "with the PRAGMA and without it");
    assert_eq!(place.value("SELECT count(DISTINCT verification) FROM results WHERE actor IS NULL"), "2");
    let refused = script(&place, "PRAGMA foreign_keys = ON;\nSELECT 1;");
    let done = place.run(&["run", "--sql", &refused, "--dry-run"]);
    assert!(done.code == Some(2) && done.stderr.contains("is an option of the engine"), "{}", done.stderr);
}

#[test]
fn a_plain_schema_is_measured_on_engines_without_sql_of_their_own() {
    let place = Place::new();
    let rest = "BEGIN;\n-- repeat 30\n-- :a = each 1..30\n-- :b = text 3..9\nINSERT INTO t VALUES (:a, :b);\n-- end\nCOMMIT;
                -- measure\n-- repeat 10\n-- :a = uniform 1..40\nSELECT b FROM t WHERE a = :a;\n-- end\nUPDATE t SET b = 'x' WHERE a < 5;";
    let plain = format!("CREATE TABLE t(a INTEGER, b VARCHAR(20));\nCREATE INDEX t_a ON t(a);\n{rest}");
    let said = run(&place, &plain, &["--engine", "sqlite,lmdb,redb,fjall,duckdb"]);
    let answers = place.rows(
        "SELECT count(DISTINCT verification), count(*), bool_and(verified = 'yes') FROM results WHERE actor IS NULL",
    );
    assert_eq!(answers, [["1", "5", "true"]], "{said}");
    let more = script(&place, &format!("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);\n{rest}"));
    let refused = place.run(&["run", "--sql", &more, "--engine", "lmdb", "--dry-run"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("`CREATE TABLE t(a INTEGER PRIMARY KEY"),
        "{}",
        refused.stderr
    );
}

/// Thirty statements and more of an application, in threads, on two versions of SQLite and two drivers in Go.
#[test]
fn the_verdict_names_the_statements_that_gain_and_lose() {
    let place = Place::new();
    let text = include_str!("own_sql/feed_reader.sql");
    let sql = script(&place, text);
    let library = system_sqlite().map(|library| format!("sqlite-lib:library={},journal_mode=wal", library.display()));
    let own = "sqlite:journal_mode=wal,synchronous=full|off";
    let engines: Vec<&str> = [own].into_iter().chain(library.as_deref()).flat_map(|of| ["--engine", of]).collect();
    let said = place.ok(&[&["run", "--sql", &sql, "--repeat", "6"][..], &engines].concat());
    assert!(said.contains("stand-in: the clock stands still"), "{said}");
    let names = "SELECT count(DISTINCT actor) FROM results WHERE actor IS NOT NULL AND actor NOT IN ('fetcher', 'person', 'app')";
    assert_eq!(place.value(names), "33");
    let compared = place.ok(&["compare", "--a", "synchronous=full", "--b", "synchronous=off", "--allow-tiers"]);
    assert!(compared.contains("By statement: ") && compared.contains("· a feed is stored"), "{compared}");
    let Some(folder) = std::env::var_os("DBDYNO_GO_ENGINES") else {
        return eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with the Go drivers");
    };
    for driver in ["dbdyno-engine-go-mattn", "dbdyno-engine-go-modernc"] {
        fs::copy(Path::new(&folder).join(driver), place.path("engines").join(driver)).unwrap();
    }
    run(&place, text, &["--engine", "go-mattn,go-modernc"]);
    let of_go = "SELECT engine, count(DISTINCT actor) FROM results WHERE actor IS NOT NULL AND engine LIKE 'go-%' GROUP BY engine ORDER BY engine";
    assert_eq!(place.rows(of_go), [["go-mattn", "36"], ["go-modernc", "36"]]);
}
