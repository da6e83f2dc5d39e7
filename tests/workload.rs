//! Workloads that users describe in a line: every field runs on every engine, and the line and the written file are one workload.

use crate::support::{Place, engine_program, system_library};
use std::fs;

/// Lines that together have every field but `memory` and `data`, which are conditions of the bench, small enough for engines to which a
/// row takes a millisecond.
const ALONE: [&str; 5] = [
    "rows=300,read=60,update=20,insert=10,delete=10,operations=300,value=10-90,compressible=50%,misses=30%,popular=zipf:1.2",
    "rows=300,scan=5,modify=20,read=75,scan-rows=1-20,operations=200,key=uuid7,popular=hot:10/90",
    "bytes=30KiB,key=ascending,key-size=12,prefix=user:,update=1,commit=50,operations=300,value=lognormal:50:400",
    "rows=300,key=uuid4,key-size=16,insert=50,read=50,popular=latest,operations=200,value=20*9/200-300",
    "rows=300,read=1,operations=500,key=random,key-size=20",
];
const SEVERAL: [&str; 3] = [
    "rows=300,read=90,update=10,threads=2,commit=10,seconds=1",
    "rows=300,read=90,scan=5,update=5,readers=2,writers=1,seconds=1,misses=10%",
    "rows=300,read=50,update=50,threads=2,rate=500,seconds=1",
];

/// The engines with many keys and values that are here.
fn engines() -> Vec<String> {
    let mut engines = vec!["sqlite:synchronous=off", "lmdb:sync=nosync", "redb:durability=none", "fjall", "duckdb"];
    if system_library("librocksdb.so").is_some() {
        engines.push("rocksdb");
    } else {
        eprintln!("not checked: there is no librocksdb.so");
    }
    if engine_program("lmdb1").is_some() {
        engines.push("lmdb1:sync=nosync");
    }
    engines.into_iter().flat_map(|engine| ["--engine".to_owned(), engine.to_owned()]).collect()
}

fn run(place: &Place, line: &str, engines: &[String]) {
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    place.ok(&[&["run", "--workload", line, "--repeat", "1", "--seed", "5", "--quiet"], &engines[..]].concat());
}

#[test]
fn every_field_runs_on_every_engine_with_equal_answers() {
    let (place, engines) = (Place::new(), engines());
    for line in ALONE {
        run(&place, line, &engines);
    }
    let answers = place.rows(
        "SELECT count(DISTINCT verification), count(verification), bool_and(status = 'ok') FROM results GROUP BY suite, test",
    );
    let expected = ["1".to_owned(), (engines.len() / 2).to_string(), "true".to_owned()];
    assert_eq!(answers, vec![expected.to_vec(); ALONE.len()], "one answer on all engines, and loading is not measured");
}

#[test]
fn threads_read_and_write_on_every_engine_and_find_what_is_there() {
    let (place, engines) = (Place::new(), engines());
    for line in SEVERAL {
        run(&place, line, &engines);
    }
    let found = place.rows(
        "SELECT DISTINCT status, coalesce(verification, '') LIKE 'invariants:%' AND verification <> 'invariants:held', operations > 0
         FROM results WHERE test = 2 AND actor IS NULL",
    );
    assert_eq!(found, [["ok", "false", "true"]]);
    let batches =
        place.rows("SELECT DISTINCT operations_per_sample FROM actor_result WHERE actor = 'clients' ORDER BY 1");
    assert_eq!(batches, [["1"], ["10"]], "the latency of a commit of ten operations is not that of one");
}

#[test]
fn the_line_and_the_file_that_it_writes_are_one_workload() {
    let place = Place::new();
    let line = "rows=200,read=90,update=10,operations=100";
    let engine = ["--engine", "lmdb:sync=nosync", "--seed", "3", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--workload", line][..], &engine].concat());
    let other_order = "update=10,operations=100,rows=200,read=90,value=100";
    place.ok(&[&["run", "--workload", other_order][..], &engine].concat());
    let suites = place.rows("SELECT DISTINCT suite FROM session");
    let [[suite]] = &suites[..].iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else { panic!("{suites:?}") };
    assert!(suite.starts_with("read90-update10-"), "{suite}");
    assert!(place.ok(&["list", "suites"]).contains(suite.as_str()));

    let written = place.ok(&["new", "suite", "mine", "--workload", line]);
    assert!(written.contains("mine.toml") && written.contains("dbdyno run --suite mine\n"), "{written}");
    place.ok(&["check-suite", place.path("config/suites/mine.toml").to_str().unwrap()]);
    place.ok(&[&["run", "--suite", "mine"][..], &engine].concat());
    let answers = place.rows("SELECT test, count(DISTINCT verification), count(*) FROM results GROUP BY 1 ORDER BY 1");
    assert_eq!(answers, [["2", "1", "3"]], "loading is not measured");
    place.ok(&[&["run", "--suite", "mine", "--test", "1"][..], &engine].concat());
    assert_eq!(place.rows("SELECT count(*) FROM results WHERE test = 1"), [["1"]], "unless it is asked for");

    let path = place.path(&format!("config/suites/{suite}.toml"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("90 % reads, 10 % updates"), "{text}");
    fs::write(&path, text.replace("weight = 90", "weight = 80")).unwrap();
    place.refused(
        &["run", "--workload", line],
        &["is not what this line describes any more", &format!("--suite {suite}")],
    );
}

#[test]
fn a_memory_limit_and_a_ratio_of_data_are_those_of_the_bench() {
    let place = Place::new();
    let line = "read=1,memory=64MiB,data=2x";
    let plan = place.ok(&["run", "--workload", line, "--engine", "lmdb", "--dry-run"]);
    assert!(plan.contains("64.0 MiB of memory") && plan.contains("2.00x the memory"), "{plan}");
    let written = place.ok(&["new", "suite", "mine", "--workload", line]);
    assert!(written.contains("dbdyno run --suite mine --memory-limit 64MiB --data-ratio 2\n"), "{written}");
}

#[test]
fn a_tier_sets_the_options_that_it_needs_and_says_which_engine_keeps_its_own() {
    let place = Place::new();
    let line = "rows=100,update=1,operations=50,tier=3";
    let run = ["run", "--workload", line, "--engine", "sqlite,fjall,null", "--repeat", "1"];
    let said = place.run(&run);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("null: no two of its options give tier 3 power-safe"), "{}", said.stderr);
    let tiers = place.rows("SELECT DISTINCT engine, tier FROM results WHERE engine <> 'null' ORDER BY 1");
    assert_eq!(tiers, [["fjall", "3"], ["sqlite", "3"]]);
}

#[test]
fn a_wrong_line_says_the_field_and_what_was_expected() {
    let place = Place::new();
    for (line, part) in [
        ("red=90", "unknown field `red`: did you mean `read`?"),
        ("read=90,value=many", "value=many: expected bytes (200)"),
        ("rows=10", "expected a share of at least one kind of operation"),
    ] {
        place.refused(&["run", "--workload", line], &[part]);
    }
    let help = place.ok(&["run", "--help"]);
    let page = include_str!("../docs/own-workload.md");
    for field in dbdyno::catalog::FIELDS {
        assert!(page.contains(&format!("`{}`", field.name)), "docs/own-workload.md does not have {}", field.name);
        assert!(help.contains(&format!("{} (", field.name)), "{}: {help}", field.name);
    }
}
