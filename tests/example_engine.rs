//! The engine that authors start from does what its guide says: its program, found by its name, runs a suite.

use crate::support::{Place, built_program};
use std::fs;

#[test]
fn the_example_engine_runs_the_key_value_suite() {
    let Some(program) = built_program("dbdyno-example") else { return };
    let place = Place::new();
    fs::copy(program, place.path("engines/dbdyno-engine-example")).unwrap();
    let list = place.ok(&["list", "engines"]);
    assert!(list.lines().any(|line| line.starts_with("example") && line.contains("a map in memory")), "{list}");

    let engines = ["--engine", "example", "--engine", "lmdb", "--engine", "redb"];
    place.ok(&[&["run", "--suite", "kv", "--size", "1000", "--repeat", "1"], &engines[..]].concat());
    let results = place.rows("SELECT engine, count(*) FROM results WHERE status = 'ok' GROUP BY 1 ORDER BY 1");
    assert_eq!(results, [["example", "8"], ["lmdb", "8"], ["redb", "8"]], "its answers are those of the others");
    let of_example = "SELECT DISTINCT tier, engine_version FROM results WHERE engine = 'example'";
    assert_eq!(place.rows(of_example), [["0", env!("CARGO_PKG_VERSION")]]);
}
