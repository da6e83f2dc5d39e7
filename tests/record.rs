//! `dbdyno record`: a program that is recorded, shown, and made anonymous.

use crate::support::Place;
use rusqlite::Connection;
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// A program that writes and reads a table in a transaction, and a database that it has before.
const PROGRAM: &str = "
import sqlite3, sys
c = sqlite3.connect('app.db')
with c:
    c.executemany('INSERT INTO entry(title) VALUES (?)', [('secret %d' % i,) for i in range(100)])
for i in range(50):
    assert c.execute('SELECT title FROM entry WHERE title = ?', ('secret %d' % i,)).fetchone()
c.close()
print('done')
sys.exit(int(sys.argv[1]))
";

/// Whether this machine's Python has a shared SQLite, into which the recorder can come. If not, prints that the test is not checked.
pub(crate) fn has_shared_sqlite() -> bool {
    let libraries = "import _sqlite3, subprocess; print(subprocess.check_output(['ldd', _sqlite3.__file__]).decode())";
    let asked = Command::new("python3").args(["-c", libraries]).stderr(Stdio::null()).output();
    let is_shared = asked.is_ok_and(|asked| String::from_utf8_lossy(&asked.stdout).contains("libsqlite3"));
    if !is_shared {
        eprintln!("not checked: there is no python3 with a shared SQLite");
    }
    is_shared
}

fn prepared() -> Place {
    let place = Place::new();
    fs::write(place.path("app.py"), PROGRAM).unwrap();
    let connection = Connection::open(place.path("app.db")).unwrap();
    connection.execute_batch("CREATE TABLE entry(id INTEGER PRIMARY KEY, title TEXT)").unwrap();
    place
}

fn record(place: &Place, rest: &[&str]) -> (Option<i32>, String, String) {
    let done = place.command(&[&["record"][..], rest].concat()).current_dir(place.path("")).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn shown(place: &Place, recording: &str) -> Value {
    let json = place.ok(&["record", "show", place.path(recording).to_str().unwrap(), "--format", "json"]);
    serde_json::from_str(&json).unwrap()
}

#[test]
fn a_program_is_recorded_shown_and_made_anonymous() {
    if !has_shared_sqlite() {
        return;
    }
    let place = prepared();
    // The program's output and exit code are its own.
    let (code, out, err) = record(&place, &["--", "python3", "app.py", "3"]);
    assert_eq!((code, out.as_str()), (Some(3), "done\n"), "{err}");
    assert!(err.contains("recorded 152 calls of 4 statements in ") && err.contains("dbdyno record show "), "{err}");
    let (code, _, err) = record(&place, &["--", "python3", "app.py", "0"]);
    assert!(code == Some(2) && err.contains("python3.rec") && err.contains("already exists"), "{err}");
    let summary = shown(&place, "python3.rec");
    let scan = serde_json::json!(["SCAN entry"]);
    assert!(summary["plans"].as_object().unwrap().values().any(|plan| plan["steps"] == scan), "{summary}");
    assert_eq!((&summary["calls"], &summary["lost"]), (&152.into(), &0.into()));
    let of = |sql: &str| {
        let all = summary["fingerprints"].as_array().unwrap();
        all.iter().find(|one| one["sql"] == sql).unwrap_or_else(|| panic!("{sql}: {summary}")).clone()
    };
    let (insert, select) = (of("INSERT INTO entry(title) VALUES (?)"), of("SELECT title FROM entry WHERE title = ?"));
    assert_eq!((&insert["calls"], &insert["changes"]), (&100.into(), &100.into()));
    assert_eq!((&select["calls"], &select["rows"], &select["different_values"]), (&50.into(), &50.into(), &50.into()));
    // The database is the one before: it has the table, and none of the rows.
    let copy = Connection::open(place.path("python3.rec/database-1.sqlite")).unwrap();
    assert_eq!(copy.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)), Ok(0));
    let text = place.ok(&["record", "show", place.path("python3.rec").to_str().unwrap()]);
    assert!(
        text.contains("152 calls of 4 statements") && text.contains("INSERT INTO entry(title) VALUES (?)"),
        "{text}"
    );
    anonymous(&place);
}

fn anonymous(place: &Place) {
    let [from, to] = ["python3.rec", "shared.rec"].map(|name| place.path(name));
    let said = place.ok(&["record", "anonymise", from.to_str().unwrap(), "--out", to.to_str().unwrap()]);
    assert!(said.contains("replaced 150 values of calls") && said.contains("not hidden: numbers"), "{said}");
    let (before, after) = (shown(place, "python3.rec"), shown(place, "shared.rec"));
    for fact in ["calls", "fingerprints", "transactions", "concurrency", "busy_ns"] {
        assert_eq!(before[fact], after[fact], "{fact}");
    }
}

#[test]
fn what_others_wrote_down_is_a_recording_too() {
    let place = Place::new();
    let import = |name: &str, content: &str| {
        fs::write(place.path(name), content).unwrap();
        let [file, to] = [name.to_owned(), format!("{name}.rec")].map(|name| place.path(&name));
        place.run(&["record", "import", file.to_str().unwrap(), "--out", to.to_str().unwrap()])
    };
    // As sqlite3 prints it after `.trace --profile stdout`.
    let done = import("trace", "CREATE TABLE t(a);\n-- 900 ns\nSELECT * FROM t WHERE a = 1;\n-- 5000 ns\n");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let text = place.ok(&["record", "show", place.path("trace.rec").to_str().unwrap()]);
    let answer =
        "85 % of the time is one statement, which reads all of t because no index helps: SELECT * FROM t WHERE a = ?";
    assert!(text.starts_with(answer), "{text}");
    let done = import("calls.csv", "time,connection,sql,parameters\n1,x,SELECT ?,[1]\n2,y,SELECT ?,[2]\n");
    assert!(done.stdout.contains("2 calls from CSV"), "{}{}", done.stdout, done.stderr);
    let summary = shown(&place, "calls.csv.rec");
    assert_eq!(summary["concurrency"]["connections"], 2);
    assert_eq!(summary["fingerprints"][0]["different_values"], 2);
    let text = place.ok(&["record", "show", place.path("calls.csv.rec").to_str().unwrap()]);
    assert!(text.contains("It has no durations"), "{text}");
    let wrong = import("wrong.csv", "time,sql\n1,SELECT 1\nsoon,SELECT 2\n");
    assert!(
        wrong.code == Some(2) && wrong.stderr.contains("wrong.csv:3: time `soon`: expected seconds"),
        "{}",
        wrong.stderr
    );
    assert!(!place.path("wrong.csv.rec").exists());
}

#[test]
fn a_program_without_a_shared_sqlite_records_nothing_and_is_told_what_to_do() {
    let place = Place::new();
    let (code, _, err) = record(&place, &["-o", "true.rec", "--", "true"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("nothing was recorded") && err.contains("libdbdyno_record"), "{err}");
    assert!(Path::new(&place.path("true.rec/manifest.json")).exists());
    let (code, _, err) = record(&place, &["-o", "none.rec", "--", "no-such-program"]);
    assert!(code == Some(1) && err.contains("no-such-program"), "{err}");
    assert!(!place.path("none.rec").exists(), "an empty recording is of no use");
    let (code, _, err) = record(&place, &[]);
    assert!(code == Some(2) && err.contains("expected a program"), "{err}");
    place.refused(&["record", "show", place.path("none.rec").to_str().unwrap()], &["none.rec"]);
}
