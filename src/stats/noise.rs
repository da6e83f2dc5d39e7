use super::error::{NoAnswer, at_least, finite};
use super::order::quantile;

/// The noise floor of a session without an A/A comparison: 1 %.
pub const DEFAULT_NOISE_FLOOR: f64 = 0.01;

/// The noise floor, as a part of 1: how far from 1 the ratio of two equal configurations comes out by chance.
///
/// It is the 95th percentile (type 7) of |exp(r) - 1| over the log ratios r of configurations compared with themselves.
/// Give it one log ratio a comparison, each the ln of a [`RatioInterval::ratio`](super::RatioInterval::ratio), such as
/// one for each test of the table. The log ratios of single rounds are wider than those by about the square root of the
/// number of rounds, and would hide real differences.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a ratio (then use [`DEFAULT_NOISE_FLOOR`]), [`NoAnswer::NotFinite`] for a NaN or
/// infinite one.
pub fn noise_floor(log_ratios: &[f64]) -> Result<f64, NoAnswer> {
    at_least(1, log_ratios.len())?;
    finite(log_ratios)?;
    let away: Vec<f64> = log_ratios.iter().map(|r| r.exp_m1().abs()).collect();
    quantile(&away, 0.95)
}
