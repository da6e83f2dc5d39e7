use super::normal::upper_tail;

/// The method that calculated a p value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By counting all outcomes.
    Exact,
    /// By the normal approximation, corrected for ties and for continuity.
    Normal,
}

/// The outcome of a significance test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// The test's statistic; the test's documentation defines it.
    pub statistic: f64,
    /// The two-sided p value, 0 to 1, not adjusted for the number of tests (see [`holm`](super::holm)).
    pub p: f64,
    /// The method that calculated `p`.
    pub method: Method,
}

/// The ranks of some values, counted from 1, equal values sharing the mean of their ranks.
pub(super) struct Ranks {
    /// One rank per value, in the order given.
    pub(super) ranks: Vec<f64>,
    /// The sum over groups of t equal values of t^3 - t: 0 without ties.
    pub(super) ties: f64,
}

impl Ranks {
    /// Ranks finite values.
    pub(super) fn of(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
        let mut ranks = vec![0.0; values.len()];
        let mut ties = 0.0;
        let mut before = 0;
        for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
            let size = group.len() as f64;
            for &i in group {
                ranks[i] = before as f64 + (size + 1.0) / 2.0;
            }
            ties += size * size * size - size;
            before += group.len();
        }
        Self { ranks, ties }
    }
}

/// Returns the two-sided p value of a statistic `distance` away from its mean, by the normal approximation with 0.5 towards the mean for
/// continuity.
pub(super) fn normal_p(distance: f64, sd: f64) -> f64 {
    let corrected = distance - 0.5;
    if corrected <= 0.0 { 1.0 } else { 2.0 * upper_tail(corrected / sd) }
}
