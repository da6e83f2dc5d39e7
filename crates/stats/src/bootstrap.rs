use super::error::{NoAnswer, at_least, finite};
use super::order::{Interval, quantile};
use super::{ALPHA, CONFIDENCE, MIN_RUNS};
use dbdyno_workload::rng::SplitMix64;

/// The bootstrap percentile interval of any statistic of runs or rounds, in the statistic's unit.
///
/// Draws `runs.len()` whole runs with replacement, `resamples` times (1,000 are usual), and returns the 2.5 % and 97.5 % quantiles of the
/// statistic. A run is drawn with all of its data (its histogram, say): operations within a run are not independent, so resampling them
/// would give intervals far too narrow. The confidence is nominal; below about 20 runs the interval tends to be too narrow. For the ratio
/// of two configurations [`paired_ratio`](super::paired_ratio) is tighter and needs no random numbers: use the bootstrap for percentiles.
/// Source: Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13.
///
/// # Errors
/// [`NoAnswer::TooFew`] below [`MIN_RUNS`] runs or without a resample, [`NoAnswer::Undefined`] when the statistic has no
/// value for a resample, [`NoAnswer::NotFinite`] when a value is NaN or infinite.
pub fn bootstrap_interval<T>(
    runs: &[T],
    resamples: usize,
    rng: &mut SplitMix64,
    statistic: impl Fn(&[&T]) -> Option<f64>,
) -> Result<Interval, NoAnswer> {
    at_least(MIN_RUNS, runs.len())?;
    at_least(1, resamples)?;
    let mut drawn = Vec::with_capacity(runs.len());
    let mut values = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        drawn.clear();
        drawn.extend((0..runs.len()).map(|_| &runs[rng.below(runs.len() as u64) as usize]));
        values.push(statistic(&drawn).ok_or(NoAnswer::Undefined)?);
    }
    finite(&values)?;
    Ok(Interval {
        low: quantile(&values, ALPHA / 2.0)?,
        high: quantile(&values, 1.0 - ALPHA / 2.0)?,
        confidence: CONFIDENCE,
    })
}
