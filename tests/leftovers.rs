//! The next command removes the leftovers of a killed program, and keeps the files of running ones.

use crate::support::{Place, wait_until};
use std::{fs, path::PathBuf};

/// One run of an engine that does nothing.
const A_RUN: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "1", "--quiet"];

fn of_tortures(place: &Place) -> Vec<PathBuf> {
    let is_of_torture = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("torture-");
    place.left_behind().into_iter().filter(is_of_torture).collect()
}

#[test]
fn databases_of_a_torture_that_was_killed_go_with_the_next_session() {
    let place = Place::new();
    let torture = || place.spawn(&["torture", "sqlite", "--kills", "5000", "--power", "0", "--mutants", "0"]);
    let mut killed = torture();
    wait_until("it tortures", || !of_tortures(&place).is_empty());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = of_tortures(&place);
    assert_eq!(left.len(), 1);
    let mut living = torture();
    wait_until("the next torture sweeps and makes its own", || {
        of_tortures(&place).first().is_some_and(|folder| *folder != left[0]) && of_tortures(&place).len() == 1
    });
    let used = of_tortures(&place);
    place.ok(&[&A_RUN[..], &["--concurrent"]].concat());
    assert_eq!(of_tortures(&place), used, "a living torture uses it");
    living.kill().unwrap();
    living.wait().unwrap();
    place.ok(&A_RUN);
    assert_eq!(place.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_killed_write_and_a_killed_repair_left_goes_with_any_command_that_opens_the_store() {
    let place = Place::new();
    place.ok(&A_RUN);
    let store = place.store();
    let beside = |ending: &str| PathBuf::from(format!("{}.{ending}", store.display()));
    for ending in ["new", "undo.new"] {
        fs::write(beside(ending), "left").unwrap();
    }
    fs::create_dir(beside("tmp")).unwrap();
    fs::write(beside("tmp").join("duckdb_temp_storage_DEFAULT-0.tmp"), "left").unwrap();
    // The folder of a repair, before its marker is written.
    let repair = store.with_file_name(".dbdyno-repair-01890000-0000-7000-8000-000000000001");
    fs::create_dir(&repair).unwrap();
    let mine = store.with_file_name(".dbdyno-repair-mine");
    fs::create_dir(&mine).unwrap();
    place.ok(&["results"]);
    for gone in [beside("new"), beside("undo.new"), beside("tmp"), repair] {
        assert!(!gone.exists(), "{}", gone.display());
    }
    assert!(mine.exists(), "it has no marker of dbdyno's");
}
