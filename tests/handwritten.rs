//! Handwritten loops do the same as dbdyno's own loop, on the same inputs.

use crate::support::{Place, has_tool};
use std::{fs, os::unix::fs::symlink, path::Path};

const LOOPS: &str = include_str!("../engines/handwritten/loops.toml");
const ENGINES: [&str; 4] = ["sqlite", "lmdb", "redb", "fjall"];

/// A place with the loops as engines. Returns None if they are not built.
fn place() -> Option<Place> {
    let program = Path::new(env!("CARGO_BIN_EXE_dbdyno")).with_file_name("dbdyno-handwritten");
    let place = Place::new();
    for name in ENGINES.iter().flat_map(|engine| [format!("{engine}-by-hand"), format!("{engine}-by-dbdyno")]) {
        symlink(&program, place.path(&format!("engines/dbdyno-engine-{name}"))).unwrap();
    }
    fs::write(place.path("config/suites/loops.toml"), LOOPS).unwrap();
    has_tool(place.path("engines/dbdyno-engine-redb-by-hand").to_str().unwrap(), &["describe"]).then_some(place)
}

#[test]
fn loops_written_by_hand_have_the_rows_of_dbdynos_own() {
    let Some(place) = place() else { return };
    for (suite, size) in [("loops", "400"), ("kv", "1000")] {
        let names =
            |engine| [format!("{engine}:memory=own"), format!("{engine}-by-hand"), format!("{engine}-by-dbdyno")];
        let engines: Vec<String> = ENGINES.iter().flat_map(names).collect();
        let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
        place.ok(&[&["run", "--suite", suite, "--size", size, "--repeat", "2", "--quiet"], &engines[..]].concat());
    }
    let results = "SELECT count(*), count(DISTINCT engine) FROM results WHERE status = 'ok' AND wall_ns > 0";
    assert_eq!(place.rows(results), [["384", "12"]], "8 tests in 2 rounds of 2 suites");
    let differing = "SELECT suite, test, round FROM results GROUP BY ALL
        HAVING count(DISTINCT rows) <> 1 OR count(DISTINCT operations) <> 1 OR count(DISTINCT verification) <> 1
            OR count(verification) <> 8";
    assert_eq!(place.rows(differing), [[""; 0]; 0], "one by hand gives no verification value");
    let found: u64 =
        place.value("SELECT min(rows) FROM results WHERE test_name IN ('Mixed', 'Delete')").parse().unwrap();
    assert!(found > 100, "{found} rows");
}

#[test]
fn a_test_or_option_without_a_loop_is_refused() {
    let Some(place) = place() else { return };
    let run = ["run", "--repeat", "1", "--size", "400", "--quiet", "--engine"];
    let held = place.run(&[&run[..], &["redb-by-hand:read_transaction=held", "--suite", "loops"]].concat());
    assert_eq!(held.code, Some(2), "{}", held.stdout);
    let reason = "read_transaction=held of engine `redb-by-hand`: there is no handwritten loop for it";
    assert!(held.stderr.contains(reason), "{}", held.stderr);

    let several = LOOPS.replace("name = \"loops\"", "name = \"batches\"").replace("\"one\"", "{ batch = 10 }");
    fs::write(place.path("config/suites/batches.toml"), several).unwrap();
    let batches = place.run(&[&run[..], &["sqlite-by-hand", "--suite", "batches"]].concat());
    assert_eq!(batches.code, Some(1), "{}", batches.stderr);
    let failure = place.value("SELECT failure FROM run");
    assert!(failure.contains("test 7: there is no handwritten loop for it: expected get"), "{failure}");
}
