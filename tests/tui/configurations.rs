//! The Results screen by configuration: which runs its lists group as a configuration, and how they show runs that did not end.

use super::{
    Journey,
    results::{execute, stored},
};
use dbdyno::tui::keys::{KeyPress, ScreenId};

/// The first view on a store of two configurations of the null engine in two rounds.
fn begin(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    journey.keys("3").shows("Results 32 · 2 configurations · by session ▼");
    journey
}

/// Gives both configurations one label, each in its own session.
const ONE_LABEL: &str = "UPDATE run SET label = 'null';
    CREATE TABLE second AS SELECT uuid() AS session_id;
    INSERT INTO session SELECT * REPLACE ((SELECT session_id FROM second) AS session_id) FROM session;
    UPDATE run SET session_id = (SELECT session_id FROM second)
    WHERE run_id IN (SELECT run_id FROM run_option WHERE name = 'latency_ns' AND asked = '2000')";

/// The most recent run.
const LAST_RUN: &str = "(SELECT run_id FROM run ORDER BY started_at DESC LIMIT 1)";

fn line(journey: &Journey, text: &str) -> String {
    let screen = journey.screen();
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("`{text}` in:\n{screen}")).to_owned()
}

#[test]
fn a_configuration_leads_to_its_runs_and_a_run_to_its_tests() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = begin(columns, rows);
        let row = line(&journey, "null[latency_ns=200]");
        assert!(row.contains("2/2") && row.contains("2 done"), "{row}");
        journey.key(KeyPress::Enter).shows("› null[latency_ns=").shows("16 of 32 · 2 runs · by round ▲");
        journey.shows("1 / 2").key(KeyPress::Enter).shows("› Run ").shows("[Tests 8]").shows("Sequential writes");
        journey.key(KeyPress::Esc).shows("2 runs · by round").key(KeyPress::Esc).shows("2 configurations");
        journey.keys("v").shows("Results 32 · by started").keys("v").shows("2 configurations");
        journey.click("one by one").shows("Results 32 · by started").click("configurations").shows("2 configurations");
    }
}

#[test]
fn a_configuration_can_be_marked_compared_explained_and_sorted() {
    let mut journey = begin(120, 40);
    journey.keys("x").shows("rounds: 2 of 2 planned rounds are finished").key(KeyPress::Esc);
    journey.click("suite").shows("by suite ▲").click("suite▲").shows("by suite ▼");
    journey.keys("s").shows("by sizes ▲").keys("r").shows("by sizes ▼");
    journey.keys("t").shows("Tag 2 runs of null[").key(KeyPress::Esc);
    journey.keys("R").shows("Enter shows the runs of a configuration");
    journey.keys("a").key(KeyPress::Down).keys("b").keys("c");
    assert_eq!(journey.app.screen, ScreenId::Compare);
    journey.shows("label=null[latency_ns=200").shows("Random reads");
}

#[test]
fn a_group_has_a_figure_only_where_its_members_are_alike() {
    let mut journey = begin(120, 40);
    let of_engine = |journey: &Journey| line(journey, "null  ");
    journey.keys("gengine").key(KeyPress::Enter).shows("1 group").shows("32");
    assert!(!of_engine(&journey).contains('s'), "no time stands for eight tests: {}", of_engine(&journey));
    journey.key(KeyPress::Esc).keys("/test=2").key(KeyPress::Enter).keys("gengine").key(KeyPress::Enter);
    assert!(of_engine(&journey).contains("µs"), "{}", of_engine(&journey));
    execute(
        &journey.setup.store,
        "INSERT INTO actor_result BY NAME
         SELECT run_id, test, test_name || ' · reader' AS test_name, wall_ns, operations, 'reader' AS actor FROM result WHERE test = 2",
    );
    journey.key(KeyPress::Ctrl('r'));
    assert!(!of_engine(&journey).contains("µs"), "a part of a test is no test: {}", of_engine(&journey));
}

#[test]
fn configurations_of_one_label_are_told_apart_everywhere() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = begin(columns, rows);
        execute(&journey.setup.store, ONE_LABEL);
        let (one, other) = ("null latency_ns=200 ", "null latency_ns=2000 ");
        journey.key(KeyPress::Ctrl('r')).shows(one).shows(other);
        journey.keys("v").shows(one).shows(other);
        journey.keys("glabel").key(KeyPress::Enter).shows("2 groups").shows(one).shows(other);
        journey.key(KeyPress::Enter).shows("16 of 32").shows("/ label=null latency_ns=200").hides(other);
        journey
            .key(KeyPress::Enter)
            .shows("· null latency_ns=200")
            .keys("d")
            .shows("of null latency_ns=200?")
            .keys("n");
        journey.keys("t").shows("of null latency_ns=200 ");
    }
}

#[test]
fn options_that_differ_have_columns_where_there_is_room() {
    let titles = |journey: &Journey| journey.screen().lines().nth(2).unwrap_or_default().to_owned();
    let mut journey = begin(200, 60);
    assert!(titles(&journey).contains("latency_ns") && !titles(&journey).contains("clock"), "{}", titles(&journey));
    journey.click("latency_ns  ").shows("by latency_ns ▲");
    let first = journey.screen().lines().nth(3).unwrap_or_default().to_owned();
    assert!(first.contains("null[latency_ns=200]"), "{first}");
    let mut journey = begin(80, 24);
    journey.keys("v").keys("C").shows("Columns").keys("host").keys(" ").key(KeyPress::Enter);
    assert!(titles(&journey).contains("host"), "{}", titles(&journey));
    journey.keys("C").key(KeyPress::Ctrl('u')).keys("clock").keys(" ").key(KeyPress::Enter);
    assert!(titles(&journey).contains("clock"), "{}", titles(&journey));
    journey.keys("1").keys("3");
    assert!(titles(&journey).contains("clock"), "kept: {}", titles(&journey));
}

#[test]
fn runs_that_were_cut_short_are_marked_in_every_list() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = begin(columns, rows);
        execute(&journey.setup.store, &format!("UPDATE run SET status = 'interrupted' WHERE run_id = {LAST_RUN}"));
        journey.key(KeyPress::Ctrl('r')).shows("│ ! ").shows("1 done, 1 interrupted").shows("1/2").shows("2/2");
        journey.keys("v").shows("│ ! ");
        // The smallest terminal has room only for the sign.
        if columns > 80 {
            journey.shows("ok, interrupted");
        }
        journey.keys("x").shows("! the run was interrupted");
        journey.key(KeyPress::Esc).keys("glabel").key(KeyPress::Enter).shows("cut short").shows("│ ! ");
        journey.key(KeyPress::Esc).keys("v").keys("/run_status=interrupted").key(KeyPress::Enter);
        journey.shows("1 configuration ").key(KeyPress::Enter).shows("│ ! ").shows("interrupted");
        journey.key(KeyPress::Enter).shows("interrupted · kv");
    }
}

#[test]
fn a_round_has_the_number_that_selects_it() {
    let mut journey = begin(80, 24);
    journey.keys("v").keys("/round=1").key(KeyPress::Enter).shows("16 of 32");
    journey.keys("C").keys("round").keys(" ").key(KeyPress::Enter).shows("round  ");
    let row = line(&journey, "2 Random reads");
    assert!(row.split_whitespace().any(|word| word == "1"), "{row}");
    for _ in 0..20 {
        journey.keys("h");
    }
    journey.keys("x").shows("round 1, counted from 0").key(KeyPress::Esc);
    journey.key(KeyPress::Enter).shows("round 2 of 2");
}

#[test]
fn failed_runs_are_found_by_their_status_although_no_test_of_theirs_has_one() {
    let place = crate::support::Place::new();
    let engine = "null:fault=none|crash";
    place.run(&["run", "--suite", "kv", "--engine", engine, "--size", "1000", "--repeat", "2", "--quiet"]);
    let mut journey = Journey::begin_in(place, 80, 24);
    journey.keys("3").shows("2 configurations").keys("/status=failed").key(KeyPress::Enter).shows("1 configuration ");
    journey.shows("null[fault=crash]").hides("null[fault=none]");
    // Its page begins with the reason.
    journey
        .key(KeyPress::Enter)
        .key(KeyPress::Enter)
        .shows("[Notes")
        .shows("the worker ended before its run was finished");
    journey
        .key(KeyPress::Esc)
        .key(KeyPress::Esc)
        .keys("/")
        .key(KeyPress::Ctrl('u'))
        .keys("status=ok")
        .key(KeyPress::Enter);
    journey.shows("null[fault=none]").hides("null[fault=crash]");
}

#[test]
fn what_was_deleted_is_brought_back_with_all_that_belongs_to_it() {
    let mut journey = begin(120, 40);
    let all = |journey: &Journey| {
        let place = journey.place();
        ["session", "run", "result", "run_option", "timeline", "warning", "tag"]
            .map(|table| place.value(&format!("SELECT count(*) FROM {table}")))
    };
    journey.keys("U").shows("nothing has been deleted");
    journey.keys("tkept").key(KeyPress::Enter).shows("tagged kept");
    let before = all(&journey);
    journey.keys("d").shows("Delete 2 runs of null[").keys("y").shows("U restores it").keys("delete");
    journey.key(KeyPress::Enter).shows("deleted 2 runs").shows("Results 16 ·").shows("1 configuration ");
    assert_ne!(all(&journey), before);
    journey.keys("U").shows("2 runs restored").shows("Results 32 · 2 configurations");
    assert_eq!(all(&journey), before);
    journey.keys("U").shows("nothing has been deleted");
}

#[test]
fn a_page_is_as_many_rows_as_are_seen() {
    let mut journey = begin(120, 40);
    journey.keys("v").shows("1 / 32").key(KeyPress::PageDown).shows("32 / 32");
    let mut journey = begin(80, 24);
    journey.keys("v").key(KeyPress::PageDown).shows("20 / 32").key(KeyPress::PageUp).shows("1 / 32");
}

#[test]
fn every_list_fits_and_paints_ascii_where_asked() {
    let mut journey = begin(80, 24);
    journey.setup.look.ascii = true;
    execute(&journey.setup.store, ONE_LABEL);
    for keys in ["", "\n", "\u{1b}", "v", "C"] {
        for key in keys.chars() {
            let key = match key {
                '\n' => KeyPress::Enter,
                '\u{1b}' => KeyPress::Esc,
                c => KeyPress::Char(c),
            };
            journey.key(key);
        }
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{screen}");
        assert!(screen.lines().nth(22).is_some_and(|foot| foot.starts_with('+') && foot.ends_with('+')), "{screen}");
    }
}
