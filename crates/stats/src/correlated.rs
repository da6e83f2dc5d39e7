//! Fits to series with correlated neighbours: least squares with noise that partly carries over from one value to the next.

use super::ALPHA;
use super::least_squares::{Solved, solve};
use super::student::student_t;

/// The neighbour correlations that are tried. None is below 0, because assuming negatively correlated neighbours would narrow intervals.
const CORRELATIONS: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

/// The smallest residual per value that counts, for series without noise: the logarithm of 0 is not a number.
const LEAST_RESIDUAL: f64 = 1e-30;

/// A series explained by a sum of columns, with AR(1) noise: the part `correlation` of the noise carries over from one value to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CorrelatedFit {
    /// Twice the negative logarithm of the likelihood, up to a constant of the series. Smaller is better.
    pub(super) deviance: f64,
    pub(super) correlation: f64,
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimated {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The fit of greatest likelihood.
pub(super) fn likeliest(columns: &[Vec<f64>], series: &[f64]) -> CorrelatedFit {
    best(CORRELATIONS.map(|correlation| fit_at(columns, series, correlation)))
}

/// The fit with a given correlation.
pub(super) fn fit_at(columns: &[Vec<f64>], series: &[f64], correlation: f64) -> CorrelatedFit {
    let solved = whitened(columns, series, correlation);
    CorrelatedFit { deviance: deviance(&solved, series.len(), series.len(), correlation), correlation }
}

/// Returns the correlation of neighbours in the residuals of the columns, by restricted likelihood. The greatest likelihood alone
/// attributes a part of the correlation to the columns.
pub(super) fn correlation(columns: &[Vec<f64>], series: &[f64]) -> f64 {
    let restricted = |correlation: f64| {
        let solved = whitened(columns, series, correlation);
        let free = series.len() - solved.sizes.len().min(series.len());
        let determinant: f64 = solved.sizes.iter().map(|size| size.ln()).sum();
        let deviance = deviance(&solved, series.len(), free, correlation) + determinant;
        CorrelatedFit { deviance, correlation }
    };
    best(CORRELATIONS.map(restricted)).correlation
}

/// Returns the coefficient of the last column. Its interval is Student's, with as many degrees of freedom as independent values would have:
/// n values whose neighbours correlate by r carry as much information about a mean as n (1 - r) / (1 + r) independent ones. In simulations
/// (tests/stats/movement.rs) it contained the truth in 92 to 96 % of cases with correlations up to 0.8, from 20 values on.
pub(super) fn last_coefficient(columns: &[Vec<f64>], series: &[f64]) -> Estimated {
    let correlation = correlation(columns, series);
    let Solved { residual, sizes, last } = whitened(columns, series, correlation);
    let free = series.len().saturating_sub(sizes.len()).max(1) as f64;
    let freedom = (free * (1.0 - correlation) / (1.0 + correlation)).max(1.0);
    let error = (residual / free / sizes.last().copied().unwrap_or(f64::NAN)).sqrt();
    let reach = student_t(ALPHA, freedom as u32) * error;
    Estimated { value: last, low: last - reach, high: last + reach }
}

/// Twice the negative logarithm of the likelihood of `free` of `count` values.
fn deviance(solved: &Solved, count: usize, free: usize, correlation: f64) -> f64 {
    let share = (solved.residual / count as f64).max(LEAST_RESIDUAL);
    free as f64 * share.ln() - (1.0 - correlation * correlation).ln()
}

fn best(fits: [CorrelatedFit; CORRELATIONS.len()]) -> CorrelatedFit {
    let [first, rest @ ..] = fits;
    rest.into_iter().fold(first, |best, fit| if fit.deviance < best.deviance { fit } else { best })
}

/// Solves the least squares of the new part of each value, the part that does not carry over from its neighbour (Prais and Winsten, 1954).
fn whitened(columns: &[Vec<f64>], series: &[f64], correlation: f64) -> Solved {
    let first = (1.0 - correlation * correlation).sqrt();
    let new = |values: &[f64]| -> Vec<f64> {
        let begin = values.first().map(|value| value * first);
        begin.into_iter().chain(values.windows(2).map(|pair| pair[1] - correlation * pair[0])).collect()
    };
    solve(&columns.iter().map(|column| new(column)).collect::<Vec<_>>(), &new(series))
}
