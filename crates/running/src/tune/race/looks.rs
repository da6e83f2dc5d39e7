//! Comparisons that are measured until they are decided: how many rounds a time is enough for, and when they are judged.

use super::track::{Arm, RaceSession, Track};
use crate::tune::{lab::TuneError, samples::Samples};
use dbdyno_workload::rng::SplitMix64;
use std::{ops::RangeInclusive, time::Duration};

/// The share of the remaining time for which rounds are planned, because run times vary.
const MARGIN: f64 = 0.85;
/// How many times as many rounds there are at the next look.
const GROWTH: u32 = 3;
/// The most looks at a comparison. Every look costs a share of the allowed error; nine times the rounds make an interval a third as wide.
const MOST_LOOKS: u32 = 3;
/// With fewer rounds than this, another look would hardly tell more than the one before.
const LEAST_MORE: u32 = 8;

/// Returns an even number of rounds for which a time is enough, if a round takes `each`.
pub fn affordable_rounds(time: Duration, each: Duration, range: RangeInclusive<u32>) -> u32 {
    let rounds = (time.as_secs_f64() * MARGIN / each.as_secs_f64().max(2e-3)) as u32;
    (rounds & !1).clamp(*range.start(), *range.end())
}

/// Arms to compare on seeds of their own.
#[derive(Debug)]
pub struct Contest<'a> {
    pub arms: &'a [&'a Arm],
    pub seed: u64,
    /// When it has to be over, since the start of the race.
    pub until: Duration,
    /// How long a round takes according to the runs so far.
    pub round: Duration,
    /// Rounds of the first look: the least, however short the time, and the most.
    pub first: RangeInclusive<u32>,
}

/// The measurements of a comparison.
#[derive(Debug)]
pub struct ContestSamples {
    pub samples: Samples,
    pub rounds: u32,
    /// How many looks at it were planned: what each of them is judged with has to share the allowed error.
    pub looks: usize,
}

impl Contest<'_> {
    /// Returns after how many rounds the comparison is judged, if so many are affordable.
    fn looks(&self, affordable: u32) -> Vec<u32> {
        let most = *self.first.end();
        let planned = (0..MOST_LOOKS).map(|look| (most * GROWTH.pow(look)).min(affordable.max(*self.first.start())));
        let mut looks: Vec<u32> = planned.collect();
        looks.dedup_by(|next, one| *next < *one + LEAST_MORE);
        looks
    }

    /// Measures the arms until all is decided, or the time is over. Measuring goes on after a look only because it was undecided, so the
    /// looks share the allowed error, which keeps their intervals honest.
    ///
    /// # Errors
    /// A session cannot begin, or results are lost.
    pub async fn measure<T: Track>(
        &self,
        track: &mut T,
        is_decided: impl Fn(&ContestSamples) -> bool,
    ) -> Result<ContestSamples, TuneError> {
        let began = track.elapsed();
        let left = |track: &T| self.until.saturating_sub(track.elapsed());
        let most = self.first.end() * GROWTH.pow(MOST_LOOKS - 1);
        let looks = self.looks(affordable_rounds(left(track), self.round, *self.first.start()..=most));
        let mut found = ContestSamples { samples: Samples::default(), rounds: 0, looks: looks.len() };
        for (look, target) in looks.into_iter().enumerate() {
            let mut rounds = target - found.rounds;
            if look > 0 {
                let each = track.elapsed().saturating_sub(began) / found.rounds.max(1);
                rounds = affordable_rounds(left(track), each, 0..=rounds);
            }
            if rounds == 0 {
                break;
            }
            let seed = if look == 0 { self.seed } else { SplitMix64::stream(self.seed, look as u64).next_u64() };
            let session = RaceSession { arms: self.arms, rounds, seed, left: None, deadline: None };
            found.samples.absorb(track.measure(session).await?.samples, |variant| variant);
            found.rounds += rounds;
            if track.is_stopped() || is_decided(&found) {
                break;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_judged_again_only_if_time_for_more_rounds_is_left() {
        let contest = Contest { arms: &[], seed: 1, until: Duration::ZERO, round: Duration::ZERO, first: 8..=32 };
        for (affordable, expected) in
            [(0, vec![8]), (8, vec![8]), (32, vec![32]), (36, vec![32]), (40, vec![32, 40]), (100, vec![32, 96])]
        {
            assert_eq!(contest.looks(affordable), expected, "{affordable}");
        }
        assert_eq!(contest.looks(200), [32, 96, 200]);
        assert_eq!(contest.looks(10_000), [32, 96, 288]);
    }

    #[test]
    fn rounds_fit_the_time_with_a_margin_and_are_even() {
        let of = |seconds, range| affordable_rounds(Duration::from_secs(seconds), Duration::from_secs(1), range);
        assert_eq!(of(100, 8..=32), 32);
        assert_eq!(of(100, 8..=400), 84);
        assert_eq!(of(1, 8..=32), 8);
        assert_eq!(of(1, 0..=32), 0);
    }
}
