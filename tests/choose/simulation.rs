//! Choices with a known truth: simulated times in the order of real sessions, and the real competition.

use crate::compare::simulation::Machine;
use dbdyno::{
    bench::round_order,
    catalog::{Catalog, UserFolders},
    choose::{ChoosePhase, ChooseTrack, Competition, CompetitionTerms, PromiseResult, compete},
    engines::{Engine, Launch},
    metric::Figures,
    tune::{
        Sample, Samples, TestEffect, TuneError, TunedWorkload,
        race::{Arm, Candidate, CandidateFate, Entrant, RaceNews, RaceSamples, RaceSession, Track, pool},
    },
};
use dbdyno_engine::{
    describe::{Description, OptionSpec},
    durability::{Tier, TierRule},
    settings::Settings,
    size::Size,
    suite::SuiteKind,
};
use dbdyno_workload::rng::SplitMix64;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

/// Choices at each level of noise.
const TRIES: usize = 500;
/// The time that a choice has.
const BUDGET: Duration = Duration::from_secs(600);
/// The only test of the workload.
const TEST: u32 = 2;

/// The factor by which each setting of an engine multiplies its time.
type Factors = BTreeMap<(String, String), f64>;

/// The true speed of an engine.
struct Truth {
    base: f64,
    factors: Factors,
}

impl Truth {
    /// Draws the relative time of an engine and the factors of its settings. Most settings do nothing.
    fn draw(engine: &Description, machine: &mut Machine) -> Self {
        let base = (0.3 * machine.gaussian()).exp();
        let mut factors = Factors::new();
        for option in engine.options.iter().filter(|option| option.name != "sync") {
            for value in option.tuning.values.iter().flatten().filter(|value| **value != option.default) {
                let matters = machine.rng.below(10) < 3;
                let factor = if matters { (0.15 * machine.gaussian()).exp() } else { 1.0 };
                factors.insert((option.name.clone(), value.clone()), factor);
            }
        }
        // Less durable settings are faster, as on real machines, but they must not be chosen.
        factors.insert(("sync".to_owned(), "off".to_owned()), 0.2);
        Self { base, factors }
    }

    fn work(&self, settings: &Settings) -> f64 {
        let one = |(name, value): (&str, &str)| self.factors.get(&(name.to_owned(), value.to_owned())).unwrap_or(&1.0);
        self.base * settings.iter().map(one).product::<f64>()
    }

    /// Returns the time of the best settings that are durable.
    fn best(&self, engine: &Description) -> f64 {
        let least = |option: &OptionSpec| {
            let of = |value: &String| self.factors.get(&(option.name.clone(), value.clone())).copied().unwrap_or(1.0);
            option.tuning.values.iter().flatten().map(of).fold(1.0, f64::min)
        };
        self.base * engine.options.iter().filter(|option| option.name != "sync").map(least).product::<f64>()
    }
}

/// Returns an engine with this number of options, each with two values besides its default.
fn engine(name: &str, options: usize) -> Description {
    let choice = |at: usize| OptionSpec::choice(&format!("o{at}"), &["a", "b", "c"], "a", "").tune(&["a", "b", "c"]);
    let sync = OptionSpec::choice("sync", &["full", "off"], "full", "").tune(&["full", "off"]);
    let rule = |tier: Tier, value: &str| TierRule::new(&[("sync", &[value])], tier, "as the simulation has it");
    Description {
        options: std::iter::once(sync).chain((0..options).map(choice)).collect(),
        tiers: vec![rule(Tier::PowerSafe, "full"), rule(Tier::Unsafe, "off")],
        ..Description::new(name, "simulated", "1", &[SuiteKind::Kv])
    }
}

/// A machine on which simulated engines compete.
struct Simulation {
    entrants: Vec<Entrant>,
    pools: Vec<Vec<Candidate>>,
}

impl Simulation {
    fn new() -> Self {
        let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
        let suite = catalog.suite("kv").unwrap();
        let pick = suite.pick(&["Random reads".to_owned()]).unwrap();
        let entrant = |(name, options): (&str, usize)| {
            let engine = Engine { description: Arc::new(engine(name, options)), launch: Launch::BuiltIn };
            let (suite, pick) = (suite.clone(), pick.clone());
            let workload =
                TunedWorkload { engine, suite, suite_options: BTreeMap::new(), size: Size::one(10_000), pick };
            let base = workload.settings(&BTreeMap::new()).unwrap();
            Entrant { workload, base }
        };
        let entrants: Vec<Entrant> =
            [("one", 6), ("two", 4), ("three", 3), ("four", 2), ("five", 1)].into_iter().map(entrant).collect();
        let pools = entrants.iter().map(|entrant| pool(entrant.aim(Tier::PowerSafe), 1)).collect();
        Self { entrants, pools }
    }

    fn choose(&self, seed: u64, Times { sd, speed }: Times) -> (Competition, SimulatedTrack) {
        let mut machine = Machine { rng: SplitMix64::new(seed), noise: 0.0, sd };
        let truths =
            self.entrants.iter().map(|one| Truth::draw(&one.workload.engine.description, &mut machine)).collect();
        let mut track =
            SimulatedTrack { truths, machine, speed, elapsed: Duration::ZERO, sessions: 0, measured: BTreeSet::new() };
        let terms =
            CompetitionTerms { tier: Tier::PowerSafe, memory_limit: None, disk_limit: None, budget: BUDGET, seed };
        let start =
            |(entrant, one): (usize, &Entrant)| Arm { entrant, candidate: Candidate::of_base(one.aim(terms.tier)) };
        let starts = self.entrants.iter().enumerate().map(start).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(compete(&mut track, &self.entrants, starts, &self.pools, &terms)).unwrap();
        (found, track)
    }
}

/// How times behave.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// The standard deviation of a run's log time.
    sd: f64,
    /// The speed of runs relative to runs of about a second.
    speed: f64,
}

struct SimulatedTrack {
    truths: Vec<Truth>,
    machine: Machine,
    speed: f64,
    elapsed: Duration,
    sessions: u32,
    /// The tiers of everything that was measured.
    measured: BTreeSet<Tier>,
}

impl SimulatedTrack {
    fn work(&self, arm: &Arm) -> f64 {
        self.truths[arm.entrant].work(&arm.candidate.settings)
    }
}

impl Track for SimulatedTrack {
    async fn measure(&mut self, session: RaceSession<'_>) -> Result<RaceSamples, TuneError> {
        let RaceSession { arms, rounds, seed, left, .. } = session;
        self.sessions += 1;
        self.measured.extend(arms.iter().map(|arm| arm.candidate.tier));
        let mut samples = Samples::default();
        // Starting a run takes time too.
        let run = |work: f64| Duration::from_secs_f64((0.3 + 0.7 * work) / self.speed);
        let round_time: Duration = arms.iter().map(|arm| run(self.work(arm))).sum();
        let runs = f64::from(rounds) * arms.len() as f64;
        let mut ran = 0_usize;
        for round in 0..rounds {
            if left.is_some_and(|left| round_time * (round + 1) > left) {
                break;
            }
            for at in round_order(arms.len(), round, seed) {
                let time_ns = self.machine.time(self.work(arms[at]), ran as f64 / runs) as f64;
                let sample = Sample { time_ns, figures: Figures::default(), agrees: None };
                samples.add(at, (self.sessions.to_string(), round), (TEST, None), sample);
                ran += 1;
            }
            self.elapsed += round_time;
        }
        let run_times = arms.iter().map(|arm| (ran > 0).then(|| run(self.work(arm)))).collect();
        Ok(RaceSamples { samples, run_times })
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn tell(&self, _: RaceNews<'_>) {}
}

impl ChooseTrack for SimulatedTrack {
    fn enter(&self, _: ChoosePhase) {}

    async fn promises(&mut self, arms: &[&Arm]) -> Result<Vec<Option<Result<PromiseResult, String>>>, TuneError> {
        Ok(vec![None; arms.len()])
    }
}

/// Whether the interval of an effect contains the true ratio.
fn holds(effect: &TestEffect, truth: f64) -> bool {
    let range = effect.found.as_ref().unwrap().interval.unwrap();
    (range.low..=range.high).contains(&truth)
}

/// The outcomes of choices at one level of noise.
#[derive(Debug, Default)]
struct Rates {
    /// Choices whose first engine, with its settings, is within 3 % of the best of all.
    near: usize,
    /// Choices in which all intervals contain the true ratios.
    covered: usize,
    /// Settings of the first engine, and the needless ones among them, which do nothing or make it slower.
    settings: usize,
    needless: usize,
    level: usize,
    /// The time of all choices, and of the longest.
    all: Duration,
    longest: Duration,
}

fn rates(times: Times, tries: usize) -> Rates {
    let simulation = Simulation::new();
    let mut rates = Rates::default();
    for seed in 0..tries as u64 {
        let (found, track) = simulation.choose(seed, times);
        let [first, others @ ..] = found.confirmed.as_slice() else { panic!("seed {seed}: nothing was confirmed") };
        let description = |at: usize| &*simulation.entrants[at].workload.engine.description;
        let best = track.truths.iter().enumerate().map(|(at, truth)| truth.best(description(at)));
        let (best, own) = (best.fold(f64::INFINITY, f64::min), track.work(&first.arm));
        rates.near += usize::from(own <= 1.03 * best);
        let mut is_covered = others.iter().all(|one| holds(one.behind.as_ref().unwrap(), track.work(&one.arm) / own));
        if let Some(gain) = &first.gain {
            is_covered &= holds(gain, own / track.truths[first.arm.entrant].base);
        }
        rates.covered += usize::from(is_covered);
        rates.level += usize::from(others.iter().any(Competition::is_level));
        for (option, value) in &first.arm.candidate.change.0 {
            let factor = track.truths[first.arm.entrant].factors[&(option.clone(), value.clone())];
            rates.settings += 1;
            rates.needless += usize::from(factor >= 1.0);
        }
        assert_eq!(track.measured, BTreeSet::from([Tier::PowerSafe]), "seed {seed}: a lower tier was measured");
        assert!(found.in_race.iter().flatten().all(|one| !matches!(one.result.fate, CandidateFate::Dropped(_))));
        rates.all += track.elapsed;
        rates.longest = rates.longest.max(track.elapsed);
    }
    rates
}

fn check(times: Times, tries: usize) -> Rates {
    let found = rates(times, tries);
    eprintln!("{times:?}: {found:?}");
    assert!(found.near * 100 >= tries * 95, "{found:?}");
    assert!(found.covered * 100 >= tries * 95, "{found:?}");
    assert!(found.needless * 100 <= found.settings * 5, "{found:?}");
    assert!(found.longest <= BUDGET.mul_f64(1.1), "{found:?}");
    found
}

#[test]
fn the_chosen_is_near_the_best_and_intervals_hold_where_times_scatter_by_one_percent() {
    check(Times { sd: 0.01, speed: 1.0 }, TRIES);
}

#[test]
fn the_chosen_is_near_the_best_and_intervals_hold_where_times_scatter_by_two_percent() {
    check(Times { sd: 0.02, speed: 1.0 }, TRIES);
}

#[test]
fn the_chosen_is_near_the_best_and_intervals_hold_where_times_scatter_by_five_percent() {
    check(Times { sd: 0.05, speed: 1.0 }, TRIES);
}

#[test]
fn short_runs_are_repeated_until_more_is_decided_and_the_intervals_of_all_looks_hold() {
    let tries = 150;
    let one = Times { sd: 0.05, speed: 1.0 };
    let short = check(Times { speed: 8.0, ..one }, tries);
    let long = rates(one, tries);
    assert!(short.level < long.level, "{short:?}, {long:?}");
}
