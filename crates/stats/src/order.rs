use super::error::{NoAnswer, at_least, finite, positive};
use super::null::NullDistribution;
use super::{ALPHA, MIN_RUNS};

/// An interval in the unit of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// The probability, 0 to 1, with which an interval calculated this way contains the true value.
    pub confidence: f64,
}

/// How far the extremes are from the median, as ratios to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Smallest value / median, at most 1.
    pub low: f64,
    /// Largest value / median, at least 1.
    pub high: f64,
}

/// The median, in the unit of `values`: the middle value, or the mean of the two middle ones.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a value, [`NoAnswer::NotFinite`] for a NaN or infinite one.
pub fn median(values: &[f64]) -> Result<f64, NoAnswer> {
    at_least(1, values.len())?;
    finite(values)?;
    let mut values = values.to_vec();
    let (even, middle) = (values.len().is_multiple_of(2), values.len() / 2);
    let (smaller, &mut above, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let below = if even { smaller.iter().copied().max_by(f64::total_cmp) } else { None };
    Ok(below.map_or(above, |below| below.midpoint(above)))
}

/// Returns the quantile `q` (0 to 1), in the unit of `values`, by linear interpolation at `(n - 1) q`.
///
/// This is type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996): the default of R and numpy.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a value, [`NoAnswer::NotFinite`] for a NaN or infinite one,
/// [`NoAnswer::NotAProbability`] for a `q` outside 0 to 1.
pub fn quantile(values: &[f64], q: f64) -> Result<f64, NoAnswer> {
    if !(0.0..=1.0).contains(&q) {
        return Err(NoAnswer::NotAProbability(q));
    }
    let sorted = sorted(values, 1)?;
    let position = (sorted.len() - 1) as f64 * q;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    let part = position.fract();
    let width = above - below;
    Ok(if width.is_finite() { below + width * part } else { below * (1.0 - part) + above * part })
}

/// Returns the interval of the median by order statistics, in the unit of `values`.
///
/// With the values sorted, it is `[x(k), x(n+1-k)]` for the largest k whose confidence `1 - 2 P(S <= k-1)`, S ~ Binomial(n, 1/2), is at
/// least [`CONFIDENCE`](super::CONFIDENCE). It is valid for any distribution. The reported confidence is the one reached: 96.9 % for n = 6,
/// 97.9 % for n = 10. Exact up to n = 120; beyond, by the normal approximation. Source: Conover, "Practical Nonparametric Statistics",
/// section 3.2.
///
/// # Errors
/// [`NoAnswer::TooFew`] below [`MIN_RUNS`] values, [`NoAnswer::NotFinite`] for a NaN or infinite one.
pub fn median_interval(values: &[f64]) -> Result<Interval, NoAnswer> {
    let sorted = sorted(values, MIN_RUNS)?;
    let n = sorted.len();
    let (rank, confidence) = NullDistribution::sign(n).interval(ALPHA);
    Ok(Interval { low: sorted[rank - 1], high: sorted[n - rank], confidence })
}

/// Returns the smallest and the largest of `values` relative to their median: `min / median` and `max / median`, no unit.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a value, [`NoAnswer::NotFinite`] or [`NoAnswer::NotPositive`] for one that cannot be in
/// a ratio.
pub fn spread(values: &[f64]) -> Result<Spread, NoAnswer> {
    positive(values)?;
    let median = median(values)?;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    Ok(Spread { low: low / median, high: high / median })
}

/// Returns a sorted copy of at least `need` (one or more) finite values.
fn sorted(values: &[f64], need: usize) -> Result<Vec<f64>, NoAnswer> {
    at_least(need, values.len())?;
    finite(values)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}
