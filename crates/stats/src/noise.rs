use super::error::{NoAnswer, at_least, finite};
use super::normal::two_sided_z;
use super::order::median;
use super::ratio::hodges_lehmann;
use super::{ALPHA, MIN_RUNS};

/// The noise floor of a test without an A/A comparison in any session: 1 %.
pub const DEFAULT_NOISE_FLOOR: f64 = 0.01;

/// How far the ratio of two equal configurations is from 1 in a test, measured with a configuration that ran twice per round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfNoise {
    /// Variance of the ratio's logarithm.
    variance: f64,
    /// The number of pairs that the estimate is based on.
    pairs: usize,
}

impl SelfNoise {
    /// Estimates the noise from the log ratios of the pairs of one configuration with itself.
    ///
    /// The pairs scatter about 0 by chance. They may also all be shifted to one side, as the second run of a round can be. So the variance
    /// is the larger of two values: the variance of a mean that follows from the scatter, and the square of the Hodges-Lehmann estimate.
    ///
    /// # Errors
    /// [`NoAnswer::TooFew`] without a pair, [`NoAnswer::NotFinite`] for a NaN or infinite one.
    pub fn of(log_ratios: &[f64]) -> Result<Self, NoAnswer> {
        at_least(1, log_ratios.len())?;
        finite(log_ratios)?;
        let pairs = log_ratios.len();
        let scatter = log_ratios.iter().map(|log| log * log).sum::<f64>() / pairs as f64 / pairs as f64;
        Ok(Self { variance: scatter.max(hodges_lehmann(log_ratios).powi(2)), pairs })
    }

    /// Pools the noise of several configurations in one test, weighted by their pairs; none without a configuration.
    pub fn pooled(all: &[Self]) -> Option<Self> {
        let pairs: usize = all.iter().map(|one| one.pairs).sum();
        let sum: f64 = all.iter().map(|one| one.variance * one.pairs as f64).sum();
        (pairs > 0).then(|| Self { variance: sum / pairs as f64, pairs })
    }

    /// Returns the number of pairs that the estimate is based on.
    pub fn pairs(&self) -> usize {
        self.pairs
    }
}

/// The distance from 1 within which chance keeps the ratio of two equal configurations in 95 of 100 comparisons, as parts of 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseFloors {
    /// The floors of the tests, in the order given.
    pub tests: Vec<f64>,
    /// The floor of any test that was not among them.
    pub others: f64,
}

/// Returns the noise floors of tests.
///
/// Each test has its own floor, so that a noisy test does not hide a difference in a quiet one. A variance from few pairs is drawn towards
/// the median of all tests, as if six more pairs had shown the median: `(6 median + pairs own) / (6 + pairs)`.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a test: then only [`DEFAULT_NOISE_FLOOR`] is available.
pub fn noise_floors(tests: &[SelfNoise]) -> Result<NoiseFloors, NoAnswer> {
    let usual = median(&tests.iter().map(|test| test.variance).collect::<Vec<_>>())?;
    let drawn = MIN_RUNS as f64;
    let floor = |variance: f64| (two_sided_z(ALPHA) * variance.sqrt()).exp_m1();
    let of = |test: &SelfNoise| {
        let pairs = test.pairs as f64;
        floor((drawn * usual + pairs * test.variance) / (drawn + pairs))
    };
    Ok(NoiseFloors { tests: tests.iter().map(of).collect(), others: floor(usual) })
}
