//! Zoomed panes, and one moment shown by all charts of a test.

use super::{
    Journey,
    live::{TWO_SPEEDS, null_bench, told},
    results::{execute, stored},
};
use dbdyno::{runner::RunnerEvent, tui::keys::KeyPress};

const ALL_PANES: &str = "z or Esc shows all panes";

/// The page of a run whose first test took a second, in ten stretches with one stall. Two readings of its worker were followed.
fn opened(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    execute(
        &journey.setup.store,
        "UPDATE result SET wall_ns = 1000000000; DELETE FROM timeline;
         INSERT INTO timeline
         SELECT run_id, 1, i * 100000000, 100000000, CASE WHEN i = 5 THEN 0 ELSE i * 100 END, i * 1000000, NULL
         FROM run, range(1, 11) slot(i);
         INSERT INTO reading (run_id, test, at_ns, name, value)
         SELECT run_id, 1, i * 500000000, name, i * 1048576
         FROM run, range(1, 3) second(i), (VALUES ('rss_bytes'), ('written_bytes')) named(name)",
    );
    journey.keys("3v").key(KeyPress::Enter).shows("[Tests 8]").shows("▸ 1 Sequential writes");
    journey
}

#[test]
fn one_moment_is_told_by_all_charts_of_a_test() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = opened(columns, rows);
        journey.hides(" · at ").key(KeyPress::Enter).shows("Over time · at 50.0 ms").shows("▲ rate 1.00 k/s");
        journey.shows("▲ p99 1.00 ms").key(KeyPress::Right).shows("at 150 ms").shows("rate 2.00 k/s");
        // With the whole screen, all charts are visible.
        journey.keys("z").shows(ALL_PANES).shows("memory 1.00 MiB").shows("writes 2.00 MiB/s").shows("p99 2.00 ms");
        journey.key(KeyPress::End).shows("at 950 ms").shows("rate 10.0 k/s").shows("memory 2.00 MiB ▲");
        journey.key(KeyPress::Home).shows("at 50.0 ms");
        for _ in 0..4 {
            journey.key(KeyPress::Right);
        }
        journey.shows("at 450 ms").shows("rate 0 /s").shows("p99 5.00 ms");
        journey.key(KeyPress::Esc).hides(ALL_PANES).shows("Over time · at 450 ms").shows("[Tests 8]");
        journey.key(KeyPress::Esc).hides(" · at ").shows("Run ").key(KeyPress::Right).shows("[Options");
        journey.key(KeyPress::Esc).shows("Results 32");
    }
}

#[test]
fn the_moment_is_copied_with_all_its_figures() {
    let mut journey = opened(80, 24);
    journey.key(KeyPress::Enter).shows("h l: the moment").hides("the next part").hides("v view");
    journey
        .keys("y")
        .shows("the figures at this moment")
        .key(KeyPress::Enter)
        .shows("copied: the figures at this moment");
    let text = "1 Sequential writes at 50.0 ms: rate 1.00 k/s, p99 1.00 ms, memory 1.00 MiB, writes 2.00 MiB/s";
    assert!(journey.others.iter().any(|other| other.contains(text)), "{:?}", journey.others);
}

#[test]
fn a_test_without_a_timeline_has_no_moment() {
    let mut journey = opened(80, 24);
    journey.key(KeyPress::Down).key(KeyPress::Enter).shows("shorter than 100 ms");
    journey.key(KeyPress::Right).key(KeyPress::Right).shows("[Tests 8]").hides(" · at ");
    journey.key(KeyPress::Up).shows("▸ 1 Sequential writes").shows(" · at ");
}

#[test]
fn each_pane_of_bench_fills_the_screen_and_gives_it_back() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("z").shows(ALL_PANES).shows("┌ Engines").hides("┌ What to measure").hides("┌ Plan");
    journey.key(KeyPress::Right).shows("┌ Options").hides("┌ Engines");
    journey.key(KeyPress::Esc).hides(ALL_PANES).shows("┌ What to measure").shows("┌ Plan");
    journey.keys("zz").hides(ALL_PANES).shows("┌ Plan");
    // Another screen begins with all of its panes.
    journey.keys("z").keys("3").keys("1").hides(ALL_PANES).shows("┌ Plan");
}

#[test]
fn the_panes_of_a_single_test_have_a_focus_and_fill_the_screen() {
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 6, .. }));
    journey.keys("z").shows("Race").hides("┌ Session").shows(ALL_PANES).shows("undecided +rounds");
    journey.keys("z").shows("┌ Session");
    journey.time(100_000).keys("v").shows("┌ Figures").keys("z").shows("┌ Operations/s");
    journey.hides("┌ Figures").hides("┌ Latency");
    journey.key(KeyPress::Right).shows("┌ Figures").key(KeyPress::Right).shows("┌ Latency").hides("┌ Figures");
    journey.key(KeyPress::Esc).shows("┌ Figures").shows("┌ Latency").shows("┌ Session");
}

#[test]
fn screens_with_one_pane_have_none_to_zoom() {
    let mut journey = Journey::begin_in(stored(), 120, 40);
    journey.keys("3").hides("z zoom").keys("z").hides(ALL_PANES).keys("6").keys("z").hides(ALL_PANES);
}

#[test]
fn the_panes_of_tune_and_sql_fill_the_screen() {
    let mut journey = Journey::begin_in(stored(), 80, 24);
    journey.keys("5").shows("┌ Ledger").keys("z").shows("┌ Base").hides("┌ Ledger");
    journey.key(KeyPress::Esc).shows("┌ Ledger").shows("┌ Base");
    journey
        .keys("Q")
        .run("SELECT 42 AS n")
        .shows("Answer · 1 row")
        .keys("z")
        .shows("42")
        .shows(ALL_PANES)
        .hides("SQL ·");
    journey.keys("i").shows("┌ Tune › SQL ·").hides("┌ Answer").shows("zoomed: Esc shows all panes");
    journey.key(KeyPress::Esc).hides("shows all panes").shows("┌ Answer");
}

#[test]
fn a_pane_says_the_way_that_led_to_it() {
    let mut journey = Journey::begin_in(stored(), 200, 60);
    journey.keys("3").key(KeyPress::Enter).key(KeyPress::Enter).shows(" › Run ");
    journey.keys("T").shows("┌ Results › null[latency_ns=").shows(" › Trend of null");
    journey.shows(" · time of each session");
    journey.keys("Q").shows(" › Trend › SQL · Esc leaves").key(KeyPress::Esc).shows(" › Trend of null");
    let mut narrow = Journey::begin_in(stored(), 80, 24);
    narrow.keys("3").key(KeyPress::Enter).key(KeyPress::Enter).shows(" › Run ");
    narrow.keys("T").shows(" › Trend of null").shows(" · time of each session").hides("Results › ");
}
