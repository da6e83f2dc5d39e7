//! After the race: the best candidate is reduced to the changes that make it fast, and the rest is confirmed.

use super::{
    super::{
        change::OptionChange,
        effect::{BASE, CHANGED, TestEffect, judge, overall},
        event::TuneEvent,
        lab::TuneError,
        samples::Samples,
        trial::{Trial, TrialKind},
        what_if::{WhatIf, what_if},
    },
    candidates::Candidate,
    reduce::{Reduction, TakenOut},
    run::{CONFIRMATION, Race, aim, unfit},
};
use dbdyno_stats::{MIN_RUNS, Spending};
use dbdyno_workload::rng::SplitMix64;
use std::{ops::RangeInclusive, time::Duration};

/// Rounds in which a change is taken out. The minimum is enough to keep a change that gains a tenth. The maximum distinguishes 5 % from
/// noise of 3 %.
pub(super) const TAKE_OUT_ROUNDS: RangeInclusive<u32> = 8..=20;
/// The share of the remaining time for which rounds are planned, because run times vary.
const MARGIN: f64 = 0.85;
/// The maximum number of rounds of a confirmation: beyond it, an interval hardly narrows.
const MOST_ROUNDS: u32 = 40;

impl Race<'_, '_> {
    /// Returns the best candidate without the changes that do not make it faster, and the changes that were taken out.
    pub(super) async fn reduce(&mut self) -> Result<(Option<Candidate>, Vec<TakenOut>), TuneError> {
        let Some(best) = self.best().filter(|&at| self.score(at).is_some_and(|score| score < 0.0)) else {
            return Ok((None, Vec::new()));
        };
        let (workload, spec) = (self.workload, self.spec.clone());
        let winner = self.field[best].candidate.clone();
        let gained = |change: &OptionChange| {
            let at = self.field.iter().position(|runner| runner.candidate.change == *change)?;
            self.score(at)
        };
        let mut reduction = Reduction::new(aim(workload, &spec), winner.clone(), gained);
        let end = spec.budget.mul_f64(1.0 - CONFIRMATION);
        while let Some(attempt) = reduction.next_attempt() {
            let left = end.saturating_sub(self.begun.elapsed()).div_f64((reduction.most_left() + 1) as f64);
            let rounds = self.affordable_rounds(left, TAKE_OUT_ROUNDS);
            let variants = [winner.settings.clone(), attempt.rest.settings.clone()];
            let plan = workload.plan(self.lab.registry, &variants, rounds, self.fresh_seed())?;
            let report = self.lab.run(&plan, self.keys(), None, |_| {}).await?;
            let mut samples = Samples::default();
            samples.add_report(&plan, &report, |configuration| configuration);
            self.runs_apart += samples.run_count();
            if self.lab.is_stopped() {
                return Ok((None, reduction.finish().1));
            }
            let unfit = unfit(&samples, CHANGED, spec.memory_limit);
            let what = reduction.judge(attempt, Some(together_or_only(&samples, &workload.tests())), unfit);
            self.lab.tell(TuneEvent::TakenOut { what: Box::new(what.clone()) });
        }
        Ok(reduction.finish())
    }

    /// Returns an even number of rounds, of two runs each, for which this time is enough.
    fn affordable_rounds(&self, time: Duration, range: RangeInclusive<u32>) -> u32 {
        let rounds = (time.as_secs_f64() * MARGIN / (2.0 * self.each().as_secs_f64().max(1e-3))) as u32;
        (rounds & !1).clamp(*range.start(), *range.end())
    }

    /// Compares the reduced best candidate with the base on fresh seeds.
    pub(super) async fn confirm(&mut self, best: Candidate) -> Result<Option<Trial>, TuneError> {
        if self.lab.is_stopped() {
            return Ok(None);
        }
        let left = self.spec.budget.saturating_sub(self.begun.elapsed());
        let affordable = self.affordable_rounds(left, MIN_RUNS as u32..=MOST_ROUNDS);
        let rounds = self.spec.rounds.unwrap_or(affordable);
        let question = WhatIf {
            ledger: self.spec.ledger.clone(),
            parent_id: self.spec.parent_id.clone(),
            kind: TrialKind::Search,
            base: self.spec.base.clone(),
            change: best.change,
            rounds,
            changes: 1,
            seed: SplitMix64::stream(self.spec.seed, u64::MAX).next_u64(),
        };
        what_if(self.lab, self.workload, question).await.map(Some)
    }
}

/// Judges the effect of a trial's changed variant on its only test, or on all tests as one figure.
fn together_or_only(samples: &Samples, tests: &[(u32, String)]) -> TestEffect {
    let only = if tests.len() == 1 { judge(samples, BASE, CHANGED, tests, Spending::ONCE).pop() } else { None };
    only.unwrap_or_else(|| overall(samples, BASE, CHANGED, tests, Spending::ONCE))
}
