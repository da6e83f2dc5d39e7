//! `dbdyno replay` of a store's keys and values.

use crate::support::Place;
use dbdyno::engines::built_in;
use dbdyno_engine::{
    protocol::{CacheStart, Event, Job, PROTOCOL, SuiteJob},
    replay::{KeyOperation, KeysWriter},
    settings::Settings,
    size::Size,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

/// Requests of four clients: some keys are there before, some are found after they expired, and a get may find nothing.
fn cache_trace() -> String {
    let mut lines = String::new();
    for at in 0..600_u32 {
        let (key, client, size) = (at * 7 % 41, at % 4, at * 13 % 300);
        let operation = ["get", "set", "get", "incr", "get", "delete"][(at * at % 6) as usize];
        let found = if operation == "get" { [0, 55][(at % 2) as usize] } else { size };
        lines.push_str(&format!("{at}.{at:03},key:{key},6,{found},{client},{operation},0\n"));
    }
    lines
}

const YCSB: &str = "INSERT usertable user1 [ field0=aaaaaaaaaa field1=bbbbbbbbbb ]
READ usertable user2 [ <all fields>]
UPDATE usertable user1 [ field1=ccc ]
SCAN usertable user1 10 [ <all fields>]
DELETE usertable user1
READ usertable user1 [ <all fields>]
";

fn imported(place: &Place, trace: &str) -> String {
    let (from, to) = (place.path("trace"), place.path("keys.rec"));
    fs::write(&from, trace).unwrap();
    place.ok(&["record", "import", from.to_str().unwrap(), "--out", to.to_str().unwrap()]);
    to.to_str().unwrap().to_owned()
}

/// Copies the Go drivers to where a place finds them. Returns the names of their engines.
pub(crate) fn go_engines(place: &Place) -> &'static [&'static str] {
    let Some(programs) = env::var_os("DBDYNO_GO_ENGINES") else {
        eprintln!("not checked: DBDYNO_GO_ENGINES names no folder with the Go drivers");
        return &[];
    };
    for name in ["mattn", "modernc"] {
        let program = format!("dbdyno-engine-go-{name}");
        fs::copy(Path::new(&programs).join(&program), place.path("engines").join(&program)).unwrap();
    }
    &["go-mattn", "go-modernc"]
}

const ANSWERS: &str = "SELECT count(DISTINCT verification), count(DISTINCT label), string_agg(DISTINCT verified, ',') \
                       FROM results WHERE actor IS NULL";
const COUNTS: &str =
    "SELECT DISTINCT actor, operations FROM results WHERE actor IS NOT NULL AND actor <> 'connections' ORDER BY ALL";

#[test]
fn every_engine_answers_alike_and_does_what_was_recorded() {
    let place = Place::new();
    let recording = imported(&place, &cache_trace());
    let engines = [&["sqlite", "lmdb", "redb", "fjall", "duckdb", "files"][..], go_engines(&place)].concat();
    place.ok(&["replay", &recording, "--repeat", "1", "--engine", &engines.join(",")]);
    assert_eq!(place.rows(ANSWERS), [["1".to_owned(), engines.len().to_string(), "yes".to_owned()]]);
    let shown: Value = serde_json::from_str(&place.ok(&["record", "show", &recording, "--format", "json"])).unwrap();
    let mut recorded: Vec<Vec<String>> = shown["fingerprints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let word = one["sql"].as_str().unwrap().split(' ').next().unwrap();
            vec![word.to_owned(), one["calls"].to_string()]
        })
        .collect();
    recorded.sort();
    assert_eq!(place.rows(COUNTS), recorded);
    // The connections are the whole test, which has a line already.
    let compared = place.ok(&["compare", "lmdb", "redb"]);
    assert!(compared.contains("· put") && !compared.contains("connections"), "{compared}");
    let change = ["tune", "try", "synchronous=off", "--engine", "sqlite", "--rounds", "2"];
    let tried = place.ok(&[&change[..], &["--recording", &recording]].concat());
    assert!(tried.contains("· put") && !tried.contains("connections"), "{tried}");
}

#[test]
fn one_client_is_replayed_by_an_engine_of_one_thread_too() {
    let place = Place::new();
    let recording = imported(&place, YCSB);
    let said = place.run(&["run", "--recording", &recording, "--repeat", "1", "--engine", "log,sqlite,lmdb"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let said = format!("{}{}", said.stdout, said.stderr);
    for fact in [
        "6 operations, recorded without times",
        "one client, which is one thread",
        "stored before the replay: 1 key that the recording uses before it writes them",
        "the recording does not say whether 1 key existed at the beginning",
    ] {
        assert!(said.contains(fact), "{fact}: {said}");
    }
    assert_eq!(place.rows(ANSWERS), [["1", "3", "yes"]]);
    assert_eq!(place.rows(COUNTS), [["delete", "1"], ["get", "2"], ["merge", "1"], ["put", "1"], ["scan", "1"]]);
}

#[test]
fn several_clients_are_one_thread_for_an_engine_of_one() {
    let place = Place::new();
    let recording = imported(&place, &cache_trace());
    let done = place.run(&["replay", &recording, "--repeat", "1", "--engine", "log,sqlite"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("4 clients are one thread, because an engine works with one only"), "{said}");
    assert_eq!(place.rows(ANSWERS), [["1", "2", "yes"]]);
}

#[test]
fn operations_are_due_at_their_recorded_times() {
    let place = Place::new();
    let recording = imported(&place, "5.0,a,1,9,1,set,0\n5.2,a,1,9,2,get,0\n5.4,b,1,9,1,set,0\n");
    place.ok(&["replay", &recording, "--repeat", "1", "--engine", "lmdb", "--speed", "2"]);
    // From 5.0 s to 5.4 s, at twice the speed.
    let took = "SELECT wall_ns >= 200000000, operations FROM results WHERE actor IS NULL";
    assert_eq!(place.rows(took), [["true", "3"]]);
}

#[test]
fn a_recording_of_keys_is_a_workload_for_tuning() {
    let place = Place::new();
    let recording = imported(&place, &cache_trace());
    let tried = ["tune", "try", "synchronous=off", "--engine", "sqlite", "--rounds", "6", "--recording", &recording];
    let said = place.ok(&[&tried[..], &["--quiet"]].concat());
    assert!(said.contains("synchronous: full -> off"), "{said}");
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let place = Place::new();
    let recording = imported(&place, YCSB);
    place.refused(&["replay", &recording, "--speed", "1"], &["--speed", "the order of its calls, but not their times"]);
    let database = place.path("x.db");
    let with_database = ["replay", &recording, "--database", database.to_str().unwrap()];
    place.refused(&with_database, &["operations on keys and values", "no --database"]);
    let wanted = ["replay", &recording, "--recorded-database", "x"];
    place.refused(&wanted, &["operations on keys and values", "no --recorded-database"]);
}

/// An operation: the place of the work, its number, and the key.
type Keyed = (usize, u64, &'static str);

/// What threads do, by test and thread.
const FILES: [(u32, u32, &[Keyed]); 4] = [
    (1, 0, &[(0, 8, "apple"), (0, 12, "banana"), (0, 0, "cherry"), (0, 30, "a key of more than sixteen bytes")]),
    (
        2,
        0,
        &[
            (1, 0, "apple"),
            (0, 20, "apple"),
            (1, 0, "apple"),
            (3, 5, "cherry"),
            (1, 0, "cherry"),
            (2, 0, "apple"),
            (1, 0, "apple"),
            (0, 1, "date"),
        ],
    ),
    (
        2,
        1,
        &[
            (1, 0, "banana"),
            (2, 0, "banana"),
            (2, 0, "missing"),
            (3, 64, "banana"),
            (1, 0, "banana"),
            (0, 0, "a key of more than sixteen bytes"),
            (1, 0, "a key of more than sixteen bytes"),
        ],
    ),
    (
        3,
        0,
        &[
            (4, 2, "a"),
            (4, 10, "banana"),
            (4, 3, "z"),
            (0, 7, "banana~"),
            (4, 1, "banana~"),
            (2, 0, "banana"),
            (1, 0, "banana"),
            (4, 100, "a"),
        ],
    ),
];

/// The operations, rows and checksum of each test. The Go drivers share no code with the Rust ones, and have the same in a test of their own.
const EXPECTED: [(u64, u64, &str); 3] =
    [(4, 4, "3:0ff4d2e45f1fda47"), (15, 14, "3:30277065fe6b477e"), (8, 12, "3:979a9aa8d95e8fe7")];

fn suite(folder: &Path) -> SuiteJob {
    for (test, thread, operations) in FILES {
        let mut file = KeysWriter::create(folder, test, thread).unwrap();
        for &(work, number, key) in operations {
            file.operation(KeyOperation { work, at_ns: 0, number }, key.as_bytes()).unwrap();
        }
        file.finish().unwrap();
    }
    let work = json!([
        {"weight": 1, "op": "put", "value": "recorded", "name": "put"},
        {"weight": 1, "op": "get", "name": "get"},
        {"weight": 1, "op": "remove", "name": "remove"},
        {"weight": 1, "op": "modify", "value": "recorded", "name": "modify"},
        {"weight": 1, "op": "range", "least": 1, "most": 100, "name": "range"},
    ]);
    let test = |number: u32, threads: u32, transaction: Value| {
        json!({
            "number": number, "name": format!("test {number}"), "measured": true, "database": "main", "records": 1, "key": "k",
            "verify_state": true, "time_ms": null, "warm_up_ms": 0,
            "actors": [{
                "name": "connections", "threads": threads, "keys": "recorded", "work": work, "transaction": transaction,
                "arrival": null, "operations": EXPECTED[number as usize - 1].0,
            }],
            "sql": {
                "get": "SELECT value FROM entries WHERE key = ?1",
                "put": "INSERT OR REPLACE INTO entries(key, value) VALUES (?1, ?2)",
                "delete": "DELETE FROM entries WHERE key = ?1",
                "exists": "SELECT 1 FROM entries WHERE key = ?1 LIMIT 1",
                "scan": "SELECT key, value FROM entries ORDER BY key",
                "range": "SELECT key, value FROM entries WHERE key >= ?1 ORDER BY key LIMIT ?2",
            },
        })
    };
    let suite = json!({
        "kind": "kv", "name": "recorded", "data_bytes": 1000, "recording": folder,
        "schema": ["CREATE TABLE entries(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"],
        "tests": [test(1, 1, json!({"batch": 1000})), test(2, 2, json!("each")), test(3, 1, json!("each"))],
    });
    serde_json::from_value(suite).unwrap()
}

#[test]
fn answers_are_those_of_another_program() {
    let place = Place::new();
    let files = place.path("replay");
    fs::create_dir(&files).unwrap();
    let suite = suite(&files);
    for engine in ["sqlite", "lmdb", "redb", "fjall", "duckdb"] {
        let description = (built_in(engine).unwrap().describe)();
        let job = Job {
            protocol: PROTOCOL,
            run_id: "keys".to_owned(),
            engine: engine.to_owned(),
            options: Settings::resolve(&description, &BTreeMap::new()).unwrap(),
            suite: suite.clone(),
            size: Size::one(1),
            seed: 1,
            folder: place.path(engine),
            cpu: None,
            cache: CacheStart::Warm,
            progress_ms: 500,
            deadline_ms: Some(60_000),
            wait: false,
            keep_folder: false,
            explain: false,
            slices: None,
        };
        let mut worker = Command::new(env!("CARGO_BIN_EXE_dbdyno"))
            .args(["worker", engine, "run"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Its end would end the worker.
        let mut input = worker.stdin.take().unwrap();
        writeln!(input, "{}", serde_json::to_string(&job).unwrap()).unwrap();
        let mut said = String::new();
        worker.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        worker.wait().unwrap();
        let done: Vec<(u64, u64, String)> = said
            .lines()
            .filter_map(|line| match serde_json::from_str(line).unwrap() {
                Event::TestDone(done) => Some((done.operations, done.rows, done.verification.unwrap_or_default())),
                _ => None,
            })
            .collect();
        let expected = EXPECTED.map(|(operations, rows, verification)| (operations, rows, verification.to_owned()));
        assert_eq!(done, expected, "{engine}: {said}");
    }
}
