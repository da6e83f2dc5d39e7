//! Sessions that are interrupted, killed, or not alone: no finished result is lost, and no file or process is left over.

use crate::support::{Done, Place, processes_with, pseudo_terminal, python, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, process::Child, thread, time::Duration};

/// A session that runs long enough to be interrupted, because its commits wait for the disk.
const LONG: [&str; 11] =
    ["run", "--suite", "kv", "--engine", "sqlite", "--engine", "redb", "--size", "20000", "--repeat", "50"];

fn results(place: &Place) -> u64 {
    if !place.store().exists() {
        return 0;
    }
    let done = place.run(&["results", "--count"]);
    done.stdout.trim().parse().unwrap_or(0)
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[track_caller]
fn nothing_is_left(place: &Place) {
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
}

#[test]
fn a_signal_ends_the_session_in_order_and_keeps_what_finished() {
    for (kind, word) in [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM")] {
        let place = Place::new();
        let child = place.spawn(&LONG);
        wait_until("some results are stored", || results(&place) >= 10);
        signal(&child, kind);
        let done = Done::of(child.wait_with_output().unwrap());
        assert_eq!(done.code, Some(130), "{word}: {}", done.stderr);
        assert!(done.stdout.contains("median of"), "{word}: the table of what finished is printed: {}", done.stdout);
        assert!(results(&place) >= 10);
        assert_eq!(place.value("SELECT status FROM session"), "cancelled");
        assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'running'"), "0");
        assert_eq!(place.left_behind().len(), 0, "no database is left");
        nothing_is_left(&place);
    }
}

/// A session whose third run does one test and then receives nothing more, so its worker does not end by itself.
const DEAF: [&str; 13] = [
    "run",
    "--suite",
    "kv",
    "--engine",
    "lmdb",
    "--engine",
    "null:fault=stop,fault_session=2",
    "--test",
    "1,2",
    "--size",
    "1000",
    "--repeat",
    "4",
];

/// Asserts that an interrupted session ended properly: cancelled, with no running run, process or file left over.
#[track_caller]
fn is_cancelled(place: &Place, what: &str) {
    nothing_is_left(place);
    assert_eq!(place.rows("SELECT status, finished_at IS NOT NULL FROM session"), [["cancelled", "true"]], "{what}");
    assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'running' OR finished_at IS NULL"), "0", "{what}");
    assert_eq!(place.left_behind().len(), 0, "{what}: no folder is left");
}

#[test]
fn a_signal_given_again_and_again_ends_the_session_in_the_same_order() {
    for (kind, word) in [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM"), (Signal::HUP, "SIGHUP")] {
        let place = Place::new();
        let mut child = place.spawn(&[&DEAF[..], &["--json"]].concat());
        wait_until("the deaf worker has done its first test", || {
            place.run(&["results", "engine=null", "--count"]).stdout.trim() == "1"
        });
        while child.try_wait().unwrap().is_none() {
            signal(&child, kind);
            thread::sleep(Duration::from_millis(3));
        }
        let done = Done::of(child.wait_with_output().unwrap());
        assert_eq!(done.code, Some(130), "{word}: {}", done.stderr);
        let told = done.stdout.lines().filter(|line| line.contains("\"event\":\"test_done\"")).count() as u64;
        assert_eq!(results(&place), told, "{word}: every test that was told is stored");
        is_cancelled(&place, word);
    }
}

#[test]
fn tuning_that_is_interrupted_again_and_again_ends_in_order() {
    let place = Place::new();
    let tune = ["tune", "try", "--engine", "null", "--suite", "kv", "--test", "1,2", "--size", "1000", "--json"];
    let change = ["null.fault=stop", "--rounds", "8"];
    let mut child = place.spawn(&[&tune[..], &change].concat());
    wait_until("a test of the base is stored", || results(&place) >= 1);
    while child.try_wait().unwrap().is_none() {
        signal(&child, Signal::INT);
        thread::sleep(Duration::from_millis(3));
    }
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    is_cancelled(&place, "a trial");
}

#[test]
fn a_terminal_that_is_closed_ends_the_session_in_order() {
    let place = Place::new();
    let mut terminal = pseudo_terminal(&place, &LONG, (80, 24));
    wait_until("some results are stored", || results(&place) >= 10);
    let status = terminal.close().wait().unwrap();
    assert_eq!(status.exit_code(), 130);
    assert!(results(&place) >= 10);
    is_cancelled(&place, "a closed terminal");
}

#[test]
fn kill_9_loses_no_finished_test_and_leaves_no_worker() {
    let place = Place::new();
    let mut child = place.spawn(&[&LONG[..], &["--json"]].concat());
    wait_until("some results are stored", || results(&place) >= 10);
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    nothing_is_left(&place);
    let stored = results(&place);
    assert!(stored >= 10);
    // A result that the session reported and passed was stored before. The events show which ones.
    let mut events = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut events).unwrap();
    let done = events.lines().filter(|line| line.contains("\"event\":\"test_done\"")).count() as u64;
    assert!(stored + 1 >= done, "{stored} stored of {done} finished: at most the one being stored may be missing");
    if let Some(read) = python(
        "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).sql('select count(*) from results').fetchall()[0][0])",
        &place.store(),
    ) {
        assert_eq!(read.trim(), stored.to_string());
    }
    let bytes: u64 = place
        .left_behind()
        .iter()
        .map(|folder| fs::read_dir(folder.join("databases")).into_iter().flatten().count() as u64)
        .sum();
    // A worker that had begun its last test may have ended normally. Then this session, or the next one, removes its folder.
    let last = events.lines().last().unwrap_or_default();
    let ends = ["\"event\":\"done\"", "\"event\":\"test_started\",\"test\":8,", "\"event\":\"test_done\",\"test\":8,"];
    let has_ended = ends.iter().any(|end| last.contains(end));
    let was_at_work = last.contains("\"event\":\"worker\"") && !has_ended;
    assert!(bytes == 0 || !was_at_work, "the worker removed its databases: {last}");
    place.ok(&["run", "--suite", "kv", "--engine", "null", "--repeat", "1", "--quiet"]);
    assert_eq!(place.left_behind().len(), 0, "the next session sweeps the rest");
}

#[test]
fn two_sessions_share_one_store_and_take_turns() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--engine", "lmdb", "--engine", "redb", "--size", "1000", "--repeat", "8"];
    let sessions = [place.spawn(&run), place.spawn(&run)];
    let ended = sessions.map(|session| Done::of(session.wait_with_output().unwrap()));
    for done in &ended {
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    }
    assert!(ended.iter().any(|done| done.stderr.contains("waiting for another session's run to end")));
    assert_eq!(place.rows("SELECT count(*), count(DISTINCT session_id) FROM results"), [["256", "2"]]);
    let overlapping = "SELECT count(*) FROM run a JOIN run b
        ON a.session_id <> b.session_id AND a.started_at < b.finished_at AND b.started_at < a.finished_at
        WHERE a.finished_at - a.started_at > INTERVAL 0 SECOND
          AND least(a.finished_at, b.finished_at) - greatest(a.started_at, b.started_at) > INTERVAL 50 MILLISECOND";
    assert_eq!(place.value(overlapping), "0", "no two runs are measured at once");
}

#[test]
fn a_budget_ends_the_session_after_whole_rounds() {
    let place = Place::new();
    let done = place.run(&[&LONG[..], &["--budget", "3s"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("the budget allows no further round"), "{}", done.stderr);
    let rounds = place.rows("SELECT engine, count(DISTINCT round) FROM results GROUP BY 1 ORDER BY 1");
    assert_eq!(rounds[0][1], rounds[1][1], "every engine ran as many rounds");
    assert!(rounds[0][1].parse::<u32>().unwrap() < 50);
}

#[test]
fn a_session_that_waits_for_its_turn_can_be_interrupted() {
    let place = Place::new();
    fs::create_dir_all(place.path("runtime/dbdyno")).unwrap();
    let lock = fs::File::create(place.path("runtime/dbdyno/measurement.lock")).unwrap();
    lock.lock().unwrap();
    let child = place.spawn(&LONG);
    wait_until("the session is stored", || {
        place.store().exists() && place.run(&["sql", "FROM session"]).stdout.contains("running")
    });
    signal(&child, Signal::INT);
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert!(done.stderr.contains("waiting for another session's run to end"), "{}", done.stderr);
    assert_eq!(place.value("SELECT status FROM session"), "cancelled");
    nothing_is_left(&place);
}
