//! The distributions of the rank statistics if A and B do not differ.
//!
//! All three are symmetric on 0 to a largest value M. The intervals of the median, the paired ratio and the unpaired ratio follow from them
//! in the same way (Hodges and Lehmann 1963; Hollander and Wolfe, "Nonparametric Statistical Methods", sections 3.3 and 4.3): the ends are
//! the k-th smallest and the k-th largest of the M sorted values (order statistics, Walsh averages, differences), with confidence 1 - 2 P(S
//! <= k-1).

use super::normal::upper_tail;

/// The largest number of runs per side for which rank tests and their intervals are exact. Larger samples use the normal approximation.
pub const EXACT_LIMIT: usize = 50;

/// The largest sample for the exact sign distribution. Its binomial coefficients, and their sum, would not fit 128 bits beyond that.
const SIGN_LIMIT: usize = 120;

/// The distribution of a statistic if there is no difference.
pub(super) enum NullDistribution {
    /// P(S <= k) for each k from 0 to M.
    Exact(Vec<f64>),
    /// The normal approximation, for samples too large to count all outcomes.
    Normal { mean: f64, sd: f64, max: usize },
}

impl NullDistribution {
    /// Returns the distribution of the number of `n` values below the median: Binomial(n, 1/2).
    pub(super) fn sign(n: usize) -> Self {
        if n > SIGN_LIMIT {
            let n_f = n as f64;
            return Self::normal(n, n_f / 4.0);
        }
        let mut counts = vec![1_u128; n + 1];
        for k in 1..=n {
            counts[k] = counts[k - 1] * (n + 1 - k) as u128 / k as u128;
        }
        Self::exact(counts)
    }

    /// Returns the distribution of the sum of those ranks 1 to `n` that get a positive sign, each sign a fair coin toss.
    pub(super) fn signed_rank(n: usize) -> Self {
        let max = n * (n + 1) / 2;
        if n > EXACT_LIMIT {
            return Self::normal(max, max as f64 * (2 * n + 1) as f64 / 12.0);
        }
        let mut counts = vec![0_u128; max + 1];
        counts[0] = 1;
        for rank in 1..=n {
            for sum in (rank..=max).rev() {
                counts[sum] += counts[sum - rank];
            }
        }
        Self::exact(counts)
    }

    /// Returns the distribution of the Mann-Whitney U of samples of `n` and `m` values.
    ///
    /// Its counts are the coefficients of the Gaussian binomial, the product over i = 1..=n of
    /// (1 - q^(m+i)) / (1 - q^i). They stay integers after each factor, and below C(100, 50) < 2^97.
    pub(super) fn rank_sum(n: usize, m: usize) -> Self {
        let max = n * m;
        if n.max(m) > EXACT_LIMIT {
            return Self::normal(max, max as f64 * (n + m + 1) as f64 / 12.0);
        }
        let mut counts = vec![0_i128; max + 1];
        counts[0] = 1;
        for i in 1..=n {
            for u in (m + i..=max).rev() {
                counts[u] -= counts[u - m - i];
            }
            for u in i..=max {
                counts[u] += counts[u - i];
            }
        }
        Self::exact(counts.into_iter().map(i128::unsigned_abs).collect())
    }

    fn normal(max: usize, variance: f64) -> Self {
        Self::Normal { mean: max as f64 / 2.0, sd: variance.sqrt(), max }
    }

    fn exact(counts: Vec<u128>) -> Self {
        let total: u128 = counts.iter().sum();
        let cumulative = counts.iter().scan(0_u128, |sum, count| {
            *sum += count;
            Some(*sum as f64 / total as f64)
        });
        Self::Exact(cumulative.collect())
    }

    /// Returns M, the largest value that the statistic takes.
    pub(super) fn max(&self) -> usize {
        match self {
            Self::Exact(cumulative) => cumulative.len() - 1,
            Self::Normal { max, .. } => *max,
        }
    }

    /// Returns P(S <= k), with a continuity correction for the normal approximation.
    fn at_most(&self, k: usize) -> f64 {
        match self {
            Self::Exact(cumulative) => cumulative.get(k).copied().unwrap_or(1.0),
            Self::Normal { mean, sd, .. } => upper_tail((mean - k as f64 - 0.5) / sd),
        }
    }

    /// Returns the two-sided p value: the probability that the statistic is at least as far from the middle as `statistic`.
    pub(super) fn two_sided(&self, statistic: usize) -> f64 {
        let near_zero = statistic.min(self.max().saturating_sub(statistic));
        (2.0 * self.at_most(near_zero)).min(1.0)
    }

    /// Returns the rank (counted from 1) of the interval that misses the true value with a probability of at most `alpha`, and its
    /// confidence.
    ///
    /// If even the whole range does not reach that confidence (for [`ALPHA`](super::ALPHA), below [`MIN_RUNS`](super::MIN_RUNS)), returns
    /// rank 1, whose interval is the whole range.
    pub(super) fn interval(&self, alpha: f64) -> (usize, f64) {
        let rank = self.rank(alpha).max(1);
        (rank, 1.0 - 2.0 * self.at_most(rank - 1))
    }

    /// Returns the largest rank whose interval misses the true value with a probability of at most `alpha`; 0 if not even the whole range
    /// does.
    pub(super) fn rank(&self, alpha: f64) -> usize {
        // The smallest k with 2 P(S <= k) > alpha; P rises with k.
        let (mut rank, mut above) = (0, self.max() / 2);
        while rank < above {
            let middle = rank.midpoint(above);
            if 2.0 * self.at_most(middle) <= alpha {
                rank = middle + 1;
            } else {
                above = middle;
            }
        }
        rank
    }
}
