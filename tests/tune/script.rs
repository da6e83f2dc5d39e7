//! `dbdyno tune try --sql --database`: a user's own statements on a copy of the user's own database.

use crate::support::Place;
use dbdyno::script::DatabaseSnapshot;
use rusqlite::Connection;
use std::{fs, path::Path};

const MEASURE: [&str; 5] = ["--engine", "sqlite", "--rounds", "1", "--quiet"];

/// A database with pages of 8192 bytes. Its last row is still in its log, because the connection is open.
fn database(place: &Place) -> Connection {
    let connection = Connection::open(place.path("mine.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
             INSERT INTO t SELECT i, 'row ' || i FROM n",
        )
        .unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES (1001, 'in the log')").unwrap();
    connection
}

/// Every file of the database with its content.
fn files(place: &Place) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(place.path(""))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("mine.db"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn script(place: &Place, text: &str) -> String {
    let file = place.path("mine.sql");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_users_database_is_copied_with_its_log_and_not_touched() {
    let place = Place::new();
    let _held = database(&place);
    let before = files(&place);
    assert!(before.iter().any(|(name, bytes)| name == "mine.db-wal" && !bytes.is_empty()));
    let snapshot = DatabaseSnapshot::take(&place.path("mine.db"), &place.path("work")).unwrap();
    assert_eq!(snapshot.options()["page_size"], "8192");
    assert_eq!(snapshot.options()["journal_mode"], "wal");
    let copy = Connection::open(snapshot.path()).unwrap();
    let count: i64 = copy.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1001, "what is in the log is in the copy");
    drop((copy, snapshot));
    assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
    assert_eq!(files(&place), before);
}

#[test]
fn statements_are_tuned_on_a_copy_of_the_database() {
    let place = Place::new();
    let _held = database(&place);
    let before = files(&place);
    let sql = script(
        &place,
        "CREATE INDEX by_b ON t(b);\n-- measure\nSELECT count(*) FROM t WHERE b LIKE 'row 1%';\nBEGIN;\n\
         UPDATE t SET b = 'x' || b WHERE a < 100;\nDELETE FROM t WHERE a = 1001;\nCOMMIT;\n",
    );
    let database = place.path("mine.db");
    let files_of = ["--sql", &sql, "--database", database.to_str().unwrap()];
    let change = ["tune", "try", "page_size=4096", "synchronous=normal"];
    let said = place.ok(&[&change[..], &files_of, &MEASURE].concat());
    // The base is the database with its current pages and log.
    assert!(said.contains("page_size: 8192 -> 4096") && said.contains("tier 3 power-safe -> 2 consistent"), "{said}");
    assert!(said.contains("1 mine"), "{said}");
    assert_eq!(files(&place), before, "the database is as it was");
    assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
    // The statements did the same in every run: they removed one row, changed 99, and read a count.
    let rows = place
        .rows("SELECT DISTINCT operations, rows, verification IS NOT NULL, status FROM results WHERE actor IS NULL");
    assert_eq!(rows, [["3", "101", "true", "ok"]]);
    let pages = place.rows("SELECT DISTINCT options['page_size'] FROM results ORDER BY 1");
    assert_eq!(pages, [["4096"], ["8192"]], "a copy is rebuilt for another size of pages");
    let again = place.ok(&[&["tune", "more", "--quiet"], &files_of[..]].concat());
    assert!(again.contains("2 rounds, look 2"), "{again}");
}

#[test]
fn each_statement_has_a_row_with_its_own_verdict() {
    let place = Place::new();
    let sql = script(
        &place,
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b);\nBEGIN;\n-- repeat 3000\n-- :b = text 200\nINSERT INTO t(b) VALUES (:b);\n\
         -- end\nCOMMIT;\n-- measure\n-- repeat 20\n-- name: sorted\nSELECT a, b FROM t ORDER BY b;\n-- name: one row\n\
         -- :a = uniform 1..3000\nSELECT b FROM t WHERE a = :a;\n-- end\n",
    );
    let tried = ["tune", "try", "cache_size=1", "--sql", &sql, "--rounds", "8", "--quiet"];
    let said = place.ok(&[&tried[..], &["--engine", "sqlite"]].concat());
    let row = |said: &str, name: &str| said.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(row(&said, "By statement: ").ends_with('.'), "{said}");
    // The statement with the most time comes first.
    let at = |name: &str| said.find(&format!("\n· {name}")).unwrap_or_else(|| panic!("{name}: {said}"));
    assert!(at("sorted") < at("one row"), "{said}");
    assert_eq!(row(&said, "1 mine").split("  ").filter(|cell| !cell.is_empty()).count(), 6, "{said}");
    assert_eq!(row(&said, "· one row").split("  ").filter(|cell| !cell.is_empty()).count(), 6, "{said}");
    // Further rounds count for the statements too.
    place.ok(&["tune", "more", "--sql", &sql, "--quiet"]);
    let csv = place.ok(&["tune", "ledger", "--format", "csv"]);
    let parts: Vec<&str> = csv.lines().filter(|line| line.contains(",mine,sorted,16,")).collect();
    assert_eq!(parts.len(), 1, "{csv}");
    let answer = place.ok(&["tune", "answer", "last", "--format", "pragma"]);
    assert!(answer.contains("--   By statement: "), "{answer}");
}

#[test]
fn other_contents_are_another_workload() {
    let place = Place::new();
    let sql = script(&place, "CREATE TABLE a(x);\nINSERT INTO a VALUES (1);");
    place.ok(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
    script(&place, "CREATE TABLE a(x);\nINSERT INTO a VALUES (2);");
    let done = place.run(&["tune", "more", "--sql", &sql, "--quiet"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("their contents differ"), "{}", done.stderr);
    let done = place.run(&["tune", "more", "--quiet"]);
    assert!(done.stderr.contains("give its --sql FILE or --recording FOLDER again"), "{}", done.stderr);
}

#[test]
fn the_size_is_how_often_the_statements_are_run() {
    let place = Place::new();
    let sql = script(&place, "CREATE TABLE a(x);\nINSERT INTO a VALUES (1), (2);");
    place.ok(&[&["tune", "try", "cache_size=100", "--sql", &sql, "--size", "10"], &MEASURE[..]].concat());
    assert_eq!(place.rows("SELECT DISTINCT operations, rows FROM results WHERE actor IS NULL"), [["10", "20"]]);
}

#[test]
fn mistakes_are_told_with_their_line_and_nothing_is_run() {
    let place = Place::new();
    let elsewhere = place.path("elsewhere.db");
    let attach = format!("SELECT 1;\nATTACH '{}' AS e;", elsewhere.display());
    let cases = [
        ("SELECT 1;\n\nSELEKT nothing;", ":3: near \"SELEKT\": syntax error"),
        (attach.as_str(), ":2: ATTACH of a file"),
        ("VACUUM INTO 'x.db';", ":1: VACUUM INTO"),
        ("SELECT 1;\nPRAGMA journal_mode = WAL;", ":2: PRAGMA journal_mode is an option of the engine"),
        (".mode csv\nSELECT 1;", ":1: a command of the sqlite3 shell"),
        ("SELECT 1;\nBEGIN;\nSELECT 2;", ":2: BEGIN: expected a COMMIT"),
        ("SELECT ?1;", ":1: it has the parameter ?1"),
        ("SELECT 'a;", ":1: a text or name is not closed"),
        ("CREATE TABLE a(x);", "expected at least one statement to measure"),
    ];
    for (text, expected) in cases {
        let sql = script(&place, text);
        let done = place.run(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
        assert_eq!(done.code, Some(2), "{text}: {}", done.stderr);
        assert!(done.stderr.contains(expected), "{text}: {}", done.stderr);
    }
    assert!(!elsewhere.exists());
    assert_eq!(place.value("SELECT count(*) FROM run"), "0");
}

#[test]
fn statements_reach_nothing_beyond_their_copy_however_they_are_written() {
    let place = Place::new();
    let elsewhere = place.path("elsewhere.db");
    let there = elsewhere.display();
    let cases = [
        (format!("ATTACH/*':memory:'*/'{there}' AS e;"), "ATTACH of a file"),
        (format!("ATTACH '{there}' || '' AS \":memory:\";"), "ATTACH of a file"),
        (format!("ATTACH 'file:{there}?mode=rwc' AS e; -- ':memory:'"), "ATTACH of a file"),
        (format!("EXPLAIN ATTACH '{there}' AS e;"), "ATTACH of a file"),
        (format!("VACUUM INTO'{there}';"), "VACUUM INTO"),
        (format!("VACUUM/**/main/**/INTO (SELECT '{there}');"), "VACUUM INTO"),
        ("PRAGMA main.journal_mode = WAL;".to_owned(), "PRAGMA journal_mode is an option of the engine"),
        ("PRAGMA/*x*/\"journal_mode\"(WAL);".to_owned(), "PRAGMA journal_mode is an option of the engine"),
        (format!("PRAGMA temp_store_directory = '{}';", place.path("").display()), "affects more than the copy"),
        ("PRAGMA writable_schema = ON;".to_owned(), "affects more than the copy"),
        ("SELECT load_extension('x.so');".to_owned(), "load_extension() runs code"),
        (format!("CREATE VIRTUAL TABLE v USING csv(filename='{there}');"), "a virtual table of csv"),
    ];
    for (text, expected) in cases {
        let sql = script(&place, &format!("SELECT 1;\n{text}"));
        let done = place.run(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
        assert_eq!(done.code, Some(2), "{text}: {}", done.stderr);
        assert!(done.stderr.contains(":2: ") && done.stderr.contains(expected), "{text}: {}", done.stderr);
    }
    assert!(!elsewhere.exists());
    // Statements that stay within the limits are measured.
    let sql = script(
        &place,
        "CREATE TABLE a(x);\nCREATE VIRTUAL TABLE f USING fts5(t);\n-- measure\nATTACH ':memory:' AS m;\n\
         CREATE TABLE m.b AS SELECT 1;\nDETACH m;\nINSERT INTO a VALUES (1);\nVACUUM;\nPRAGMA table_info(a);\n",
    );
    place.ok(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
}

#[test]
fn a_statement_that_does_not_end_is_told_with_its_line() {
    let place = Place::new();
    let sql = script(
        &place,
        "SELECT 1;\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;",
    );
    let limit = ["tune", "try", "cache_size=100", "--statement-limit", "200ms", "--sql", &sql];
    let done = place.run(&[&limit[..], &MEASURE].concat());
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains(":2: it took longer than 200ms: raise the statement limit"), "{}", done.stderr);
}

#[test]
fn a_statement_that_takes_much_memory_is_told_with_its_line() {
    let place = Place::new();
    for statement in
        ["SELECT length(randomblob(400000000))", "SELECT zeroblob(1e8) || 1, zeroblob(1e8) || 1, zeroblob(1e8) || 1"]
    {
        let sql = script(&place, &format!("SELECT 1;\n{statement};"));
        let done = place.run(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(":2: it needs more than 256 MiB"), "{}", done.stderr);
    }
    let sql = script(&place, "PRAGMA hard_heap_limit = 1;\nSELECT 1;");
    let done = place.run(&[&["tune", "try", "cache_size=100", "--sql", &sql], &MEASURE[..]].concat());
    assert!(done.stderr.contains(":1: PRAGMA hard_heap_limit affects more than the copy"), "{}", done.stderr);
}

#[test]
fn what_is_no_database_is_refused() {
    let place = Place::new();
    let sql = script(&place, "SELECT 1;");
    let refused = |path: &Path, expected: &str| {
        let files = ["--sql", &sql, "--database", path.to_str().unwrap()];
        let done = place.run(&[&["tune", "try", "cache_size=100"], &files[..], &MEASURE].concat());
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(expected), "{}", done.stderr);
    };
    refused(&place.path("none.db"), "No such file");
    refused(Path::new(&sql), "not a valid SQLite database");
    let done = place.run(&["tune", "try", "x=1", "--engine", "lmdb", "--sql", &sql, "--database", &sql]);
    assert!(done.stderr.contains("databases of the engine lmdb are no files of SQLite"), "{}", done.stderr);
    assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
}
