//! Trials with a known truth: simulated times in the order of the real plan, judged by the real code.

use crate::compare::simulation::Machine;
use dbdyno::{
    catalog::{Catalog, UserFolders},
    engines::Registry,
    metric::Figures,
    stats::{Spending, Verdict},
    tune::{Sample, Samples, TunedWorkload, default_rounds, judge},
};
use dbdyno_engine::{settings::Settings, size::Size};
use dbdyno_workload::rng::SplitMix64;
use std::collections::BTreeMap;

struct Trials {
    workload: TunedWorkload,
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
        let workload = TunedWorkload { engine, suite, suite_options: BTreeMap::new(), size: Size::one(10_000), pick };
        let with = |latency: &str| {
            workload.settings(&BTreeMap::from([("latency_ns".to_owned(), latency.to_owned())])).unwrap()
        };
        let variants = [with("1000"), with("900")];
        Self { registry, variants, machine: Machine { rng: SplitMix64::new(2_026), noise: 0.0, sd }, workload }
    }

    /// Takes one more look at a trial in which the change takes `factor` of the base's time.
    fn look(&mut self, samples: &mut Samples, look: u32, rounds: u32, factor: f64) -> Verdict {
        let plan = self.workload.plan(&self.registry, &self.variants, rounds, u64::from(look)).unwrap();
        let last = plan.runs.len() as f64;
        for (place, run) in plan.runs.iter().enumerate() {
            let work = [1.0, factor][run.configuration];
            let wall_ns = self.machine.time(work, place as f64 / last);
            let sample = Sample { time_ns: wall_ns as f64, figures: Figures::default(), agrees: None };
            samples.add(run.configuration, (format!("look {look}"), run.round), (2, None), sample);
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
        // A user who extends a trial until it is decided stops at the first verdict.
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

/// Winners of a search whose changes have known effects, reduced with the real order, plan and judgement.
mod reduction {
    use super::*;
    use dbdyno::tune::race::{Aim, Candidate, Reduction, TakenOut};
    use dbdyno::tune::{OptionChange, TestEffect};
    use dbdyno_engine::{durability::Tier, suite::SuiteKind};

    /// The number of rounds in which each change is taken out.
    const ROUNDS: u32 = 16;
    /// The number of winners from which the rates are computed.
    const WINNERS: usize = 150;

    struct Winners {
        workload: TunedWorkload,
        registry: Registry,
        machine: Machine,
        base: Settings,
        seed: u64,
    }

    impl Winners {
        /// Winners for LMDB on reads, on a machine whose times scatter by 2 % and drift by 5 %.
        fn new() -> Self {
            let registry = Registry::discover();
            let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
            let suite = catalog.suite("kv").unwrap();
            let pick = suite.pick(&["Random reads".to_owned()]).unwrap();
            let engine = registry.get("lmdb").unwrap().clone();
            let workload =
                TunedWorkload { engine, suite, suite_options: BTreeMap::new(), size: Size::one(10_000), pick };
            let base = workload.settings(&BTreeMap::new()).unwrap();
            let machine = Machine { rng: SplitMix64::new(2_027), noise: 0.0, sd: 0.02 };
            Self { workload, registry, machine, base, seed: 0 }
        }

        /// Reduces a winner with these changes and returns the rest. A change multiplies the time by its factor, or by 1 if it has none.
        /// The changes in `instead` are alternatives: one of them is enough.
        fn reduce(
            &mut self,
            winner: &[(&str, &str)],
            factors: &[(&str, f64)],
            instead: (&[&str], f64),
        ) -> (OptionChange, Tier, Vec<TakenOut>) {
            let engine = self.workload.engine.description.clone();
            let base = self.base.clone();
            let aim = Aim { engine: &engine, suite: SuiteKind::Kv, base: &base, tier: Tier::Unsafe };
            let change = winner.iter().map(|(option, value)| ((*option).to_owned(), (*value).to_owned())).collect();
            let winner = Candidate::new(aim, OptionChange(change)).unwrap();
            let work = |change: &OptionChange| {
                let one = |(option, factor): &(&str, f64)| if change.0.contains_key(*option) { *factor } else { 1.0 };
                let any = instead.0.iter().any(|option| change.0.contains_key(*option));
                factors.iter().map(one).product::<f64>() * if any { instead.1 } else { 1.0 }
            };
            let mut reduction = Reduction::new(aim, winner.clone(), |_| None);
            while let Some(attempt) = reduction.next_attempt() {
                let works = [work(&winner.change), work(&attempt.rest.change)];
                let settings = [winner.settings.clone(), attempt.rest.settings.clone()];
                let effect = self.measure(&settings, works);
                reduction.judge(attempt, Some(effect), None);
            }
            let (left, taken_out) = reduction.finish();
            left.map_or((OptionChange::default(), engine.tier(&base).0, taken_out.clone()), |left| {
                (left.change, left.tier, taken_out)
            })
        }

        fn measure(&mut self, settings: &[Settings; 2], works: [f64; 2]) -> TestEffect {
            self.seed += 1;
            let plan = self.workload.plan(&self.registry, settings, ROUNDS, self.seed).unwrap();
            let last = plan.runs.len() as f64;
            let mut samples = Samples::default();
            for (place, run) in plan.runs.iter().enumerate() {
                let time_ns = self.machine.time(works[run.configuration], place as f64 / last);
                let sample = Sample { time_ns: time_ns as f64, figures: Figures::default(), agrees: None };
                samples.add(run.configuration, (String::new(), run.round), (2, None), sample);
            }
            judge(&samples, 0, 1, &self.workload.tests(), Spending::ONCE).remove(0)
        }
    }

    #[test]
    fn changes_that_do_nothing_are_dropped_and_those_that_gain_five_percent_are_kept() {
        let mut winners = Winners::new();
        let winner = [("sync", "nosync"), ("writemap", "on"), ("readahead", "off"), ("append", "on")];
        let (mut needless, mut dropped, mut kept, mut lowered) = (0, 0, 0, 0);
        for _ in 0..WINNERS {
            let (left, tier, _) = winners.reduce(&winner, &[("readahead", 0.95)], (&[], 1.0));
            kept += usize::from(left.0.contains_key("readahead"));
            needless += winner.len() - 1;
            dropped +=
                winner.iter().filter(|(option, _)| *option != "readahead" && !left.0.contains_key(*option)).count();
            lowered += usize::from(tier < Tier::PowerSafe);
        }
        assert!(dropped * 100 >= needless * 95, "{dropped} of {needless} dropped");
        assert!(kept * 100 >= WINNERS * 90, "{kept} of {WINNERS} kept");
        assert!(lowered * 100 <= WINNERS * 5, "the tier of {lowered} of {WINNERS} was lowered for nothing");
    }

    #[test]
    fn where_two_changes_can_replace_each_other_durability_is_the_one_that_is_dropped() {
        let mut winners = Winners::new();
        let winner = [("sync", "nosync"), ("readahead", "off")];
        for _ in 0..20 {
            let (left, tier, taken_out) = winners.reduce(&winner, &[], (&["sync", "readahead"], 0.7));
            assert_eq!(left.to_string(), "readahead=off", "{taken_out:?}");
            assert_eq!(tier, Tier::PowerSafe);
            let words: Vec<(&str, bool)> = taken_out.iter().map(|one| (one.option.as_str(), one.dropped)).collect();
            assert_eq!(words, [("sync", true), ("readahead", false)]);
        }
    }

    #[test]
    fn a_change_that_lowers_the_tier_and_gains_stays_where_no_safer_value_gains_as_much() {
        let mut winners = Winners::new();
        // Any value other than `full` halves the time, so the safest of them is chosen.
        let (left, tier, taken_out) = winners.reduce(&[("sync", "nosync")], &[("sync", 0.5)], (&[], 1.0));
        assert_eq!(left.to_string(), "sync=nometasync", "{taken_out:?}");
        assert!(tier > Tier::Unsafe && tier < Tier::PowerSafe, "{tier}");
        let tried: Vec<(&str, bool)> = taken_out.iter().map(|one| (one.instead.as_str(), one.dropped)).collect();
        assert_eq!(tried, [("full", false), ("nometasync", true)]);
    }

    #[test]
    fn a_winner_of_which_nothing_gains_is_the_base() {
        let mut winners = Winners::new();
        let (left, tier, taken_out) = winners.reduce(&[("sync", "nosync"), ("readahead", "off")], &[], (&[], 1.0));
        assert!(left.0.is_empty() && tier == Tier::PowerSafe, "{taken_out:?}");
        assert!(taken_out.iter().all(|one| one.dropped), "{taken_out:?}");
    }
}
