//! The number of further rounds that would decide an undecided comparison.
//!
//! Future rounds are drawn from the existing ones and judged by the same order statistics as the interval and the verdict. So the forecast
//! assumes nothing about how an interval narrows. An outlier affects the forecast as it will affect the interval: little, once there are
//! more rounds.

use super::{
    ALPHA, MIN_RUNS, SAME_BAND,
    error::NoAnswer,
    null::NullDistribution,
    order::median,
    ratio::{hodges_lehmann, log_ratios, sorted_logs},
    select::{PairValues, Pairs, differences, walsh},
};
use dbdyno_workload::rng::SplitMix64;

/// The largest number of further rounds; beyond it a decision is "not in reach".
pub const MORE_ROUNDS_CAP: u32 = 1000;

/// The number of simulated futures for each number of rounds.
const FUTURES: u64 = 100;
/// The number of these futures that may stay undecided: nine in ten are decided.
const UNDECIDED: u64 = 10;
/// The distance from the centre, in standard deviations, beyond which a value is an outlier.
const OUTLIER: f64 = 10.0;

/// The figures of a comparison as logarithms. Each further round adds one value per side.
#[derive(Debug, Clone, PartialEq)]
pub enum Logs {
    /// The log ratios of pairs.
    Paired(Vec<f64>),
    /// The logarithms of the runs of A, and of B.
    Unpaired(Vec<f64>, Vec<f64>),
}

impl Logs {
    /// Takes the figures of both sides, in any unit; if they are paired, the i-th of A belongs to the i-th of B.
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

/// Returns the number of further rounds (one more run per side each) with which nine in ten currently undecided comparisons are decided.
///
/// The forecast draws a hundred futures, always the same for the same figures. Each future round repeats one of the existing or previously
/// drawn rounds, with equal chances (Polya's urn: the predictive distribution of Rubin's Bayesian bootstrap), so that neither the centre
/// nor the spread is assumed to be known. The share of outliers is assumed to be known: in the urn one in six rounds would often become one
/// in three, which no interval survives. A future is decided if its interval, of confidence 1 - `alpha`, is within 1/1.03 to 1.03, or if it
/// excludes 1 with p below ALPHA / `tests` and a ratio beyond `noise_floor`. `tests` is the factor that p is multiplied by. The answer is
/// the smallest number with which ninety of a hundred futures are decided; beyond sixteen rounds it is accurate to one part in sixteen.
/// Source: Rubin, "The Bayesian bootstrap" (1981). Simulations: tests/stats/forecast.rs.
///
/// Use the answer for one further plan of a fixed size. Checking after each round and stopping at the first decision finds differences
/// where there are none: in 10 to 25 % of simulated A/A sessions instead of 5 %. For a counted look, [`Spending`](super::Spending) accounts
/// for this.
///
/// Returns `None` if a decision is not in reach within [`MORE_ROUNDS_CAP`], or with fewer than [`MIN_RUNS`] rounds to draw from.
pub fn more_rounds(logs: &Logs, noise_floor: f64, tests: usize, alpha: f64) -> Option<u32> {
    // Beyond the upper limit, at most `MORE_ROUNDS_CAP` further rounds among so many change nothing.
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
            if future + 1 - undecided >= FUTURES - UNDECIDED {
                return true;
            }
        }
        false
    }
}

/// The existing values, and the distribution that future values are drawn from.
struct Urn {
    sorted: Vec<f64>,
    centre: f64,
    /// The factor by which future values may be farther from the centre than the existing ones.
    stretch: f64,
    /// The spread of future values that are drawn from the same existing value.
    blur: f64,
    /// Indices of outliers.
    outliers: Vec<usize>,
    /// Indices of the other values.
    usual: Vec<usize>,
}

impl Urn {
    fn new(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let centre = hodges_lehmann(&sorted);
        let distances: Vec<f64> = sorted.iter().map(|value| (value - centre).abs()).collect();
        // For normal noise, the median distance times 1.4826 estimates the standard deviation.
        let deviation = 1.4826 * median(&distances).unwrap_or(0.0);
        // The mean of the urn's future varies by (n - 1) / (n (n + 1)) of the variance; the mean of Student's distribution, the prediction
        // for normal noise, by (n - 1) / (n (n - 3)).
        let n = sorted.len() as f64;
        let is_outlier = |place: &usize| deviation > 0.0 && distances[*place] > OUTLIER * deviation;
        let (outliers, usual) = (0..sorted.len()).partition(is_outlier);
        Self { centre, stretch: ((n + 1.0) / (n - 3.0)).sqrt(), blur: 0.3 * deviation, outliers, usual, sorted }
    }

    /// Returns the existing values with `more` drawn ones, sorted. The first drawn values are the same for every `more`.
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
        // This sort detects and uses parts that are already sorted.
        values.sort_by(f64::total_cmp);
        values
    }
}

/// Returns a random number of mean 0 and variance 1: nearly normal, a sum of three uniform ones.
fn noise(rng: &mut SplitMix64) -> f64 {
    let uniform = |rng: &mut SplitMix64| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    2.0 * (uniform(rng) + uniform(rng) + uniform(rng))
}

/// Whether the median of all pairs is above `limit` or below its negative. Two counts answer this, unless a limit is between the two values
/// in the middle.
fn is_beyond(pairs: &Pairs<impl PairValues>, limit: f64) -> bool {
    let [lower, upper] = pairs.middle();
    let or_median =
        |certain: Option<bool>, is_so: fn(f64, f64) -> bool| certain.unwrap_or_else(|| is_so(pairs.median(), limit));
    let certain = |at_most: usize| if at_most < lower { Some(false) } else { (at_most >= upper).then_some(true) };
    or_median(certain(pairs.at_most(limit)).map(|is_so| !is_so), |median, limit| median > limit)
        || or_median(certain(pairs.at_most((-limit).next_down())), |median, limit| median < -limit)
}

/// The rules that decide a comparison at a number of rounds.
struct Rules {
    /// The rank of the interval's ends among the averages or differences; 0 if there are too few rounds for an interval.
    rank: usize,
    /// The rank for an interval that excludes 1 with p small enough, at most [`rank`](Self::rank).
    shown: usize,
    noise_floor: f64,
}

impl Rules {
    fn decide(&self, pairs: &Pairs<impl PairValues>) -> bool {
        let below = |limit: f64| pairs.at_most(limit.next_down());
        let above = |limit: f64| pairs.total - pairs.at_most(limit);
        let same = || below(-SAME_BAND.ln_1p()) < self.rank && above(SAME_BAND.ln_1p()) < self.rank;
        let excludes_one = || pairs.at_most(0.0).min(pairs.total - below(0.0)) < self.shown;
        same() || (excludes_one() && is_beyond(pairs, self.noise_floor.ln_1p()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_tell_where_the_median_is() {
        let mut rng = SplitMix64::new(3);
        for length in 1..40 {
            // Few different values, so that limits meet them.
            let mut one = |_| (rng.below(9) as f64 - 4.0) / 4.0;
            let (mut a, mut b): (Vec<f64>, Vec<f64>) =
                ((0..length).map(&mut one).collect(), (0..length / 2 + 1).map(&mut one).collect());
            a.sort_by(f64::total_cmp);
            b.sort_by(f64::total_cmp);
            for limit in [0.0, 0.125, 0.25, 0.3, 0.5, 1.0] {
                let (walsh, differences) = (walsh(&a), differences(&a, &b));
                assert_eq!(is_beyond(&walsh, limit), walsh.median().abs() > limit, "{a:?} {limit}");
                assert_eq!(is_beyond(&differences, limit), differences.median().abs() > limit, "{a:?} {b:?} {limit}");
            }
        }
    }
}
