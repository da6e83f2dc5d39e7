//! Power losses: whatever a disk may hold after one, the next command opens the store, which has every reported result and all earlier
//! rows.
//!
//! A command is recorded once, and images of the disk are built from the recording. `DBDYNO_POWER_IMAGES=500` checks that many images for
//! each scenario (`38..39`: the one of that seed). `DBDYNO_POWER_KEEP=FOLDER` keeps the images that fail, with a description.

pub(crate) mod judge;
mod model;
mod record;

use crate::support::{Done, Place, has_tool};
use judge::{Expected, Failing, judge, rows, told};
use model::{Choice, Log, Op, Tree, image};
use record::{Recording, record};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader},
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A session of two runs and 16 results.
pub(crate) const SESSION: [&str; 10] =
    ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "2", "--json"];

/// The seeds to try: the usual number, or those in an environment variable, as `500` or `38..39`.
pub(crate) fn seeds(variable: &str, usual: u64) -> Range<u64> {
    let Ok(asked) = std::env::var(variable) else { return 0..usual };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{variable}={asked}: expected N or FROM..TO"));
    asked.split_once("..").map_or_else(|| 0..number(&asked), |(from, to)| number(from)..number(to))
}

/// A recorded command on a store, and the requirements on the images.
struct Scenario {
    name: &'static str,
    recording: Recording,
    /// The rows that every image must have.
    expected: Expected,
}

impl Scenario {
    /// Records a command on the store of a place, which must succeed.
    fn record(name: &'static str, place: &Place, command: &[&str], expected: Expected) -> Self {
        let recording = recorded(place, &store(place), command);
        assert_eq!(recording.code, Some(0), "{}", recording.stderr);
        Self { name, recording, expected }
    }

    /// Returns the required contents of an image that was cut from the log at this operation.
    fn expected(&self, cut: usize) -> Expected {
        let said = said(&self.recording.log, cut);
        let mut expected = self.expected.clone();
        expected.told.extend(told(said.iter().copied()));
        expected.store |= !expected.told.is_empty();
        if !said.is_empty() && expected.either.len() > 1 {
            // A change that was reported as done must be there.
            expected.either.remove(0);
        }
        expected
    }

    /// Checks images of one scenario, and fails with the number of faulty images and their faults.
    fn judge_images(&self, place: &Place, usual: u64) {
        let log = &self.recording.log;
        let mut failures = Failures::default();
        for seed in seeds("DBDYNO_POWER_IMAGES", usual) {
            let choice = Choice::draw(log, seed);
            failures.judge(place, self.name, log, choice, &self.expected(choice.cut));
        }
        failures.are_none(self.name);
    }
}

/// Records a command on a store.
fn recorded(place: &Place, store: &Path, command: &[&str]) -> Recording {
    let (mut command, folder) = (place.command(command), store.parent().unwrap());
    let recording = record(command.env("DBDYNO_STORE", store), folder, &place.path("runtime"));
    let log = &recording.log;
    assert!(
        image(log, Choice::everything(log)) == read_tree(folder),
        "everything that was done to the folder was recorded"
    );
    recording
}

/// The number of checked images, and the ones that failed.
#[derive(Default)]
struct Failures {
    judged: usize,
    kinds: BTreeMap<&'static str, usize>,
    said: Vec<String>,
}

impl Failures {
    /// Checks an image. `name` describes its origin.
    fn judge(&mut self, place: &Place, name: &str, log: &Log, choice: Choice, expected: &Expected) {
        let folder = place.path("image");
        let tree = image(log, choice);
        write_tree(&folder, &tree);
        let judged = judge(&folder.join("results.duckdb"), expected);
        fs::remove_dir_all(&folder).unwrap();
        self.judged += 1;
        if let Err(failing) = judged {
            let said = format!("{name}, {choice:?} of {} operations: {failing}", log.ops.len());
            keep(&tree, &format!("{} {}", name, self.judged), &said);
            *self.kinds.entry(failing.kind()).or_default() += 1;
            self.said.push(said);
        }
    }

    #[track_caller]
    fn are_none(&self, name: &str) {
        let (failed, judged) = (self.said.len(), self.judged);
        eprintln!("{name}: {failed} of {judged} images fail {:?}", self.kinds);
        let first: Vec<&str> = self.said.iter().take(10).map(String::as_str).collect();
        assert_eq!(failed, 0, "of {judged} images, {:?}:\n{}", self.kinds, first.join("\n"));
    }
}

/// Keeps a failed image, if that is requested.
fn keep(tree: &Tree, name: &str, said: &str) {
    let Some(folder) = std::env::var_os("DBDYNO_POWER_KEEP") else { return };
    let kept = Path::new(&folder).join(name.replace(' ', "-"));
    _ = fs::remove_dir_all(&kept);
    write_tree(&kept, tree);
    fs::write(kept.join("image.txt"), said).unwrap();
}

fn read_tree(folder: &Path) -> Tree {
    let log = record::start(folder);
    image(&log, Choice::everything(&log))
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

/// The lines that were printed before a cut.
fn said(log: &Log, cut: usize) -> Vec<&str> {
    fn line(op: &Op) -> Option<&str> {
        if let Op::Said(line) = op { Some(line) } else { None }
    }
    log.ops[..cut].iter().filter_map(line).collect()
}

/// The store of a scenario. Its folder contains nothing else.
pub(crate) fn store(place: &Place) -> PathBuf {
    place.path("kept").join("results.duckdb")
}

/// A place with an empty folder for a store. Returns None if a tool for the recording is missing.
fn place() -> Option<Place> {
    if !has_tool("strace", &["-f", "--seccomp-bpf", "true"]) {
        return None;
    }
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    Some(place)
}

/// Runs a command on the place's store, which must succeed. Returns its output.
pub(crate) fn ok(place: &Place, arguments: &[&str]) -> String {
    let mut command = place.command(arguments);
    let done = Done::of(command.env("DBDYNO_STORE", store(place)).output().unwrap());
    assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.stderr);
    done.stdout
}

/// Creates a store of some MB by duplicating the runs of a session many times.
fn fill(place: &Place) {
    ok(place, &[&SESSION[..8], &["1"]].concat());
    let connection = duckdb::Connection::open(store(place)).unwrap();
    let of_copies = |table: &str| {
        format!(
            "INSERT INTO {table} SELECT t.* REPLACE (copy AS run_id) FROM {table} t JOIN copies ON t.run_id = original;"
        )
    };
    let made = "CREATE TEMP TABLE copies AS SELECT run_id AS original, uuid() AS copy FROM run, range(2000);";
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
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
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

/// Records a change of the store, and checks that it is made completely or not at all, and completely once it is reported.
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

/// The next command repairs the image of one power loss, and the power is lost again during the repair.
#[test]
fn a_second_power_loss_while_the_first_is_mended_loses_nothing() {
    const NAME: &str = "a second power loss";
    let Some(place) = place() else { return };
    fill(&place);
    let expected = Expected { store: true, earlier: rows(&store(&place)).unwrap(), ..Expected::default() };
    let first = Scenario::record(NAME, &place, &SESSION, expected);
    let log = &first.recording.log;
    let mut failures = Failures::default();
    for seed in seeds("DBDYNO_POWER_IMAGES", 8) {
        let left = Choice::draw(log, seed);
        let folder = place.path("left");
        write_tree(&folder, &image(log, left));
        let mending = recorded(&place, &folder.join("results.duckdb"), &["results", "--count"]);
        fs::remove_dir_all(&folder).unwrap();
        // An image that needs no repair, or cannot be repaired, is skipped: there is nothing to interrupt. Other tests check those images.
        let mends = mending.log.ops.iter().any(|op| !matches!(op, Op::Said(_)));
        if mends && mending.code == Some(0) {
            let choice = Choice::draw(&mending.log, seed);
            failures.judge(&place, &format!("{NAME} after {left:?}"), &mending.log, choice, &first.expected(left.cut));
        }
    }
    assert!(failures.judged > 0, "some images need mending");
    failures.are_none(NAME);
}

#[test]
fn what_is_no_store_fails() {
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    assert_eq!(judge(&store(&place), &Expected::default()), Ok(0), "nothing was made yet");
    let missing = Expected { store: true, ..Expected::default() };
    assert!(matches!(judge(&store(&place), &missing), Err(Failing::Refused(_))));
    fs::write(store(&place), "no store").unwrap();
    assert!(matches!(judge(&store(&place), &Expected::default()), Err(Failing::Refused(_))));
}

/// A program that replaces a file correctly, and one that does not sync the file's content.
#[test]
fn a_recorded_program_that_syncs_is_safe_and_one_that_does_not_is_not() {
    let Some(place) = place() else { return };
    let folder = place.path("kept");
    let contents = |script: &str| {
        fs::write(folder.join("file"), "old").unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("cd {} && {script}", folder.display())]);
        let log = record(&command, &folder, &place.path("runtime")).log;
        assert!(image(&log, Choice::everything(&log)) == read_tree(&folder), "everything is recorded");
        let images = (0..500).map(|seed| Choice::draw(&log, seed)).map(|choice| {
            let said = !said(&log, choice.cut).is_empty();
            (said, String::from_utf8(image(&log, choice)["file"].clone().unwrap()).unwrap())
        });
        images.collect::<BTreeSet<(bool, String)>>()
    };
    let seen = |said: bool, text: &str| (said, text.to_owned());
    let safe = contents("printf new > made && sync made && mv made file && sync . && echo done");
    assert_eq!(safe, BTreeSet::from([seen(false, "old"), seen(false, "new"), seen(true, "new")]));
    let unsafe_ = contents("printf new > made && mv made file && echo done");
    assert!(unsafe_.contains(&seen(true, "")) && unsafe_.contains(&seen(true, "old")), "{unsafe_:?}");
}
