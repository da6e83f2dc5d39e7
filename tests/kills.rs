//! Kills: whenever a session is killed, the next command opens the store, which has every reported result. No worker keeps running, and the
//! next session cleans up the work folder.
//!
//! `DBDYNO_KILLS=500` kills that many sessions on the command line, and a tenth of that in the terminal.

use crate::{
    power::{
        judge::{self, Expected, Rows, judge, rows, told},
        seeds,
    },
    support::{Place, processes_with, wait_until},
    tui::terminal::Terminal,
};
use dbdyno_workload::rng::SplitMix64;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    thread,
    time::Duration,
};

/// The number of kills after which a new store is used.
const OF_A_STORE: u64 = 25;

const NEXT: [&str; 9] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1"];

#[track_caller]
fn nothing_runs(place: &Place) {
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
}

/// Runs a session and kills it a short time after it has printed some lines. Returns its whole output.
fn killed(place: &Place, engine: &str, rng: &mut SplitMix64) -> Vec<String> {
    let run = ["run", "--suite", "kv", "--engine", engine, "--size", "200", "--repeat", "3", "--json"];
    let mut session = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut events: Vec<String> = lines.by_ref().take(rng.below(90) as usize).collect();
    // The moment is random, so this does not wait for an event.
    thread::sleep(Duration::from_micros(rng.below(30_000)));
    session.kill().unwrap();
    session.wait().unwrap();
    events.extend(lines);
    events
}

/// A place, and the rows that every store in it must keep from now on.
struct Kept {
    place: Place,
    earlier: Rows,
}

impl Kept {
    fn new() -> Self {
        let place = Place::new();
        place.ok(&NEXT);
        Self { earlier: rows(&place.store()).unwrap(), place }
    }
}

#[test]
fn a_session_that_is_killed_at_any_moment_has_kept_what_it_told() {
    let seeds = seeds("DBDYNO_KILLS", 6);
    let count = seeds.end - seeds.start;
    let mut kept = Kept::new();
    let (mut failed, mut results) = (Vec::new(), 0);
    for kill in seeds.clone() {
        let mut rng = SplitMix64::new(kill);
        if kill % OF_A_STORE == 0 {
            kept = Kept::new();
        }
        let engine = if rng.below(3) == 0 { "sqlite" } else { "null" };
        let events = killed(&kept.place, engine, &mut rng);
        nothing_runs(&kept.place);
        let told = told(events.iter().map(String::as_str));
        results += told.len();
        let expected = Expected { store: true, told, earlier: kept.earlier.clone(), either: Vec::new() };
        if let Err(failing) = judge(&kept.place.store(), &expected) {
            failed.push(format!("kill {kill} of {engine} after {} events: {failing}", events.len()));
            kept = Kept::new();
        }
        if kill % OF_A_STORE == OF_A_STORE - 1 || kill + 1 == seeds.end {
            kept.place.ok(&NEXT);
            assert_eq!(kept.place.left_behind().len(), 0, "the next session sweeps the work folder");
        }
    }
    eprintln!("kills: {} of {count} fail, of sessions that had told {results} results", failed.len());
    assert!(failed.is_empty(), "{} of {count} kills fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_session_in_the_terminal_that_is_killed_has_kept_what_was_seen() {
    let kills = seeds("DBDYNO_KILLS", 10).step_by(10);
    for kill in kills.clone() {
        let mut rng = SplitMix64::new(kill);
        let mut terminal = Terminal::start(100, 30);
        terminal.shows("Publications");
        terminal.press("p");
        terminal.shows("Load a preset");
        terminal.press("tiny\r");
        terminal.shows("preset tiny");
        // An earlier key press counts as typed for the list that just closed.
        thread::sleep(Duration::from_millis(300));
        terminal.press("\r");
        terminal.shows("/18 runs");
        let wanted = rng.below(60) as usize;
        let store = terminal.place.store();
        let mut seen = 0;
        wait_until("so many results are stored", || {
            seen = judge::results(&store).map_or(seen, |results| results.len());
            seen >= wanted || terminal.contents().contains("✓ done")
        });
        thread::sleep(Duration::from_micros(rng.below(30_000)));
        terminal.signal_job("-KILL");
        terminal.signal("-KILL");
        terminal.inner.child.wait().unwrap();
        nothing_runs(&terminal.place);
        // If the kill came before any result, there may be no store yet.
        let stored = judge(&store, &Expected { store: seen > 0, ..Expected::default() });
        assert!(
            stored.as_ref().is_ok_and(|stored| *stored >= seen),
            "kill {kill}: {stored:?} of {seen} that were seen"
        );
        terminal.place.ok(&NEXT);
        assert_eq!(terminal.place.left_behind().len(), 0, "kill {kill}: the next session sweeps the work folder");
    }
    eprintln!("kills in the terminal: 0 of {} fail", kills.count());
}
