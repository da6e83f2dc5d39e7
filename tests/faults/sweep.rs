//! Every command that writes a store, with a failure or a kill at its n-th call in the store's folder: it is done and says so, or it
//! is not done and says so, or it says that it does not know. Nothing else in the store has changed.
//!
//! `DBDYNO_STORE_SWEEP=all` tries every call of every command; otherwise a few of each are drawn with a fixed seed.

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

/// Calls of each command and each kind of fault that are tried without `DBDYNO_STORE_SWEEP=all`.
const FEW: u64 = 3;

/// What is done to the n-th call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Eio,
    Enospc,
    Kill,
}

impl Fault {
    fn answer(self, call: Call) -> Answer {
        match self {
            Self::Eio => Answer::Fail(libc::EIO),
            Self::Enospc if call == Call::Change => Answer::Fail(libc::ENOSPC),
            // A full disk is read all the same.
            Self::Enospc => Answer::Do,
            Self::Kill => Answer::Kill,
        }
    }
}

/// A command with the folder that it starts from, and the rows that the store may have after it.
struct Swept {
    place: Place,
    arguments: Vec<String>,
    calls: u64,
    before: Result<Rows, Failing>,
    after: Rows,
}

impl Swept {
    /// Runs the command once as it should go. None where the system asks nobody about calls.
    fn new(place: Place, arguments: &[&str]) -> Option<Self> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut swept = Self { place, arguments, calls: 0, before: Ok(Rows::new()), after: Rows::new() };
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
        rows(&store(&self.place))
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

    /// What is wrong with what comes of a fault at a call, if anything.
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
            // Killed: which of the two is not said, unless it was said to be done.
            None => is_after || is_before && done.stdout.is_empty(),
            Some(_) if done.stderr.is_empty() || done.stderr.contains("panicked") => false,
            // The same commit may be found in the log by the next command.
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
        let all = std::env::var("DBDYNO_STORE_SWEEP").is_ok_and(|which| which == "all");
        let mut rng = SplitMix64::new(seed);
        let (mut failed, mut tried) = (Vec::new(), 0);
        for fault in [Fault::Eio, Fault::Enospc, Fault::Kill] {
            let drawn = (0..FEW).map(|_| rng.below(self.calls) + 1).collect();
            let calls: Vec<u64> = if all { (1..=self.calls).collect() } else { drawn };
            tried += calls.len();
            failed.extend(calls.into_iter().filter_map(|at| self.fails(fault, at)));
        }
        eprintln!("{:?}: {} of {tried} fail", self.arguments, failed.len());
        assert!(failed.is_empty(), "{} of {tried} fail:\n{}", failed.len(), failed.join("\n"));
    }
}

/// A place with a store that has a session.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    ok(&place, &SESSION);
    place
}

fn sweep(seed: u64, place: Place, arguments: &[&str]) {
    if let Some(swept) = Swept::new(place, arguments) {
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
    // In the first block, which is one of metadata; the rows are read all the same.
    bytes[12_288] ^= 1;
    fs::write(&path, bytes).unwrap();
    sweep(7, place, &["store", "repair"]);
}
