//! Tests that end after a time limit have no time to compare. They differ in the number of operations.

use super::fixture::{Bench, Stored, markdown, spec};
use crate::support::Place;
use dbdyno::{
    compare::{Comparison, Options, as_rates, compare},
    metric::Metric,
    report::comparison::csv,
    stats::Verdict,
    store::Store,
};

/// Eight pairs with two tests. The first does 1,000 operations on both sides. The second runs for one second, in which `x` does about 143
/// operations and `y` 103.
fn bench() -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        bench.run(&session, round, &spec("x"), &[2_000_000 + u64::from(round), 1_000_000_000]);
        bench.run(&session, round, &spec("y"), &[3_000_000 + u64::from(round), 1_000_000_000]);
    }
    for (at, result) in bench.batch.results.iter_mut().filter(|result| result.test == 2).enumerate() {
        let operations = if at % 2 == 0 { 143 } else { 103 } + at as u64 % 5;
        let figures = result.figures.with(Metric::Operations, operations).with(Metric::Limit, 1_000_000_000);
        result.figures = figures.with(Metric::Busy, operations / 2);
        result.verification = None;
    }
    bench
}

fn compared(stored: &Stored, metric: Metric) -> Comparison {
    let (mut a, mut b) = (stored.side_of("engine=x", metric), stored.side_of("engine=y", metric));
    as_rates([&mut a, &mut b]);
    compare(&a, &b, &Options::default())
}

#[test]
fn they_are_compared_by_their_rate_which_is_named() {
    let stored = bench().stored();
    let comparison = compared(&stored, Metric::Wall);
    assert_eq!(comparison.metric, Metric::Rate);
    let line = &comparison.lines[1];
    assert!(line.obstacles.is_empty(), "{:?}", line.obstacles);
    let found = line.found.as_ref().unwrap();
    assert!(found.verdict == Verdict::Faster && (1.3..1.45).contains(&found.ratio), "{found:?}");
    assert!((143.0..149.0).contains(&line.a.as_ref().unwrap().median));
    // The whole table shows one metric. A test with a fixed number of operations has a rate too, and the same verdict.
    let load = comparison.lines[0].found.as_ref().unwrap();
    assert!(load.verdict == Verdict::Faster && (load.ratio - 1.5).abs() < 0.01, "{load:?}");
    let text = markdown(&comparison);
    assert!(text.contains("| operations a second x | operations a second y |"), "{text}");
    assert!(text.contains("x 1.3"), "{text}");
    let rows = csv(&comparison, dbdyno::base::csv::Cells::Escaped).unwrap();
    assert!(rows.lines().skip(1).all(|row| row.contains(",rate,")), "{rows}");
}

#[test]
fn what_adds_up_over_operations_is_that_of_one() {
    let stored = bench().stored();
    let comparison = compared(&stored, Metric::Busy);
    let line = comparison.lines.iter().find(|line| line.test == 2).unwrap();
    let a = line.a.as_ref().unwrap();
    assert!(a.per_operation && (0.48..=0.5).contains(&a.median), "{a:?}");
    assert!(markdown(&comparison).contains("/op |"), "{}", markdown(&comparison));
    assert!(line.obstacles.is_empty(), "{:?}", line.obstacles);
}

#[test]
fn a_table_of_times_has_the_time_of_an_operation_where_a_test_has_no_operations() {
    let mut bench = bench();
    for result in bench.batch.results.iter_mut().filter(|result| result.test == 1) {
        result.figures.set(Metric::Operations, None);
    }
    let comparison = compared(&bench.stored(), Metric::Wall);
    assert_eq!(comparison.metric, Metric::Wall);
    let text = markdown(&comparison);
    assert!(text.contains("ms/op |") && !text.contains(" s |"), "{text}");
    let found = comparison.lines[1].found.as_ref().unwrap();
    assert!(found.verdict == Verdict::Faster && found.ratio < 0.8, "{found:?}");
}

#[test]
fn different_work_that_does_not_end_with_a_time_is_still_withheld() {
    let mut bench = bench();
    let of_y = |at: usize| at % 2 == 1;
    for (_, result) in
        bench.batch.results.iter_mut().filter(|result| result.test == 2).enumerate().filter(|(at, _)| of_y(*at))
    {
        result.figures.set(Metric::Limit, None);
    }
    let comparison = compared(&bench.stored(), Metric::Wall);
    let line = &comparison.lines[1];
    assert!(line.found.is_none());
    assert!(line.obstacles[0].message.contains("A did as many operations as the time allowed"), "{:?}", line.obstacles);
}

#[test]
fn the_command_compares_them_and_follows_them_by_their_rate() {
    let place = Place::new();
    Store::new(place.store()).write(&bench().batch).unwrap();
    let table = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y"]);
    assert!(table.contains("operations a second x") && table.contains("x 1.3"), "{table}");
    assert!(!table.contains("1.00 s"), "{table}");
    let beside = place.ok(&["compare", "--reference", "engine=y"]);
    assert!(beside.contains("x is faster than y in 2 of 2 tests"), "{beside}");
    let trend = place.ok(&["trend", "engine=x"]);
    assert!(trend.contains("operations a second"), "{trend}");
    let matrix = place.ok(&["results", "--by-configuration"]);
    assert!(matrix.contains("2 Random reads, operations a second"), "{matrix}");
    let growth = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y", "--scaling"]);
    assert!(growth.contains("nothing to fit"), "{growth}");
}

/// A store contains benches of all kinds, so the tests of one suite do not decide the metric of another.
#[test]
fn a_suite_of_tests_with_times_keeps_them_beside_one_of_tests_that_end_after_a_time() {
    let mut bench = bench();
    for run in &mut bench.batch.runs {
        run.suite = "contention".to_owned();
    }
    let session = bench.session("here");
    for round in 0..8 {
        bench.run(&session, round, &spec("x"), &[2_000_000 + u64::from(round)]);
        bench.run(&session, round, &spec("y"), &[6_000_000 + u64::from(round)]);
    }
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let both = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y"]);
    assert!(!both.contains("operations a second x") && both.contains("2.00 ms") && both.contains("ms/op"), "{both}");
    let trend = place.ok(&["trend", "engine=x"]);
    assert!(trend.contains("2.00 ms"), "{trend}");
    let one = place.ok(&["compare", "--a", "engine=x suite=contention", "--b", "engine=y suite=contention"]);
    assert!(one.contains("operations a second x"), "{one}");
    // A metric requested by name is the one that is compared.
    let asked =
        ["compare", "--a", "engine=x suite=contention", "--b", "engine=y suite=contention", "--metric", "wall_ns"];
    let times = place.ok(&asked);
    assert!(!times.contains("operations a second") && times.contains("x is "), "{times}");
}
