//! The engine from which authors start works as its guide describes: dbdyno finds its program by its name and runs a suite on it.

use crate::support::{Place, built_program};
use std::{fs, path::Path, process::Command};

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

/// Copies the folder out of the workspace, as the guide says. Only the paths to the two crates are changed.
#[test]
fn a_copy_of_the_example_builds_outside_of_the_workspace() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = place.path("example");
    fs::create_dir_all(copy.join("src")).unwrap();
    fs::copy(root.join("engines/example/src/main.rs"), copy.join("src/main.rs")).unwrap();
    // The same versions as here, so nothing is downloaded.
    fs::copy(root.join("Cargo.lock"), copy.join("Cargo.lock")).unwrap();
    let manifest = fs::read_to_string(root.join("engines/example/Cargo.toml")).unwrap();
    let engines = root.join("engines").display().to_string();
    let manifest =
        manifest.replace("\"../", &format!("\"{engines}/")).replace("\"dbdyno-example\"", "\"dbdyno-engine-mine\"");
    fs::write(copy.join("Cargo.toml"), manifest).unwrap();
    let source = fs::read_to_string(copy.join("src/main.rs")).unwrap();
    fs::write(copy.join("src/main.rs"), source.replace("\"example\"", "\"mine\"")).unwrap();
    let built = Command::new("cargo")
        .args(["build", "--offline", "--quiet"])
        .env("CARGO_TARGET_DIR", place.path("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(&copy)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let program = "dbdyno-engine-mine";
    fs::copy(place.path("target/debug").join(program), place.path("engines").join(program)).unwrap();
    let checked = place.ok(&["check-engine", "mine"]);
    assert!(checked.contains('✓') && !checked.contains('✗'), "{checked}");
}
