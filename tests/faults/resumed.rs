//! `resume` with a failure or a kill at its n-th call in the store's folder. Stored and reported results stay, and the next `resume` ends
//! the session with exactly the planned runs.

use super::{
    copy,
    disk::{self, Answer, Call},
    remove,
    sweep::{Fault, none_fails},
};
use crate::{
    power::{
        judge::{self, Expected, Told, judge, told},
        ok, store,
    },
    support::{Done, Place},
};
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};

const SESSION: [&str; 10] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "4", "--json"];

/// The number of results of an uninterrupted session.
const PLANNED: usize = 32;

/// A killed session, as it was stored.
struct Interrupted {
    place: Place,
    earlier: BTreeSet<Told>,
}

impl Interrupted {
    fn new() -> Self {
        let place = Place::new();
        fs::create_dir(place.path("kept")).unwrap();
        let mut command = place.command(&SESSION);
        command.env("DBDYNO_STORE", store(&place)).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut session = command.spawn().unwrap();
        let mut lines = BufReader::new(session.stdout.take().unwrap()).lines().map_while(Result::ok);
        let done = lines.by_ref().filter(|line| line.contains("\"event\":\"test_done\"")).nth(10);
        assert!(done.is_some(), "the session goes on");
        session.kill().unwrap();
        session.wait().unwrap();
        ok(&place, &["results", "--count"]);
        let earlier = judge::results(&store(&place)).unwrap();
        assert!(!earlier.is_empty() && earlier.len() < PLANNED, "{}", earlier.len());
        copy(&place.path("kept"), &place.path("before"));
        Self { place, earlier }
    }

    /// Resumes the session. Returns None if the kernel cannot ask about system calls.
    fn resume(&self, decide: impl FnMut(Call) -> Answer) -> Option<Done> {
        let kept = self.place.path("kept");
        remove(&kept);
        copy(&self.place.path("before"), &kept);
        let mut command = self.place.command(&["resume", "--json"]);
        command.env("DBDYNO_STORE", store(&self.place)).env("DBDYNO_STORE_WAIT", "1s");
        Some(Done::of(disk::run_with_reads(command, kept, decide)?))
    }

    /// Returns the problem after a fault at a call, if there is one.
    fn fails(&self, fault: Fault, at: u64, calls: u64) -> Option<String> {
        let mut made = 0;
        let done = self.resume(|call| {
            made += 1;
            if made == at { fault.answer(call) } else { Answer::Do }
        })?;
        let told = self.earlier.iter().cloned().chain(told(done.stdout.lines())).collect();
        let expected = Expected { store: true, told, ..Expected::default() };
        let stored = judge(&store(&self.place), &expected);
        let Done { code, stderr, .. } = done;
        let wrong = match (code, stored) {
            (_, Err(failing)) => Some(failing.to_string()),
            (Some(0), Ok(_)) if self.done() != PLANNED => {
                Some(format!("{} of {PLANNED} results are stored", self.done()))
            }
            (Some(1..), Ok(_)) if stderr.is_empty() || stderr.contains("panicked") => {
                Some("it failed badly".to_owned())
            }
            _ => self.next_one_fails(),
        };
        wrong.map(|why| format!("{fault:?} at {at} of {calls}: {why}; {code:?} {stderr}"))
    }

    /// Counts the results of runs that finished. Interrupted runs are repeated.
    fn done(&self) -> usize {
        let sql = "SELECT count(*) AS n FROM result JOIN run USING (run_id) WHERE run.status = 'done'";
        let csv = ok(&self.place, &["sql", sql, "--format", "csv"]);
        csv.trim_start_matches("n\n").trim().parse().unwrap()
    }

    /// Returns the problem after the next `resume`, if there is one.
    fn next_one_fails(&self) -> Option<String> {
        let mut command = self.place.command(&["resume", "--quiet"]);
        let next = Done::of(command.env("DBDYNO_STORE", store(&self.place)).output().unwrap());
        let Done { code, stderr, .. } = next;
        (self.done() != PLANNED).then(|| format!("{} results after the next one: {code:?} {stderr}", self.done()))
    }
}

#[test]
fn a_session_is_resumed_or_the_next_resume_ends_it() {
    let interrupted = Interrupted::new();
    let mut calls = 0;
    let whole = interrupted.resume(|_| {
        calls += 1;
        Answer::Do
    });
    let Some(whole) = whole else { return };
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert_eq!(interrupted.done(), PLANNED);
    none_fails("resume", calls, 13, |fault, at| interrupted.fails(fault, at, calls));
}
