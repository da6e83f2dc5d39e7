//! How many more rounds decide what is undecided.
//!
//! Rounds to come are drawn from those that there are, and judged by the same order statistics as the interval and the verdict: nothing
//! is assumed of how an interval narrows. So one outlier does what it will do to the interval, which is little once there are more rounds.

use super::{
    ALPHA, MIN_RUNS, SAME_BAND,
    error::NoAnswer,
    null::NullDistribution,
    order::median,
    ratio::{hodges_lehmann, log_ratios, sorted_logs},
    select::{PairValues, Pairs, differences, walsh},
    within,
};
use dbdyno_workload::rng::SplitMix64;

/// More rounds than this are "not in reach".
pub const MORE_ROUNDS_CAP: u32 = 1000;

/// Futures that are drawn for each number of rounds.
const FUTURES: u64 = 100;
/// Of these, so many may stay undecided: nine in ten are decided.
const UNDECIDED: u64 = 10;
/// A value this many standard deviations from the centre is an outlier.
const OUTLIER: f64 = 10.0;

/// The figures of a comparison as logarithms, to which more rounds would add: one value a side each.
#[derive(Debug, Clone, PartialEq)]
pub enum Logs {
    /// The log ratios of pairs.
    Paired(Vec<f64>),
    /// The logarithms of the runs of A, and of B.
    Unpaired(Vec<f64>, Vec<f64>),
}

impl Logs {
    /// Of the figures of both sides, in any unit; of pairs, the i-th of A belongs to the i-th of B.
    ///
    /// # Errors
    /// As [`log_ratios`].
    pub fn new(a: &[f64], b: &[f64], paired: bool) -> Result<Self, NoAnswer> {
        Ok(if paired { Self::Paired(log_ratios(a, b)?) } else { Self::Unpaired(sorted_logs(a)?, sorted_logs(b)?) })
    }

    fn shorter(&self) -> usize {
        match self {
            Self::Paired(ratios) => ratios.len(),
            Self::Unpaired(a, b) => a.len().min(b.len()),
        }
    }
}

/// With how many more rounds (one more run a side each) nine comparisons in ten that are undecided now are decided.
///
/// A hundred futures are drawn, always the same for the same figures. In each of them a round to come is one of the rounds that there are
/// or that were drawn before, with equal chances (Polya's urn: the predictive distribution of Rubin's Bayesian bootstrap), so that
/// neither the centre nor the spread is taken for known. The share of outliers is: in the urn one in six rounds would often become one in
/// three, which no interval survives. A future is decided when its interval, of confidence
/// 1 - `alpha`, lies within 1/1.03 to 1.03, or when it excludes 1 with p below ALPHA / `tests` and a ratio beyond `noise_floor`. `tests` is what
/// p is multiplied by. The answer is the smallest number with which ninety of a hundred futures are decided, beyond sixteen rounds to one
/// part in sixteen. Source: Rubin, "The Bayesian bootstrap" (1981). Simulations: tests/stats/forecast.rs.
///
/// It is meant for one further plan of a fixed size. Looking after each round and stopping at the first decision finds
/// differences where there are none: 10 to 25 % of simulated A/A sessions instead of 5 %. A look that is counted pays by
/// [`Spending`](super::Spending).
///
/// `None` when that is not in reach within [`MORE_ROUNDS_CAP`], or with fewer than [`MIN_RUNS`] rounds to draw from.
pub fn more_rounds(logs: &Logs, noise_floor: f64, tests: usize, alpha: f64) -> Option<u32> {
    // So few among so many move nothing.
    if !(MIN_RUNS..20 * MORE_ROUNDS_CAP as usize).contains(&logs.shorter()) {
        return None;
    }
    let futures = Futures::new(logs);
    let tests = tests.max(1) as f64;
    let decides = |more: u32| futures.are_decided(more as usize, noise_floor, tests, alpha);
    let (mut too_few, mut enough) = (0, 1);
    while !decides(enough) {
        if enough == MORE_ROUNDS_CAP {
            return None;
        }
        (too_few, enough) = (enough, (2 * enough).min(MORE_ROUNDS_CAP));
    }
    while enough - too_few > 1 + enough / 16 {
        let middle = too_few.midpoint(enough);
        if decides(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

enum Futures {
    Paired(Urn),
    Unpaired(Urn, Urn),
}

impl Futures {
    fn new(logs: &Logs) -> Self {
        match logs {
            Logs::Paired(ratios) => Self::Paired(Urn::new(ratios)),
            Logs::Unpaired(a, b) => Self::Unpaired(Urn::new(a), Urn::new(b)),
        }
    }

    fn are_decided(&self, more: usize, noise_floor: f64, tests: f64, alpha: f64) -> bool {
        let null = match self {
            Self::Paired(ratios) => NullDistribution::signed_rank(ratios.sorted.len() + more),
            Self::Unpaired(a, b) => NullDistribution::rank_sum(a.sorted.len() + more, b.sorted.len() + more),
        };
        let rank = null.rank(alpha);
        let rules = Rules { rank, shown: null.rank(ALPHA / tests).min(rank), noise_floor };
        let mut undecided = 0;
        for future in 0..FUTURES {
            let decided = match self {
                Self::Paired(ratios) => rules.decide(&walsh(&ratios.future(more, 2 * future))),
                Self::Unpaired(a, b) => {
                    rules.decide(&differences(&a.future(more, 2 * future), &b.future(more, 2 * future + 1)))
                }
            };
            undecided += u64::from(!decided);
            if undecided > UNDECIDED {
                return false;
            }
        }
        true
    }
}

/// What values to come are drawn from.
struct Urn {
    sorted: Vec<f64>,
    centre: f64,
    /// How much farther from the centre than those there are values to come may lie.
    stretch: f64,
    /// How far values are spread that are drawn from the same one.
    blur: f64,
    /// Places of values that lie apart from all others.
    outliers: Vec<usize>,
    /// Places of the others.
    usual: Vec<usize>,
}

impl Urn {
    fn new(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let centre = hodges_lehmann(&sorted);
        let distances: Vec<f64> = sorted.iter().map(|value| (value - centre).abs()).collect();
        // The median distance estimates a standard deviation by 1.4826 (of normal noise).
        let deviation = 1.4826 * median(&distances).unwrap_or(0.0);
        // A mean of the urn's future varies by (n - 1) / (n (n + 1)) of the variance; that of Student's distribution, which predicts for
        // normal noise, by (n - 1) / (n (n - 3)).
        let n = sorted.len() as f64;
        let is_outlier = |place: &usize| deviation > 0.0 && distances[*place] > OUTLIER * deviation;
        let (outliers, usual) = (0..sorted.len()).partition(is_outlier);
        Self { centre, stretch: ((n + 1.0) / (n - 3.0)).sqrt(), blur: 0.3 * deviation, outliers, usual, sorted }
    }

    /// The values there are with `more` drawn, sorted. The first of these are the same whatever `more` is.
    fn future(&self, more: usize, number: u64) -> Vec<f64> {
        let mut rng = SplitMix64::stream(20_26, number);
        let there = self.sorted.len();
        let mut urn = self.usual.clone();
        let mut values = Vec::with_capacity(there + more);
        values.extend_from_slice(&self.sorted);
        for _ in 0..more {
            let at = rng.below(there as u64) as usize;
            let place = match self.outliers.get(at) {
                Some(outlier) => *outlier,
                None => {
                    let place = urn[rng.below(urn.len() as u64) as usize];
                    urn.push(place);
                    place
                }
            };
            let blurred = self.sorted[place] - self.centre + self.blur * noise(&mut rng);
            values.push(self.centre + self.stretch * blurred);
        }
        // It knows a sorted part when it sees one.
        values.sort_by(f64::total_cmp);
        values
    }
}

/// A number of mean 0 and variance 1: nearly normal, a sum of three uniform ones.
fn noise(rng: &mut SplitMix64) -> f64 {
    let uniform = |rng: &mut SplitMix64| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    2.0 * (uniform(rng) + uniform(rng) + uniform(rng))
}

/// What decides at a number of rounds.
struct Rules {
    /// The rank of the interval's ends among the averages or differences; 0: so few rounds have no interval.
    rank: usize,
    /// The same of an interval that excludes 1 where p is small enough, at most [`rank`](Self::rank).
    shown: usize,
    noise_floor: f64,
}

impl Rules {
    fn decide(&self, pairs: &Pairs<impl PairValues>) -> bool {
        let below = |limit: f64| pairs.at_most(limit.next_down());
        let above = |limit: f64| pairs.total - pairs.at_most(limit);
        let same = || below(-SAME_BAND.ln_1p()) < self.rank && above(SAME_BAND.ln_1p()) < self.rank;
        let excludes_one = || pairs.at_most(0.0).min(pairs.total - below(0.0)) < self.shown;
        same() || (excludes_one() && !within(pairs.median().exp(), self.noise_floor))
    }
}
