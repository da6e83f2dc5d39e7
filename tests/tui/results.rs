//! The Results screen, on a store that the real program filled.

use super::Journey;
use crate::support::Place;
use dbdyno::{
    store::Store,
    tui::{
        Message, Response,
        keys::{KeyPress, ScreenId},
        screens::{ScreenResponse, results},
    },
};
use duckdb::Connection;
use std::sync::OnceLock;

/// Two configurations of the null engine in two rounds: 4 runs, 32 results, with times that never differ. They are run once, and each test
/// has a copy of the store.
pub(super) fn stored() -> Place {
    static STORE: OnceLock<Vec<u8>> = OnceLock::new();
    let store = STORE.get_or_init(|| {
        let place = Place::new();
        let engine = "null:latency_ns=200|2000,clock=simulated";
        place.ok(&["run", "--suite", "kv", "--engine", engine, "--size", "1000", "--repeat", "2", "--quiet"]);
        std::fs::read(place.store()).unwrap()
    });
    let place = Place::new();
    std::fs::write(place.store(), store).unwrap();
    place
}

pub(super) fn execute(store: &Store, sql: &str) {
    let connection = Connection::open(store.path()).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
}

/// The screen on such a store.
fn begin(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    journey.keys("3").keys("v").shows("Results 32 · by started");
    journey
}

/// Counts the lines of the screen that contain a text.
fn lines(journey: &Journey, text: &str) -> usize {
    journey.screen().lines().filter(|line| line.contains(text)).count()
}

#[test]
fn an_empty_store_says_how_to_fill_it() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("3").shows("Nothing is stored yet").shows("Results 0");
    journey.key(KeyPress::Enter).key(KeyPress::End).keys("x").shows("nothing under the cursor");
    journey.keys("c").shows("mark both sides first").keys("a").keys("t").shows("nothing under the cursor");
}

#[test]
fn a_store_that_cannot_be_read_says_why() {
    let place = Place::new();
    std::fs::write(place.store(), "no database\n".repeat(1000)).unwrap();
    let mut journey = Journey::begin_in(place, 120, 40);
    journey.keys("3").shows("is not a DuckDB file").shows("Ctrl-r tries again");
}

#[test]
fn rows_are_sorted_by_column_in_either_direction() {
    let mut journey = begin(120, 40);
    journey.shows("by started ▼").keys("sssss").shows("by wall ▲").shows("[wall▲]");
    let first = |journey: &Journey| journey.screen().lines().nth(3).unwrap().to_owned();
    assert!(first(&journey).contains("latency_ns=200]"), "{}", first(&journey));
    journey.keys("r").shows("by wall ▼");
    assert!(first(&journey).contains("latency_ns=2000]"), "{}", first(&journey));
    journey.click("size").shows("by size ▲").click("size▲").shows("by size ▼");
}

#[test]
fn a_filter_with_a_mistake_is_kept_with_what_was_expected() {
    let mut journey = begin(80, 24);
    journey.keys("/engine").key(KeyPress::Enter).shows("`engine`: expected KEY=VALUE");
    journey.keys("=null latency_n=200").key(KeyPress::Enter).shows("no stored run has an option or a key `latency_n`");
    journey.key(KeyPress::Ctrl('u')).keys("latency_ns=200 test=1|2").key(KeyPress::Enter);
    journey.shows("Results 4 of 32").shows("/ latency_ns=200 test=1|2").shows("1 / 4");
    journey
        .keys("/")
        .key(KeyPress::Ctrl('u'))
        .keys("engine=lmdb")
        .key(KeyPress::Enter)
        .shows("Nothing matches the filter");
    journey.key(KeyPress::Esc).shows("Results 32 ·").hides("Nothing matches");
}

#[test]
fn a_group_is_entered_and_left_again() {
    let mut journey = begin(80, 24);
    journey.keys("g").shows("Group by").keys("latency_ns").key(KeyPress::Enter);
    journey.shows("2 groups").shows("by latency_ns ▲").shows("results  runs").shows("200 ").shows("2000 ");
    journey.key(KeyPress::Down).keys("x").shows("No single figure fits these");
    journey.key(KeyPress::Esc).key(KeyPress::Enter).shows("Results › latency_ns=2000 · 16 of 32");
    journey.shows("/ latency_ns=2000");
    journey
        .key(KeyPress::Esc)
        .shows("2 groups")
        .shows("2 / 2")
        .key(KeyPress::Esc)
        .shows("Results 32 ·")
        .hides("groups");
}

#[test]
fn the_verdict_on_a_tier_stands_beside_it_on_small_screens_too() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = begin(columns, rows);
        execute(&journey.setup.store, "UPDATE run SET tier_evidence = 'evidenced'");
        journey.key(KeyPress::Enter).shows("Run ").shows(" (evidenced) · ");
    }
}

#[test]
fn a_run_is_opened_with_everything_that_is_known_of_it() {
    let mut journey = begin(80, 24);
    execute(
        &journey.setup.store,
        "UPDATE run_option SET in_force = 'real' WHERE name = 'clock'; UPDATE run SET log = 'first\nsecond \u{1b}[31m';
         UPDATE result SET agrees = false WHERE test = 2",
    );
    journey.key(KeyPress::Enter).shows("Run ").shows("[Tests 8]").shows("▸ 1 Sequential writes").shows("✗ disagrees");
    journey.shows("kv 1,000").shows("round 2 of 2").shows("Latency · Sequential writes").shows("100.0 %");
    journey.key(KeyPress::Down).shows("▸ 2 Random reads").shows("Latency · Random reads");
    journey.key(KeyPress::Right).shows("[Options ≠1]").shows("! clock").shows("real in force, simulated requested");
    journey.key(KeyPress::Right).shows("[Resources]").shows("test 2 Random reads").shows("peak memory").keys("]");
    journey.shows("test 3 Sequential scan");
    journey.key(KeyPress::Right).shows("[Environment]").shows("cpu model").shows("command line");
    journey.key(KeyPress::Right).shows("[Notes").shows("too few repeats").shows("no tag: t gives one");
    journey.keys("L").shows("Log of run").shows("second \\u{1b}[31m").key(KeyPress::Esc);
    journey.keys("x").shows("wall: the wall-clock time").key(KeyPress::Esc);
    journey.click("Tests 8").shows("[Tests 8]").key(KeyPress::Esc).shows("Results 32 ·");
}

#[test]
fn the_timeline_of_a_test_is_drawn_over_its_whole_time() {
    let mut journey = begin(120, 40);
    execute(
        &journey.setup.store,
        "UPDATE result SET wall_ns = 1000000000; DELETE FROM timeline;
         INSERT INTO timeline
         SELECT run_id, 1, i * 100000000, 100000000, CASE WHEN i = 5 THEN 0 ELSE 100 END, 5000000, NULL
         FROM run, range(1, 11) slot(i)",
    );
    journey.key(KeyPress::Enter).shows("Over time").shows("1.00 k/s").shows("p99 5.00 ms").shows("1.00 s");
    journey.key(KeyPress::Down).shows("a test shorter than 100 ms has no timeline");
}

#[test]
fn a_run_without_a_test_says_why_it_failed() {
    let mut journey = begin(80, 24);
    execute(
        &journey.setup.store,
        "CREATE TABLE last AS SELECT run_id FROM run ORDER BY started_at DESC LIMIT 1;
         DELETE FROM result WHERE run_id IN (FROM last);
         UPDATE run SET status = 'failed', failure = 'the disk is gone' WHERE run_id IN (FROM last)",
    );
    journey.key(KeyPress::Ctrl('r')).shows("Results 24 + 1 run without a test").shows("✗ ").shows("no test");
    journey.keys("x").shows("no finished test").key(KeyPress::Esc);
    journey.key(KeyPress::Enter).shows("failed · kv").shows("the disk is gone");
}

#[test]
fn tags_and_notes_are_kept_and_painted_harmlessly() {
    let mut journey = begin(200, 60);
    journey.keys("t").key(KeyPress::Enter).shows("nothing is typed yet");
    journey.keys("nightly slow").key(KeyPress::Enter).shows("1 run: tagged nightly, tagged slow");
    assert_eq!(lines(&journey, "nightly slow"), 8, "{}", journey.screen());
    journey.keys("t-slow").key(KeyPress::Enter).shows("no longer tagged slow");
    journey.keys("n");
    journey.message(Message::Paste("seen\u{1b}[2J by hand".to_owned()));
    journey.key(KeyPress::Enter).shows("1 run: noted").key(KeyPress::Enter);
    let evil = "UPDATE note SET text = 'seen' || chr(27) || '[2J' || chr(8238) || 'by hand'";
    execute(&journey.setup.store, evil);
    journey.key(KeyPress::Ctrl('r'));
    for _ in 0..4 {
        journey.key(KeyPress::Right);
    }
    journey.shows("nightly").shows("seen\\u{1b}[2J\\u{202e}by hand");
    assert!(!journey.screen().contains(['\u{1b}', '\u{202e}']), "no control character is painted");
    journey.key(KeyPress::Esc).keys("/tag=nightly").key(KeyPress::Enter).shows("Results 8 of 32");
}

#[test]
fn nothing_is_deleted_before_it_is_asked_twice() {
    let mut journey = begin(80, 24);
    let runs = |journey: &Journey| journey.place().value("SELECT count(*) FROM run");
    journey.keys("d").shows("Delete run").shows("1 run with 8 results").keys("n");
    journey
        .keys("d")
        .keys("y")
        .shows("Really delete")
        .keys("yes")
        .key(KeyPress::Enter)
        .shows("expected the word delete");
    journey.key(KeyPress::Esc);
    assert_eq!(runs(&journey), "4");
    journey.keys("dy").keys("delete").key(KeyPress::Enter).shows("deleted 1 run").shows("Results 24 ·");
    assert_eq!(runs(&journey), "3");
    journey.keys("g").keys("latency_ns").key(KeyPress::Enter).keys("d").shows("of latency_ns=200?").keys("y");
    journey.keys("delete").key(KeyPress::Enter).shows("1 group");
}

#[test]
fn marked_runs_and_groups_are_compared() {
    let mut journey = begin(80, 24);
    journey.keys("c").shows("mark both sides first").keys("a").shows("A 1 run");
    assert_eq!(lines(&journey, "│A  "), 8, "each row of the run is marked: {}", journey.screen());
    journey.key(KeyPress::Esc).hides("A 1 run");
    journey.keys("g").keys("label").key(KeyPress::Enter).keys("a").key(KeyPress::Down).keys("b");
    journey.shows("A label=null[latency_ns=2000]  B label=null[latency_ns=200]").keys("c");
    assert_eq!(journey.app.screen, ScreenId::Compare);
    journey.shows("label=null[latency_ns=2000]").shows("label=null[latency_ns=200]").shows("Random reads");
}

#[test]
fn what_the_filter_means_is_exported_once() {
    let mut journey = begin(80, 24);
    journey.keys("/test=2").key(KeyPress::Enter).shows("Results 4 of 32");
    let path = journey.place().path("out.csv");
    let export = |journey: &mut Journey, path: &str| {
        journey
            .keys("e")
            .shows("Export the results of test=2")
            .key(KeyPress::Ctrl('u'))
            .keys(path)
            .key(KeyPress::Enter);
    };
    export(&mut journey, path.to_str().unwrap());
    journey.shows("written");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(text.contains("dbdyno export test=2 --format csv --out"), "it says what made it: {text}");
    std::fs::write(&path, "mine").unwrap();
    export(&mut journey, path.to_str().unwrap());
    journey.shows("already exists");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    export(&mut journey, "out.txt");
    journey.shows("expected a name that ends in");
}

#[test]
fn a_run_is_put_onto_the_bench_again_and_replayed() {
    let mut journey = begin(80, 24);
    journey.keys("/latency_ns=2000").key(KeyPress::Enter).keys("R").shows("as requested").shows("2 runs");
    journey.key(KeyPress::Enter);
    let command = "dbdyno run --suite kv --engine null:clock=simulated,latency_ns=2000 --size 1000 --repeat 2";
    assert_eq!(journey.started[0], command, "no preset is named that does not exist");
    let mut journey = begin(80, 24);
    journey.keys("p");
    assert_eq!(journey.app.screen, ScreenId::Live);
    journey.shows("Sequential writes");
}

#[test]
fn numbers_are_explained_where_the_cursor_is() {
    let mut journey = begin(120, 40);
    journey
        .keys("x")
        .shows("wall 200")
        .shows("1,000 operations, its transactions and their commits")
        .shows("SELECT wall_ns");
    journey.key(KeyPress::Esc).keys("ll").shows("[p50]").keys("x").shows("Half of 1,000 operations");
    journey.key(KeyPress::Esc);
    for _ in 0..20 {
        journey.keys("h");
    }
    journey.shows("[started▼]").keys("x").shows("About this row");
}

#[test]
fn many_results_are_read_a_window_at_a_time() {
    let mut journey = begin(80, 24);
    execute(
        &journey.setup.store,
        "CREATE TABLE more AS SELECT run_id AS old, uuid() AS new, i FROM run, range(1, 501) copies(i);
         INSERT INTO run SELECT r.* REPLACE (m.new AS run_id, r.started_at - to_minutes(m.i) AS started_at)
             FROM run r JOIN more m ON m.old = r.run_id;
         INSERT INTO result SELECT t.* REPLACE (m.new AS run_id, 'copy ' || m.i AS test_name)
             FROM result t JOIN more m ON m.old = t.run_id",
    );
    journey
        .key(KeyPress::Ctrl('r'))
        .shows("Results 16,032 ·")
        .key(KeyPress::End)
        .shows("16,032 / 16,032")
        .shows("8 copy 500");
    let known = |journey: &Journey| journey.app.screens.results.table.page.as_ref().unwrap().rows.len();
    assert_eq!(known(&journey), 200);
    for _ in 0..30 {
        journey.key(KeyPress::PageUp).hides("│   …");
    }
    journey.shows("15,462 / 16,032").key(KeyPress::Home).shows("1 / 16,032");
    assert_eq!(known(&journey), 200);
}

#[test]
fn an_answer_to_an_older_question_is_ignored() {
    let mut journey = begin(80, 24);
    let old = results::Response::Page { ticket: 1, page: Err("out of date".to_owned()) };
    journey.message(Message::Response(Box::new(Response::Screen(ScreenResponse::Results(old)))));
    journey.hides("out of date").shows("Results 32 ·");
}

#[test]
fn every_part_fits_the_smallest_terminal_and_paints_ascii_where_asked() {
    let mut journey = begin(80, 24);
    journey.setup.look.ascii = true;
    let whole = |journey: &Journey| {
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{screen}");
        assert_eq!(screen.lines().count(), 24);
        let foot = screen.lines().nth(22).unwrap();
        assert!(foot.starts_with('+') && foot.ends_with('+'), "the border is whole: {screen}");
        assert!(screen.lines().last().unwrap().ends_with("q leave"), "{screen}");
    };
    whole(&journey);
    journey.key(KeyPress::Enter);
    for _ in 0..5 {
        whole(&journey);
        journey.key(KeyPress::Right);
    }
    journey.key(KeyPress::Esc).keys("g").keys("session").key(KeyPress::Enter);
    whole(&journey);
}
