//! A suite file with what an application's schema has: constraints, keys, generated columns, partial and expression indexes, triggers, views
//! and full-text search.

use crate::support::Place;
use std::{env, fs, path::Path};

const APPLICATION: &str = r#"
name = "application"
kind = "sql"
title = "An application's schema"
source = "own"

[size]
name = "people"
default = [50]
choices = [50]
bytes = "1000*R"

[[test]]
number = 1
name = "a day"
prepare = [
  { run = "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE CHECK(length(name) > 4), born INTEGER, age INTEGER GENERATED ALWAYS AS (2026 - born) STORED) STRICT" },
  { run = "CREATE TABLE visit(person INTEGER REFERENCES person(id), day TEXT, note TEXT, data BLOB, PRIMARY KEY(person, day)) WITHOUT ROWID" },
  { run = "CREATE INDEX adults ON person(name) WHERE born < 2008" },
  { run = "CREATE INDEX lowered ON person(lower(name))" },
  { run = "CREATE VIRTUAL TABLE notes USING fts5(note)" },
  { run = "CREATE TRIGGER noted AFTER INSERT ON visit WHEN new.note IS NOT NULL BEGIN INSERT INTO notes VALUES (new.note); END" },
  { run = "CREATE VIEW adult AS SELECT id, name, age FROM person WHERE age >= 18" },
]
steps = [
  { repeat = "R", steps = [
    { transaction = [
      { name = "a person", write = "INSERT INTO person(id, name, born) VALUES (?1, ?2, ?3)", bind = ["i", { format = "{random:5-9}{key:04}", key = "i" }, "1970 + i"] },
      {
        name = "a visit",
        write = "INSERT INTO visit VALUES (?1, ?2, ?3, ?4)",
        draw = { d = { below = "28", keys = "zipf:1.1" } },
        bind = ["i", { digits = "d + 1", width = 2, prefix = "2026-01-" }, { one_of = ["red apple", { null = true }, "green pear"], at = "i" }, { format = "{random:8}", key = "i", blob = true }],
      },
    ] },
  ] },
  { name = "adults", read = "SELECT id, name, age FROM adult ORDER BY name, id" },
  { name = "full text", read = "SELECT rowid, note FROM notes WHERE notes MATCH 'apple' ORDER BY rowid" },
  { name = "by expression", read = "SELECT id FROM person WHERE lower(name) > 'm' ORDER BY lower(name)" },
]
"#;

#[test]
fn a_suite_says_what_an_application_has() {
    let place = Place::new();
    fs::write(place.path("config/suites/application.toml"), APPLICATION).unwrap();
    let mut engines = vec!["sqlite:journal_mode=wal,foreign_keys=on", "sqlite:page_size=512"];
    match env::var_os("DBDYNO_GO_ENGINES") {
        Some(folder) => {
            let driver = "dbdyno-engine-go-modernc";
            fs::copy(Path::new(&folder).join(driver), place.path("engines").join(driver)).unwrap();
            engines.push("go-modernc");
        }
        None => eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with the Go drivers"),
    }
    let chosen: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    place.ok(&[&["run", "--suite", "application", "--repeat", "1", "--quiet"][..], &chosen].concat());
    let answers = "SELECT count(DISTINCT verification), count(*), min(rows) FROM results WHERE actor IS NULL";
    let [one, all, _] = place.rows(answers)[0].clone().try_into().unwrap();
    assert_eq!((one, all), ("1".to_owned(), engines.len().to_string()));
    let of = |name: &str| place.value(&format!("SELECT DISTINCT rows FROM results WHERE actor = '{name}'"));
    assert_eq!([of("full text"), of("adults"), of("a person")], ["17", "39", "50"]);
    let refused = place.run(&["run", "--suite", "application", "--engine", "lmdb", "--dry-run"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("only tables of columns with types"),
        "{}",
        refused.stderr
    );
}
