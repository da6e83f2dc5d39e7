//! Missing evidence is not evidence. Engines with wrong answers are also caught in tests of several threads, and every table marks the
//! results that nothing could be compared with.

use crate::support::{Done, Place};
use std::fs;

/// Writes a suite of keys and values into the configuration folder of a place. It has a load of this part of its 1,000 records, and a test
/// with actors that use these keys.
fn suite(place: &Place, name: &str, loaded: &str, (key, actors): (&str, &str)) {
    let suite = format!(
        r#"
        name = "{name}"
        kind = "kv"
        title = "Two tests"
        source = "a test"
        [size]
        name = "records"
        default = [1000]
        choices = [1000]
        [sql]
        schema = ["CREATE TABLE kv(key BLOB PRIMARY KEY, value BLOB)"]
        get = "SELECT value FROM kv WHERE key = ?1"
        put = "INSERT OR REPLACE INTO kv VALUES (?1, ?2)"
        delete = "DELETE FROM kv WHERE key = ?1"
        exists = "SELECT 1 FROM kv WHERE key = ?1"
        scan = "SELECT key, value FROM kv ORDER BY key"
        [[test]]
        number = 1
        name = "Load"
        database = "main"
        operations = {{ share = {loaded} }}
        keys = "ascending"
        key = "{{key:08}}"
        work = [{{ op = "put", value = "value {{key}}" }}]
        transaction = "one"
        [[test]]
        number = 2
        name = "Threads"
        needs = [1]
        database = "main"
        key = "{key}"
        actor = [{actors}]
        "#
    );
    fs::write(place.path(&format!("config/suites/{name}.toml")), suite).unwrap();
}

/// As the load writes them.
const KEY: &str = "{key:08}";
const READERS: &str = r#"{ name = "readers", threads = 2, operations = { share = 3.0 }, keys = "uniform", work = [{ op = "get" }], transaction = "read" }"#;
const WRITERS: &str = r#"{ name = "writers", threads = 1, operations = { share = 1.0 }, keys = "uniform", work = [{ op = "put", value = "{op}" }], transaction = "each" }"#;

fn run(place: &Place, suite: &str, tests: &str, engines: &[&str], more: &[&str]) -> Done {
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    let run = ["run", "--suite", suite, "--test", tests, "--repeat", "1", "--seed", "5"];
    place.run(&[&run[..], &engines, more].concat())
}

const EMBEDDED: [&str; 5] =
    ["sqlite:journal_mode=wal,synchronous=off", "lmdb:sync=nosync", "redb:durability=none", "fjall", "duckdb"];

#[test]
fn threads_that_read_what_nobody_changes_are_held_against_each_other() {
    let place = Place::new();
    let done = run(&place, "redb-bench", "8,11", &EMBEDDED[..4], &["--size", "10000", "--quiet"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let found = place.rows(
        "SELECT test, count(*), count(DISTINCT verification), bool_and(verification LIKE '3:%'), min(status), min(verified), min(rows), max(rows)
         FROM results WHERE actor IS NULL GROUP BY test ORDER BY test",
    );
    let same = |test: &str| [test, "4", "1", "true", "ok", "yes", "10000", "10000"].map(str::to_owned).to_vec();
    assert_eq!(found, [same("8"), same("11")]);
}

#[test]
fn reads_that_find_nothing_are_caught() {
    let place = Place::new();
    let done =
        run(&place, "redb-bench", "8", &["null:answers=nothing", "sqlite:synchronous=off"], &["--size", "10000"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let of_null =
        "SELECT test, status, verification FROM results WHERE engine = 'null' AND actor IS NULL ORDER BY test";
    let wrong = |test: &str, found: &[String]| {
        assert_eq!(found[..2], [test, "disagrees"], "{found:?}");
        let missed = found[2].strip_prefix("invariants:").and_then(|rest| rest.split_once(" reads found no row"));
        assert!(missed.is_some_and(|(missed, _)| missed.parse::<u64>().unwrap() > 0), "{found:?}");
    };
    wrong("8", &place.rows(of_null)[0]);
    assert_eq!(place.value("SELECT DISTINCT status FROM results WHERE engine = 'sqlite'"), "ok");

    let place = Place::new();
    let seconds = ["--size", "1000", "--set", "contention.seconds=1"];
    assert_eq!(run(&place, "contention", "3,4", &["null:answers=nothing"], &seconds).code, Some(1));
    let found = place.rows(of_null);
    wrong("3", &found[0]);
    wrong("4", &found[1]);
}

#[test]
fn a_snapshot_that_never_grows_old_is_caught() {
    let place = Place::new();
    let seconds = ["--size", "1000", "--set", "contention.seconds=1"];
    assert_eq!(run(&place, "contention", "4,5,6", &["null:answers=stale"], &seconds).code, Some(1));
    let found = place.rows("SELECT test, status, verification FROM results WHERE actor IS NULL ORDER BY test");
    let says = ["a read of `account_", "an audit found versions that add up to ", "a read of `account_"];
    for ((found, test), says) in found.iter().zip(["4", "5", "6"]).zip(says) {
        assert_eq!(found[..2], [test, "disagrees"], "{found:?}");
        assert!(found[2].starts_with(&format!("invariants:{says}")), "{found:?}");
    }
}

/// An outside engine that is SQLite, and reports seven rows too many for each measured test and each of its actors.
fn padded(place: &Place) {
    let program = env!("CARGO_BIN_EXE_dbdyno");
    let script = r#"
        [ "$1" = describe ] && { 'PROGRAM' worker sqlite describe | sed 's/"name":"sqlite"/"name":"padded"/'; exit; }
        read -r job
        { printf '%s\n' "$job" | sed 's/"engine":"padded"/"engine":"sqlite"/'; cat; } | 'PROGRAM' worker sqlite "$@" |
        while IFS= read -r line; do
            case $line in *'"event":"test_done"'*'"measured":true'*)
                rest=$line line=
                while case $rest in *'"rows":'*) true ;; *) false ;; esac; do
                    line="$line${rest%%'"rows":'*}\"rows\":" rest=${rest#*'"rows":'}
                    rows=${rest%%[!0-9]*}
                    line=$line$((rows + 7)) rest=${rest#"$rows"}
                done
                line=$line$rest ;;
            esac
            printf '%s\n' "$line"
        done"#;
    place.engine("padded", &script.replace("PROGRAM", program));
}

#[test]
fn rows_that_there_were_not_are_caught() {
    let place = Place::new();
    padded(&place);
    for (suite, test, size, says) in [
        ("redb-bench", "1", "10000", "test 1 has 10007 rows of 10000 operations, but one operation has at most 1"),
        ("redb-bench", "8", "10000", "actor `readers` of test 8 has 10007 rows of 10000 operations"),
        ("contention", "4", "1000", "actor `writers` of test 4 has "),
    ] {
        let seconds: &[&str] = if suite == "contention" { &["--set", "contention.seconds=1"] } else { &[] };
        let done = run(&place, suite, test, &["padded"], &[&["--size", size], seconds].concat());
        assert_eq!(done.code, Some(1), "{suite} {test}: {}", done.stdout);
        let failure = place.value("SELECT failure FROM run ORDER BY started_at DESC LIMIT 1");
        assert!(failure.contains(says), "{suite} {test}: {failure}");
    }
    // If reads may find nothing, seven more rows are possible, and only another engine reveals the error.
    suite(&place, "half", "0.5", (KEY, READERS));
    let done = run(&place, "half", "2", &["padded", "sqlite:synchronous=off"], &[]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let found = place.rows("SELECT engine, status FROM results WHERE suite = 'half' AND actor IS NULL ORDER BY engine");
    assert_eq!(found, [["padded", "disagrees"], ["sqlite", "ok"]]);
}

#[test]
fn what_is_not_verified_is_said_in_every_table() {
    let place = Place::new();
    suite(&place, "mixed", "0.5", (KEY, &format!("{READERS}, {WRITERS}")));
    let engines = ["sqlite:synchronous=off", "lmdb:sync=nosync"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    let run = ["run", "--suite", "mixed", "--repeat", "6", "--seed", "5"];
    let shown = place.ok(&[&run[..], &engines].concat());
    assert!(shown.contains("? sqlite") && shown.contains("? lmdb"), "{shown}");
    assert!(shown.contains("\n?  not verified: "), "{shown}");
    assert_eq!(shown.matches("? sqlite").count(), 1, "the load is verified: {shown}");
    let listed = place.ok(&["results", "test=2", "--format", "csv"]);
    assert!(listed.contains("not verified"), "{listed}");
    for format in ["table", "markdown", "csv", "json", "html"] {
        let compared = |selection: &str| {
            let (a, b) = (format!("engine=lmdb {selection}"), format!("engine=sqlite {selection}"));
            place.ok(&["compare", "--a", &a, "--b", &b, "--format", format])
        };
        let threads = compared("test=2");
        assert!(
            threads.contains("not verified: answers of A and B were not checked against anything"),
            "{format}: {threads}"
        );
        let load = compared("test=1");
        assert!(!load.contains("were not checked against anything"), "{format}: {load}");
    }
}

#[test]
fn reads_that_find_nothing_in_all_engines_are_a_doubt() {
    let place = Place::new();
    suite(&place, "misses", "1.0", ("session_{key:012}", READERS));
    suite(&place, "hits", "1.0", (KEY, READERS));
    let engines = ["sqlite:synchronous=off", "lmdb:sync=nosync"];
    let shown = run(&place, "misses", "1,2", &engines, &[]).stdout;
    let doubt = "reads found nothing: reads found no row: Threads on sqlite at 1000 (0 rows in 3,000 operations)";
    assert!(shown.contains(doubt), "{shown}");
    let shown = run(&place, "hits", "1,2", &engines, &[]).stdout;
    assert!(!shown.contains("reads found nothing"), "{shown}");
}
