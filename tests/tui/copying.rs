//! The entries that `y` copies to the clipboard, screen by screen.

use super::{
    Journey,
    live::{TWO_SPEEDS, null_bench, told},
    results::stored,
};
use crate::trend::sessions;
use dbdyno::{runner::RunnerEvent, store::Store, tui::keys::KeyPress};

/// Returns the text that was last copied to the clipboard.
pub(crate) fn copied(journey: &Journey) -> String {
    let copied = journey.others.iter().rfind(|other| other.starts_with("Copy(")).expect("something was copied");
    serde_json::from_str(copied.trim_start_matches("Copy(").trim_end_matches(')')).unwrap()
}

/// Presses `y` and picks the entry that these letters find. Returns the copied text.
fn copy(journey: &mut Journey, what: &str) -> String {
    journey.keys("y").shows("Copy").keys(what).key(KeyPress::Enter).shows("copied: ");
    copied(journey)
}

#[test]
fn a_configuration_is_copied_as_its_selection_and_as_the_command_that_shows_it() {
    let mut journey = Journey::begin_in(stored(), 200, 60);
    let session = journey.place().value("SELECT session_id::VARCHAR FROM session");
    journey.keys("3").shows("y copy");
    let selection = copy(&mut journey, "the selection");
    assert!(selection.starts_with(&format!("session={session} label=null[latency_ns=")), "{selection}");
    let command = copy(&mut journey, "the command");
    let arguments: Vec<String> = command.split(' ').skip(1).map(|word| word.replace('\'', "")).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--count"]).collect();
    assert_eq!(journey.place().ok(&arguments).trim(), "16", "{command}");
    assert_eq!(copy(&mut journey, "runs of this row"), "2 done");
}

#[test]
fn a_run_is_copied_as_its_identifier_and_a_value_as_its_text() {
    let mut journey = Journey::begin_in(stored(), 80, 24);
    journey.keys("3v").shows("Results 32");
    let run = copy(&mut journey, "the identifier");
    assert_eq!(journey.place().value(&format!("SELECT count(*) FROM run WHERE run_id = '{run}'")), "1");
    assert_eq!(copy(&mut journey, "the command"), format!("dbdyno results --details run={run}"));
    let wall = copy(&mut journey, "wall of this row");
    journey.shows(&wall);
    let row = copy(&mut journey, "this row, separated by tabs");
    assert!(row.split('\t').any(|cell| cell == wall) && row.contains("\t1 Sequential writes\t"), "{row}");
    // On the page of a run, `y` copies from the part in view, under the cursor.
    journey.key(KeyPress::Enter).shows("[Tests 8]");
    assert!(copy(&mut journey, "the figures of").starts_with("1 Sequential writes: wall "));
    journey.key(KeyPress::Right).key(KeyPress::Right).key(KeyPress::Right).shows("[Environment]");
    journey.keys("y").shows("of this run").key(KeyPress::Esc);
}

#[test]
fn nothing_is_copied_where_nothing_is() {
    let mut journey = Journey::begin(200, 60);
    for screen in ["2", "3"] {
        journey.keys(screen).hides("y copy").keys("y").shows("nothing under the cursor to copy");
    }
    assert!(!journey.others.iter().any(|other| other.starts_with("Copy(")));
}

#[test]
fn a_pair_that_is_offered_is_copied_as_the_command_that_compares_it() {
    let mut journey = Journey::begin_in(stored(), 80, 24);
    journey.keys("4").shows("Enter compares a pair").keys("y").shows("copied: the command that compares this pair");
    let command = copied(&journey);
    assert!(command.starts_with("dbdyno compare --a ") && command.contains(" --b "), "{command}");
}

#[test]
fn a_bench_is_copied_as_its_command() {
    let mut journey = Journey::begin(120, 40);
    journey.keys("y").shows("copied: the command that runs this bench: dbdyno --preset quick");
    assert_eq!(copied(&journey), "dbdyno --preset quick");
    journey.key(KeyPress::Left).key(KeyPress::Left).key(KeyPress::Up).keys("y");
    let command = copied(&journey);
    assert!(command.starts_with("dbdyno run --suite kv"), "{command}");
    journey.key(KeyPress::Enter);
    assert_eq!(journey.started[0], command);
}

#[test]
fn the_race_is_copied_whole_or_test_by_test_and_the_single_test_with_its_figures() {
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 6, .. }));
    let race = copy(&mut journey, "the whole race");
    let lines: Vec<&str> = race.lines().collect();
    assert_eq!((lines.len(), lines[0]), (9, "size\ttest\tnull[latency_ns=200]\tnull[latency_ns=2000]"));
    assert!(lines[1].starts_with("10000\t1 Sequential writes\t2.00 ms n"), "{race}");
    let test = copy(&mut journey, "2 Random reads");
    assert!(test.starts_with("2 Random reads, size 10000: null[latency_ns=200]: 200 µs n"), "{test}");
    journey.time(100_000).keys("v").shows("8 Bulk insert").keys("y").shows("copied: the test in view");
    let figures = copied(&journey);
    assert!(
        figures.starts_with("8 Bulk insert, size 10000: null[latency_ns=200]: runs 3  now -  mean 5.00 M/s"),
        "{figures}"
    );
    assert!(
        figures.contains("; null[latency_ns=2000]: runs 4  now -  mean 500 k/s  ratio 10.0 …  p50 2.00 µs"),
        "{figures}"
    );
}

#[test]
fn a_session_of_a_trend_is_copied_with_its_figure_and_its_selection() {
    let bench = sessions(Some(17));
    let place = crate::support::Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let mut journey = Journey::begin_in(place, 80, 24);
    journey.keys("3").keys("T").shows("18 of 30").keys("y").shows("copied: ");
    let point = copied(&journey);
    assert!(point.ends_with(&format!("session={}", bench.batch.sessions[17].session_id)), "{point}");
    assert!(point.contains(" runs · "), "{point}");
}

#[test]
fn a_claim_is_copied_with_both_figures() {
    let mut journey = super::claims::journey(80, 24);
    journey.keys("y").shows("copied: title and source of a-blog");
    assert_eq!(copied(&journey), "A store against another: a blog, yesterday");
    journey.key(KeyPress::Enter).keys("y").shows("copied: the claim on 1 writes");
    let claim = copied(&journey);
    assert!(claim.starts_with("x against y: 1 writes: published 0.55x (232K/s / 128K/s), measured 0."), "{claim}");
    assert!(claim.ends_with(": ✓ agrees"), "{claim}");
}
