//! Trials whose truth is known: scripted times in the order of the real plan go through the real judgement.

use crate::compare::simulation::Machine;
use dbdyno::{
    catalog::{Catalog, UserFolders},
    engines::Registry,
    metric::Figures,
    stats::{Spending, Verdict},
    tune::{Sample, Samples, Workload, default_rounds, judge},
};
use dbdyno_engine::{settings::Settings, size::Size};
use dbdyno_workload::rng::SplitMix64;
use std::collections::BTreeMap;

struct Trials {
    workload: Workload,
    registry: Registry,
    variants: [Settings; 2],
    machine: Machine,
}

impl Trials {
    /// Trials of the engine that does nothing, on a machine whose times scatter by `sd` and drift by 5 %.
    fn new(sd: f64) -> Self {
        let registry = Registry::discover();
        let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
        let suite = catalog.suite("kv").unwrap();
        let pick = suite.pick(&["Random reads".to_owned()]).unwrap();
        let engine = registry.get("null").unwrap().clone();
        let workload = Workload { engine, suite, suite_options: BTreeMap::new(), size: Size::one(10_000), pick };
        let with = |latency: &str| {
            workload.settings(&BTreeMap::from([("latency_ns".to_owned(), latency.to_owned())])).unwrap()
        };
        let variants = [with("1000"), with("900")];
        Self { registry, variants, machine: Machine { rng: SplitMix64::new(2_026), noise: 0.0, sd }, workload }
    }

    /// One look more at a trial in which the change takes `factor` of the base's time.
    fn look(&mut self, samples: &mut Samples, look: u32, rounds: u32, factor: f64) -> Verdict {
        let plan = self.workload.plan(&self.registry, &self.variants, rounds, u64::from(look)).unwrap();
        let last = plan.runs.len() as f64;
        for (place, run) in plan.runs.iter().enumerate() {
            let work = [1.0, factor][run.configuration];
            let wall_ns = self.machine.time(work, place as f64 / last);
            let sample = Sample { time_ns: wall_ns as f64, figures: Figures::default(), agrees: None };
            samples.add(run.configuration, (format!("look {look}"), run.round), 2, sample);
        }
        let effects = judge(samples, 0, 1, &self.workload.tests(), Spending::at_look(look, 1));
        let found = effects[0].found.as_ref().unwrap();
        assert_eq!(effects[0].pairs, (rounds * look) as usize);
        found.verdict
    }
}

fn is_difference(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

#[test]
fn equal_things_are_found_different_in_at_most_one_trial_of_twenty_even_when_extended_three_times() {
    let mut trials = Trials::new(0.03);
    let rounds = default_rounds(1, 1);
    let (mut wrong_at_once, mut wrong_at_last) = (0, 0);
    for _ in 0..400 {
        let mut samples = Samples::default();
        let verdicts: Vec<Verdict> = (1..=4).map(|look| trials.look(&mut samples, look, rounds, 1.0)).collect();
        wrong_at_once += usize::from(is_difference(verdicts[0]));
        // Whoever extends a trial until it says something stops at the first verdict.
        wrong_at_last += usize::from(verdicts.into_iter().any(is_difference));
    }
    assert!(wrong_at_once <= 20 && wrong_at_last <= 20, "{wrong_at_once} at once, {wrong_at_last} at last, of 400");
    assert!(wrong_at_last > 0, "without any false alarm the simulated noise is too small to test anything");
}

#[test]
fn a_true_gain_of_ten_percent_is_found_by_the_rounds_that_are_planned() {
    let mut trials = Trials::new(0.03);
    let rounds = default_rounds(1, 1);
    let found = (0..200).filter(|_| trials.look(&mut Samples::default(), 1, rounds, 0.9) == Verdict::Faster).count();
    assert!(found >= 190, "found in {found} of 200 trials");
}

#[test]
fn the_rounds_planned_can_decide_and_two_fewer_cannot() {
    for (tests, changes) in [(1, 1), (1, 3), (8, 1), (8, 5)] {
        let rounds = default_rounds(tests, changes);
        let can = |rounds: u32| {
            let smallest_p = 2.0 / 2_f64.powi(rounds as i32);
            smallest_p * tests as f64 * Spending::at_look(1, changes).factor < 0.05
        };
        assert!(can(rounds) && !can(rounds - 2), "{tests} tests, {changes} changes: {rounds}");
    }
}
