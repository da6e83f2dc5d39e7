//! The competition behind a choice: which arms are measured, in which order, and what that decides. It knows nothing of real engines and
//! files, so that simulations with a known truth run it too.

use super::{answer::PromiseResult, event::ChoosePhase};
use crate::tune::{
    Price, TestEffect, TuneError, effect_of_all, judge,
    race::{
        Arm, ArmResult, Candidate, CandidateFate, Contest, ContestSamples, Entrant, Race, RaceTerms, StartTerms,
        TakenOut, Track,
    },
};
use dbdyno_engine::durability::Tier;
use dbdyno_stats::{Spending, Verdict};
use dbdyno_workload::rng::SplitMix64;
use std::{ops::RangeInclusive, time::Duration};

/// When each part of a choice is to be over, as a share of the budget.
const STARTS_END: f64 = 0.2;
const SETTINGS_END: f64 = 0.35;
const RUNGS_END: f64 = 0.5;
const TAKING_OUT_END: f64 = 0.72;
/// An engine that takes this many times as long as the best with the settings that it starts with is not tried with others.
const HOPELESS: f64 = 4.0;
/// The share of the budget that a run may take with the settings that an engine starts with: a slower engine could not be tried often
/// enough for a verdict.
const SLOWEST_RUN: f64 = 0.025;
/// The least time that such a run has.
const LEAST_DEADLINE: Duration = Duration::from_secs(5);
/// More rounds than these tell settings apart that differ so little that it hardly matters which is taken.
const MOST_RUNG_ROUNDS: u32 = 128;
/// The estimated loss from which on a setting stays although it is undecided whether it contributes.
const UNDECIDED_LOSS: f64 = 1.02;
/// How many settings of an engine are checked for the promised response times.
const PROMISE_TRIES: usize = 2;
/// How many engines are confirmed.
const CONFIRMED: usize = 3;
/// An engine that is further behind in the race than this is not reduced to the settings that contribute: it will hardly be the first, and
/// the time tells more about the settings of the one that is.
const WORTH_REDUCING: f64 = 1.1;
/// How many engines are reduced.
const REDUCED: usize = 2;
/// An engine that is further behind is not confirmed, even if it is the second.
const WORTH_CONFIRMING: f64 = 3.0;
/// Rounds of the confirmation, before there are more because it is undecided. With fewer than the least, no difference between three
/// engines can be shown.
const CONFIRMATION_ROUNDS: RangeInclusive<u32> = 8..=40;

/// What a choice is measured with.
pub trait ChooseTrack: Track {
    /// Notes that a part of the choice begins.
    fn enter(&self, phase: ChoosePhase);

    /// Measures how arms keep the promised response times. None for each if nothing was promised; the inner error says why an arm has no
    /// result.
    ///
    /// # Errors
    /// A session cannot begin, or results are lost.
    fn promises(
        &mut self,
        arms: &[&Arm],
    ) -> impl Future<Output = Result<Vec<Option<Result<PromiseResult, String>>>, TuneError>>;
}

/// The terms of a competition.
#[derive(Debug, Clone)]
pub struct CompetitionTerms {
    /// The lowest acceptable tier.
    pub tier: Tier,
    pub memory_limit: Option<u64>,
    pub disk_limit: Option<u64>,
    pub budget: Duration,
    /// The seed of all keys and values.
    pub seed: u64,
}

/// What a competition came to.
#[derive(Debug, Clone)]
pub struct Competition {
    /// The confirmed engines: the first, and the others in the order of their times.
    pub confirmed: Vec<ConfirmedArm>,
    /// Rounds of the confirmation.
    pub rounds: u32,
    /// The best arm of each entrant in the race, by the entrant's place. None: it did not run.
    pub in_race: Vec<Option<ArmResult>>,
    /// How many arms of each entrant were tried.
    pub tried: Vec<usize>,
    /// What was measured of the promised response times, by entrant.
    pub promises: Vec<(usize, PromiseResult)>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// An engine with its best settings, after the confirmation.
#[derive(Debug, Clone)]
pub struct ConfirmedArm {
    pub arm: Arm,
    pub taken_out: Vec<TakenOut>,
    /// Its time against the first's, over all tests; none for the first.
    pub behind: Option<TestEffect>,
    /// The same for each test.
    pub tests: Vec<TestEffect>,
    /// The time against the settings that it started with, for the first.
    pub gain: Option<TestEffect>,
    /// What else differs from the first.
    pub price: Option<Price>,
}

impl Competition {
    /// Whether a confirmed engine was not told apart from the first.
    pub fn is_level(one: &ConfirmedArm) -> bool {
        let verdict = one.behind.as_ref().and_then(|behind| behind.found.as_ref()).map(|found| found.verdict);
        one.behind.is_some() && !matches!(verdict, Some(Verdict::Slower))
    }
}

/// Lets entrants compete until one is first, or the evidence tells no more. `starts` are the arms that they start with, `pools` the
/// candidates of each entrant.
///
/// # Errors
/// A session cannot begin, or results are lost.
pub async fn compete<T: ChooseTrack>(
    track: &mut T,
    entrants: &[Entrant],
    starts: Vec<Arm>,
    pools: &[Vec<Candidate>],
    terms: &CompetitionTerms,
) -> Result<Competition, TuneError> {
    let CompetitionTerms { tier, memory_limit, disk_limit, budget, seed } = *terms;
    let race_terms = RaceTerms {
        tier,
        memory_limit,
        disk_limit,
        seed,
        rungs_end: budget.mul_f64(RUNGS_END),
        undecided_loss: UNDECIDED_LOSS,
        reference_competes: true,
    };
    let mut race = Race::new(track, entrants, &race_terms);
    race.track().enter(ChoosePhase::Starts);
    let slowest = budget.mul_f64(SLOWEST_RUN).max(LEAST_DEADLINE);
    race.starts(starts, StartTerms { left: budget.mul_f64(STARTS_END), deadline: slowest, hopeless: HOPELESS }).await?;
    race.track().enter(ChoosePhase::Settings);
    try_settings(&mut race, pools, budget.mul_f64(SETTINGS_END)).await?;
    race.track().enter(ChoosePhase::Halving);
    race.further_rungs(MOST_RUNG_ROUNDS).await?;
    let promises = keep_promises(&mut race).await?;
    let leaders = to_confirm(&race);
    race.track().enter(ChoosePhase::TakingOut);
    let reduced = reduce(&mut race, &leaders, budget).await?;
    let each = race.expected_round(&leaders);
    let in_race = (0..entrants.len()).map(|entrant| race.best_result(entrant)).collect();
    let tried = (0..entrants.len()).map(|entrant| race.tried(entrant)).collect();
    let mut found =
        Competition { confirmed: Vec::new(), rounds: 0, in_race, tried, promises, is_stopped: race.is_stopped() };
    if found.is_stopped || reduced.is_empty() {
        return Ok(found);
    }
    track.enter(ChoosePhase::Confirmation);
    let mut arms: Vec<Arm> = reduced.iter().map(|(arm, _)| arm.clone()).collect();
    let base = Candidate::of_base(entrants[arms[0].entrant].aim(tier));
    let has_base = !arms[0].candidate.change.0.is_empty();
    if has_base {
        arms.push(Arm { entrant: arms[0].entrant, candidate: base });
    }
    let refs: Vec<&Arm> = arms.iter().collect();
    let contest = Contest {
        arms: &refs,
        seed: SplitMix64::stream(seed, u64::MAX).next_u64(),
        until: budget,
        round: each.mul_f64(arms.len() as f64 / leaders.len().max(1) as f64),
        first: CONFIRMATION_ROUNDS,
    };
    let tests = entrants[0].workload.tests();
    let judged = |measured: &ContestSamples| confirmed(&reduced, measured, has_base, &tests);
    let is_decided = |measured: &ContestSamples| {
        let effects = |one: &ConfirmedArm| one.behind.iter().chain(&one.gain).all(TestEffect::is_decided);
        judged(measured).iter().all(effects)
    };
    let measured = contest.measure(track, is_decided).await?;
    found.rounds = measured.rounds;
    found.is_stopped = track.is_stopped();
    found.confirmed = judged(&measured);
    Ok(found)
}

/// Tries settings of the entrants that are left, each in its share of the time, the best first.
async fn try_settings<T: ChooseTrack>(
    race: &mut Race<'_, T>,
    pools: &[Vec<Candidate>],
    end: Duration,
) -> Result<(), TuneError> {
    let order: Vec<usize> = race.leaders().into_iter().map(|at| race.arm(at).entrant).collect();
    for (place, &entrant) in order.iter().enumerate() {
        let left = end.saturating_sub(race.elapsed());
        let until = race.elapsed() + left / (order.len() - place) as u32;
        // Combinations at random would take the time of rungs that tell single changes apart; rungs combine the best of these.
        let singles = pools[entrant].iter().filter(|candidate| candidate.change.0.len() == 1).cloned().collect();
        race.first_rung(entrant, singles, until).await?;
    }
    Ok(())
}

/// Excludes the leaders that do not keep the promised response times, until as many as are confirmed do. The next best settings of an
/// engine are checked too, but not all of them: that would take the whole budget.
async fn keep_promises<T: ChooseTrack>(race: &mut Race<'_, T>) -> Result<Vec<(usize, PromiseResult)>, TuneError> {
    let mut kept: Vec<(usize, PromiseResult)> = Vec::new();
    let mut checked: Vec<usize> = Vec::new();
    race.track().enter(ChoosePhase::Promises);
    loop {
        let leaders: Vec<usize> = race.leaders().into_iter().take(CONFIRMED).collect();
        let waiting: Vec<usize> = leaders.into_iter().filter(|at| !checked.contains(at)).collect();
        if waiting.is_empty() || race.is_stopped() {
            return Ok(kept);
        }
        let arms: Vec<Arm> = waiting.iter().map(|&at| race.arm(at).clone()).collect();
        let refs: Vec<&Arm> = arms.iter().collect();
        let found = race.track_mut().promises(&refs).await?;
        for (at, found) in waiting.into_iter().zip(found) {
            checked.push(at);
            let entrant = race.arm(at).entrant;
            let broken = match found {
                None => None,
                Some(Err(reason)) => Some(reason),
                Some(Ok(result)) if result.kept * 2 > result.of => {
                    kept.push((entrant, result));
                    None
                }
                Some(Ok(result)) => Some(result.broken()),
            };
            let tries = checked.iter().filter(|&&one| race.arm(one).entrant == entrant).count();
            match broken {
                Some(reason) if tries < PROMISE_TRIES => race.drop_arm(at, reason),
                Some(reason) => race.drop_entrant(entrant, &reason),
                None => {}
            }
        }
    }
}

/// Returns the places of the arms to confirm, the best first: the best of each entrant in the race; if there is one only, the second too
/// unless it is far behind.
fn to_confirm<T: Track>(race: &Race<'_, T>) -> Vec<usize> {
    let mut leaders: Vec<usize> = race.leaders().into_iter().take(CONFIRMED).collect();
    if let [only] = leaders[..] {
        leaders.extend(race.runner_up(race.arm(only).entrant).filter(|&at| race.ratio(at, only) < WORTH_CONFIRMING));
    }
    leaders
}

/// Reduces the leaders to the settings that contribute. Empty: everything has to stop.
async fn reduce<T: ChooseTrack>(
    race: &mut Race<'_, T>,
    leaders: &[usize],
    budget: Duration,
) -> Result<Vec<(Arm, Vec<TakenOut>)>, TuneError> {
    let end = budget.mul_f64(TAKING_OUT_END);
    let mut found = Vec::new();
    let is_close = |at: usize| !race.is_outrun(at) && race.ratio(at, leaders[0]) < WORTH_REDUCING;
    let close = leaders.iter().take(REDUCED).take_while(|&&at| is_close(at)).count();
    for (place, &at) in leaders.iter().enumerate() {
        let arm = race.arm(at).clone();
        if place >= close {
            found.push((arm, Vec::new()));
            continue;
        }
        let left = end.saturating_sub(race.elapsed());
        let until = race.elapsed() + left / (close - place) as u32;
        match race.reduce(at, until).await? {
            Some((candidate, taken_out)) => found.push((Arm { entrant: arm.entrant, candidate }, taken_out)),
            None => return Ok(Vec::new()),
        }
    }
    Ok(found)
}

/// Judges the confirmation. Variant `i` of the samples is arm `i`; after them comes the base of the first, if it has a change.
fn confirmed(
    arms: &[(Arm, Vec<TakenOut>)],
    ContestSamples { samples, looks, .. }: &ContestSamples,
    has_base: bool,
    tests: &[(u32, String)],
) -> Vec<ConfirmedArm> {
    let count = arms.len();
    // All pairs at all looks share the allowed error, so that their intervals hold together whichever engine comes out first. Half of it is
    // a reserve: neighbouring runs resemble each other, so intervals miss a little more often than those of independent runs.
    let pairs = count * count.saturating_sub(1) / 2;
    let spending = Spending::shared(2 * looks * (pairs + usize::from(has_base)));
    let of = |at: usize, first: usize| effect_of_all(samples, first, at, tests, spending);
    let ratio = |effect: &TestEffect| effect.found.as_ref().map_or(f64::INFINITY, |found| found.ratio);
    let others = (1..count).map(|at| (at, ratio(&of(at, 0)))).filter(|(_, ratio)| *ratio < 1.0);
    let first = others.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
    let mut found: Vec<ConfirmedArm> = arms
        .iter()
        .cloned()
        .enumerate()
        .map(|(at, (arm, taken_out))| ConfirmedArm {
            arm,
            taken_out,
            behind: (at != first).then(|| of(at, first)),
            tests: if at == first { Vec::new() } else { judge(samples, first, at, tests, spending) },
            gain: (at == 0 && first == 0 && has_base).then(|| effect_of_all(samples, count, 0, tests, spending)),
            price: if at == first { Price::new(samples, at, at, tests) } else { Price::new(samples, first, at, tests) },
        })
        .collect();
    found.sort_by(|a, b| {
        let place = |one: &ConfirmedArm| one.behind.as_ref().map_or(0.0, ratio);
        place(a).total_cmp(&place(b))
    });
    found
}

/// Returns how an arm fell out of the race; none if it is still in it.
pub(super) fn fall(fate: &CandidateFate) -> Option<&str> {
    match fate {
        CandidateFate::Dropped(reason) => Some(reason),
        CandidateFate::Alive | CandidateFate::Outrun => None,
    }
}
