//! What a comparison gives as the reason, where the cause is known.

use crate::support::{Place, check_comparison};
use serde_json::{Value, json};
use std::{fs, process::Command};

/// Compares two selections, and returns the line of the test with its reason.
fn explained(place: &Place, a: &str, b: &str) -> Value {
    let text = place.ok(&["compare", "--a", a, "--b", b, "--allow-tiers", "--format", "json"]);
    let comparison: Value = serde_json::from_str(&text).unwrap();
    let mut lines = comparison["lines"].as_array().unwrap().iter().filter(|line| line["actor"].is_null());
    let (Some(line), None) = (lines.next(), lines.next()) else { panic!("expected one line: {text}") };
    assert!(!line["reason"].is_null(), "expected a reason: {line}");
    line.clone()
}

/// Returns the share of a difference that a part explains.
///
/// Who needs a CPU for longer also waits longer for it while other programs use it. So what the threads wait is left out
/// of the difference, except where it is the part.
fn explains(line: &Value, part: &str) -> f64 {
    let reason = &line["reason"];
    let differences = reason["differences"].as_array().unwrap();
    let more = |part: &str| {
        let of_part = differences.iter().filter(|difference| difference["part"] == part);
        of_part.map(|difference| difference["more_ns"].as_f64().unwrap()).sum::<f64>()
    };
    let others = if part == "queue" { 0.0 } else { more("queue") };
    more(part) / (reason["more_ns"].as_f64().unwrap() - others)
}

/// Returns the sentences about a comparison.
fn said(place: &Place, a: &str, b: &str) -> String {
    place.ok(&["compare", "--a", a, "--b", b, "--allow-tiers"])
}

fn run(place: &Place, engines: &str, more: &[&str]) {
    place.ok(&[&["run", "--quiet", "--engine", engines], more].concat());
}

#[test]
fn syncs_explain_what_full_costs() {
    let place = Place::new();
    let engines = "sqlite:journal_mode=wal,synchronous=full|normal";
    run(&place, engines, &["--suite", "lumosql", "--test", "2", "--repeat", "7"]);
    let line = explained(&place, "synchronous=full", "synchronous=normal");
    assert!(explains(&line, "sync") > 0.7, "{line:#}");
    let said = said(&place, "synchronous=full", "synchronous=normal");
    assert!(said.contains("more syncs of") && said.contains("times as often"), "{said}");
}

#[test]
fn cpu_time_explains_what_sql_costs() {
    let place = Place::new();
    run(&place, "sqlite,lmdb", &["--suite", "kv", "--test", "2", "--size", "10000", "--repeat", "7"]);
    let line = explained(&place, "sqlite", "lmdb");
    let cpu: f64 = ["cpu", "user", "kernel"].iter().map(|part| explains(&line, part)).sum();
    assert!(cpu > 0.8, "{line:#}");
    assert!(said(&place, "sqlite", "lmdb").contains(", because sqlite needs more CPU time"));
}

#[test]
fn sleep_explains_an_engine_that_sleeps() {
    let place = Place::new();
    run(&place, "null:sleep_us=0|200", &["--suite", "kv", "--test", "2", "--size", "200", "--repeat", "7"]);
    let line = explained(&place, "sleep_us=200", "sleep_us=0");
    assert!(explains(&line, "sleep") > 0.8, "{line:#}");
    assert!(said(&place, "sleep_us=200", "sleep_us=0").contains("sleeps longer"));
}

#[test]
fn locks_explain_threads_that_wait_for_each_other() {
    let place = Place::new();
    let suite = ["--suite", "contention", "--test", "3", "--size", "100", "--set", "contention.readers=4"];
    run(
        &place,
        "null:sleep_us=200,lock=none|one",
        &[&suite[..], &["--set", "contention.seconds=1", "--repeat", "7", "--why=2"]].concat(),
    );
    let line = explained(&place, "lock=one", "lock=none");
    assert!(explains(&line, "lock") > 0.6, "{line:#}");
    assert!(said(&place, "lock=one", "lock=none").contains(", because null[lock=one] spends more time with locks"));
}

#[test]
fn reads_and_misses_explain_a_cache_that_is_too_small() {
    let place = Place::new();
    // Locks would take as long as the reads.
    let engines = "sqlite:cache_size=-64|-65536,locking_mode=exclusive";
    run(&place, engines, &["--suite", "kv", "--test", "2", "--size", "200000", "--repeat", "7", "--why"]);
    let line = explained(&place, "cache_size=-64", "cache_size=-65536");
    assert!(explains(&line, "read") > 0.3, "{line:#}");
    let said = said(&place, "cache_size=-64", "cache_size=-65536");
    assert!(said.contains("in reads (") && said.contains("more cache misses"), "{said}");
}

#[test]
fn repetitions_are_no_results_and_tell_which_functions_take_the_time() {
    let place = Place::new();
    run(&place, "sqlite,lmdb", &["--suite", "kv", "--test", "2", "--size", "200000", "--repeat", "7", "--why=2"]);
    let count = |table: &str| place.rows(&format!("SELECT count(*) FROM {table}"))[0][0].clone();
    assert_eq!((count("run"), count("result"), count("explained_test")), ("14".into(), "14".into(), "4".into()));
    // The parts of a repetition are all of its time.
    let parts = ["user", "kernel", "sync", "sleep", "queue", "rest"].map(|part| format!("part_{part}_ns")).join(" + ");
    let left = place.rows(&format!("SELECT max(abs({parts} - wall_ns)) FROM explained_test"));
    assert_eq!(left[0][0], "0");
    let text = place.ok(&["compare", "--a", "sqlite", "--b", "lmdb", "--allow-tiers", "--why"]);
    assert!(text.contains("4 runs of both were repeated to find this out"), "{text}");
    // SQLite locks its file for each read.
    let functions = ["own CPU time differs most", "fcntl64", "mdb_"];
    assert!(functions.iter().all(|function| text.contains(function)), "{text}");
    let page = place.path("why.html");
    let out = page.to_str().unwrap();
    place.ok(&["compare", "--a", "sqlite", "--b", "lmdb", "--allow-tiers", "--format", "html", "--out", out]);
    let typed = place.path("why.json");
    let out = typed.to_str().unwrap();
    place.ok(&["compare", "--a", "sqlite", "--b", "lmdb", "--allow-tiers", "--format", "json", "--out", out]);
    check_comparison(&typed);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("CPU time of sqlite, compared with lmdb"), "no flame graph of the difference");
}

#[test]
fn a_busy_cpu_explains_a_thread_that_waits_for_it() {
    let place = Place::new();
    let run = ["run", "--quiet", "--engine", "null:spins=5000,busy_threads=0|4", "--suite", "kv", "--test", "2"];
    let dbdyno = place.command(&[&run[..], &["--size", "10000", "--repeat", "7"]].concat());
    let set = dbdyno.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "0"]).arg(dbdyno.get_program()).args(dbdyno.get_args()).envs(set);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let line = explained(&place, "busy_threads=4", "busy_threads=0");
    assert!(explains(&line, "queue") > 0.6, "{line:#}");
    assert!(said(&place, "busy_threads=4", "busy_threads=0").contains("waits longer for a CPU"));
}

#[test]
fn engines_count_what_their_description_names() {
    let place = Place::new();
    run(&place, "sqlite:cache_size=-64|-65536", &["--suite", "kv", "--test", "2", "--size", "20000", "--repeat", "1"]);
    let counted = |name: &str| {
        let of_run =
            format!("SELECT value FROM engine_counter JOIN run USING (run_id) WHERE name = '{name}' ORDER BY label");
        place.rows(&of_run).iter().map(|row| row[0].parse().unwrap()).collect::<Vec<u64>>()
    };
    // 1,000 reads look at each level of the tree. A cache of 64 KiB holds few of its leaves.
    let (misses, hits) = (counted("cache_misses"), counted("cache_hits"));
    assert!(misses[0] > 500 && misses[1] == 0, "{misses:?}");
    assert_eq!(misses[0] + hits[0], hits[1]);
    let steps = counted("vm_steps");
    assert!(steps[0] >= 1_000 && steps[0] == steps[1], "the same statements take the same steps: {steps:?}");
}

/// Lookups by a column that has an index or none, and an update under a name.
const LOOKUPS: &str = r#"
name = "indexed"
kind = "sql"
title = "Lookups by a column"
source = "a test"
[size]
name = "rows"
default = [2000]
choices = [2000]
bytes = "W*40"
[[option]]
name = "indexes"
type = "integer"
min = 0
max = 1
default = "1"
help = "indexes on the column"
[[table]]
name = "items"
columns = [{ name = "k", type = "INTEGER" }, { name = "v", type = "INTEGER" }]
[[index]]
name = "items_k"
table = "items"
column = "k"
[[test]]
number = 1
name = "Lookups"
prepare = [
  { create_table = "items" },
  { transaction = [{ repeat = "W", steps = [{ write = "INSERT INTO items VALUES (?1, ?2)", bind = ["i", "i"] }] }] },
  { repeat = "indexes", steps = [{ create_index = "items_k" }] },
]
steps = [
  { repeat = 500, steps = [{ read = "SELECT v FROM items WHERE k = ?1", draw = { k = "W" }, bind = ["k"] }] },
  { write = "INSERT INTO items VALUES (?1, ?2)", bind = [0, 0] },
  { write = "UPDATE items SET v = v + 1 WHERE k = ?1", bind = [7], name = "one more" },
  { read = "SELECT count(*) FROM items" },
]
"#;

#[test]
fn a_missing_index_explains_slow_lookups() {
    let place = Place::new();
    fs::write(place.path("config/suites/indexed.toml"), LOOKUPS).unwrap();
    let set = ["--suite", "indexed", "--set", "indexed.indexes=0|1", "--repeat", "7"];
    run(&place, "sqlite:synchronous=off", &[&set[..], &["--engine", "duckdb:fsync_mode=none"]].concat());
    let compared = |a: &str, b: &str, more: &[&str]| {
        place.ok(&[&["compare", "--a", a, "--b", b, "--allow", "tiers,suite-options"][..], more].concat())
    };
    let reason = |a: &str, b: &str| {
        let comparison: Value = serde_json::from_str(&compared(a, b, &["--format", "json"])).unwrap();
        comparison["lines"][0]["reason"].clone()
    };
    let [without, with] = ["engine=sqlite indexes=0", "engine=sqlite indexes=1"];
    let search = "SEARCH items USING INDEX items_k (k=?)";
    let select = "SELECT v FROM items WHERE k = ?1";
    let differing = |statement: &str| json!({"statement": statement, "a": "SCAN items", "b": search});
    let covering = "SCAN items USING COVERING INDEX items_k";
    let counted = json!({"statement": "SELECT count(*) FROM items", "a": "SCAN items", "b": covering});
    let found = reason(without, with);
    assert_eq!(found["plans"], json!([differing(select), differing("one more"), counted]), "{found:#}");
    assert_eq!(found["planned"], json!([counted, differing(select), differing("one more")]));

    let first = compared(without, with, &[]);
    assert!(first.contains(&format!(" finds the rows of `{select}` by SCAN items, ")), "{first}");
    let why = compared(without, with, &["--why"]);
    assert!(why.contains(" finds the rows of `one more` by SCAN items, "), "{why}");
    let details = place.ok(&["results", "--details", "engine=sqlite", "indexes=1"]);
    assert!(details.contains(&format!("1 {select}")) && details.contains(search), "{details}");

    // DuckDB's words for the same are no other plan.
    let found = reason("engine=duckdb indexes=0", without);
    assert_eq!(found["plans"], json!([]), "{found:#}");
    let of_select = json!({"statement": select, "a": "SEQ_SCAN items", "b": "SCAN items"});
    assert!(found["planned"].as_array().unwrap().contains(&of_select), "{found:#}");
}
