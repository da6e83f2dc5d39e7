//! Anonymous recordings: nothing of the old texts is left, and statements find as much as before.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use dbdyno_recorded::{RecordingSummary, anonymise};
use dbdyno_recording::{CallsReader, RecordedDatabase, RecordedLine, RecordedValue, database_file, description_file};
use rusqlite::Connection;
use std::{fs, path::Path};
use support::{call, manifest, open, process, statement, write};

const SCHEMA: &str = "
    CREATE TABLE person(name TEXT UNIQUE, kind TEXT CHECK (kind IN ('secret-friend', 'foe')) DEFAULT 'foe', born TEXT,
                        photo BLOB, size REAL, loud TEXT GENERATED ALWAYS AS (upper(name)) VIRTUAL);
    CREATE TABLE \"a secret table\"(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE INDEX friends ON person(name) WHERE kind = 'secret-friend';
    CREATE VIEW old AS SELECT name FROM person WHERE born < '1990-01-01';
    CREATE TABLE log(t TEXT);
    CREATE TRIGGER noted AFTER INSERT ON person BEGIN INSERT INTO log VALUES ('secret ' || new.name); END;
    CREATE VIRTUAL TABLE words USING fts5(body);
    INSERT INTO words VALUES ('secret words');
    INSERT INTO person(rowid, name, kind, born, photo, size) VALUES
        (7, 'a', 'foe', '1980-02-03', x'5ec2e700', 1.5), (9, 'b', 'secret-friend', '1995-01-01', NULL, 2),
        (12, 'ab', 'foe', 'secret', zeroblob(3), NULL);
    INSERT INTO \"a secret table\" VALUES ('a', 1), ('b', 'secret-value');
    PRAGMA user_version = 42;
    DELETE FROM log;";

fn database(folder: &Path) {
    let connection = Connection::open(folder.join(database_file(1))).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    let description = RecordedDatabase {
        path: "/data/app.db".to_owned(),
        taken_at_ns: 1,
        pages: 1,
        page_size: 4096,
        journal_mode: "delete".to_owned(),
        user_version: 42,
        application_id: 0,
    };
    description.write(&folder.join(description_file(1))).unwrap();
}

fn recording(folder: &Path) {
    manifest(folder);
    database(folder);
    let values = vec![RecordedValue::Text("a".to_owned()), RecordedValue::Integer(5), RecordedValue::Blob(vec![1, 2])];
    let mut one = call((1, 1), (1_000, 10), 1, 0);
    one.parameters = values;
    let lines = [
        process(7),
        open(1, "/data/app.db", Some(database_file(1)), 1),
        statement(1, "SELECT * FROM person WHERE name = ?1 OR size > ?2 OR photo = ?3"),
        RecordedLine::Call(one),
        statement(2, "SELECT count(*) FROM person WHERE kind = 'secret-friend' AND born > date('now', '-50 years')"),
        RecordedLine::Call(call((1, 2), (2_000, 10), 1, 0)),
    ];
    write(folder, 7, &lines);
}

#[test]
fn nothing_of_the_texts_is_left_and_the_rows_are_alike() {
    let root = tempfile::tempdir().unwrap();
    let (from, to) = (root.path().join("from"), root.path().join("to"));
    fs::create_dir(&from).unwrap();
    recording(&from);
    let done = anonymise(&from, &to).unwrap();
    assert_eq!((done.parameters, done.literals, done.databases), (2, 1, 1));
    assert_eq!(done.lacking, ["the content of the virtual table words"]);
    for file in fs::read_dir(&to).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let has = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
        // The name of a table stays.
        assert!(!has(b"secret-") && !has(b"secret words") && !has(&[0x5e, 0xc2, 0xe7]));
    }
    let [old, new] = [&from, &to].map(|folder| Connection::open(folder.join(database_file(1))).unwrap());
    let text = |connection: &Connection, sql: &str| -> String {
        connection
            .query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0))
            .map(|value| format!("{value:?}"))
            .unwrap()
    };
    for same in [
        "SELECT group_concat(rowid || ' ' || length(name) || ' ' || ifnull(size, '-')) FROM person",
        "SELECT count(*) FROM person JOIN \"a secret table\" ON name = k",
        "SELECT group_concat(length(photo)) FROM person",
        "SELECT count(*) FROM old",
        "SELECT born FROM person WHERE rowid = 7",
        "SELECT count(*) FROM person WHERE loud = upper(name)",
        "PRAGMA user_version",
        "PRAGMA integrity_check",
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema ORDER BY name)",
    ] {
        assert_eq!(text(&old, same), text(&new, same), "{same}");
    }
    // The statements of the recording find as much.
    let read = |folder: &Path| -> Vec<RecordedLine> {
        let files = dbdyno_recording::RecordingFolder::open(folder).unwrap();
        CallsReader::open(&files.calls()[0]).unwrap().map(Result::unwrap).collect()
    };
    let (before, after) = (read(&from), read(&to));
    assert_eq!(before.len(), after.len());
    let Some(RecordedLine::Statement(friends)) = after.get(4) else { panic!("{after:?}") };
    assert!(friends.sql.contains("date('now', '-50 years')") && !friends.sql.contains("secret"), "{}", friends.sql);
    assert_eq!(text(&new, &friends.sql), text(&old, "SELECT count(*) FROM person WHERE kind = 'secret-friend'"));
    let Some(RecordedLine::Call(one)) = after.get(3) else { panic!("{after:?}") };
    let [RecordedValue::Text(name), RecordedValue::Integer(5), RecordedValue::Blob(_)] = &one.parameters[..] else {
        panic!("{one:?}")
    };
    let found: i64 = new.query_row("SELECT rowid FROM person WHERE name = ?1", [name], |row| row.get(0)).unwrap();
    assert_eq!(found, 7, "a parameter and a stored value are replaced alike");
    // It is a recording like others.
    assert_eq!(RecordingSummary::read(&to).unwrap().calls, 2);
    assert!(anonymise(&from, &to).is_err(), "the folder exists");
}

#[test]
fn a_hostile_schema_reaches_no_other_file_and_half_a_copy_is_removed() {
    let root = tempfile::tempdir().unwrap();
    let (from, to, other) = (root.path().join("from"), root.path().join("to"), root.path().join("other"));
    fs::create_dir(&from).unwrap();
    recording(&from);
    let database = from.join(database_file(1));
    let hostile = format!("CREATE TABLE log(t TEXT); ATTACH \"{}\" AS k; CREATE TABLE k.t(a)", other.display());
    let connection = Connection::open(&database).unwrap();
    connection.execute_batch("PRAGMA writable_schema = ON").unwrap();
    connection.execute("UPDATE sqlite_schema SET sql = ?1 WHERE name = 'log'", [&hostile]).unwrap();
    drop(connection);
    let refused = anonymise(&from, &to).unwrap_err().to_string();
    assert!(refused.contains("database-1.sqlite: malformed database schema") && !other.exists(), "{refused}");
    assert!(!to.exists(), "the calls were copied before");
    fs::write(&database, "no database, but as long as a header of one needs to be, and then some more of it").unwrap();
    assert!(anonymise(&from, &to).is_err());
    assert!(!to.exists());
}
