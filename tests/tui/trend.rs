//! The Trend pane.

use super::Journey;
use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::Place,
    trend::{ramp, sessions},
};
use dbdyno::{
    store::Store,
    tui::{
        Command, Message, Request,
        keys::{KeyPress, ScreenId},
        screens::{ScreenRequest, trend},
    },
};
use dbdyno_workload::rng::SplitMix64;

/// A journey over stored sessions.
fn over(bench: &Bench, columns: u16, rows: u16) -> Journey {
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    Journey::begin_in(place, columns, rows)
}

#[test]
fn a_step_is_marked_and_told_with_its_session() {
    let bench = sessions(Some(17));
    let id: String = bench.batch.sessions[17].session_id.chars().take(13).collect();
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = over(&bench, columns, rows);
        journey.keys("3").keys("T").shows("Trend of x · time of each session").shows("1 change").shows("1▲");
        assert_eq!(journey.app.screen, ScreenId::Trend);
        // The cursor is on the session that changed.
        journey.shows("18 of 30").shows(&id).shows("worse, p 0.00").shows("version 1.0 before");
        journey
            .key(KeyPress::Left)
            .shows("17 of 30")
            .keys("]")
            .shows("18 of 30")
            .keys("]")
            .shows("there is no later change");
        journey.keys("x").shows("energy distance").shows("Matteson").key(KeyPress::Esc).key(KeyPress::Esc);
        assert_eq!(journey.app.screen, ScreenId::Results);
    }
}

#[test]
fn a_trend_opens_on_the_test_that_changed_and_a_steady_one_says_that_another_did() {
    let mut bench = Bench::default();
    let mut noise = SplitMix64::new(3);
    for at in 0..30 {
        let session = bench.session("here");
        let level = if at < 17 { 1_000_000 } else { 1_050_000 };
        for round in 0..6 {
            let [steady, stepped] = [1_000_000, level].map(|level| level + noise.below(20_000));
            bench.run(&session, round, &spec("x"), &[steady, stepped]);
        }
    }
    let mut journey = over(&bench, 80, 24);
    journey.keys("3").keys("T").shows("◆ 18 of 30").shows("Enter");
    journey.key(KeyPress::Up).shows("◆ 18 of 30").keys("]").shows("this test has no change, 1 of 2 tests has");
    // Another test of the same configuration changed, so others need not be looked for.
    journey.hides("other configurations");
    journey.key(KeyPress::Down).key(KeyPress::Enter);
    journey.shows("Slower since 2027-01-16 in 1 of 2 tests: Random").shows("2 Random reads · since 1.06 ms");
}

#[test]
fn sessions_without_a_step_have_no_change() {
    let mut journey = over(&sessions(None), 80, 24);
    journey.keys("3").keys("T").shows("no change").hides("1▲").hides("1▼").shows("30 of 30").hides("] next change");
    journey.shows("no change found · other configurations: T on their row of Results");
}

#[test]
fn a_ramp_drifts_along_a_line_and_has_no_change() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = over(&ramp(), columns, rows);
        journey.keys("3").keys("T").shows("drifting").hides("1▲").shows("┄").hides("] next change");
        journey.hides("other configurations");
        journey.shows("drifting from 1.01 ms to 1.13 ms: time +11.").shows("30 of 30");
        journey.keys("x").shows("Matteson").shows("drifting from");
    }
}

#[test]
fn another_figure_is_followed_and_the_trend_exported() {
    let mut journey = over(&sessions(Some(17)), 120, 40);
    journey.keys("3").keys("T").keys("m").keys("operations a second").key(KeyPress::Enter);
    journey.shows("Trend of x · operations a second of each session").shows("1▼").shows("worse");
    let path = journey.place().path("trend.csv");
    journey.keys("e").shows("dbdyno-trend.html").answer(path.to_str().unwrap()).shows("written: ");
    let connection = duckdb::Connection::open_in_memory().unwrap();
    let sql = format!("SELECT count(*), count(change), any_value(metric) FROM read_csv('{}')", path.display());
    let read: (i64, i64, String) =
        connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    assert_eq!(read, (30, 1, "rate".to_owned()));
    journey
        .keys("/")
        .keys("nothing")
        .key(KeyPress::Enter)
        .shows("no test matches")
        .key(KeyPress::Esc)
        .shows("1 Writes");
}

#[test]
fn only_the_configuration_under_the_cursor_is_followed() {
    let mut bench = sessions(Some(17));
    let session = bench.session("here");
    let other = Variant { options: vec![("sync", "off")], label: "x[sync=off]".to_owned(), ..spec("x") };
    bench.run(&session, 0, &other, &[1_000_000, 2_000_000]);
    let mut journey = over(&bench, 120, 40);
    journey.keys("3").shows("x[sync=off]").keys("T").shows("1 session: too few").hides("1 change");
    journey.shows("Trend of x[sync=off] · ").shows("other configurations: T on their row of Results");
    journey.shows("2 Random reads").key(KeyPress::Down).shows("1 of 1 · 2.00 ms");
    journey.key(KeyPress::Esc).key(KeyPress::Down).keys("T").shows("1 change").hides("too few");
    journey.shows("Trend of x · ").hides("other configurations");
}

#[test]
fn both_sides_of_a_pair_are_followed_on_the_test_under_the_cursor() {
    let mut bench = Bench::default();
    for _ in 0..3 {
        let session = bench.session("here");
        for round in 0..6 {
            bench.run(&session, round, &spec("x"), &[1_000_000 + u64::from(round), 3_000_000]);
            bench.run(&session, round, &spec("y"), &[2_000_000 + u64::from(round), 4_000_000]);
        }
    }
    let mut journey = over(&bench, 120, 40);
    journey.keys("4").key(KeyPress::Enter).key(KeyPress::Down).keys("T");
    journey
        .shows("Trend of x and y · time of each session")
        .shows("x 2 Random reads")
        .shows("y 2 Random reads")
        .shows("3 sessions: too few")
        .shows("3 of 3 · 3.00 ms");
    journey.key(KeyPress::Esc);
    assert_eq!(journey.app.screen, ScreenId::Compare);
    journey.keys("C").keys("T").shows("too few");
}

#[test]
fn a_trend_that_is_given_up_leads_back() {
    let mut journey = over(&sessions(None), 80, 24);
    journey.keys("3");
    let commands = journey.app.update(Message::Key(KeyPress::Char('T')));
    journey.time(1_000).shows("reading").shows("Esc cancels");
    let request = commands.into_iter().find_map(|command| match command {
        Command::Request(Request::Screen(ScreenRequest::Trend(trend::Request::Follow { watch, .. }))) => Some(watch),
        _ => None,
    });
    journey.key(KeyPress::Esc).shows("cancelled");
    assert!(request.expect("a trend is requested").is_given_up(), "the store is told");
    assert_eq!(journey.app.screen, ScreenId::Results);
    journey.keys("T").shows("no change");
}

#[test]
fn enter_on_a_change_compares_since_with_before() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = over(&sessions(Some(17)), columns, rows);
        journey.keys("3").keys("T").shows("18 of 30").key(KeyPress::Enter);
        journey.shows("Slower since 2027-01-16 in Writes, wall time +").shows("changed");
        assert_eq!(journey.app.screen, ScreenId::Compare);
    }
    // Without a change there is nothing to compare.
    let mut journey = over(&sessions(None), 80, 24);
    journey.keys("3").keys("T").shows("30 of 30").hides("what changed").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Trend);
}
