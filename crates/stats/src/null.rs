//! The distributions of the rank statistics when A and B do not differ.
//!
//! All three are symmetric on 0 to a largest value M, and an interval for the median, the paired ratio and the unpaired
//! ratio comes from each in the same way (Hodges and Lehmann 1963; Hollander and Wolfe, "Nonparametric Statistical
//! Methods", sections 3.3 and 4.3): of the M sorted values (order statistics, Walsh averages, differences), the k-th
//! smallest and the k-th largest, with confidence 1 - 2 P(S <= k-1).

use super::normal::upper_tail;

/// Rank tests and their intervals are exact up to this many runs a side, and use the normal approximation beyond.
pub const EXACT_LIMIT: usize = 50;

/// The binomial coefficients of larger samples, and their sum, would not fit 128 bits.
const SIGN_LIMIT: usize = 120;

/// The distribution of a statistic without a difference.
pub(super) enum NullDistribution {
    /// P(S <= k) for each k from 0 to M.
    Exact(Vec<f64>),
    /// Too large to count out.
    Normal { mean: f64, sd: f64, max: usize },
}

impl NullDistribution {
    /// How many of `n` values lie below the median: Binomial(n, 1/2).
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

    /// The sum of the ranks 1 to `n` that get a positive sign, every sign a fair coin.
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

    /// The Mann-Whitney U of samples of `n` and `m` values.
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

    /// M, the largest value that the statistic takes.
    pub(super) fn max(&self) -> usize {
        match self {
            Self::Exact(cumulative) => cumulative.len() - 1,
            Self::Normal { max, .. } => *max,
        }
    }

    /// P(S <= k), with a continuity correction where it is normal.
    fn at_most(&self, k: usize) -> f64 {
        match self {
            Self::Exact(cumulative) => cumulative.get(k).copied().unwrap_or(1.0),
            Self::Normal { mean, sd, .. } => upper_tail((mean - k as f64 - 0.5) / sd),
        }
    }

    /// The two-sided p value: the probability of a statistic as far from the middle as `statistic`, or farther.
    pub(super) fn two_sided(&self, statistic: usize) -> f64 {
        let near_zero = statistic.min(self.max().saturating_sub(statistic));
        (2.0 * self.at_most(near_zero)).min(1.0)
    }

    /// The rank (counted from 1) of the interval that misses the true value with a probability of `alpha` at most, and the confidence
    /// it has.
    ///
    /// Rank 1, whose interval is the whole range, where even that does not reach it (for [`ALPHA`](super::ALPHA), below
    /// [`MIN_RUNS`](super::MIN_RUNS)).
    pub(super) fn interval(&self, alpha: f64) -> (usize, f64) {
        let rank = self.rank(alpha).max(1);
        (rank, 1.0 - 2.0 * self.at_most(rank - 1))
    }

    /// The largest rank whose interval misses the true value with a probability of `alpha` at most; 0 where not even the whole range does.
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
