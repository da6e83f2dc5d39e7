//! The order of a command's system calls. A file's content is on disk before its name is. The copy of the pages that a write may overwrite
//! is on disk before the write begins, and stays until the write is on disk. Each part of a journal is on disk before the next part. No
//! machine loses power in a test, so only this test and the tests that need `strace` (`power`) notice a missing sync.

use super::{
    disk::{self, Step},
    strangers::{killed_write, place, tear},
};
use crate::{
    power::store,
    support::{Done, Place},
};
use std::{collections::BTreeSet, fs, path::Path};

const SESSION: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1", "--json"];

/// The file that receives a command's stdout.
const TOLD: &str = "kept.told";

/// Runs a command on the place's store, which must succeed, and returns its steps. Returns None if the kernel cannot ask about system
/// calls.
fn steps(place: &Place, arguments: &[&str]) -> Option<Vec<Step>> {
    let mut command = place.command(arguments);
    command.env("DBDYNO_STORE", store(place)).stdout(fs::File::create(place.path(TOLD)).unwrap());
    let (output, steps) = disk::steps(command, place.path("kept"))?;
    let done = Done::of(output);
    assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.stderr);
    Some(steps)
}

/// Returns the violations in an order of calls.
fn wrong(steps: &[Step], store: &Path) -> Vec<String> {
    let folder = store.parent().unwrap();
    let is = |path: &Path, ending: &str| path.to_string_lossy().ends_with(ending);
    // Files whose content is not on disk yet, and folders with names that are not.
    let (mut unsynced, mut unnamed): (BTreeSet<&Path>, BTreeSet<&Path>) = <_>::default();
    let mut all = Vec::new();
    for step in steps {
        match step {
            Step::Sync(path) => {
                unsynced.remove(path.as_path());
                unnamed.remove(path.as_path());
            }
            Step::Write(path) => {
                if is(path, ".jsonl") && unsynced.contains(path.as_path()) {
                    all.push(format!("{} has more before what it had is on disk", path.display()));
                }
                if path == store && unnamed.contains(folder) {
                    all.push("the store is written before the name of its copy is on disk".to_owned());
                }
                unsynced.insert(path);
            }
            // DuckDB's own log has its own rules.
            Step::Rename { to, .. } if to.to_string_lossy().contains(".wal") => {}
            Step::Rename { from, to } => {
                if unsynced.contains(from.as_path()) {
                    all.push(format!("{} has its name before its content is on disk", to.display()));
                }
                unnamed.insert(to.parent().unwrap());
            }
            Step::Remove(path) if is(path, ".undo") => {
                if unsynced.contains(store) {
                    all.push("the copy is removed before the store is on disk".to_owned());
                }
            }
            Step::Remove(path) if unsynced.contains(path.as_path()) && is(path, ".jsonl") => {
                all.push(format!("{} never was on disk", path.display()));
            }
            Step::Remove(_) => {}
        }
    }
    let unkept = unsynced.iter().filter(|path| is(path, ".jsonl"));
    all.extend(unkept.map(|path| format!("{} is not on disk", path.display())));
    all.extend(unnamed.iter().map(|folder| format!("names in {} are not on disk", folder.display())));
    all
}

#[track_caller]
fn in_order(place: &Place, arguments: &[&str]) {
    let Some(steps) = steps(place, arguments) else { return };
    let done = |what: fn(&Step) -> bool| steps.iter().filter(|step| what(step)).count();
    assert!(done(|step| matches!(step, Step::Write(_))) > 0, "{arguments:?} writes: {steps:?}");
    let wrong = wrong(&steps, &store(place));
    assert!(wrong.is_empty(), "{arguments:?}: {wrong:#?}\n{steps:#?}");
}

#[test]
fn a_session_has_each_result_on_disk_before_the_next() {
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    in_order(&place, &SESSION);
    in_order(&place, &SESSION);
}

#[test]
fn what_a_change_overwrites_is_on_disk_before_it_and_the_change_before_its_copy_goes() {
    let place = place();
    let other = place.path("other.duckdb").to_string_lossy().into_owned();
    place.ok(&[&SESSION[..], &["--store", &other]].concat());
    in_order(&place, &["tag", "--all", "--add", "x"]);
    in_order(&place, &["import", &other]);
    in_order(&place, &["delete", "session=last", "--yes"]);
}

#[test]
fn what_is_put_back_is_on_disk_before_its_copy_goes() {
    let place = place();
    if !killed_write(&place) {
        return;
    }
    tear(&store(&place));
    in_order(&place, &["results", "--count"]);
    assert_eq!(fs::read_to_string(place.path(TOLD)).unwrap(), "8\n");
    assert!(!place.path("kept/results.duckdb.undo").exists());
}

#[test]
fn a_repaired_store_is_on_disk_before_it_has_its_name() {
    let place = place();
    tear(&store(&place));
    in_order(&place, &["store", "repair"]);
}

/// Leaves out each sync in turn, and expects a violation each time.
#[test]
fn a_sync_that_is_left_out_is_found() {
    let [store, copy, new, journal] =
        ["/f/s.duckdb", "/f/s.duckdb.undo", "/f/s.duckdb.undo.new", "/f/j.jsonl"].map(Path::new);
    let owned = Path::to_owned;
    let whole = [
        Step::Write(owned(journal)),
        Step::Sync(owned(journal)),
        Step::Write(owned(new)),
        Step::Sync(owned(new)),
        Step::Rename { from: owned(new), to: owned(copy) },
        Step::Sync(owned(Path::new("/f"))),
        Step::Write(owned(store)),
        Step::Sync(owned(store)),
        Step::Remove(owned(copy)),
    ];
    assert_eq!(wrong(&whole, store), [""; 0]);
    for at in whole.iter().enumerate().filter(|(_, step)| matches!(step, Step::Sync(_))).map(|(at, _)| at) {
        let without = [&whole[..at], &whole[at + 1..]].concat();
        assert!(!wrong(&without, store).is_empty(), "without {:?}", whole[at]);
    }
}
