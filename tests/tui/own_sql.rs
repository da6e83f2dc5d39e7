//! The user's own SQL on the Bench screen.

use super::{Journey, copying::copied};
use dbdyno::tui::{
    Message,
    keys::{KeyPress, ScreenId},
};
use rusqlite::Connection;
use std::fs;

/// Goes to the files of the user's own SQL.
fn files(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin(columns, rows);
    journey.key(KeyPress::Left).key(KeyPress::Home).key(KeyPress::Down).key(KeyPress::Down).keys(" ").shows("▸ My ");
    journey.shows("✗ My SQL: no SQL file is chosen");
    journey.keys(" ").shows("Options · My SQL").shows("SQL file none").shows("database none").shows("-- measure");
    journey
}

/// Returns the path of a file, as it is typed.
fn path(journey: &Journey, name: &str) -> String {
    journey.place().path(name).display().to_string()
}

/// Types a path into the first row (Home) or into the last one (End).
fn type_path(journey: &mut Journey, row: KeyPress, path: &str) {
    journey.key(row).keys(" ").key(KeyPress::Ctrl('u')).keys(path).key(KeyPress::Enter);
}

/// Leaves only sqlite chosen. The others of the first screen run no SQL.
fn only_sqlite(journey: &mut Journey) {
    for other in ["lmdb", "redb"] {
        journey.shows("✗ engine `").click(&format!("[x] {other}")).keys(" ").shows(&format!("[ ] {other}"));
    }
}

#[test]
fn a_mistake_in_the_file_is_shown_corrected_and_the_file_is_run() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = files(columns, rows);
        let sql = path(&journey, "mine.sql");
        fs::write(&sql, "CREATE TABLE t(a INTEGER PRIMARY KEY);\n-- measure\nSELECT nothing FROM t;\n").unwrap();
        type_path(&mut journey, KeyPress::Home, &sql);
        journey.shows("✗ My SQL:").shows("mine.sql:3").shows("nothing").key(KeyPress::Enter);
        assert!(journey.started.is_empty(), "the file cannot be run");
        // The message with the reason disappears.
        journey.time(60_000);
        fs::write(&sql, "CREATE TABLE t(a INTEGER PRIMARY KEY);\n-- measure\nSELECT a FROM t;\n").unwrap();
        // The path is still there.
        journey.keys(" ").key(KeyPress::Enter).hides("✗ My SQL:");
        only_sqlite(&mut journey);
        journey.shows("Plan: 10 runs").shows("1 configuration x 10 rounds, 1 test each").keys("y").shows("copied: ");
        let command = copied(&journey);
        assert!(command.starts_with(&format!("dbdyno run --sql {sql} --engine sqlite:")), "{command}");
        assert!(command.ends_with(" --size 1 --repeat 10"), "{command}");
        journey.key(KeyPress::Enter);
        assert_eq!(journey.app.screen, ScreenId::Live);
        assert_eq!(journey.started, [command]);
        journey.keys("1").shows("▸ My ").hides("sql-mine-");
    }
}

#[test]
fn statements_start_from_a_database_with_its_options() {
    let mut journey = files(120, 40);
    let (sql, database) = (path(&journey, "mine.sql"), path(&journey, "mine.db"));
    let made = "PRAGMA page_size = 8192; CREATE TABLE t(a); INSERT INTO t VALUES (1)";
    Connection::open(&database).unwrap().execute_batch(made).unwrap();
    fs::write(&sql, "SELECT a FROM t;\n").unwrap();
    type_path(&mut journey, KeyPress::Home, &sql);
    journey.shows("mine.sql:1").shows("no such table");
    type_path(&mut journey, KeyPress::End, &database);
    journey.click("[ ] duckdb").shows("It cannot run My SQL: its databases are no files of");
    only_sqlite(&mut journey);
    let command = copied(journey.keys("y"));
    let beginning = format!("dbdyno run --sql {sql} --database {database} --engine sqlite:");
    assert!(command.starts_with(&beginning) && command.contains(",page_size=8192,"), "{command}");
    // A default of the engine, chosen by the user, overrides the option of the database.
    journey.click("[x] sqlite").key(KeyPress::Right).keys("/").keys("page_size").key(KeyPress::Enter);
    journey.key(KeyPress::Home).shows("‹8192›").keys("i").key(KeyPress::Ctrl('u')).keys("4096").key(KeyPress::Enter);
    let command = copied(journey.shows("‹4096›").keys("y"));
    assert!(command.contains(",page_size=4096,"), "{command}");
    journey.keys("d").shows("‹8192›");
}

#[test]
fn the_plan_waits_for_the_file_and_drops_an_outdated_answer() {
    let mut journey = files(120, 40);
    let (first, second) = (path(&journey, "first.sql"), path(&journey, "second.sql"));
    fs::write(&first, "SELECT 1;\n").unwrap();
    fs::write(&second, "SELECT nothing;\n").unwrap();
    journey.key(KeyPress::Home).keys(" ").keys(&first);
    let slow = journey.app.update(Message::Key(KeyPress::Enter));
    journey.shows("… My SQL: reading").shows("first.sql:");
    type_path(&mut journey, KeyPress::Home, &second);
    journey.shows("✗ My SQL:").shows("second.sql:1");
    journey.perform(slow);
    journey.shows("✗ My SQL:").shows("second.sql:1");
}

#[test]
fn own_sql_has_notes_but_is_no_preset() {
    let mut journey = files(80, 24);
    let sql = path(&journey, "mine.sql");
    fs::write(&sql, "SELECT datetime('now');\n").unwrap();
    type_path(&mut journey, KeyPress::Home, &sql);
    journey.keys("n").shows("Suite sql-mine-").shows("The statements of mine").shows("the clock stands still");
    journey.key(KeyPress::Esc).keys("S").shows("a preset cannot hold your own files");
    journey.keys("s").shows("the workload comes from one file");
    // Another suite, and back.
    journey.key(KeyPress::Left).key(KeyPress::Left).key(KeyPress::Down).keys(" ").shows("▸ Recorded");
    journey.key(KeyPress::Down).key(KeyPress::Down).keys(" ").shows("▸ kv").shows("Options · kv");
    journey
        .key(KeyPress::Up)
        .key(KeyPress::Up)
        .key(KeyPress::Up)
        .keys(" ")
        .shows("▸ My SQL")
        .shows("Options · My SQL")
        .shows("/mine.sql");
    journey.keys(" ").keys("d").shows("SQL file none").shows("✗ My SQL: no SQL file is chosen");
}
