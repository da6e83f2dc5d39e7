//! `dbdyno resume`: an interrupted session ends with exactly the planned runs.

use crate::support::{Place, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::{BufRead, BufReader, Read},
    process::Stdio,
};

/// 16 runs of 8 tests, with a sweep and a pair of twins. A new plan from less information would be different.
pub(crate) const SESSION: [&str; 15] = [
    "run",
    "--suite",
    "kv",
    "--engine",
    "null",
    "--engine",
    "redb:durability=none|immediate",
    "--size",
    "500",
    "--repeat",
    "4",
    "--seed",
    "7",
    "--aa",
    "--json",
];
const RUNS: usize = 16;

/// Starts a session and ends it with a signal after this many lines of output.
pub(crate) fn cut_short(place: &Place, command: &[&str], signal: Signal, lines: usize) -> Vec<String> {
    let mut session = place.command(command).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut output = BufReader::new(session.stdout.take().unwrap());
    let said: Vec<String> = output.by_ref().lines().take(lines).map(Result::unwrap).collect();
    kill_process(Pid::from_child(&session), signal).unwrap();
    let said = said.into_iter().chain(output.lines().map_while(Result::ok)).collect();
    session.wait().unwrap();
    said
}

/// The planned and existing runs, with the columns that do not depend on when they ran.
fn runs(place: &Place, status: &str) -> Vec<Vec<String>> {
    place.rows(&format!(
        "SELECT ordinal, round, label, seed, tier, size FROM run WHERE status = '{status}' ORDER BY ordinal"
    ))
}

fn results(place: &Place) -> Vec<Vec<String>> {
    place.rows("SELECT round, label, test, operations, rows, verification, status FROM results WHERE wall_ns IS NOT NULL ORDER BY ALL")
}

/// The runs and results of an uninterrupted session.
fn whole() -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let place = Place::new();
    place.ok(&SESSION);
    (runs(&place, "done"), results(&place))
}

#[test]
fn a_session_that_was_killed_ends_with_exactly_the_planned_runs() {
    let (planned, answers) = whole();
    assert_eq!(planned.len(), RUNS);
    let place = Place::new();
    cut_short(&place, &SESSION, Signal::KILL, 60);
    let done = place.run(&["results", "--count"]);
    assert!(done.stderr.contains("dbdyno resume"), "{}", done.stderr);
    assert_eq!(place.value("SELECT status FROM session"), "interrupted");
    assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'running'"), "0");
    let before = place.rows("SELECT run_id, test, wall_ns FROM result ORDER BY ALL");
    assert!(runs(&place, "done").len() < RUNS && !before.is_empty());
    // The resumed session is killed too, at another point.
    cut_short(&place, &["resume", "--json"], Signal::KILL, 50);
    place.ok(&["resume", "--quiet"]);
    assert_eq!(runs(&place, "done"), planned, "each planned run once, with its seed");
    assert_eq!(results(&place), answers, "each test of each run once, and no other answer");
    assert_eq!(place.value("SELECT count(DISTINCT session_id) || ' ' || any_value(status) FROM session"), "1 done");
    let after = place.rows("SELECT run_id, test, wall_ns FROM result ORDER BY ALL");
    assert!(before.iter().all(|row| after.contains(row)), "what was measured before is still there");
    assert_eq!(place.value("SELECT count(*) FROM run WHERE status IN ('running', 'interrupted')"), "0");
    let again = place.run(&["resume"]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("nothing to resume"), "{}", again.stderr);
}

#[test]
fn a_session_that_was_cancelled_can_be_resumed_by_its_name() {
    let (planned, answers) = whole();
    let place = Place::new();
    cut_short(&place, &SESSION, Signal::INT, 40);
    let session = place.value("SELECT session_id FROM session WHERE status = 'cancelled'");
    assert_ne!(place.value("SELECT count(*) FROM warning"), "0", "what was found at the first end");
    place.ok(&["resume", &session[..13], "--quiet"]);
    assert_eq!((runs(&place, "done"), results(&place)), (planned, answers));
    let repeats = "SELECT count(*) FROM warning WHERE message LIKE '%3 runs a test%' OR message LIKE '%1 runs a test%'";
    assert_eq!(place.value(repeats), "0", "findings of the first end are gone");
    let again = place.run(&["resume", &session]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("is done"), "{}", again.stderr);
    assert!(place.run(&["resume", "00000000"]).stderr.contains("there is no session 00000000"));
}

#[test]
fn what_began_with_other_versions_is_resumed_only_when_that_is_allowed() {
    let place = Place::new();
    cut_short(&place, &SESSION, Signal::KILL, 40);
    place.ok(&["results", "--count"]);
    let connection = duckdb::Connection::open(place.store()).unwrap();
    let older = "UPDATE session SET dbdyno_version = '0.0.9',
                 plan = replace(plan::VARCHAR, '\"version\":\"', '\"version\":\"9.')::JSON";
    connection.execute_batch(older).unwrap();
    connection.close().unwrap();
    let refused = place.run(&["resume"]);
    assert_eq!(refused.code, Some(2));
    for part in ["dbdyno 0.0.9", "redb 9.", "--allow-differing-versions"] {
        assert!(refused.stderr.contains(part), "{part} in: {}", refused.stderr);
    }
    place.ok(&["resume", "--quiet", "--allow-differing-versions"]);
    assert_eq!(runs(&place, "done").len(), RUNS);
}

#[test]
fn a_session_that_somebody_runs_is_not_marked_and_not_resumed() {
    let place = Place::new();
    let long = ["run", "--suite", "kv", "--engine", "null", "--size", "500", "--repeat", "2000", "--quiet"];
    let mut session = place.spawn(&long);
    wait_until("it is under way", || {
        place.run(&["results", "--count"]).stdout.trim().parse().is_ok_and(|count: u64| count > 0)
    });
    assert_eq!(place.value("SELECT status FROM session"), "running");
    let refused = place.run(&["resume", &place.value("SELECT session_id FROM session")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("is running"), "{}", refused.stderr);
    kill_process(Pid::from_child(&session), Signal::INT).unwrap();
    session.wait().unwrap();
    assert_eq!(place.value("SELECT status FROM session"), "cancelled");
}
