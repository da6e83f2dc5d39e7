use super::error::{NoAnswer, at_least, finite};
use super::normal::two_sided_z;
use super::order::median;
use super::ratio::hodges_lehmann;
use super::{ALPHA, MIN_RUNS};

/// The noise floor of a test that no session ran A against A: 1 %.
pub const DEFAULT_NOISE_FLOOR: f64 = 0.01;

/// How far from 1 the ratio of two equal configurations comes out in a test, as a configuration that ran twice a round showed it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfNoise {
    /// Variance of the ratio's logarithm.
    variance: f64,
    /// Pairs that it rests on.
    pairs: usize,
}

impl SelfNoise {
    /// Of the log ratios of the pairs of one configuration with itself.
    ///
    /// The pairs scatter about 0 by chance, and may all be off to one side, as a second run of a round can be: the variance is the larger
    /// of what the scatter leaves of a mean, and the square of the Hodges-Lehmann estimate.
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

    /// What several configurations showed in one test, weighed by their pairs; none without one.
    pub fn pooled(all: &[Self]) -> Option<Self> {
        let pairs: usize = all.iter().map(|one| one.pairs).sum();
        let sum: f64 = all.iter().map(|one| one.variance * one.pairs as f64).sum();
        (pairs > 0).then(|| Self { variance: sum / pairs as f64, pairs })
    }

    /// Pairs that it rests on.
    pub fn pairs(&self) -> usize {
        self.pairs
    }
}

/// How far from 1 chance takes the ratio of two equal configurations in 95 of 100 comparisons, as parts of 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseFloors {
    /// Of each test, in the order given.
    pub tests: Vec<f64>,
    /// Of a test that was not among them.
    pub others: f64,
}

/// The noise floors of tests.
///
/// Each test has its own, so that a noisy test hides no difference of a quiet one. A variance that rests on few pairs is drawn towards
/// the median of all tests, as if six more pairs had shown that one: `(6 median + pairs own) / (6 + pairs)`.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a test: then [`DEFAULT_NOISE_FLOOR`] is all there is.
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
