//! Figures computed by hand, verdicts, and the messages when there is no verdict.

use super::fixture::{Bench, CLEAR, doubts, spec, table};
use dbdyno::{
    base::identifier::identifier,
    catalog::Difference,
    compare::{Axis, Gate, JudgedRatio, NoiseBasis, OpenReason, OpenTest, Options, gate},
    report::{
        comparison::Wording,
        sheet::{Colouring, TableStyle},
    },
    stats::Verdict,
    store::{Status, WarningRecord},
};
use dbdyno_engine::durability::Tier;

const STYLE: TableStyle = TableStyle { colour: Colouring::Off, width: 80 };

fn near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9 * want.abs(), "got {got}, want {want}");
}

#[test]
fn medians_ratio_interval_and_p_are_those_worked_out_by_hand() {
    // Ratios 1/2, 1/2, 1/4, 1/2, 1/2, 1/2: their logs are -k ln 2. Six pairs have one sign, so the interval is the range.
    let times = [(10, 20), (20, 40), (10, 40), (40, 80), (30, 60), (50, 100)];
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &times);
    let found = bench.compared("engine=x", "engine=y", &Options::default());
    let line = &found.lines[0];
    near(line.a.as_ref().unwrap().median, 25_000.0);
    near(line.b.as_ref().unwrap().median, 50_000.0);
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
fn without_ties_six_pairs_of_one_sign_are_decided_and_in_a_larger_table_where_others_differ_too() {
    let times: Vec<(u64, u64)> = CLEAR[..6].to_vec();
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &times);
    let one = bench.compared("engine=x", "engine=y", &Options::default());
    let found = one.lines[0].found.as_ref().unwrap();
    assert_eq!(found.verdict, Verdict::Faster);
    near(found.p.unwrap(), 2.0 / 64.0);
    assert!(table(&one, STYLE).contains("x 3.0x faster"), "{}", table(&one, STYLE));

    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, &(a, b)) in (0..).zip(&times) {
        bench.run(&session, round, &spec("x"), &[a * 1000, 1_000_000 + 10 * u64::from(round)]);
        bench.run(&session, round, &spec("y"), &[b * 1000, 1_000_025]);
    }
    let two = bench.compared("engine=x", "engine=y", &Options::default());
    let found = two.lines[0].found.as_ref().unwrap();
    assert!(matches!(found.verdict, Verdict::Undecided { more_rounds: Some(1) }), "{:?}", found.verdict);
    near(found.p_adjusted.unwrap(), 4.0 / 64.0);
    let text = table(&two, STYLE);
    assert!(text.contains("undecided +1 (2.9-3.1x)\n") && text.contains("n more rounds decide 9 in 10"), "{text}");
    assert!(text.contains("!  showing a difference in just one of 2 tests takes 7 rounds, but there are 6"), "{text}");

    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, &(a, b)) in (0..).zip(&times) {
        bench.run(&session, round, &spec("x"), &[a * 1000, b * 1100]);
        bench.run(&session, round, &spec("y"), &[b * 1000, a * 1100]);
    }
    let both = bench.compared("engine=x", "engine=y", &Options::default());
    let verdicts: Vec<Verdict> = both.lines.iter().map(|line| line.found.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts, [Verdict::Faster, Verdict::Slower]);
    let text = table(&both, STYLE);
    assert!(text.contains("a false discovery rate of 5 % (Benjamini-Hochberg over 2 tests)"), "{text}");
    assert!(!text.contains("just one of"), "{text}");
}

#[test]
fn slower_same_and_too_few_are_said() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let slower = bench.compared("engine=y", "engine=x", &Options::default());
    assert_eq!(slower.lines[0].found.as_ref().unwrap().verdict, Verdict::Slower);
    assert!(table(&slower, STYLE).contains("x 3.0x faster"));

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
    assert!(text.contains("up to 1 run of A and 0 runs of B in a test are left out: they have no partner"), "{text}");
    assert!(text.contains("not comparable [1]") && text.contains("[1] only A has Random reads at size 1000"), "{text}");
    let figures = text.lines().skip_while(|line| !line.starts_with("test ")).take_while(|line| !line.starts_with('['));
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
fn runs_of_different_rounds_of_one_session_are_compared_unpaired() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&session, round, &spec("x"), &[a * 1000]);
        bench.run(&session, 100 + round, &spec("y"), &[b * 1000]);
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let found = comparison.lines[0].found.as_ref().unwrap();
    assert_eq!((found.paired, found.verdict), (false, Verdict::Faster));
    // All of A is below all of B: 2 / C(16, 8).
    near(found.p.unwrap(), 2.0 / 12870.0);
    assert!(table(&comparison, STYLE).contains("8 and 8 runs, not paired"));
}

#[test]
fn one_session_each_decides_nothing_however_many_runs_it_has() {
    let mut bench = Bench::default();
    let (first, second) = (bench.session("here"), bench.session("here"));
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&first, round, &spec("x"), &[a * 1000]);
        bench.run(&second, round, &spec("y"), &[b * 1000]);
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let found = comparison.lines[0].found.as_ref().unwrap();
    assert_eq!((found.verdict, found.interval, found.p), (Verdict::Undecided { more_rounds: None }, None, None));
    let text = table(&comparison, STYLE);
    assert!(text.contains("medians of 1 and 1 session") && text.contains("sessions differ"), "{text}");
    assert_eq!(
        gate(&comparison, 0.05),
        Gate::Undecided(vec![OpenTest { name: "1 Writes at size 1000".to_owned(), reason: OpenReason::FewSessions }])
    );
    // Three more sessions of x on this host show how far apart sessions are: 1 %. Sessions on other hosts do not count.
    for (host, shift) in [("here", 990), ("here", 1000), ("here", 1010), ("there", 5000)] {
        let other = bench.session(host);
        bench.run(&other, 0, &spec("x"), &[shift * 1000]);
    }
    let (a, b) = (format!("session={first}"), format!("session={second}"));
    let comparison = bench.compared(&a, &b, &Options::default());
    let found = comparison.lines[0].found.as_ref().unwrap();
    assert_eq!(found.verdict, Verdict::Faster);
    let sessions = found.sessions.unwrap();
    assert_eq!((sessions.a, sessions.b, sessions.others), (1, 1, 3));
    // The sum of squares of ln 0.99, 0 and ln 1.01 about their mean is 0.0002. With two degrees of freedom, t is 4.303.
    assert!((sessions.apart.unwrap() - (4.303 * 0.01 * 2_f64.sqrt()).exp_m1()).abs() < 1e-4, "{sessions:?}");
    let undecided = JudgedRatio { verdict: Verdict::Undecided { more_rounds: None }, ..found.clone() };
    assert_eq!(Wording::of(&comparison).short_verdict(&undecided), "sessions differ by 6.3 %");
}

#[test]
fn each_reason_for_which_the_gate_is_open_is_told_apart() {
    let open = |bench: &Bench, options: &Options| match gate(&bench.compared("engine=x", "engine=y", options), 0.05) {
        Gate::Undecided(tests) => tests.into_iter().map(|test| test.reason).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let of = |times: &[(u64, u64)]| {
        let mut bench = Bench::default();
        bench.pairs(&spec("x"), &spec("y"), times);
        bench
    };
    assert_eq!(open(&of(&CLEAR[..5]), &Options::default()), [OpenReason::TooFewRuns]);
    let across: Vec<(u64, u64)> = (0..8).map(|at| (1000 + 40 * at, 1100)).collect();
    assert_eq!(open(&of(&across), &Options::default()), [OpenReason::AcrossTheLimit]);
    let mut unequal = Bench::default();
    unequal.pairs(&super::fixture::Variant { tier: Tier::Unsafe, ..spec("x") }, &spec("y"), &CLEAR);
    assert_eq!(open(&unequal, &Options::default()), [OpenReason::NotComparable]);
    let mut one_side = of(&CLEAR);
    let session = one_side.batch.sessions[0].session_id.clone();
    let larger = super::fixture::Variant { size: "2000", ..spec("x") };
    one_side.run(&session, 0, &larger, &[1000]);
    assert_eq!(open(&one_side, &Options::default()), [OpenReason::OneSide]);
    // Slower by 10 % in each of six pairs, while its twin differs by 20 %.
    let mut noisy = Bench::default();
    let session = noisy.session("here");
    let twin = super::fixture::Variant { label: "y#2".to_owned(), ..spec("y") };
    for round in 0..6 {
        noisy.run(&session, round, &spec("x"), &[1_100_000 + u64::from(round)]);
        noisy.run(&session, round, &spec("y"), &[1_000_000]);
        noisy.run(&session, round, &twin, &[1_200_000]);
    }
    assert_eq!(open(&noisy, &Options::default()), [OpenReason::NotBeyondNoise]);
}

#[test]
fn sizes_are_summarised_by_the_median_and_extremes_of_their_ratios() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    // The ratios are 1/2, 1/5 and 1/4 at three sizes. Sorted as text, the sizes have another order.
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
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains("1 Writes 0.20 ▼ 0.50 ▼ 0.25 ▼ 0.25 0.20 0.50 0.20-0.20 0.50-0.50 0.25-0.25"),
        "{text}"
    );
    assert!(test.sizes.iter().all(|size| size.verdict == Verdict::Faster && size.interval.is_some()));
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
    assert!(text.contains("1 Writes        0.33 ▼     0.66 ▼"), "{text}");
    let intervals = text.lines().skip_while(|line| !line.starts_with("1 Writes")).nth(1).unwrap();
    for cell in pivot.rows[0].cells.iter().flatten() {
        let interval = cell.interval.unwrap();
        assert!(intervals.contains(&format!("{:.2}-{:.2}", interval.low, interval.high)), "{text}");
    }
}

#[test]
fn an_aa_session_gives_the_noise_floor() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    let twin = super::fixture::Variant { label: "x#2".to_owned(), ..spec("x") };
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&session, round, &spec("x"), &[a * 1000]);
        bench.run(&session, round, &spec("y"), &[b * 1000]);
        // The twin differs by 5 % although it is the same configuration.
        bench.run(&session, round, &twin, &[a * 1050]);
    }
    let comparison = bench.compared("label=x", "engine=y", &Options::default());
    // All pairs differ by ln 1.05, which is also their standard deviation. 1.96 of these are 10 %.
    let floor = comparison.lines[0].noise_floor;
    assert_eq!(floor.basis, NoiseBasis::Measured { pairs: 8 });
    assert!((floor.value - (1.959_964 * 1.05_f64.ln()).exp_m1()).abs() < 1e-6, "{floor:?}");
    assert!(table(&comparison, STYLE).contains("noise floor 10.0 % (measured A against A)"));
    // If its twin is selected too, the configuration is paired by its first runs.
    let both = bench.compared("engine=x", "engine=y", &Options::default());
    let first: Vec<f64> = CLEAR.iter().map(|(a, _)| (a * 1000) as f64).collect();
    assert_eq!(both.lines[0].a.as_ref().unwrap().values, first);
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

#[test]
fn warnings_are_those_of_what_is_compared() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for (engine, time) in [("x", a), ("y", b), ("z", b)] {
            bench.run(&session, round, &spec(engine), &[time * 1000]);
        }
    }
    let of = |engine: &str| bench.batch.runs.iter().find(|run| run.engine == engine).unwrap().run_id.clone();
    let warning = |run_id: Option<String>, message: &str| WarningRecord {
        matter: run_id.as_ref().and(message.split(": ").next()).map(str::to_owned),
        warning_id: identifier(),
        session_id: session.clone(),
        run_id,
        test: None,
        linter: "did not settle".to_owned(),
        message: message.to_owned(),
    };
    let warnings = [
        warning(Some(of("x")), "times had not reached a steady state: Writes on x at 1000"),
        warning(Some(of("z")), "times had not reached a steady state: Writes on z at 1000"),
        warning(None, "of the whole session"),
    ];
    bench.batch.warnings.extend(warnings);
    // The finding names the first run of x, but applies to all of its runs.
    for a in ["engine=x", "engine=x round>=1"] {
        let warnings = doubts(&bench.compared(a, "engine=y", &Options::default()));
        let said = |text: &str| warnings.iter().any(|warning| warning.contains(text));
        assert!(said("Writes on x") && said("of the whole session") && !said("Writes on z"), "{a}: {warnings:?}");
    }
    let warnings = doubts(&bench.compared("engine=x", "engine=z", &Options::default()));
    let says = "did not settle: times had not reached a steady state: Writes on x at 1000; and 1 more configuration";
    assert!(warnings.iter().any(|warning| warning == says), "what is the matter with both is said once: {warnings:?}");
}

#[test]
fn the_geometric_mean_has_the_interval_of_its_rounds() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    // The ratios of the two tests are 1/2 and 2, times a swing in opposite directions. The mean of a round is 1.01^round.
    for round in 0..7 {
        let (swing, growth) = (1.2_f64.powi(round - 3), 1.01_f64.powi(round));
        let times = [0.5 * swing * growth, 2.0 / swing * growth].map(|factor| (1e12 * factor) as u64);
        bench.run(&session, round as u32, &spec("x"), &times);
        bench.run(&session, round as u32, &spec("y"), &[1_000_000_000_000; 2]);
    }
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let mean = &comparison.means[0];
    // With seven pairs, the interval goes from the third Walsh average to the third from the end (signed-rank, 95.3 %).
    let interval = mean.interval.unwrap();
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-9, "got {got}, want {want}");
    close(mean.ratio.unwrap(), 1.01_f64.powi(3));
    close(interval.low, 1.01_f64.powf(1.0));
    close(interval.high, 1.01_f64.powf(5.0));
    let line = comparison.lines[0].found.as_ref().unwrap().interval.unwrap();
    assert!(line.high / line.low > 1.5, "the tests themselves swing more");
    assert!(table(&comparison, STYLE).contains("geometric mean (2)"), "{}", table(&comparison, STYLE));
}

#[test]
fn the_largest_difference_comes_first_where_that_is_asked_for() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..6 {
        let time = 10_000 + u64::from(round);
        bench.run(&session, round, &spec("x"), &[time, 8 * time, time, time, time]);
        bench.run(&session, round, &spec("y"), &[time, time, 16 * time, 2 * time]);
    }
    let mut comparison = bench.compared("engine=x", "engine=y", &Options::default());
    comparison.sort_by_effect();
    let tests: Vec<u32> = comparison.lines.iter().map(|line| line.test).collect();
    assert_eq!(tests, [3, 2, 4, 1, 5], "what only A has is last");
}

/// A session may be compared while it is running: an unfinished run has not failed.
#[test]
fn a_run_under_way_is_told_from_one_that_was_cut_short() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    bench.batch.runs[0].status = Status::Running;
    bench.batch.runs[3].status = Status::Failed;
    let comparison = bench.compared("engine=x", "engine=y", &Options::default());
    let said = |what: &str| doubts(&comparison).iter().any(|warning| warning.starts_with(what));
    assert!(said("1 of 16 runs is still running"), "{:?}", doubts(&comparison));
    assert!(said("1 of 16 runs failed or were cut short"), "{:?}", doubts(&comparison));
}
