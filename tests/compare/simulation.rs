//! Sessions whose truth is known go through the real plan and the real comparison.

use super::fixture::{Bench, Variant, spec};
use dbdyno::{
    bench::{BenchPlan, EngineChoice, Spec},
    catalog::{Catalog, UserFolders},
    compare::{Options, Side, compare},
    engines::Registry,
    stats::Verdict,
};
use dbdyno_workload::rng::SplitMix64;

/// The machine: it gets slower by 5 % in the course of a session, and noise lasts from one run to the next.
pub(crate) struct Machine {
    pub(crate) rng: SplitMix64,
    pub(crate) noise: f64,
    /// Standard deviation of the logarithm of a time.
    pub(crate) sd: f64,
}

impl Machine {
    fn gaussian(&mut self) -> f64 {
        let mut uniform = || ((self.rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    /// What a millisecond of work takes `share` of the way through a session, ns.
    pub(crate) fn time(&mut self, work: f64, share: f64) -> u64 {
        let fresh = self.gaussian();
        // Correlation 0.5, the same variance for ever.
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

/// Thirty sessions of A and B in the order of the plan, B taking `factor` of A's time.
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
                // Two names, so that they are two things to the comparison and give no noise floor.
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

/// The part of a side that is of one session.
fn of(side: &Side, session: &str) -> Side {
    let runs = side.runs.iter().filter(|run| run.session_id == session).cloned().collect();
    Side { runs, ..side.clone() }
}

/// How many lines of all sessions there are, and how many have one of the verdicts and p below 0.05.
fn counted((bench, sessions): &(Bench, Vec<String>), verdicts: &[Verdict]) -> (usize, usize, usize) {
    let stored = bench.stored();
    let (a, b) = (stored.side("label=A"), stored.side("label=B"));
    let (mut lines, mut hits, mut low) = (0, 0, 0);
    for session in sessions {
        let comparison = compare(&of(&a, session), &of(&b, session), &Options::default());
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
    // The rank test alone keeps its word too, before Holm and the noise floor: 5 %, and what 240 draws scatter.
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
