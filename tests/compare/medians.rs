//! The medians of a line, its ratio and its rates are consistent with each other.

use super::fixture::{Bench, CLEAR, markdown, spec};
use dbdyno::{
    compare::{Comparison, Options, RatioForm},
    lint::HarnessCosts,
    metric::Metric,
    report::session_table::SessionTable,
    stats::Verdict,
};

/// Nine pairs in which `x` takes 0.8 of the time of `y`, except for one pair, whose times are near the middle of all.
fn apart() -> Bench {
    let mut bench = Bench::default();
    let pairs = [(800, 1000), (801, 1002), (802, 1004), (803, 1006), (4000, 5000), (4001, 5003), (4002, 5004)];
    let rest = [(4003, 5006), (4500, 3000)];
    bench.pairs(&spec("x"), &spec("y"), &[&pairs[..], &rest].concat());
    bench
}

fn compared(bench: &Bench, median_ratios: bool) -> Comparison {
    let ratios = if median_ratios { RatioForm::Factor } else { RatioForm::Words };
    bench.compared("engine=x", "engine=y", &Options { median_ratios, ratios, ..Options::default() })
}

#[test]
fn a_ratio_that_the_medians_beside_it_contradict_says_so() {
    let comparison = compared(&apart(), false);
    let found = comparison.lines[0].found.as_ref().unwrap();
    assert!((found.ratio - 0.8).abs() < 0.01 && found.median_ratio > 1.3, "{found:?}");
    let text = markdown(&comparison);
    assert!(text.contains("the ratio of the two medians is 1.33; the verdict is about 0.80"), "{text}");
    assert!(text.contains("factors: estimated from all runs (Hodges-Lehmann)"), "{text}");
    let mut plain = Bench::default();
    plain.pairs(&spec("x"), &spec("y"), &CLEAR);
    assert!(!markdown(&compared(&plain, false)).contains("the ratio of the two medians is"));
}

#[test]
fn the_ratio_of_medians_is_a_column_where_it_is_asked_for() {
    let asked = markdown(&compared(&apart(), true));
    assert!(asked.contains("| x/y | of medians | 95 % |") && asked.contains("| 0.80 | 1.33 |"), "{asked}");
    assert!(!markdown(&compared(&apart(), false)).contains("of medians |"));
}

#[test]
fn operations_a_second_are_those_of_the_median_time() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    bench.run(&session, 0, &spec("x"), &[1_000_000]);
    bench.run(&session, 1, &spec("x"), &[11_840_000]);
    let batch = &bench.batch;
    let table = SessionTable::new(&batch.sessions[0], &batch.runs, &batch.results, &[], &HarnessCosts::default(), &[]);
    let row = &table.sizes[0].tests[0].rows[0];
    // 1,000 operations in 6.42 ms; the median of the two rates would be 542 k.
    assert_eq!(row.median_ns, 6_420_000.0);
    assert!((row.rate - 1000.0 * 1e9 / row.median_ns).abs() < 1e-6, "{}", row.rate);
    let rates = bench.stored().compared_in(Metric::Rate, "engine=x", "engine=x", &Options::default());
    let figure = rates.lines[0].a.as_ref().unwrap();
    assert!((figure.median - row.rate).abs() < 1e-6, "{figure:?}");
}

/// Compares pairs of `x` and `y` that were busy this often.
fn busy(a: fn(u64) -> u64, b: fn(u64) -> u64) -> Comparison {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    for (at, result) in (0..).zip(&mut bench.batch.results) {
        let value = if at % 2 == 0 { a(at / 2) } else { b(at / 2) };
        result.figures = result.figures.with(Metric::Busy, value);
    }
    bench.stored().compared_in(Metric::Busy, "engine=x", "engine=y", &Options::default())
}

#[test]
fn a_figure_that_is_0_in_some_runs_is_compared_by_ranks() {
    let less = busy(|round| if round < 2 { 0 } else { 10 + round }, |round| 40 + 2 * round);
    let found = less.lines[0].found.as_ref().unwrap();
    assert!(found.verdict == Verdict::Faster && found.interval.is_none() && found.ratio < 0.4, "{found:?}");
    assert!(found.paired && found.p.unwrap() < 0.01);
    assert!(markdown(&less).contains("x less"), "{}", markdown(&less));
    // The metric finds no difference between equal things.
    let equal = busy(|round| round * 7 % 8, |round| round * 5 % 8);
    let verdict = equal.lines[0].found.as_ref().unwrap().verdict;
    assert_eq!(verdict, Verdict::Undecided { more_rounds: None });
}

#[test]
fn a_side_that_is_0_in_half_of_its_runs_has_no_ratio_and_says_in_how_many() {
    let comparison = busy(|round| round.saturating_sub(4), |round| 40 + round);
    let line = &comparison.lines[0];
    assert!(line.found.is_none());
    assert_eq!(line.obstacles[0].message, "no ratio: A is 0 in 5 of 8 runs, B is 0 in 0 of 8 runs");
    assert!(line.a.is_some() && line.b.is_some(), "both medians are shown");
}
