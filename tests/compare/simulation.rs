//! Simulated sessions with a known truth, run through the real plan and the real comparison.

use super::fixture::{Bench, Variant, spec};
use dbdyno::{
    bench::{BenchPlan, EngineChoice, Spec},
    catalog::{Catalog, UserFolders},
    compare::{Comparison, Gate, Options, Side, compare, gate},
    engines::Registry,
    metric::Metric,
    stats::{Verdict, median},
    store::{ComparedTest, RepeatedTest, RunConfiguration, RunRecord, RunTests, TestRecord},
};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// The simulated machine. It gets 5 % slower during a session, and part of the noise carries over from one run to the next.
pub(crate) struct Machine {
    pub(crate) rng: SplitMix64,
    pub(crate) noise: f64,
    /// Standard deviation of the logarithm of a time.
    pub(crate) sd: f64,
}

impl Machine {
    pub(crate) fn gaussian(&mut self) -> f64 {
        let mut uniform = || ((self.rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    /// Returns the time, in ns, of `work` seconds of work at `share` of the way through a session.
    pub(crate) fn time(&mut self, work: f64, share: f64) -> u64 {
        let fresh = self.gaussian();
        // The correlation is 0.5, and the variance stays the same.
        self.noise = 0.5 * self.noise + 0.75_f64.sqrt() * fresh;
        (1e9 * work * (1.0 + 0.05 * share) * (self.sd * self.noise).exp()) as u64
    }
}

/// The session that dbdyno plans for the null engine and its twin.
fn plan(registry: &Registry, rounds: u32, seed: u64) -> BenchPlan {
    let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
    let spec = Spec {
        suite: "kv".to_owned(),
        engines: vec![EngineChoice { name: "null".to_owned(), ..EngineChoice::default() }],
        rounds,
        twins: true,
        seed: Some(seed),
        ..Spec::default()
    };
    BenchPlan::new(&spec, catalog.suite("kv").unwrap(), registry).unwrap()
}

/// The order of the runs of a session.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// As dbdyno plans them: A B B A.
    Planned,
    /// All of A, then all of B.
    Blocks,
}

/// Thirty sessions of A and B in this order. B takes `factor` of A's time.
fn sessions(order: Order, rounds: u32, tests: usize, sd: f64, factor: f64) -> (Bench, Vec<String>) {
    let mut bench = Bench::default();
    let registry = Registry::discover();
    let mut machine = Machine { rng: SplitMix64::new(20_26), noise: 0.0, sd };
    let ids = (0..30)
        .map(|seed| {
            let plan = plan(&registry, rounds, seed);
            assert_eq!(plan.configurations[1].label, "null#2");
            let session = bench.session("here");
            let last = (plan.runs.len() * tests) as f64;
            let mut runs = plan.runs;
            if order == Order::Blocks {
                runs.sort_by_key(|run| run.configuration);
            }
            for (place, run) in (0..).map(|at| (at * tests) as f64).zip(&runs) {
                // Two labels, so that the comparison treats them as different and finds no noise floor.
                let (label, work) = [("A", 1.0), ("B", factor)][run.configuration];
                let times: Vec<u64> = (0..tests).map(|test| machine.time(work, (place + test as f64) / last)).collect();
                let spec = Variant {
                    label: label.to_owned(),
                    answer: |_| None,
                    agrees: None,
                    timed: false,
                    options: Vec::new(),
                    suite_options: Vec::new(),
                    ..spec("null")
                };
                bench.run(&session, run.round, &spec, &times);
            }
            session
        })
        .collect();
    (bench, ids)
}

/// Options without the forecast of how many more rounds would decide an open test.
pub(super) fn quick() -> Options {
    Options { without_forecast: true, ..Options::default() }
}

/// The runs of a side that belong to one session.
fn of(side: &Side, session: &str) -> Side {
    let runs = side.runs.iter().filter(|run| run.session_id.to_string() == session).cloned().collect();
    Side { runs, ..side.clone() }
}

/// Counts the lines of all sessions, those with one of the verdicts, and those with p below 0.05.
fn counted((bench, sessions): &(Bench, Vec<String>), verdicts: &[Verdict]) -> (usize, usize, usize) {
    let stored = bench.stored();
    let (a, b) = (stored.side("label=A"), stored.side("label=B"));
    let (mut lines, mut hits, mut low) = (0, 0, 0);
    for session in sessions {
        let comparison = compare(&of(&a, session), &of(&b, session), &quick());
        assert!(!comparison.lines.is_empty());
        for line in &comparison.lines {
            let found = line.found.as_ref().unwrap();
            assert!(found.paired);
            lines += 1;
            hits += usize::from(verdicts.contains(&found.verdict));
            low += usize::from(found.p.unwrap() < 0.05);
        }
    }
    (lines, hits, low)
}

#[test]
fn a_against_a_gives_at_most_five_percent_false_verdicts_under_noise_and_drift() {
    let (lines, wrong, low) = counted(&sessions(Order::Planned, 10, 8, 0.03, 1.0), &[Verdict::Faster, Verdict::Slower]);
    assert_eq!(lines, 240);
    assert!(wrong * 20 <= lines, "{wrong} of {lines} verdicts are false");
    // The rank test alone keeps its promise too, before Holm and the noise floor: 5 %, and the scatter of 240 draws.
    assert!((3..=22).contains(&low), "{low} of {lines} p values are below 0.05");
}

#[test]
fn one_test_alone_is_not_wrong_more_often_than_it_says() {
    let (lines, wrong, _) = counted(&sessions(Order::Planned, 10, 1, 0.03, 1.0), &[Verdict::Faster, Verdict::Slower]);
    assert!(wrong * 20 <= lines, "{wrong} of {lines} verdicts are false");
}

#[test]
fn a_true_difference_of_two_percent_under_drift_is_found_by_abba_pairs() {
    let (lines, found, _) = counted(&sessions(Order::Planned, 20, 1, 0.01, 1.02), &[Verdict::Faster]);
    assert!(found * 10 >= lines * 9, "found in {found} of {lines} sessions");
}

#[test]
fn the_same_machine_fools_a_bench_that_runs_all_of_a_and_then_all_of_b() {
    let (lines, wrong, _) = counted(&sessions(Order::Blocks, 10, 1, 0.01, 1.0), &[Verdict::Faster, Verdict::Slower]);
    assert!(
        wrong * 2 > lines,
        "{wrong} of {lines} verdicts are false: the simulated drift is too small to test anything"
    );
}

/// Tests of a run that have only times.
fn plain(engine: &'static str) -> Variant {
    Variant { answer: |_| None, agrees: None, timed: false, ..spec(engine) }
}

/// A session whose runs are all shifted by the same random factor, with 1 % of noise from run to run. `shift` is the standard deviation of
/// the factor's logarithm. One engine runs eight tests in eight rounds and takes `factor` as long as usual.
fn shifted(
    bench: &mut Bench,
    machine: &mut Machine,
    host: &str,
    engine: &'static str,
    shift: f64,
    factor: f64,
) -> String {
    let session = bench.session(host);
    let shift = (shift * machine.gaussian()).exp() * factor;
    for round in 0..8 {
        let times: Vec<u64> = (0..8).map(|_| (1e9 * shift * (0.01 * machine.gaussian()).exp()) as u64).collect();
        bench.run(&session, round, &plain(engine), &times);
    }
    session
}

/// Counts the comparisons with a line that is faster or slower, and those that fail the gate at 2 %.
fn alarms(comparisons: &[Comparison]) -> (usize, usize) {
    let (mut called, mut stopped) = (0, 0);
    for comparison in comparisons {
        assert_eq!(comparison.lines.len(), 8);
        let decided = |verdict: Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
        called += usize::from(comparison.lines.iter().any(|line| decided(line.found.as_ref().unwrap().verdict)));
        stopped += usize::from(matches!(gate(comparison, 0.02), Gate::Slower(_)));
    }
    (called, stopped)
}

/// Forty comparisons of `a` sessions of an engine with `b` sessions of another that takes `factor` as long. Each comparison has its own
/// host, which also ran `others` sessions of the first engine.
fn across_sessions(a: usize, b: usize, others: usize, shift: f64, factor: f64) -> Vec<Comparison> {
    let mut bench = Bench::default();
    let mut machine = Machine { rng: SplitMix64::new(20_27), noise: 0.0, sd: 0.0 };
    let mut compared = Vec::new();
    for host in (0..40).map(|at| format!("host{at}")) {
        let mut sessions = |count: usize, engine: &'static str, factor: f64| -> Vec<String> {
            (0..count).map(|_| shifted(&mut bench, &mut machine, &host, engine, shift, factor)).collect()
        };
        compared.push((sessions(a, "x", 1.0), sessions(b, "y", factor)));
        sessions(others, "x", 1.0);
    }
    let compared = compared.iter().map(|(a, b)| {
        let host = &bench.batch.sessions.iter().find(|session| session.session_id == a[0]).unwrap().host_id;
        compare(&of_sessions(&bench, a, host), &of_sessions(&bench, b, host), &quick())
    });
    compared.collect()
}

/// Builds a side from sessions of a host, with the times of the engine in the host's other sessions. It uses no store, which would take
/// most of the time.
fn of_sessions(bench: &Bench, sessions: &[String], host: &str) -> Side {
    let hosts: BTreeMap<&str, &str> =
        bench.batch.sessions.iter().map(|session| (session.session_id.as_str(), session.host_id.as_str())).collect();
    let tests = |run: &RunRecord| -> Vec<ComparedTest> {
        bench.batch.results.iter().filter(|result| result.run_id == run.run_id).map(compared_test).collect()
    };
    let here = |run: &&RunRecord| hosts[run.session_id.as_str()] == host;
    let runs: Vec<RunTests> = bench.batch.runs.iter().filter(here).map(|run| run_tests(run, tests(run))).collect();
    let (of_side, others): (Vec<RunTests>, Vec<RunTests>) =
        runs.into_iter().partition(|run| sessions.contains(&run.session_id.to_string()));
    let engine = of_side[0].configuration.engine.clone();
    let mut times: BTreeMap<(Uuid, u32), Vec<f64>> = BTreeMap::new();
    for run in others.iter().filter(|run| run.configuration.engine == engine) {
        for test in &run.tests {
            times.entry((run.session_id, test.test)).or_default().push(test.value.unwrap());
        }
    }
    let repeated = |((session_id, test), times): ((Uuid, u32), Vec<f64>)| RepeatedTest {
        configuration: engine.clone(),
        session_id,
        suite: "kv".to_owned(),
        size: "1000".to_owned(),
        test,
        median: median(&times).unwrap(),
    };
    Side { runs: of_side, repeats: times.into_iter().map(repeated).collect(), ..Side::default() }
}

fn compared_test(result: &TestRecord) -> ComparedTest {
    ComparedTest {
        test: result.test,
        name: result.test_name.as_str().into(),
        actor: None,
        value: result.figures.compared(Metric::Wall),
        timed: result.figures.is_timed(),
        sliced: false,
        operations: result.figure(Metric::Operations),
        answer: Some(0),
        is_verified: true,
        agrees: result.agrees,
        latencies: None,
    }
}

fn run_tests(run: &RunRecord, tests: Vec<ComparedTest>) -> RunTests {
    RunTests {
        run_id: run.run_id.parse().unwrap(),
        session_id: run.session_id.parse().unwrap(),
        ordinal: run.ordinal,
        round: run.round,
        seed: Some(run.seed),
        status: "done".into(),
        label: run.label.as_str().into(),
        twin_of: None,
        size: run.size.as_str().into(),
        configuration: Arc::new(RunConfiguration {
            engine: run.engine.clone(),
            version: run.engine_version.clone(),
            tier: Some(3),
            tier_evidence: None,
            options: BTreeMap::new(),
            suite: run.suite.clone(),
            suite_options: BTreeMap::new(),
            memory_limit: None,
            cache: "warm".to_owned(),
            ..RunConfiguration::default()
        }),
        asked: Arc::default(),
        peak_memory_bytes: None,
        tests,
    }
}

#[test]
fn sessions_and_not_runs_are_compared_where_sides_share_none() {
    assert_eq!(alarms(&across_sessions(1, 1, 0, 0.02, 1.0)), (0, 0), "one session each decides nothing");
    for (a, b, others) in [(2, 2, 0), (3, 3, 0), (1, 1, 4)] {
        for shift in [0.0, 0.02, 0.1] {
            let (called, stopped) = alarms(&across_sessions(a, b, others, shift, 1.0));
            // 5 % of 40 are 2, and 40 draws scatter.
            let what = format!("{a} and {b} sessions, {others} others, shift {shift}");
            assert!(called <= 4 && stopped <= 4, "{called} and {stopped} of 40: {what}");
        }
    }
}

#[test]
fn a_difference_that_is_larger_than_that_of_sessions_is_found_across_them() {
    let (found, stopped) = alarms(&across_sessions(3, 3, 0, 0.02, 1.0 / 1.25));
    assert!(found >= 38 && stopped >= 38, "{found} found, {stopped} stopped of 40");
    let (found, _) = alarms(&across_sessions(1, 1, 5, 0.02, 1.0 / 1.25));
    assert!(found >= 36, "{found} of 40 by what other sessions of one side tell");
}

#[test]
fn a_noisy_test_does_not_hide_a_regression_of_a_quiet_one() {
    let mut stopped = 0;
    for seed in 0..20 {
        let mut bench = Bench::default();
        let mut machine = Machine { rng: SplitMix64::new(seed), noise: 0.0, sd: 0.0 };
        let session = bench.session("here");
        for round in 0..10 {
            // The first test varies by 30 % from run to run, the others by 1 %. The second test is 10 % slower.
            let mut times = |slower: f64| -> Vec<u64> {
                let noise = |test: usize| if test == 0 { 0.3 } else { 0.01 };
                let factor = |test: usize| if test == 1 { slower } else { 1.0 };
                (0..8).map(|test| (1e9 * factor(test) * (noise(test) * machine.gaussian()).exp()) as u64).collect()
            };
            for (label, slower) in [("old", 1.0), ("old#2", 1.0), ("new", 1.1)] {
                bench.run(&session, round, &Variant { label: label.to_owned(), ..plain("x") }, &times(slower));
            }
        }
        let comparison = bench.compared("label=new", "label=old", &quick());
        let floors: Vec<f64> = comparison.lines.iter().map(|line| line.noise_floor.value).collect();
        assert!(floors[0] > 0.05 && floors[1..].iter().all(|floor| *floor < 0.05), "{floors:?}");
        match gate(&comparison, 0.05) {
            Gate::Slower(tests) => {
                stopped += 1;
                assert_eq!(tests, ["2 Random reads at size 1000"]);
            }
            other => assert!(!matches!(other, Gate::Passed), "an interval above the limit is never passed"),
        }
    }
    assert!(stopped >= 18, "{stopped} of 20 regressions of 10 % stopped a build at 5 %");
}

/// A session of A and B over ten sizes and six rounds. On each line, B takes `factor` times as long.
fn table_of_80(seed: u64, factor: impl Fn(usize) -> f64) -> Comparison {
    const SIZES: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    let mut bench = Bench::default();
    let mut machine = Machine { rng: SplitMix64::new(seed), noise: 0.0, sd: 0.0 };
    let session = bench.session("here");
    for round in 0..6 {
        for (at, size) in SIZES.into_iter().enumerate() {
            let mut times = |of: &dyn Fn(usize) -> f64| -> Vec<u64> {
                (0..8).map(|test| (1e9 * of(8 * at + test) * (0.03 * machine.gaussian()).exp()) as u64).collect()
            };
            bench.run(&session, round, &Variant { size, ..plain("x") }, &times(&|_| 1.0));
            bench.run(&session, round, &Variant { size, ..plain("y") }, &times(&factor));
        }
    }
    bench.compared("engine=x", "engine=y", &quick())
}

#[test]
fn clear_differences_of_many_tests_over_many_sizes_are_decided_by_six_rounds() {
    let comparison = table_of_80(1, |line| [1.5, 0.6, 3.0, 0.3][line % 4]);
    let open = comparison
        .lines
        .iter()
        .filter(|line| matches!(line.found.as_ref().unwrap().verdict, Verdict::Undecided { .. }))
        .count();
    assert_eq!((comparison.lines.len(), open), (80, 0));
}

#[test]
fn of_what_a_large_table_calls_different_one_in_twenty_is_not_at_most() {
    let (mut called, mut wrong, mut any) = (0, 0, 0);
    for seed in 0..12 {
        // One line in four is 10 % slower.
        let comparison = table_of_80(100 + seed, |line| if line % 4 == 0 { 1.1 } else { 1.0 });
        for (at, line) in comparison.lines.iter().enumerate() {
            if matches!(line.found.as_ref().unwrap().verdict, Verdict::Faster | Verdict::Slower) {
                called += 1;
                wrong += usize::from(at % 4 != 0);
            }
        }
        let nothing = table_of_80(200 + seed, |_| 1.0);
        let decided = |verdict: Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
        any += usize::from(nothing.lines.iter().any(|line| decided(line.found.as_ref().unwrap().verdict)));
    }
    assert!(wrong * 20 <= called.max(20), "{wrong} of {called} that are called different are not");
    assert!(any <= 2, "{any} of 12 tables in which nothing differs call something different");
}
