//! Every command that writes a store, or a file next to it, with a failure or a kill at its n-th call in the store's folder. The command
//! succeeds and reports it, fails and reports it, or reports that the outcome is unknown. Nothing else changes.
//!
//! `DBDYNO_STORE_SWEEP=all` tries every call of every command. Otherwise a few calls of each are drawn with a fixed seed.

use super::{
    copy,
    disk::{self, Answer, Call},
    remove,
};
use crate::{
    power::{
        judge::{Failing, Rows, rows},
        ok, store,
    },
    support::{Done, Place},
};
use dbdyno_workload::rng::SplitMix64;
use std::{fs, path::PathBuf};

const SESSION: [&str; 9] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1"];

/// The number of calls tried for each command and each kind of fault without `DBDYNO_STORE_SWEEP=all`.
const FEW: u64 = 3;

/// The fault at the n-th call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Eio,
    Enospc,
    Kill,
}

impl Fault {
    pub(super) fn answer(self, call: Call) -> Answer {
        match self {
            Self::Eio => Answer::Fail(libc::EIO),
            Self::Enospc if call == Call::Change => Answer::Fail(libc::ENOSPC),
            // A full disk can still be read.
            Self::Enospc => Answer::Do,
            Self::Kill => Answer::Kill,
        }
    }
}

/// Reads the state after a command: rows of stores, and lines of the files that it made.
type Look = fn(&Place) -> Result<Rows, Failing>;

fn of_store(place: &Place) -> Result<Rows, Failing> {
    rows(&store(place))
}

/// The calls of a command that are tried with each kind of fault: all, or a few.
fn tried(calls: u64, rng: &mut SplitMix64) -> Vec<u64> {
    match std::env::var("DBDYNO_STORE_SWEEP").is_ok_and(|which| which == "all") {
        true => (1..=calls).collect(),
        false => (0..FEW).map(|_| rng.below(calls) + 1).collect(),
    }
}

/// A command with its initial folder, and the states allowed after it.
struct Swept {
    place: Place,
    arguments: Vec<String>,
    look: Look,
    calls: u64,
    before: Result<Rows, Failing>,
    after: Rows,
}

impl Swept {
    /// Runs the command once without a fault. Returns None if the kernel cannot ask about system calls.
    fn new(place: Place, arguments: &[&str], look: Look) -> Option<Self> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut swept = Self { place, arguments, look, calls: 0, before: Ok(Rows::new()), after: Rows::new() };
        copy(&swept.kept(), &swept.place.path("before"));
        let mut calls = 0;
        let done = swept.run(|_| {
            calls += 1;
            Answer::Do
        })?;
        assert_eq!(done.code, Some(0), "{:?}: {}", swept.arguments, done.stderr);
        (swept.calls, swept.after) = (calls, swept.rows().unwrap());
        swept.restore();
        swept.before = swept.rows();
        Some(swept)
    }

    fn kept(&self) -> PathBuf {
        self.place.path("kept")
    }

    fn rows(&self) -> Result<Rows, Failing> {
        (self.look)(&self.place)
    }

    fn restore(&self) {
        remove(&self.kept());
        copy(&self.place.path("before"), &self.kept());
    }

    fn run(&self, decide: impl FnMut(Call) -> Answer) -> Option<Done> {
        self.restore();
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut command = self.place.command(&arguments);
        command.env("DBDYNO_STORE", store(&self.place)).env("DBDYNO_STORE_WAIT", "1s");
        Some(Done::of(disk::run_with_reads(command, self.kept(), decide)?))
    }

    /// Returns the problem after a fault at a call, if there is one.
    fn fails(&self, fault: Fault, at: u64) -> Option<String> {
        let mut calls = 0;
        let done = self.run(|call| {
            calls += 1;
            if calls == at { fault.answer(call) } else { Answer::Do }
        })?;
        let found = self.rows();
        let (is_before, is_after) = (found == self.before, found.as_ref() == Ok(&self.after));
        let unclear = done.stderr.contains("is not known");
        let is_right = match done.code {
            Some(0) => is_after,
            // A killed command does not report its outcome, unless it had already reported success.
            None => is_after || is_before && done.stdout.is_empty(),
            Some(_) if done.stderr.is_empty() || done.stderr.contains("panicked") => false,
            // The next command may find the same commit in the log.
            Some(_) => is_before || is_after && (unclear || self.before == Ok(self.after.clone())),
        };
        let state = match &found {
            _ if is_before => "as before".to_owned(),
            _ if is_after => "done".to_owned(),
            Ok(_) => "neither".to_owned(),
            Err(failing) => failing.to_string(),
        };
        let Done { code, stdout, stderr } = done;
        (!is_right).then(|| {
            format!("{:?} {fault:?} at {at} of {}: {state}; {code:?} {stdout}{stderr}", self.arguments, self.calls)
        })
    }

    /// Tries every call, or a few.
    fn sweep(&self, seed: u64) {
        none_fails(&self.arguments.join(" "), self.calls, seed, |fault, at| self.fails(fault, at));
    }
}

/// Tries each kind of fault at calls of a command. `fails` returns the problem after one fault.
pub(super) fn none_fails(what: &str, calls: u64, seed: u64, fails: impl Fn(Fault, u64) -> Option<String>) {
    let mut rng = SplitMix64::new(seed);
    let (mut failed, mut count) = (Vec::new(), 0);
    for fault in [Fault::Eio, Fault::Enospc, Fault::Kill] {
        let calls = tried(calls, &mut rng);
        count += calls.len();
        failed.extend(calls.into_iter().filter_map(|at| fails(fault, at)));
    }
    eprintln!("{what}: {} of {count} fail", failed.len());
    assert!(failed.is_empty(), "{} of {count} fail:\n{}", failed.len(), failed.join("\n"));
}

/// A place with a store that has a session.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    ok(&place, &SESSION);
    place
}

fn sweep(seed: u64, place: Place, arguments: &[&str]) {
    sweep_with(seed, place, arguments, of_store);
}

fn sweep_with(seed: u64, place: Place, arguments: &[&str], look: Look) {
    if let Some(swept) = Swept::new(place, arguments, look) {
        swept.sweep(seed);
    }
}

#[test]
fn a_tag_is_given_or_the_command_says_that_it_is_not() {
    sweep(1, place(), &["tag", "--all", "--add", "x"]);
}

#[test]
fn a_key_is_set_or_the_command_says_that_it_is_not() {
    sweep(2, place(), &["key", "--all", "--set", "a=b"]);
}

#[test]
fn a_session_is_deleted_or_the_command_says_that_it_is_not() {
    let place = place();
    ok(&place, &SESSION);
    sweep(3, place, &["delete", "session=last", "--yes"]);
}

#[test]
fn a_store_is_imported_or_the_command_says_that_it_is_not() {
    let place = place();
    let other = place.path("other.duckdb").to_string_lossy().into_owned();
    place.ok(&[&SESSION[..], &["--store", &other]].concat());
    sweep(4, place, &["import", &other]);
}

#[test]
fn a_copy_to_the_store_is_made_or_the_command_says_that_it_is_not() {
    let place = place();
    let (other, kept) = (place.path("other.duckdb"), store(&place).to_string_lossy().into_owned());
    let other = other.to_string_lossy().into_owned();
    place.ok(&[&SESSION[..], &["--store", &other]].concat());
    sweep(5, place, &["--store", &other, "copy", "--to", &kept]);
}

#[test]
fn a_write_that_was_killed_is_ended_by_whatever_comes_next() {
    let place = place();
    let undo = place.path("kept/results.duckdb.undo");
    let mut command = place.command(&["tag", "--all", "--add", "y"]);
    command.env("DBDYNO_STORE", store(&place));
    let killed = disk::run(command, place.path("kept"), |_| if undo.exists() { Answer::Kill } else { Answer::Do });
    if killed.is_some() {
        sweep(6, place, &["tag", "--all", "--add", "x"]);
    }
}

#[test]
fn a_damaged_store_is_repaired_or_stays_as_it_is() {
    let place = place();
    let path = store(&place);
    let mut bytes = fs::read(&path).unwrap();
    // Byte 12,288 is in the first block, which holds metadata. The rows can still be read.
    bytes[12_288] ^= 1;
    fs::write(&path, bytes).unwrap();
    sweep(7, place, &["store", "repair"]);
}

#[test]
fn a_note_is_added_or_the_command_says_that_it_is_not() {
    /// A note has its own time and identifier, so only its text is compared.
    fn look(place: &Place) -> Result<Rows, Failing> {
        let others = of_store(place)?.into_iter().filter(|row| !row.starts_with("note ")).collect();
        Ok(with(others, ok(place, &["sql", "SELECT text FROM note", "--format", "csv"]).lines().map(str::to_owned)))
    }
    sweep_with(8, place(), &["note", "--all", "--text", "x"], look);
}

/// The path of the files that a command creates: next to the store.
fn made(place: &Place, name: &str) -> String {
    place.path("kept").join(name).to_str().unwrap().to_owned()
}

/// Adds the lines of created files to the rows of the store, each with a prefix.
fn with(mut rows: Rows, made: impl IntoIterator<Item = String>) -> Rows {
    rows.extend(made.into_iter().map(|line| format!("made {line}")));
    rows
}

#[test]
fn an_export_is_whole_or_the_file_is_as_it_was() {
    fn look(place: &Place) -> Result<Rows, Failing> {
        let text = fs::read_to_string(made(place, "all.csv")).unwrap_or_default();
        Ok(with(of_store(place)?, text.lines().map(str::to_owned)))
    }
    for (seed, before) in [(9, None), (10, Some("what was there\n"))] {
        let place = place();
        let out = made(&place, "all.csv");
        before.into_iter().for_each(|text| fs::write(&out, text).unwrap());
        sweep_with(seed, place, &["export", "--format", "csv", "--out", &out], look);
    }
}

#[test]
fn a_copy_of_the_store_is_whole_or_not_there() {
    fn look(place: &Place) -> Result<Rows, Failing> {
        let copy = place.path("kept/copy.duckdb");
        let copied = if copy.exists() { rows(&copy)? } else { Rows::new() };
        Ok(with(of_store(place)?, copied))
    }
    let place = place();
    let to = made(&place, "copy.duckdb");
    sweep_with(11, place, &["copy", "--to", &to], look);
}

#[test]
fn a_copy_to_parquet_is_whole_or_not_there() {
    fn look(place: &Place) -> Result<Rows, Failing> {
        let (copy, again) = (made(place, "parquet"), place.path("again.duckdb"));
        if !fs::exists(&copy).unwrap() {
            return of_store(place);
        }
        drop(fs::remove_file(&again));
        place.ok(&["--store", again.to_str().unwrap(), "import", &copy]);
        Ok(with(of_store(place)?, rows(&again)?))
    }
    let place = place();
    let to = made(&place, "parquet");
    sweep_with(12, place, &["copy", "--to-parquet", &to], look);
}
