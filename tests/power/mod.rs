//! Power losses: whatever a disk may hold after one, the next command opens the store, and it has every result that was told and
//! everything that was there before.
//!
//! A command is recorded once, and images of the disk are made from what it did. `DBDYNO_POWER_IMAGES=500` judges so many images a scenario,
//! `DBDYNO_POWER_KEEP=FOLDER` keeps those that fail, with what they are.

pub(crate) mod judge;
mod model;
mod record;

use crate::support::{Place, has_tool};
use judge::{Expected, dbdyno, judge, rows, told};
use model::{Choice, Log, Op, Tree, image};
use record::{Recording, record};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::Path,
};

/// A session of two runs and 16 results.
pub(crate) const SESSION: [&str; 10] =
    ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "2", "--json"];

/// A count that an environment variable may raise.
pub(crate) fn count_of(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |count| count.parse().expect("a whole number"))
}

/// A recorded command on a store, and what is asked of the images.
struct Scenario {
    name: &'static str,
    recording: Recording,
    /// What has to be there whatever the image.
    expected: Expected,
}

impl Scenario {
    /// Records a command on the store of a place. What it does is only done to the store's folder.
    fn record(name: &'static str, place: &Place, command: &[&str], expected: Expected) -> Self {
        let mut command = place.command(command);
        command.env("DBDYNO_STORE", store(place));
        let recording = record(&command, &place.path("kept"), &place.path("runtime"));
        assert_eq!(recording.code, Some(0), "{}", recording.stderr);
        Self { name, recording, expected }
    }

    /// What an image has to hold that was cut from the log there.
    fn expected(&self, cut: usize) -> Expected {
        let said = said(&self.recording.log, cut);
        let mut expected = self.expected.clone();
        expected.told.extend(told(said.iter().copied()));
        expected.store |= !expected.told.is_empty();
        if !said.is_empty() && expected.either.len() > 1 {
            // What was told to be done is done.
            expected.either.remove(0);
        }
        expected
    }

    /// Judges images of one scenario, and fails with what is wrong with how many.
    fn judge_images(&self, place: &Place, usual: usize) {
        let count = count_of("DBDYNO_POWER_IMAGES", usual);
        let log = &self.recording.log;
        let mut failures: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut first = String::new();
        for seed in 0..count as u64 {
            let choice = Choice::draw(log, seed);
            let folder = place.path("image");
            write_tree(&folder, &image(log, choice));
            if let Err(failing) = judge(&folder.join("results.duckdb"), &self.expected(choice.cut)) {
                *failures.entry(failing.kind()).or_default() += 1;
                let said = format!("{}, {choice:?} of {} operations: {failing}\n", self.name, log.ops.len());
                keep(&folder, log, choice, &said);
                if first.lines().count() < 10 {
                    first += &said;
                }
            }
            fs::remove_dir_all(&folder).unwrap();
        }
        let failed: usize = failures.values().sum();
        eprintln!("{}: {failed} of {count} images fail, of a log of {} operations", self.name, log.ops.len());
        assert_eq!(failed, 0, "of {count} images of {}: {failures:?}\n{first}", self.name);
    }
}

/// Keeps an image that failed as it was before it was judged, where that is asked for.
fn keep(judged: &Path, log: &Log, choice: Choice, said: &str) {
    let Some(folder) = std::env::var_os("DBDYNO_POWER_KEEP") else { return };
    fs::remove_dir_all(judged).unwrap();
    let name = said.split(',').next().unwrap().replace(' ', "-");
    let kept = Path::new(&folder).join(format!("{name}-{}", choice.seed));
    _ = fs::remove_dir_all(&kept);
    write_tree(&kept, &image(log, choice));
    fs::write(kept.join("image.txt"), said).unwrap();
    write_tree(judged, &Tree::new());
}

fn write_tree(folder: &Path, tree: &Tree) {
    fs::create_dir_all(folder).unwrap();
    for (path, content) in tree {
        match content {
            None => fs::create_dir(folder.join(path)).unwrap(),
            Some(content) => fs::write(folder.join(path), content).unwrap(),
        }
    }
}

/// What was said before a cut.
fn said(log: &Log, cut: usize) -> Vec<&str> {
    let said = |op| if let &Op::Said(ref line) = op { Some(line.as_str()) } else { None };
    log.ops[..cut].iter().filter_map(said).collect()
}

/// The store of a scenario lies in a folder that holds nothing else.
pub(crate) fn store(place: &Place) -> std::path::PathBuf {
    place.path("kept").join("results.duckdb")
}

/// A place with an empty folder for a store, where what is needed to record is there.
fn place() -> Option<Place> {
    if !has_tool("strace", &["-f", "--seccomp-bpf", "true"]) {
        return None;
    }
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    Some(place)
}

/// Runs a command on the place's store, which has to succeed.
pub(crate) fn ok(place: &Place, arguments: &[&str]) -> String {
    let mut command = place.command(arguments);
    let done = crate::support::Done::of(command.env("DBDYNO_STORE", store(place)).output().unwrap());
    assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.stderr);
    done.stdout
}

/// Makes a store of some MB: a session whose runs are there many times over.
fn fill(place: &Place) {
    ok(place, &SESSION);
    let connection = duckdb::Connection::open(store(place)).unwrap();
    let of_copies = |table: &str| {
        format!(
            "INSERT INTO {table} SELECT t.* REPLACE (copy AS run_id) FROM {table} t JOIN copies ON t.run_id = original;"
        )
    };
    let made = "CREATE TEMP TABLE copies AS SELECT run_id AS original, uuid() AS copy FROM run, range(1000);";
    let tables = ["run", "run_option", "result", "timeline"].map(of_copies).concat();
    connection.execute_batch(&format!("{made}{tables}")).unwrap();
    connection.close().unwrap();
    let bytes = fs::metadata(store(place)).unwrap().len();
    assert!(bytes > 2 << 20, "{bytes} bytes are too few for several blocks of metadata");
}

#[test]
fn a_power_loss_in_the_first_session_loses_nothing_told() {
    let Some(place) = place() else { return };
    let scenario = Scenario::record("a session in a new store", &place, &SESSION, Expected::default());
    assert_eq!(scenario.expected(scenario.recording.log.ops.len()).told.len(), 16);
    scenario.judge_images(&place, 12);
}

#[test]
fn a_power_loss_in_a_session_loses_nothing_told_and_nothing_earlier() {
    let Some(place) = place() else { return };
    fill(&place);
    let expected = Expected { store: true, earlier: rows(&store(&place)).unwrap(), ..Expected::default() };
    let scenario = Scenario::record("a session in a store with sessions", &place, &SESSION, expected);
    scenario.judge_images(&place, 12);
}

#[test]
fn a_power_loss_while_a_killed_session_is_taken_in_loses_nothing_of_it() {
    let Some(place) = place() else { return };
    fill(&place);
    let earlier = rows(&store(&place)).unwrap();
    let mut session = place
        .command(&SESSION)
        .env("DBDYNO_STORE", store(&place))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut events: Vec<String> = Vec::new();
    while told(events.iter().map(String::as_str)).len() < 11 {
        events.push(lines.next().expect("the session goes on"));
    }
    session.kill().unwrap();
    session.wait().unwrap();
    events.extend(lines);
    let told = told(events.iter().map(String::as_str));
    let expected = Expected { store: true, told, earlier, either: Vec::new() };
    let scenario = Scenario::record("taking in a killed session", &place, &["results", "--count"], expected);
    scenario.judge_images(&place, 8);
}

/// Records a change of the store, and judges that it is made whole or not at all, and is made once it is told.
#[track_caller]
fn all_or_nothing(name: &'static str, change: &[&str]) {
    let Some(place) = place() else { return };
    fill(&place);
    let before = rows(&store(&place)).unwrap();
    let expected = Expected { store: true, ..Expected::default() };
    let mut scenario = Scenario::record(name, &place, change, expected);
    let after = rows(&store(&place)).unwrap();
    assert_ne!(before, after);
    scenario.expected.either = vec![before, after];
    scenario.judge_images(&place, 6);
}

#[test]
fn a_power_loss_while_runs_are_tagged_tags_all_of_them_or_none() {
    all_or_nothing("tag", &["tag", "engine=null", "--add", "kept"]);
}

#[test]
fn a_power_loss_while_runs_are_deleted_deletes_all_of_them_or_none() {
    all_or_nothing("delete", &["delete", "engine=null", "--yes"]);
}

#[test]
fn a_power_loss_is_judged_by_what_was_said_before_it() {
    let log = Log { ops: vec![Op::Said("one".to_owned()), Op::Said("two".to_owned())], ..Log::default() };
    assert_eq!(said(&log, 1), ["one"]);
    // A store that a command cannot open is a failing one.
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    fs::write(store(&place), "no store").unwrap();
    assert!(judge(&store(&place), &Expected::default()).is_err());
    assert!(dbdyno(&store(&place), &["results"]).status().unwrap().code().is_some());
}
