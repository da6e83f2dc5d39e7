//! Figures worked out by hand, verdicts, and what is said when there is none.

use super::fixture::{Bench, CLEAR, spec};
use dbdyno::{
    catalog::Difference,
    compare::{Axis, Options},
    report::{
        comparison::{TableStyle, table},
        text::Colouring,
    },
    stats::Verdict,
};
use dbdyno_engine::durability::Tier;

const STYLE: TableStyle = TableStyle { colour: Colouring::Off, width: 80 };

fn near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9 * want.abs(), "got {got}, want {want}");
}

#[test]
fn medians_ratio_interval_and_p_are_those_worked_out_by_hand() {
    // Ratios 1/2, 1/2, 1/4, 1/2, 1/2, 1/2: their logs are -k ln 2. Six pairs of one sign: the interval is the range.
    let times = [(10, 20), (20, 40), (10, 40), (40, 80), (30, 60), (50, 100)];
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &times);
    let found = bench.compared("engine=x", "engine=y", &Options::default());
    let line = &found.lines[0];
    near(line.a.as_ref().unwrap().median_ns, 25_000.0);
    near(line.b.as_ref().unwrap().median_ns, 50_000.0);
    let found = line.found.as_ref().unwrap();
    near(found.ratio, 0.5);
    near(found.median_ratio, 0.5);
    let interval = found.interval.unwrap();
    near(interval.low, 0.25);
    near(interval.high, 0.5);
    near(interval.confidence, 1.0 - 2.0 / 64.0);
    assert!(found.paired);
}

#[test]
fn without_ties_six_pairs_of_one_sign_are_decided_and_in_a_larger_table_never() {
    let times: Vec<(u64, u64)> = CLEAR[..6].to_vec();
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &times);
    let one = bench.compared("engine=x", "engine=y", &Options::default());
    let found = one.lines[0].found.as_ref().unwrap();
    assert_eq!(found.verdict, Verdict::Faster);
    near(found.p.unwrap(), 2.0 / 64.0);
    assert!(table(&one, STYLE).contains("A 3.0x faster"), "{}", table(&one, STYLE));

    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, &(a, b)) in (0..).zip(&times) {
        bench.run(&session, round, &spec("x"), &[a * 1000, a * 1100]);
        bench.run(&session, round, &spec("y"), &[b * 1000, b * 1100]);
    }
    let two = bench.compared("engine=x", "engine=y", &Options::default());
    let found = two.lines[0].found.as_ref().unwrap();
    assert!(matches!(found.verdict, Verdict::Undecided { more_rounds: Some(1) }), "{:?}", found.verdict);
    near(found.p_adjusted.unwrap(), 4.0 / 64.0);
    let text = table(&two, STYLE);
    assert!(text.contains("undecided +1\n") && text.contains("about n more rounds would decide"), "{text}");
    assert!(text.contains("!  2 tests need 7 rounds before a difference can be shown, and there are 6"), "{text}");
}

#[test]
fn slower_same_and_too_few_are_said() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let slower = bench.compared("engine=y", "engine=x", &Options::default());
    assert_eq!(slower.lines[0].found.as_ref().unwrap().verdict, Verdict::Slower);
    assert!(table(&slower, STYLE).contains("B 3.0x faster"));

    let mut bench = Bench::default();
    let same =
        [(10_000, 10_010), (10_011, 10_000), (9_990, 10_002), (10_020, 10_001), (10_003, 10_007), (9_999, 9_981)];
    bench.pairs(&spec("x"), &spec("y"), &same);
    let same = bench.compared("engine=x", "engine=y", &Options::default());
    assert_eq!(same.lines[0].found.as_ref().unwrap().verdict, Verdict::Same);
    assert!(table(&same, STYLE).contains("same within 3 %"));

    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR[..5]);
    let few = bench.compared("engine=x", "engine=y", &Options::default());
    let found = few.lines[0].found.as_ref().unwrap();
    assert_eq!((found.verdict, found.interval), (Verdict::TooFew { need: 6 }, None));
    assert!(table(&few, STYLE).contains("need >= 6 runs"));
}

#[test]
fn counts_of_both_sides_are_always_shown_and_no_line_of_figures_is_wider_than_80_columns() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let session = bench.session("here");
    bench.run(&session, 0, &spec("x"), &[1_000_000, 5_000_000]);
    let text = table(&bench.compared("engine=x", "engine=y", &Options::default()), STYLE);
    assert!(text.contains("A  engine=x: 9 runs, 10 results of tests, 2 sessions"), "{text}");
    assert!(text.contains("B  engine=y: 8 runs, 8 results of tests, 1 session"), "{text}");
    assert!(text.contains("8 pairs of runs of the same round"), "{text}");
    assert!(text.contains("up to 1 runs of A and 0 runs of B in a test have no partner"), "{text}");
    assert!(text.contains("not comparable [1]") && text.contains("[1] only A has Random reads at size 1000"), "{text}");
    let figures = text.lines().skip(3).take_while(|line| !line.starts_with('['));
    assert!(figures.clone().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn wider_terminals_get_a_bar_around_one() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let wide = table(&comparison, TableStyle { width: 110, ..STYLE });
    let line = wide.lines().find(|line| line.starts_with("1 Writes")).unwrap();
    let (diamond, one) = (line.find('◆').unwrap(), line.find('│').unwrap());
    assert!(diamond < one, "{wide}");
    assert!(!table(&comparison, STYLE).contains('◆'));
}

#[test]
fn runs_of_different_sessions_are_compared_unpaired() {
    let mut bench = Bench::default();
    let (first, second) = (bench.session("here"), bench.session("here"));
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&first, round, &spec("x"), &[a * 1000]);
        bench.run(&second, round, &spec("y"), &[b * 1000]);
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let found = comparison.lines[0].found.as_ref().unwrap();
    assert_eq!((found.paired, found.verdict), (false, Verdict::Faster));
    // All of A below all of B: 2 / C(16, 8).
    near(found.p.unwrap(), 2.0 / 12870.0);
    assert!(table(&comparison, STYLE).contains("8 and 8 runs, not paired"));
}

#[test]
fn sizes_are_summarised_by_the_median_and_extremes_of_their_ratios() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    // Ratios 1/2, 1/5, 1/4 at three sizes; the text order of sizes is not their order.
    for (size, factor) in [("1000", 2), ("200", 5), ("30000", 4)] {
        for round in 0..6 {
            let time = 10_000 + u64::from(round);
            bench.run(&session, round, &super::fixture::Variant { size, ..spec("x") }, &[time]);
            bench.run(&session, round, &super::fixture::Variant { size, ..spec("y") }, &[time * factor]);
        }
    }
    let options = Options { by_size: true, ..Options::default() };
    let comparison = bench.compared("engine=x", "engine=y", &options);
    let test = &comparison.by_size.as_ref().unwrap()[0];
    let sizes: Vec<&str> = test.sizes.iter().map(|size| size.size.as_str()).collect();
    assert_eq!(sizes, ["200", "1000", "30000"]);
    near(test.median, 0.25);
    near(test.min, 0.2);
    near(test.max, 0.5);
    let text = table(&comparison, STYLE);
    assert!(text.contains("1 Writes        0.20  0.50   0.25    0.25  0.20  0.50"), "{text}");
}

#[test]
fn the_geometric_mean_is_over_tests_of_both_sides_and_names_the_others() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..6 {
        let time = 10_000 + u64::from(round);
        bench.run(&session, round, &spec("x"), &[time, 4 * time, time]);
        bench.run(&session, round, &spec("y"), &[2 * time, 2 * time]);
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let mean = &comparison.means[0];
    near(mean.ratio.unwrap(), 1.0);
    assert_eq!((mean.tests, mean.left_out.as_slice()), (2, ["Scan".to_owned()].as_slice()));
    assert!(table(&comparison, STYLE).contains("geometric mean at size 1000 without: Scan"));
}

#[test]
fn a_pivot_parts_a_by_an_option_and_compares_each_part_with_b() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for (value, factor) in [("full", 1), ("off", 2)] {
            let swept = super::fixture::Variant {
                options: vec![("sync", value)],
                label: format!("x[sync={value}]"),
                ..spec("x")
            };
            bench.run(&session, round, &swept, &[a * factor * 1000]);
        }
        bench.run(&session, round, &spec("y"), &[b * 1000]);
    }
    let options = Options { pivot: Some(Axis::parse_pair("test,sync").unwrap()), ..Options::default() };
    let comparison = bench.compared("engine=x", "engine=y", &options);
    let pivot = comparison.pivot.as_ref().unwrap();
    assert_eq!(pivot.columns, ["full", "off"]);
    let ratios: Vec<f64> = pivot.rows[0].cells.iter().map(|cell| cell.as_ref().unwrap().ratio.unwrap()).collect();
    assert!((ratios[0] - 0.33).abs() < 0.01 && (ratios[1] - 0.66).abs() < 0.02, "{ratios:?}");
    let text = table(&comparison, STYLE);
    assert!(text.contains("1 Writes     0.33 ▼  0.66 ▼"), "{text}");
}

#[test]
fn an_aa_session_gives_the_noise_floor() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    let twin = super::fixture::Variant { label: "x#2".to_owned(), ..spec("x") };
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&session, round, &spec("x"), &[a * 1000]);
        bench.run(&session, round, &spec("y"), &[b * 1000]);
        // 5 % apart though it is the same thing.
        bench.run(&session, round, &twin, &[a * 1050]);
    }
    let comparison = bench.compared("label=x", "engine=y", &Options::default());
    assert_eq!(comparison.noise_floor.measured, 1);
    assert!((comparison.noise_floor.value - (1.0 - 1.0 / 1.05)).abs() < 1e-9, "{:?}", comparison.noise_floor);
    assert!(table(&comparison, STYLE).contains("noise floor 4.8 % (measured A against A, 1 test)"));
    // Selected with its twin, the configuration is paired by its first runs.
    let both = bench.compared("engine=x", "engine=y", &Options::default());
    let first: Vec<u64> = CLEAR.iter().map(|(a, _)| a * 1000).collect();
    assert_eq!(both.lines[0].a.as_ref().unwrap().times_ns, first);
    assert_eq!(both.lines[0].a.as_ref().unwrap().left_out, 8);
}

#[test]
fn the_widest_figures_fit_80_columns_and_longer_names_get_what_room_there_is() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    let tier = super::fixture::Variant { tier: Tier::Consistent, suite: "other", ..spec("x") };
    for round in 0..6 {
        let time = 999_400_000 + u64::from(round);
        let swings = if round % 2 == 0 { 1 } else { 400 };
        bench.run(&session, round, &tier, &[time, time * swings]);
        bench.run(&session, round, &spec("y"), &[time / 1000, time]);
    }
    for result in &mut bench.batch.results {
        result.test_name = "25000 INSERTs in a transaction".to_owned();
    }
    let allowed = [Difference::Tiers, Difference::Suites].into_iter().collect();
    let comparison = bench.compared("engine=x", "engine=y", &Options { allowed, ..Options::default() });
    let narrow = table(&comparison, STYLE);
    let figures = narrow.lines().filter(|line| line.starts_with("1 2") || line.starts_with("2 2"));
    assert_eq!(figures.clone().count(), 2);
    assert!(figures.clone().all(|line| line.chars().count() <= 80 && line.contains('…')), "{narrow}");
    let wide = table(&comparison, TableStyle { width: 93, ..STYLE });
    assert!(wide.contains("1 25000 INSERTs in a transaction  "), "{wide}");
}
