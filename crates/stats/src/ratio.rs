use super::error::{NoAnswer, at_least, finite, positive};
use super::null::NullDistribution;
use super::select::{PairValues, Pairs, differences, walsh};
use super::{ALPHA, MIN_RUNS};

/// The ratio of two configurations' times, with its interval. No unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioInterval {
    /// Time A / time B: below 1 A is faster.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// The confidence reached, at least [`CONFIDENCE`](super::CONFIDENCE): 96.9 % for six pairs.
    pub confidence: f64,
}

/// Returns the log ratios ln(a_i / b_i) of paired times.
///
/// Swapping `a` and `b` changes only the signs, exact to the last bit.
///
/// # Errors
/// [`NoAnswer::UnequalLengths`] when there are no pairs; [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for a time
/// without a logarithm.
pub fn log_ratios(a: &[f64], b: &[f64]) -> Result<Vec<f64>, NoAnswer> {
    if a.len() != b.len() {
        let (a, b) = (a.len(), b.len());
        return Err(NoAnswer::UnequalLengths { a, b });
    }
    positive(a)?;
    positive(b)?;
    Ok(a.iter().zip(b).map(|(&a, &b)| log_ratio(a, b)).collect())
}

/// Returns ln(a / b). Divides the larger by the smaller, so that (2, 3) and (3, 2) are a tie of the signed-rank test.
fn log_ratio(a: f64, b: f64) -> f64 {
    let quotient = a.max(b) / a.min(b);
    let size = if quotient.is_finite() { quotient.ln() } else { a.max(b).ln() - a.min(b).ln() };
    if a < b { -size } else { size }
}

/// Returns the ratio of paired times: `a[i]` and `b[i]` were measured in the same round.
///
/// The ratio is the Hodges-Lehmann estimate on r_i = ln(a_i / b_i): the median of all Walsh averages (r_i + r_j) / 2, i <= j. The interval
/// is the one of the signed-rank test. Both are converted to ratios by exp. Exact up to [`EXACT_LIMIT`](super::EXACT_LIMIT) pairs; beyond,
/// by the normal approximation. Ties make the confidence a lower bound. Source: Hollander and Wolfe, "Nonparametric Statistical Methods",
/// sections 3.2 and 3.3.
///
/// # Errors
/// As [`log_ratios`], and [`NoAnswer::TooFew`] below [`MIN_RUNS`] pairs.
pub fn paired_ratio(a: &[f64], b: &[f64]) -> Result<RatioInterval, NoAnswer> {
    paired_ratio_at(a, b, ALPHA)
}

/// Like [`paired_ratio`], with an interval that misses the true ratio with a probability of at most `alpha`. A comparison with several
/// looks needs more than [`CONFIDENCE`](super::CONFIDENCE) at each look.
///
/// # Errors
/// As [`paired_ratio`]; enough pairs are needed that their whole range reaches the confidence, `2 / 2^n <= alpha`.
/// [`NoAnswer::NotAProbability`] for an `alpha` that is not between 0 and 1.
pub fn paired_ratio_at(a: &[f64], b: &[f64], alpha: f64) -> Result<RatioInterval, NoAnswer> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(NoAnswer::NotAProbability(alpha));
    }
    let mut logs = log_ratios(a, b)?;
    at_least(pairs_needed(alpha), logs.len())?;
    logs.sort_unstable_by(f64::total_cmp);
    let null = NullDistribution::signed_rank(logs.len());
    interval(&walsh(&logs), &null, alpha)
}

/// Returns the fewest pairs whose range from the smallest to the largest contains the true value with probability 1 - `alpha`.
fn pairs_needed(alpha: f64) -> usize {
    ((2.0 / alpha).log2().ceil() as usize).max(1)
}

/// Returns the ratio of times that were measured independently.
///
/// The ratio is the Hodges-Lehmann shift on logarithms: the median of all ln(a_i) - ln(b_j). The interval is the one of the rank-sum test.
/// Both are converted to ratios by exp. Exact up to [`EXACT_LIMIT`](super::EXACT_LIMIT) runs per side; beyond, by the normal approximation.
/// Ties make the confidence a lower bound. Source: Hollander and Wolfe, "Nonparametric Statistical Methods", sections 4.2 and 4.3.
///
/// # Errors
/// [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for a time without a logarithm, [`NoAnswer::TooFew`] below
/// [`MIN_RUNS`] runs on a side.
pub fn unpaired_ratio(a: &[f64], b: &[f64]) -> Result<RatioInterval, NoAnswer> {
    let (log_a, log_b) = (sorted_logs(a)?, sorted_logs(b)?);
    at_least(MIN_RUNS, a.len().min(b.len()))?;
    let null = NullDistribution::rank_sum(a.len(), b.len());
    interval(&differences(&log_a, &log_b), &null, ALPHA)
}

/// Returns the Hodges-Lehmann estimate of a centre: the median of all Walsh averages (x_i + x_j) / 2, i <= j. Needs at least one value.
pub(super) fn hodges_lehmann(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    walsh(&sorted).median()
}

/// Returns the geometric mean of ratios, exp(mean ln r_i). No unit.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a ratio; [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for one without a
/// logarithm.
pub fn geometric_mean(ratios: &[f64]) -> Result<f64, NoAnswer> {
    at_least(1, ratios.len())?;
    positive(ratios)?;
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    Ok((sum / ratios.len() as f64).exp())
}

/// Returns the logarithms of times, the smallest first.
pub(super) fn sorted_logs(times: &[f64]) -> Result<Vec<f64>, NoAnswer> {
    positive(times)?;
    let mut logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    logs.sort_unstable_by(f64::total_cmp);
    Ok(logs)
}

/// Returns the median and interval of the log ratios of pairs, converted to ratios.
fn interval(pairs: &Pairs<impl PairValues>, null: &NullDistribution, alpha: f64) -> Result<RatioInterval, NoAnswer> {
    let (rank, confidence) = null.interval(alpha);
    let [below, above] = pairs.middle();
    let [below, above, low, high] = pairs.kths([below, above, rank, pairs.total + 1 - rank]);
    let (ratio, low, high) = (below.midpoint(above).exp(), low.exp(), high.exp());
    finite(&[ratio, low, high])?;
    Ok(RatioInterval { ratio, low, high, confidence })
}
