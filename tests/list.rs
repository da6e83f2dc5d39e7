//! Output before anything runs: lists, plans, and refusals with exit code 2.

use crate::support::{Place, engine_program};

#[track_caller]
fn refused(place: &Place, arguments: &[&str], parts: &[&str]) {
    place.refused(arguments, parts);
    assert!(!place.store().exists(), "nothing is run");
}

#[test]
fn bad_input_is_refused_with_what_was_expected() {
    let place = Place::new();
    let run = |engine: &'static str| ["run", "--suite", "kv", "--engine", engine];
    refused(
        &place,
        &run("sqlite:journal_mode=walrus"),
        &["journal_mode", "walrus", "delete, truncate, persist, memory, wal or off"],
    );
    refused(
        &place,
        &run("sqlite:journal=wal"),
        &["unknown option `journal`", "did you mean `journal_mode`?", "dbdyno list options sqlite"],
    );
    refused(
        &place,
        &run("postgres"),
        &["unknown engine `postgres`: expected one of", "known names, but none is similar (dbdyno list engines)"],
    );
    refused(&place, &run("sqlite:wal"), &["expected OPTION=VALUE"]);
    refused(&place, &["run", "--suite", "nope", "--engine", "lmdb"], &["unknown suite `nope`: expected", "kv"]);
    refused(&place, &["run", "--suite", "../kv", "--engine", "lmdb"], &["unknown suite `../kv`"]);
    refused(&place, &["--preset", "nope"], &["unknown preset `nope`: expected one of", "dbdyno list presets"]);
    let sized = [&run("lmdb")[..], &["--size", "0"]].concat();
    refused(&place, &sized, &["size `0`", "positive"]);
    let huge = [&run("lmdb")[..], &["--size", "900000M"]].concat();
    refused(&place, &huge, &["the largest database may take", "--work-dir"]);
    let test = [&run("lmdb")[..], &["--test", "9"]].concat();
    refused(&place, &test, &["unknown test `9` of suite `kv`", "Bulk insert", "from 1 to 8"]);
    let cpu = [&run("lmdb")[..], &["--cpu", "4096"]].concat();
    refused(&place, &cpu, &["--cpu 4096", "from 0 to"]);
    refused(&place, &["--preset", "quick", "--set", "sqlite.synchronous"], &["OWNER.OPTION=VALUE"]);
    refused(&place, &["--preset", "quick", "--set", "duckdb.x=1"], &["`duckdb` is not part of this bench", "lmdb"]);
    refused(&place, &["--preset", "quick", "--set", "kv.mixed=50/50"], &["suite `kv`", "70/20/10 or 80/20"]);
    refused(&place, &["--preset", "quick", "list", "engines"], &["cannot be used with a command"]);
    refused(&place, &run("lmdb:sync=mapasync"), &["sync=mapasync with writemap=off", "set writemap=on"]);
    refused(&place, &["results"], &["there is no store"]);
    refused(&place, &["--store", "/nonexistent/x.duckdb", "results"], &["no folder /nonexistent: check --store"]);
    refused(&place, &["check-engine", "sqlite,lmdb"], &["sqlite,lmdb: expected one engine"]);
    refused(&place, &["list", "evidence", "lmdb"], &["unexpected name `lmdb`"]);
    refused(&place, &["tune", "search", "--tier", "power"], &["expected a whole number from 0 to 3"]);
    refused(&place, &["results", "--limit", "all"], &["expected a whole number from 1 to 18446744073709551615"]);
    refused(&place, &["run", "--suite", "kv", "--repeat", "0"], &["expected a whole number from 1 to 10000"]);
    refused(&place, &[], &["--preset"]);
}

#[test]
fn a_sweep_is_planned_with_every_value_once() {
    let place = Place::new();
    let plan = place.ok(&["--preset", "quick", "--set", "sqlite.synchronous=off|normal|full", "--dry-run"]);
    assert!(plan.starts_with("kv: 5 configurations x 8 rounds = 40 runs"), "{plan}");
    for label in ["sqlite[synchronous=off]", "sqlite[synchronous=normal]", "sqlite[synchronous=full]", "lmdb", "redb"] {
        assert_eq!(plan.lines().filter(|line| line.starts_with(&format!("{label} "))).count(), 1, "{label}: {plan}");
    }
    assert!(plan.contains("tier 1 process-safe") && plan.contains("tier 2 consistent"), "{plan}");
    assert!(!place.store().exists(), "a plan runs nothing");
}

#[test]
fn lists_name_everything_there_is_to_choose_from() {
    let place = Place::new();
    let engines = place.ok(&["list", "engines"]);
    assert!(engines.lines().any(|line| line.starts_with("lmdb") && line.contains(" 0.9.")), "{engines}");
    for engine in ["sqlite", "redb", "fjall", "duckdb", "null"] {
        assert!(engines.lines().any(|line| line.starts_with(engine)), "{engine}: {engines}");
    }
    let options = place.ok(&["list", "options"]);
    for option in ["sqlite.journal_mode", "sqlite.read_transaction", "lmdb.sync", "redb.durability", "kv.mixed"] {
        assert!(options.lines().any(|line| line.starts_with(option)), "{option}: {options}");
    }
    assert_eq!(place.ok(&["list", "tests"]).lines().filter(|line| line.starts_with("kv ")).count(), 8);
    assert!(place.ok(&["list", "suites"]).contains("10000, 100000, 1000000"));
    assert!(place.ok(&["list", "presets"]).contains("quick"));
}

#[test]
fn an_engine_program_that_is_not_built_is_listed_with_the_command_that_builds_it() {
    let place = Place::new();
    let command = "`cargo build --release -p dbdyno-engine-lmdb1`";
    let list = place.alone(&["list", "engines"]).stdout;
    let line = list.lines().find(|line| line.starts_with("lmdb1")).unwrap();
    assert!(line.contains("✗ not built") && line.contains(command), "{line}");
    let done = place.alone(&["run", "--suite", "kv", "--engine", "lmdb1"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("engine `lmdb1` cannot be used") && done.stderr.contains(command), "{}", done.stderr);
}

#[test]
fn combinations_of_lmdb1_that_would_be_ignored_are_refused() {
    if engine_program("lmdb1").is_none() {
        return;
    }
    let place = Place::new();
    let run = |engine: &'static str| ["run", "--suite", "kv", "--engine", engine];
    refused(&place, &run("lmdb1:encrypt=aes256gcm,checksum=on"), &["checksum=on with encrypt=aes256gcm"]);
    refused(&place, &run("lmdb1:encrypt=aes256gcm,writemap=on"), &["encrypt=aes256gcm with writemap=on"]);
    refused(&place, &run("lmdb1:checksum=on,readahead=off"), &["checksum=on with readahead=off"]);
    refused(&place, &run("lmdb1:encrypt=rot13"), &["off, chacha20poly1305 or aes256gcm"]);
}

#[test]
fn events_are_json_lines_and_end_with_the_table() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "1", "--json"];
    let lines: Vec<serde_json::Value> =
        place.ok(&run).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events[..2], ["planned", "session_started"]);
    assert_eq!(events.last(), Some(&"table"));
    assert_eq!(lines.iter().filter(|line| line["says"]["event"] == "test_done").count(), 8);
    assert_eq!(lines.last().unwrap()["table"]["sizes"][0]["tests"][0]["rows"][0]["label"], "null");
}

#[test]
fn lists_are_written_in_every_format_and_others_are_refused() {
    let place = Place::new();
    let suites: serde_json::Value = serde_json::from_str(&place.ok(&["list", "suites", "--format", "json"])).unwrap();
    assert!(suites.as_array().unwrap().iter().any(|suite| suite["name"] == "kv"), "{suites}");
    let engines: serde_json::Value = serde_json::from_str(&place.ok(&["list", "engines", "redb", "--json"])).unwrap();
    assert_eq!(engines[0]["licence"], "MIT OR Apache-2.0", "{engines}");
    assert_eq!(engines[0]["languages"], "rust", "{engines}");
    assert!(place.ok(&["claims", "--format", "json"]).contains("\"name\": \"lumosql\""));
    assert!(place.ok(&["list", "themes", "--format", "csv"]).starts_with("name,about\n"));
    let markdown = place.ok(&["list", "themes", "--format", "markdown"]);
    assert!(markdown.starts_with("| name | about |\n|"), "{markdown}");
    let page = place.run(&["doctor", "--format", "html"]).stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("<h1>dbdyno doctor --format html</h1>"), "{page}");
    refused(&place, &["list", "suites", "--format", "parquet"], &["table, markdown, csv, json, html"]);
    refused(&place, &["export", "--format", "table", "--out", "x"], &["csv, json, parquet"]);
}

#[test]
fn the_doctor_says_one_line_a_finding() {
    let place = Place::new();
    let done = place.run(&["doctor"]);
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
    assert!(done.stdout.lines().count() >= 10, "{}", done.stdout);
    let signs = ["✓  ", "·  ", "!  "];
    assert!(done.stdout.lines().all(|line| signs.iter().any(|sign| line.starts_with(sign))), "{}", done.stdout);
    assert_eq!(done.code == Some(1), done.stdout.lines().any(|line| line.starts_with('!')), "{}", done.stdout);
    let done = place.run(&["doctor", "--work-dir", "/dev/shm/dbdyno-doctor-test"]);
    let _ = std::fs::remove_dir_all("/dev/shm/dbdyno-doctor-test");
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains("!  databases are put on tmpfs"), "{}", done.stdout);
    assert!(done.stdout.contains("!  syncs are not believable"), "{}", done.stdout);
}

#[test]
fn the_doctor_tells_programs_too_and_makes_no_store() {
    let place = Place::new();
    let store = place.path("looked-at.duckdb");
    let asked = ["doctor", "--format", "json", "--store", store.to_str().unwrap()];
    let findings: Vec<serde_json::Value> = serde_json::from_str(&place.run(&asked).stdout).unwrap();
    for topic in ["machine", "storage", "clock", "engines", "store", "terminal"] {
        assert!(findings.iter().any(|finding| finding["topic"] == topic), "{topic}: {findings:?}");
    }
    let has_advice = |finding: &serde_json::Value| finding["status"] != "unfit" || finding["advice"].is_string();
    assert!(findings.iter().all(has_advice), "{findings:?}");
    assert!(
        findings.iter().any(|finding| finding["finding"].as_str().unwrap().contains("which the first session creates"))
    );
    assert!(!store.exists());
}
