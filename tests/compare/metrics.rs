//! Metrics other than the time.

use super::fixture::{Bench, CLEAR, markdown, spec};
use crate::support::Place;
use dbdyno::{
    compare::{Comparison, Gate, Options, gate},
    metric::Metric,
    report::comparison::benchfmt,
    stats::Verdict,
    store::Store,
};

/// Pairs of `x` and `y` with the metric's values from these closures, which take the round: the first for x, the second for y.
fn bench(metric: Metric, a: fn(u64) -> u64, b: fn(u64) -> u64) -> Bench {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    for (at, result) in (0..).zip(&mut bench.batch.results) {
        // The fixture alternates the runs of A and B.
        let value = if at % 2 == 0 { a(at / 2) } else { b(at / 2) };
        result.figures = result.figures.with(metric, value);
    }
    bench
}

fn compared(bench: &Bench, metric: Metric) -> Comparison {
    bench.stored().compared_in(metric, "engine=x", "engine=y", &Options::default())
}

fn verdict(comparison: &Comparison) -> Option<Verdict> {
    comparison.lines[0].found.as_ref().map(|found| found.verdict)
}

#[test]
fn a_quantile_is_compared_run_by_run_and_its_median_has_an_interval() {
    let bench = bench(Metric::P99, |round| 2_000 + round, |round| 1_000 + 2 * round);
    let comparison = compared(&bench, Metric::P99);
    let line = &comparison.lines[0];
    let (a, found) = (line.a.as_ref().unwrap(), line.found.as_ref().unwrap());
    assert_eq!(a.median, 2_003.5);
    assert_eq!(a.values, [2000.0, 2001.0, 2002.0, 2003.0, 2004.0, 2005.0, 2006.0, 2007.0]);
    let interval = a.interval.unwrap();
    assert!(2_000.0 <= interval.low && interval.low < a.median && a.median < interval.high && interval.high <= 2_007.0);
    assert_eq!(found.verdict, Verdict::Slower, "A takes less time on the wall, and its p99 is twice as long");
    assert!(found.paired && (found.ratio - 1.99).abs() < 0.01);
    assert!(markdown(&comparison).contains("y 1.99x faster"), "{}", markdown(&comparison));
    assert!(markdown(&comparison).contains("| p99 x | p99 y |"));
    assert!(markdown(&comparison).contains("p99, less is better"));
    assert_eq!(gate(&comparison, 0.05), Gate::Slower(vec!["1 Writes at size 1000".to_owned()]));
    assert!(compared(&bench, Metric::Wall).lines[0].a.as_ref().unwrap().interval.is_none());
}

#[test]
fn the_greater_rate_is_the_better_one() {
    let bench = bench(Metric::Operations, |_| 1_000, |_| 1_000);
    let comparison = compared(&bench, Metric::Rate);
    let found = comparison.lines[0].found.as_ref().unwrap();
    // A takes a third of the time.
    assert!(found.verdict == Verdict::Faster && found.ratio > 2.9, "{found:?}");
    assert_eq!(gate(&comparison, 0.05), Gate::Passed);
    let wall = bench.stored().compared_in(Metric::Rate, "engine=y", "engine=x", &Options::default());
    assert!(matches!(gate(&wall, 0.05), Gate::Slower(_)));
}

#[test]
fn what_has_no_chance_in_it_is_equal_or_not_without_a_test() {
    let differs = compared(&bench(Metric::Syncs, |_| 10, |_| 20), Metric::Syncs);
    let found = differs.lines[0].found.as_ref().unwrap();
    assert!(found.exact && found.verdict == Verdict::Faster && found.ratio == 0.5, "{found:?}");
    assert_eq!((found.p, differs.compared), (None, 0));
    assert!(markdown(&differs).contains("x 2.0x less"), "{}", markdown(&differs));
    let equal = compared(&bench(Metric::Syncs, |_| 20, |_| 20), Metric::Syncs);
    assert!(markdown(&equal).contains("| equal |"), "{}", markdown(&equal));
    // Zero on both sides is the same. There is no ratio to zero.
    let none = compared(&bench(Metric::Syncs, |_| 0, |_| 0), Metric::Syncs);
    assert_eq!(verdict(&none), Some(Verdict::Same));
    let one = compared(&bench(Metric::Syncs, |_| 5, |_| 0), Metric::Syncs);
    assert_eq!(verdict(&one), None);
    assert!(markdown(&one).contains("no ratio: A is 0 in 0 of 8 runs, B is 0 in 8 of 8 runs"), "{}", markdown(&one));
    // A count that varies between runs is not exact: it includes chance.
    let moving = compared(&bench(Metric::Syncs, |round| 10 + round % 2, |round| 20 + round % 3), Metric::Syncs);
    assert!(!moving.lines[0].found.as_ref().unwrap().exact);
}

#[test]
fn tests_without_the_figure_have_no_line() {
    let comparison = compared(&bench(Metric::P99, |_| 1, |_| 2), Metric::ResponseP99);
    assert!(comparison.lines.is_empty());
}

#[test]
fn a_test_that_ran_without_the_figure_is_not_called_missing() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    // The fixture alternates the runs of A and B.
    for result in bench.batch.results.iter_mut().skip(1).step_by(2) {
        result.figures = result.figures.with(Metric::P99, 1_000);
    }
    let comparison = compared(&bench, Metric::P99);
    let message = &comparison.lines[0].obstacles[0].message;
    assert_eq!(message, "A has no value of p99");
}

#[test]
fn benchfmt_names_the_unit_of_each_metric() {
    let bench = bench(Metric::Database, |_| 4_096, |_| 8_192);
    let of = |metric| benchfmt(&compared(&bench, metric));
    assert!(of(Metric::Database).contains("Benchmark01Writes/size=1000 1000 4096 database-bytes\n"));
    assert!(of(Metric::Rate).contains(" op/s\n"));
    assert!(of(Metric::P50).lines().all(|line| !line.starts_with("Benchmark") || line.ends_with(" p50-ns")));
}

#[test]
fn the_command_compares_every_figure_by_name_and_refuses_what_has_no_direction() {
    let place = Place::new();
    let bench = bench(Metric::P99, |round| 2_000 + round, |round| 1_000 + 2 * round);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let compare = |rest: &[&str]| place.run(&[&["compare", "--a", "engine=x", "--b", "engine=y"][..], rest].concat());
    for metric in Metric::ALL {
        let done = compare(&["--metric", metric.name()]);
        assert_eq!(done.code, Some(0), "{}: {}", metric.name(), done.stderr);
    }
    let done = compare(&["--metric", "p99", "--fail-if-slower", "5%"]);
    assert!(done.code == Some(4) && done.stdout.contains("p99 x"), "{}", done.stdout);
    let done = compare(&["--metric", "rows", "--fail-if-slower", "5%"]);
    assert!(
        done.code == Some(2) && done.stderr.contains("for rows, neither less nor more is better"),
        "{}",
        done.stderr
    );
    let done = compare(&["--metric", "p98"]);
    assert!(done.code == Some(2) && done.stderr.contains("p99_ns"), "{}", done.stderr);
    assert_eq!(compare(&["--metric", "p99", "--scaling"]).code, Some(2));
}
