//! The best arms, reduced to the changes that make them fast.

use super::{
    super::{
        change::OptionChange,
        effect::{BASE, CHANGED, TestEffect, judge, overall},
        lab::TuneError,
        samples::Samples,
    },
    candidates::Candidate,
    looks::{Contest, ContestSamples},
    reduce::{Reduction, TakenOut},
    rungs::{Race, unfit},
    track::{Arm, RaceNews, Track},
};
use dbdyno_stats::Spending;
use std::{ops::RangeInclusive, time::Duration};

/// Rounds in which a change is taken out, before there are more because it is undecided. The minimum is enough to keep a change that gains
/// a tenth. The maximum distinguishes 5 % from noise of 5 %.
pub(in crate::tune) const TAKE_OUT_ROUNDS: RangeInclusive<u32> = 8..=32;

impl<T: Track> Race<'_, T> {
    /// Returns an arm without the changes that do not make it faster, and the changes that were taken out. Each attempt runs on fresh
    /// seeds, and all are meant to end before a point in time. None: everything has to stop.
    ///
    /// # Errors
    /// A session cannot begin, or results are lost.
    pub async fn reduce(
        &mut self,
        at: usize,
        until: Duration,
    ) -> Result<Option<(Candidate, Vec<TakenOut>)>, TuneError> {
        let Arm { entrant, candidate: winner } = self.arm(at).clone();
        let (entrants, terms) = (self.entrants, self.terms);
        let gained = |change: &OptionChange| self.gained(entrant, change);
        let aim = entrants[entrant].aim(terms.tier);
        let mut reduction = Reduction::new(aim, winner.clone(), gained).keeping(terms.undecided_loss);
        let winner = Arm { entrant, candidate: winner };
        while let Some(attempt) = reduction.next_attempt() {
            let left = until.saturating_sub(self.track.elapsed()).div_f64((reduction.most_left() + 1) as f64);
            let rest = Arm { entrant, candidate: attempt.rest.clone() };
            let contest = Contest {
                arms: &[&winner, &rest],
                seed: self.fresh_seed(),
                until: self.track.elapsed() + left,
                round: self.field.expected(at) * 2,
                first: TAKE_OUT_ROUNDS,
            };
            let tests = self.tests();
            let effect =
                |found: &ContestSamples| together_or_only(&found.samples, &tests, Spending::shared(found.looks));
            let found = contest.measure(self.track, |found| effect(found).is_decided()).await?;
            if self.track.is_stopped() {
                return Ok(None);
            }
            let unfit = unfit(&found.samples, CHANGED, terms);
            let what = reduction.judge(attempt, Some(effect(&found)), unfit);
            self.track.tell(RaceNews::TakenOut { entrant, what });
        }
        let (left, taken_out) = reduction.finish();
        Ok(Some((left.unwrap_or_else(|| Candidate::of_base(aim)), taken_out)))
    }

    /// Returns the expected time of a round of these arms.
    pub fn expected_round(&self, places: &[usize]) -> Duration {
        places.iter().map(|&at| self.field.expected(at)).sum()
    }
}

/// Judges the effect of a changed variant on its only test, or on all tests as one figure.
fn together_or_only(samples: &Samples, tests: &[(u32, String)], spending: Spending) -> TestEffect {
    let only = if tests.len() == 1 { judge(samples, BASE, CHANGED, tests, spending).pop() } else { None };
    only.unwrap_or_else(|| overall(samples, BASE, CHANGED, tests, spending))
}
