//! The field of a race: its arms, their figures and fates.

use super::{
    super::{
        change::OptionChange,
        effect::{TestEffect, overall},
        samples::Samples,
    },
    candidates::Candidate,
    track::{Arm, EntrantStanding, RaceStanding},
};
use dbdyno_engine::durability::Tier;
use dbdyno_stats::{Spending, median};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A candidate and its fate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateResult {
    /// The change of the base.
    pub change: OptionChange,
    /// The tier with this change.
    pub tier: Tier,
    /// The rung that it reached, from 1.
    pub rung: u32,
    /// How many rounds were measured alongside the reference.
    pub pairs: usize,
    /// The median of the ratios to the reference. For a candidate chosen among many it is too optimistic.
    pub ratio: Option<f64>,
    /// Its fate in the race.
    pub fate: CandidateFate,
}

/// The fate of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", content = "reason", rename_all = "snake_case")]
pub enum CandidateFate {
    /// It is in the race.
    Alive,
    /// Others were faster.
    Outrun,
    /// It is excluded, for this reason.
    Dropped(String),
}

/// An arm and its fate.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmResult {
    /// The engine, as its place among the entrants.
    pub entrant: usize,
    pub result: CandidateResult,
}

/// An arm in the race. Its variant in the samples is its place in the field.
#[derive(Debug, Clone)]
pub(super) struct Runner {
    pub(super) arm: Arm,
    pub(super) rung: u32,
    pub(super) fate: CandidateFate,
    /// The mean time of its runs, and their number.
    run_time: Option<(Duration, u32)>,
}

/// The arms that were tried, with all measurements.
#[derive(Debug)]
pub(super) struct RaceField {
    pub(super) runners: Vec<Runner>,
    /// The arm that runs in every session, so that arms of different sessions can be compared.
    pub(super) reference: usize,
    pub(super) samples: Samples,
    tests: Vec<(u32, String)>,
}

impl RaceField {
    pub(super) fn new(tests: Vec<(u32, String)>) -> Self {
        Self { runners: Vec::new(), reference: 0, samples: Samples::default(), tests }
    }

    /// Adds an arm, and returns its place.
    pub(super) fn add(&mut self, arm: Arm, rung: u32) -> usize {
        self.runners.push(Runner { arm, rung, fate: CandidateFate::Alive, run_time: None });
        self.runners.len() - 1
    }

    /// Whether an arm is in the field already.
    pub(super) fn has(&self, entrant: usize, candidate: &Candidate) -> bool {
        self.runners.iter().any(|one| one.arm.entrant == entrant && one.arm.candidate.change == candidate.change)
    }

    pub(super) fn is_alive(&self, at: usize) -> bool {
        self.runners[at].fate == CandidateFate::Alive
    }

    /// Returns the places of the arms in the race.
    pub(super) fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.runners.len()).filter(|&at| self.is_alive(at))
    }

    pub(super) fn of_entrant(&self, entrant: usize) -> impl Iterator<Item = usize> {
        (0..self.runners.len()).filter(move |&at| self.runners[at].arm.entrant == entrant)
    }

    /// Notes the time that a run of an arm took on average in a session of so many rounds.
    pub(super) fn took(&mut self, at: usize, time: Duration, rounds: u32) {
        let (before, runs) = self.runners[at].run_time.unwrap_or_default();
        let all = runs + rounds;
        self.runners[at].run_time = Some(((before * runs + time * rounds) / all.max(1), all));
    }

    /// Returns the expected time of a run of an arm: its own, that of its entrant's arms, or that of all.
    pub(super) fn expected(&self, at: usize) -> Duration {
        let own = self.runners[at].run_time.map(|(time, _)| time);
        own.unwrap_or_else(|| self.expected_of(self.runners[at].arm.entrant))
    }

    /// Returns the expected time of a run of an entrant that was not tried yet.
    pub(super) fn expected_of(&self, entrant: usize) -> Duration {
        let mean = |places: &mut dyn Iterator<Item = usize>| {
            let times: Vec<Duration> =
                places.filter_map(|at| self.runners[at].run_time.map(|(time, _)| time)).collect();
            (!times.is_empty()).then(|| times.iter().sum::<Duration>() / times.len() as u32)
        };
        let of_all = || mean(&mut (0..self.runners.len()));
        mean(&mut self.of_entrant(entrant)).or_else(of_all).unwrap_or_default()
    }

    /// Returns the log ratio to the reference: the median over the rounds of the mean over the tests.
    pub(super) fn score(&self, at: usize) -> Option<f64> {
        if at == self.reference {
            return self.samples.of_variant(at).next().map(|_| 0.0);
        }
        let each: Vec<f64> = self
            .samples
            .rounds(self.reference, at)
            .into_iter()
            .filter_map(|round| self.samples.mean_log_ratio(at, self.reference, round, &self.tests))
            .collect();
        median(&each).ok()
    }

    /// Returns the arm in the race with the best figure, among these.
    pub(super) fn best_of(&self, places: impl Iterator<Item = usize>) -> Option<usize> {
        let scored =
            places.filter(|&at| self.is_alive(at)).filter_map(|at| Some((at, self.runners[at].rung, self.score(at)?)));
        // Arms with more rounds are preferred to those with a better figure from fewer rounds.
        scored.min_by(|a, b| b.1.cmp(&a.1).then(a.2.total_cmp(&b.2))).map(|(at, ..)| at)
    }

    /// Returns the effect of an arm over all tests, against another.
    pub(super) fn effect(&self, at: usize, against: usize) -> TestEffect {
        overall(&self.samples, against, at, &self.tests, Spending::ONCE)
    }

    /// Returns the number of rounds that an arm has in common with the reference; of the reference itself, of its rounds.
    pub(super) fn pairs(&self, at: usize) -> usize {
        if at == self.reference {
            return self.samples.round_count(at);
        }
        self.samples.rounds(self.reference, at).len()
    }

    pub(super) fn is_dropped(&self, at: usize) -> bool {
        matches!(self.runners[at].fate, CandidateFate::Dropped(_))
    }

    /// Whether an arm has run, or failed to.
    fn has_run(&self, at: usize) -> bool {
        self.samples.of_variant(at).next().is_some() || self.samples.failure(at).is_some()
    }

    pub(super) fn result(&self, at: usize) -> ArmResult {
        let Runner { arm, rung, fate, .. } = &self.runners[at];
        ArmResult {
            entrant: arm.entrant,
            result: CandidateResult {
                change: arm.candidate.change.clone(),
                tier: arm.candidate.tier,
                rung: *rung,
                pairs: self.pairs(at),
                ratio: self.score(at).map(f64::exp),
                fate: fate.clone(),
            },
        }
    }

    /// Returns the arms that ran, sorted by the last rung that they reached and then by their figure, the best first. `competes`: whether
    /// the reference is one of them.
    pub(super) fn ranked(&self, competes: bool) -> Vec<ArmResult> {
        // The budget may have ended before the last arms ran.
        let ran = (0..self.runners.len()).filter(|&at| self.has_run(at) && (competes || at != self.reference));
        let mut order: Vec<(usize, f64)> = ran.map(|at| (at, self.score(at).unwrap_or(f64::INFINITY))).collect();
        order.sort_by(|a, b| self.runners[b.0].rung.cmp(&self.runners[a.0].rung).then(a.1.total_cmp(&b.1)));
        order.into_iter().map(|(at, _)| self.result(at)).collect()
    }

    /// Returns the best arm of an entrant: among those in the race, else among those that ran.
    pub(super) fn best_or_last(&self, entrant: usize) -> Option<usize> {
        let score = |at: usize| self.score(at).unwrap_or(f64::INFINITY);
        self.best_of(self.of_entrant(entrant)).or_else(|| {
            let ran = self.of_entrant(entrant).filter(|&at| self.has_run(at));
            ran.min_by(|&a, &b| score(a).total_cmp(&score(b)))
        })
    }

    /// Returns how many arms of an entrant ran.
    pub(super) fn tried(&self, entrant: usize) -> usize {
        self.of_entrant(entrant).filter(|&at| self.has_run(at)).count()
    }

    /// Returns the state of the race between this many entrants.
    pub(super) fn standing(&self, entrants: usize, competes: bool) -> RaceStanding {
        let in_race = |at: &usize| competes || *at != self.reference;
        let best = self.best_of((0..self.runners.len()).filter(in_race));
        let of_entrant = |entrant: usize| {
            let at = self.best_or_last(entrant)?;
            Some(EntrantStanding {
                result: self.result(at),
                behind: best
                    .filter(|best| *best != at)
                    .map(|best| self.effect(at, best))
                    .filter(|found| found.pairs > 0),
                tried: self.tried(entrant),
            })
        };
        RaceStanding {
            tried: (0..self.runners.len()).filter(in_race).count(),
            alive: self.alive().filter(in_race).count(),
            best: best.map(|at| self.runners[at].arm.clone()),
            best_effect: best.filter(|best| *best != self.reference).map(|best| self.effect(best, self.reference)),
            ranked: self.ranked(competes),
            entrants: (0..entrants).map(of_entrant).collect(),
        }
    }
}
