//! `dbdyno replay`: what a recorded program did, done again on engines.

use crate::support::Place;
use rusqlite::Connection;
use serde_json::Value;
use std::{collections::BTreeMap, env, fs, path::Path, process::Command};

/// A program with two threads that write and two that read, some of whose inserts fail, and which stamps its rows with the time.
const THREADS: &str = "
import random, sqlite3, threading
c = sqlite3.connect('app.db')
c.execute('PRAGMA journal_mode = WAL')
c.execute('CREATE TABLE entry(id INTEGER PRIMARY KEY, feed INT, title TEXT UNIQUE, at TEXT)')
c.execute('CREATE TABLE log(n INT)')
c.commit()
def write(n):
    c, r = sqlite3.connect('app.db', timeout=30), random.Random(n)
    for i in range(100):
        try:
            with c:
                c.execute('INSERT INTO log VALUES (?)', (i,))
                title = 't%d' % r.randrange(300)
                c.execute(\"INSERT INTO entry(feed, title, at) VALUES (?, ?, datetime('now'))\", (i % 7, title))
        except sqlite3.IntegrityError:
            pass
    c.close()
def read(n):
    c, r = sqlite3.connect('app.db', timeout=30), random.Random(n)
    for i in range(200):
        c.execute('SELECT title FROM entry WHERE feed = ? ORDER BY id', (r.randrange(7),)).fetchone()
        c.execute('SELECT feed FROM entry WHERE id = ?', (r.randrange(1, 50),)).fetchall()
        c.execute('SELECT 40 + ?', (2,)).fetchall()
    c.close()
all = [threading.Thread(target=write, args=(n,)) for n in range(2)]
all += [threading.Thread(target=read, args=(n,)) for n in range(2)]
for one in all: one.start()
for one in all: one.join()
";

fn recorded(place: &Place, program: &str) -> String {
    fs::write(place.path("app.py"), program).unwrap();
    let mut command = place.command(&["record", "--out", "app.rec", "--", "python3", "app.py"]);
    let done = command.current_dir(place.path("")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    place.path("app.rec").to_str().unwrap().to_owned()
}

/// A call: the millisecond in which it began, its connection, and its statement with its parameters. Each takes a millisecond.
type Call = (u32, &'static str, &'static str, &'static str);

/// Makes a recording of calls.
fn imported(place: &Place, calls: &[Call]) -> String {
    let (from, to) = (place.path("calls.csv"), place.path("calls.rec"));
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |&(at, connection, sql, parameters): &Call| {
        let (at, sql, parameters) = (f64::from(at) / 1000.0, quoted(sql), quoted(parameters));
        format!("{at},{connection},{sql},{parameters},0.001\n")
    };
    let lines: String = calls.iter().map(line).collect();
    fs::write(&from, format!("time,connection,sql,parameters,duration\n{lines}")).unwrap();
    place.ok(&["record", "import", from.to_str().unwrap(), "--out", to.to_str().unwrap()]);
    to.to_str().unwrap().to_owned()
}

/// Every row of every table.
fn content(database: &Path, columns_of_entry: &str) -> Vec<Vec<String>> {
    let connection = Connection::open(database).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    vec![
        rows(&format!("SELECT {columns_of_entry} FROM entry ORDER BY id")),
        rows("SELECT format('%d %d', rowid, n) FROM log ORDER BY rowid"),
    ]
}

fn statements(place: &Place, configuration: &str) -> BTreeMap<String, u64> {
    let sql = format!(
        "SELECT actor, operations FROM results WHERE actor IS NOT NULL AND actor <> 'connections' AND {configuration}"
    );
    place.rows(&sql).into_iter().map(|row| (row[0].clone(), row[1].parse().unwrap())).collect()
}

#[test]
fn a_replay_does_what_the_program_did_on_every_setting() {
    if !crate::record::has_shared_sqlite() {
        return;
    }
    let place = Place::new();
    let recording = recorded(&place, THREADS);
    let shown: Value = serde_json::from_str(&place.ok(&["record", "show", &recording, "--format", "json"])).unwrap();
    let expected: BTreeMap<String, u64> = shown["fingerprints"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| !one["sql"].as_str().unwrap().starts_with("PRAGMA"))
        .map(|one| {
            let (sql, calls) = (one["sql"].as_str().unwrap(), one["calls"].as_u64().unwrap());
            let short: String = sql.chars().take(59).collect();
            (if sql.chars().count() > 60 { format!("{}…", short.trim_end()) } else { sql.to_owned() }, calls)
        })
        .collect();
    let engines = ["--engine", "sqlite,sqlite:journal_mode=delete,sqlite:synchronous=off"];
    let done = place.run(&[&["replay", &recording, "--repeat", "2", "--keep-databases"][..], &engines].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    // The program's own setting is the default, and its statement is left out.
    assert!(
        done.stderr.contains("left out: 1 call that set a pragma that is an option of the engine"),
        "{}",
        done.stderr
    );
    assert!(
        done.stderr.contains("as recorded, ") && done.stderr.contains("UNIQUE constraint failed"),
        "{}",
        done.stderr
    );
    let labels = "SELECT DISTINCT label FROM results ORDER BY label";
    let expected_labels = [
        ["sqlite[journal_mode=delete,synchronous=full]"],
        ["sqlite[journal_mode=wal,synchronous=full]"],
        ["sqlite[journal_mode=wal,synchronous=off]"],
    ];
    assert_eq!(place.rows(labels), expected_labels);
    for configuration in ["label LIKE '%delete%'", "label LIKE '%=off%'"] {
        let of_first = format!("{configuration} AND run_id = (SELECT min(run_id) FROM results WHERE {configuration})");
        assert_eq!(statements(&place, &of_first), expected, "{configuration}");
    }
    // Answers that do not depend on the order of the threads are verified, and so is the content.
    let wrong = "SELECT count(*) FROM results WHERE verified = false OR status <> 'ok'";
    assert_eq!(place.value(wrong), "0");
    let known = "SELECT DISTINCT verified FROM results WHERE actor IS NULL";
    assert_eq!(place.rows(known), [["yes"]]);
    let unverified = done.stderr.lines().find(|line| line.contains("are not verified: ")).unwrap();
    assert!(unverified.contains("`SELECT feed FROM entry WHERE id = ?`"), "{unverified}");
    assert!(!unverified.contains("`SELECT ? + ?`"), "its answer is the same in any order: {unverified}");
    // The time of a replay is another one.
    let columns = "format('%d %d %s', id, feed, title)";
    let kept = kept_databases(&place);
    assert_eq!(kept.len(), 6);
    for database in kept {
        assert_eq!(content(&database, columns), content(&place.path("app.db"), columns), "{}", database.display());
    }
}

fn kept_databases(place: &Place) -> Vec<std::path::PathBuf> {
    let found =
        Command::new("find").arg(place.path("")).args(["-path", "*databases*", "-name", "*.db"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().lines().map(Into::into).collect()
}

/// Two connections: one writes in two transactions, the other reads between them.
const ORDERED: &[Call] = &[
    (0, "w", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "[]"),
    (10, "w", "BEGIN", "[]"),
    (11, "w", "INSERT INTO t(b) VALUES (?)", "[1]"),
    (12, "w", "COMMIT", "[]"),
    (20, "r", "SELECT count(*) FROM t", "[]"),
    (30, "w", "INSERT INTO t(b) VALUES (?)", "[2]"),
    (40, "r", "SELECT b FROM t WHERE a = 1", "[]"),
    (50, "w", "INSERT INTO t(b) SELECT random()", "[]"),
    (60, "r", "SELECT random()", "[]"),
];

#[test]
fn what_depends_on_chance_or_order_is_listed_and_not_judged() {
    let place = Place::new();
    let recording = imported(&place, ORDERED);
    let done = place.run(&["replay", &recording, "--engine", "sqlite", "--repeat", "1"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = format!("{}{}", done.stdout, done.stderr);
    // The count is 1 or 2, by when it is read. The value of the first row is there before each of its reads.
    assert!(said.contains("are not verified: `SELECT count(*) FROM t`, `SELECT random()`\n"), "{said}");
    assert!(said.contains("the content of tables at the end depends on chance, and is not verified: `t`"), "{said}");
    assert!(said.contains("2 connections at once, from an empty database, as at the beginning"), "{said}");
    assert!(said.contains("no call was under way for 52.0 ms of this time"), "{said}");
}

#[test]
fn a_replay_at_the_recorded_speed_has_response_times() {
    let place = Place::new();
    let recording = imported(&place, ORDERED);
    place.ok(&["replay", &recording, "--repeat", "1", "--speed", "2", "--quiet"]);
    let row = "SELECT wall_ns >= 30000000, verified FROM results WHERE actor IS NULL";
    assert_eq!(place.rows(row), [["true", "yes"]], "it takes at least half of the recorded time");
    place.refused(&["replay", &recording, "--speed", "fast"], &["--speed", "`fast`", "expected a number such as 1"]);
}

/// `memory` is another word for the size of the cache, which the program has set too.
#[test]
fn chosen_options_replace_those_of_the_program() {
    let place = Place::new();
    let calls: &[Call] = &[
        (0, "a", "PRAGMA cache_size = -4000", "[]"),
        (1, "a", "PRAGMA synchronous = 1", "[]"),
        (2, "a", "CREATE TABLE t(a)", "[]"),
    ];
    let recording = imported(&place, calls);
    place.ok(&["replay", &recording, "--repeat", "1", "--engine", "sqlite,sqlite:memory=8MiB,synchronous=full"]);
    let labels = [["sqlite[cache_size=-4000,synchronous=normal]"], ["sqlite[cache_size=-8192,synchronous=full]"]];
    assert_eq!(place.rows("SELECT DISTINCT label FROM results ORDER BY label"), labels);
}

#[test]
fn a_recording_is_a_workload_for_tuning() {
    let place = Place::new();
    let recording = imported(&place, ORDERED);
    let tried = ["tune", "try", "synchronous=off", "--engine", "sqlite", "--rounds", "6", "--recording", &recording];
    let said = place.ok(&[&tried[..], &["--quiet"]].concat());
    assert!(said.contains("synchronous: full -> off"), "{said}");
    place.refused(&["tune", "more"], &["--recording FOLDER"]);
}

/// A recording from elsewhere reaches no file but its copy.
#[test]
fn statements_about_other_files_are_left_out() {
    let place = Place::new();
    let (other, written) = (place.path("other.db"), place.path("written.db"));
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE secret(a)").unwrap();
    let (attach, vacuum) =
        (format!("ATTACH '{}' AS o", other.display()), format!("VACUUM INTO '{}'", written.display()));
    let leaked = |text: String| -> &'static str { text.leak() };
    let recording = imported(
        &place,
        &[
            (0, "a", "CREATE TABLE t(a)", "[]"),
            (1, "a", leaked(attach), "[]"),
            (2, "a", "INSERT INTO o.secret VALUES (1)", "[]"),
            (3, "a", leaked(vacuum), "[]"),
            (4, "a", "INSERT INTO t VALUES (1)", "[]"),
            (5, "a", "SELECT load_extension('/tmp/x')", "[]"),
        ],
    );
    let done = place.run(&["replay", &recording, "--repeat", "1"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("left out: 2 calls that used another file, such as `ATTACH"), "{said}");
    assert!(said.contains("1 call of `INSERT INTO o.secret VALUES (?)` fails, none in the recording: "), "{said}");
    assert!(!written.exists());
    let connection = Connection::open(&other).unwrap();
    assert_eq!(connection.query_row("SELECT count(*) FROM secret", [], |row| row.get(0)), Ok(0));
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let place = Place::new();
    place.refused(&["replay", "nowhere.rec"], &["nowhere.rec"]);
    let recording = imported(&place, ORDERED);
    let wanted = ["replay", &recording, "--recorded-database", "other.db"];
    place.refused(&wanted, &["it has no database `other.db`", "expected one of "]);
    place.refused(&["replay", &recording, "--engine", "lmdb"], &["lmdb"]);
}

#[test]
fn drivers_of_go_give_the_same_answers() {
    let Some(programs) = env::var_os("DBDYNO_GO_ENGINES") else {
        return eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with the Go drivers");
    };
    let place = Place::new();
    for name in ["mattn", "modernc", "ncruces", "zombiezen"] {
        let program = format!("dbdyno-engine-go-{name}");
        fs::copy(Path::new(&programs).join(&program), place.path("engines").join(&program)).unwrap();
    }
    let recording = imported(
        &place,
        &[
            (0, "w", "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c)", "[]"),
            (10, "w", "BEGIN", "[]"),
            (11, "w", "INSERT INTO t(b, c) VALUES (?, ?)", "[1, \"é\"]"),
            (12, "w", "INSERT INTO t(b, c) VALUES (?, ?)", "[2.5, null]"),
            (13, "w", "COMMIT", "[]"),
            (20, "w", "INSERT INTO t(b, c) VALUES (?, ?)", "[1, 7]"),
            (30, "w", "BEGIN", "[]"),
            (31, "w", "DELETE FROM t", "[]"),
            (32, "w", "ROLLBACK", "[]"),
            (40, "r", "SELECT * FROM t ORDER BY a", "[]"),
            (50, "r", "PRAGMA table_info(t)", "[]"),
        ],
    );
    place.ok(&[
        "replay",
        &recording,
        "--repeat",
        "1",
        "--engine",
        "sqlite,go-modernc,go-mattn,go-ncruces,go-zombiezen",
    ]);
    let answers = "SELECT count(DISTINCT verification), count(*), string_agg(DISTINCT verified, ',') FROM results WHERE actor IS NULL";
    assert_eq!(place.rows(answers), [["1", "5", "yes"]]);
}
