//! Whether a figure drifts over time.

use super::{ALPHA, NoAnswer, student_t};
use crate::error::{at_least, positive};
use serde::{Deserialize, Serialize};

/// The fewest stretches of time that a drift is reported for.
pub const MIN_STRETCHES: usize = 6;

/// The change of a figure from the beginning to the end, as a part of 1 (0.1: it grows by a tenth), with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    pub change: f64,
    pub low: f64,
    pub high: f64,
}

impl Drift {
    /// Whether the interval excludes 0, so that the direction is certain.
    pub fn is_shown(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Fits a straight line through the logarithms of a figure over time, `places` from 0 (the beginning) to 1 (the end).
///
/// Each figure must cover a stretch of time long enough that neighbouring figures are nearly independent. Neighbouring seconds of a
/// database depend on each other (a checkpoint, a compaction), and would make the interval far too narrow. Source: Draper and Smith,
/// "Applied Regression Analysis", section 1.4.
///
/// # Errors
/// [`NoAnswer::TooFew`] below [`MIN_STRETCHES`], [`NoAnswer::NotPositive`] for a figure without a logarithm,
/// [`NoAnswer::UnequalLengths`].
pub fn drift(places: &[f64], figures: &[f64]) -> Result<Drift, NoAnswer> {
    if places.len() != figures.len() {
        return Err(NoAnswer::UnequalLengths { a: places.len(), b: figures.len() });
    }
    at_least(MIN_STRETCHES, figures.len())?;
    positive(figures)?;
    let count = figures.len() as f64;
    let logs: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
    let (centre, level) = (places.iter().sum::<f64>() / count, logs.iter().sum::<f64>() / count);
    let size: f64 = places.iter().map(|place| (place - centre).powi(2)).sum();
    let slope = places.iter().zip(&logs).map(|(place, log)| (place - centre) * log).sum::<f64>() / size;
    let misfit: f64 =
        places.iter().zip(&logs).map(|(place, log)| (log - level - slope * (place - centre)).powi(2)).sum();
    let freedom = figures.len() - 2;
    let error = (misfit / freedom as f64 / size).sqrt();
    let reach = student_t(ALPHA, freedom as u32) * error;
    Ok(Drift { change: slope.exp_m1(), low: (slope - reach).exp_m1(), high: (slope + reach).exp_m1() })
}
