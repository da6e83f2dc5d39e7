//! How a figure grows along an axis: a straight line through logarithms, or two that meet at a knee.

use super::ALPHA;
use super::error::{NoAnswer, at_least, finite, positive};
use super::student::{student_p, student_t};
use serde::{Deserialize, Serialize};

/// Half the width of the band around 0 that counts as flat. Over a tenfold range of the axis, 0.1 amounts to a quarter.
pub const FLAT_BAND: f64 = 0.1;

/// The fewest different values of an axis that a slope is reported for.
pub const MIN_POINTS: usize = 3;

/// The fewest values of an axis that can show a knee: any three are on two lines that meet in the middle.
const MIN_KNEE_POINTS: usize = 4;

/// The fewest rounds, or runs at each value of an axis.
pub const MIN_SCALING_RUNS: usize = 3;

/// The limit of p, multiplied by the number of places where a knee could be, below which two lines are fitted instead of one.
const KNEE_ALPHA: f64 = 0.01;

/// Natural logarithms of a figure, measured at several values of an axis.
#[derive(Debug, Clone, Copy)]
pub enum LogSamples<'s> {
    /// One row per round that measured every value of the axis, in the order of time; one logarithm per value of the axis.
    Rounds(&'s [Vec<f64>]),
    /// The runs of each value of the axis, which share no rounds.
    Apart(&'s [Vec<f64>]),
}

/// A slope of logarithms, the exponent of a power law, with its 95 % interval. No unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slope {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Slope {
    /// Whether the whole interval is within [`FLAT_BAND`] of 0.
    pub fn is_flat(&self) -> bool {
        self.low > -FLAT_BAND && self.high < FLAT_BAND
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// One power law.
    Line(Slope),
    /// Two power laws that meet at a value of the axis; `at` is the index of the value, from 0.
    Knee { at: usize, before: Slope, after: Slope },
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    pub growth: Growth,
    /// The logarithm of the fitted figure at each value of the axis.
    pub fitted: Vec<f64>,
    /// The distance of the farthest mean from the fit, as a part of 1: 0.1 for 10 %.
    pub off: f64,
}

/// Fits a power law, or two that meet at a knee, to a figure measured at the values `x` of an axis, ascending.
///
/// A slope is a weighted sum of the measurements at each x. If rounds are shared, it is calculated for each round, so that everything that
/// a round has in common (its inputs, the machine's state) cancels out. The interval is then Student's, with the long-run variance of
/// rounds, because noise may last from one run to the next. Otherwise the slope is calculated from the means at each x, whose noise may
/// differ, with Welch and Satterthwaite's degrees of freedom, rounded down. Every x has the same weight, however many runs it has.
///
/// A knee can be at each x except the ends, if there are four or more. The candidate is the knee whose two lines are closest to the means.
/// It is accepted if the change of slope is shown to be beyond [`FLAT_BAND`]: the p of the t statistic of the part beyond the band, times
/// the number of places, is below 0.01. A change that is real but small would not be visible as a bend. Source: Draper and Smith, "Applied
/// Regression Analysis", sections 1.4 and 14.4.
///
/// # Errors
/// [`NoAnswer::TooFewPoints`] below [`MIN_POINTS`] values of x, [`NoAnswer::TooFew`] below [`MIN_SCALING_RUNS`] rounds, or runs
/// at an x; [`NoAnswer::NotPositive`], [`NoAnswer::NotFinite`] or [`NoAnswer::NotAscending`] for an x or a logarithm that has
/// no place on the axis; [`NoAnswer::UnequalLengths`] for a round or a list of samples that does not fit x.
pub fn scaling(x: &[f64], samples: LogSamples<'_>) -> Result<Scaling, NoAnswer> {
    if x.len() < MIN_POINTS {
        return Err(NoAnswer::TooFewPoints { have: x.len(), need: MIN_POINTS });
    }
    positive(x)?;
    if let Some(pair) = x.windows(2).find(|pair| pair[1] <= pair[0]) {
        return Err(NoAnswer::NotAscending(pair[1]));
    }
    samples.check(x.len())?;
    let axis: Vec<f64> = x.iter().map(|x| x.ln()).collect();
    let means = samples.means();
    let straight = vec![axis.clone()];
    let bent = if x.len() < MIN_KNEE_POINTS { None } else { samples.knee(&axis, &means) };
    let (growth, columns) = match bent {
        Some(found) => found,
        None => (Growth::Line(samples.estimate(&weights(&axis, None)).slope()), straight),
    };
    let fitted = fitted(&means, &columns);
    let off = means.iter().zip(&fitted).map(|(mean, line)| (mean - line).abs().exp_m1()).fold(0.0, f64::max);
    Ok(Scaling { growth, fitted, off })
}

/// An estimate with its standard error.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
    freedom: u32,
}

impl Estimate {
    fn slope(self) -> Slope {
        let reach = student_t(ALPHA, self.freedom) * self.error;
        Slope { value: self.value, low: self.value - reach, high: self.value + reach }
    }

    /// Returns the p of the hypothesis that the value is no farther from 0 than `band`.
    fn p_beyond(self, band: f64) -> f64 {
        let beyond = self.value.abs() - band;
        if beyond <= 0.0 {
            1.0
        } else if self.error > 0.0 {
            student_p(beyond / self.error, self.freedom)
        } else {
            0.0
        }
    }
}

impl LogSamples<'_> {
    fn check(&self, points: usize) -> Result<(), NoAnswer> {
        let unequal = |b: usize| Err(NoAnswer::UnequalLengths { a: points, b });
        match self {
            Self::Rounds(rounds) => {
                at_least(MIN_SCALING_RUNS, rounds.len())?;
                rounds.iter().find(|round| round.len() != points).map_or(Ok(()), |round| unequal(round.len()))?;
            }
            Self::Apart(lists) if lists.len() != points => return unequal(lists.len()),
            Self::Apart(lists) => lists.iter().try_for_each(|runs| at_least(MIN_SCALING_RUNS, runs.len()))?,
        }
        let (Self::Rounds(lists) | Self::Apart(lists)) = self;
        lists.iter().try_for_each(|list| finite(list))
    }

    /// Returns the mean at each x.
    fn means(&self) -> Vec<f64> {
        match self {
            Self::Rounds(rounds) => (0..rounds.first().map_or(0, Vec::len))
                .map(|at| rounds.iter().map(|round| round[at]).sum::<f64>() / rounds.len() as f64)
                .collect(),
            Self::Apart(lists) => lists.iter().map(|runs| mean(runs)).collect(),
        }
    }

    /// Returns the sum of the measurement at each x times its weight; the weights add up to 0.
    fn estimate(&self, weights: &[f64]) -> Estimate {
        match self {
            Self::Rounds(rounds) => {
                let sums: Vec<f64> = rounds.iter().map(|round| dot(round, weights)).collect();
                let (variance, freedom) = long_run_variance(&sums);
                Estimate { value: mean(&sums), error: (variance / sums.len() as f64).sqrt(), freedom }
            }
            Self::Apart(lists) => {
                let part = |(runs, weight): (&Vec<f64>, &f64)| {
                    (weight * weight * variance(runs) / runs.len() as f64, (runs.len() - 1) as f64)
                };
                let parts: Vec<(f64, f64)> = lists.iter().zip(weights).map(part).collect();
                let total: f64 = parts.iter().map(|(part, _)| part).sum();
                let welch = total * total / parts.iter().map(|(part, freedom)| part * part / freedom).sum::<f64>();
                // Without noise the interval has no width, so any number serves; the formula would give 0 / 0.
                let freedom = if welch.is_finite() { welch.max(1.0) as u32 } else { 1 };
                Estimate { value: dot(&self.means(), weights), error: total.sqrt(), freedom }
            }
        }
    }

    /// Returns the knee, if it is clearly better than one line, with the columns of its fit.
    fn knee(&self, axis: &[f64], means: &[f64]) -> Option<(Growth, Vec<Vec<f64>>)> {
        let places = 1..axis.len() - 1;
        let misfit = |columns: &[Vec<f64>]| -> f64 {
            fitted(means, columns).iter().zip(means).map(|(line, mean)| (line - mean).powi(2)).sum()
        };
        let candidates = places.len() as f64;
        let (at, columns) =
            places.map(|at| (at, bend(axis, at))).min_by(|a, b| misfit(&a.1).total_cmp(&misfit(&b.1)))?;
        let before = weights(&columns[0], Some(&columns[1]));
        let after = weights(&columns[1], Some(&columns[0]));
        let change: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
        let shown = self.estimate(&change).p_beyond(FLAT_BAND) * candidates < KNEE_ALPHA;
        let growth =
            || Growth::Knee { at, before: self.estimate(&before).slope(), after: self.estimate(&after).slope() };
        shown.then(|| (growth(), columns))
    }
}

/// Returns two columns that are 0 at the knee: one rises before it, one after.
fn bend(axis: &[f64], at: usize) -> Vec<Vec<f64>> {
    let from_knee = || axis.iter().map(|place| place - axis[at]);
    vec![from_knee().map(|place| place.min(0.0)).collect(), from_knee().map(|place| place.max(0.0)).collect()]
}

/// Returns the weights of the values. Their weighted sum is the coefficient of a column in a least-squares fit with a constant, and with
/// one other column if there is one.
fn weights(column: &[f64], other: Option<&[f64]>) -> Vec<f64> {
    let mut own = centred(column);
    if let Some(other) = other.map(centred) {
        let share = dot(&own, &other) / dot(&other, &other);
        own.iter_mut().zip(&other).for_each(|(own, other)| *own -= share * other);
    }
    let size = dot(&own, &own);
    own.iter().map(|own| own / size).collect()
}

/// Returns the least-squares fit to the means by a constant and one or two columns.
fn fitted(means: &[f64], columns: &[Vec<f64>]) -> Vec<f64> {
    let level = mean(means);
    let mut line = vec![level; means.len()];
    for (at, column) in columns.iter().enumerate() {
        let other = columns.iter().enumerate().find(|(other, _)| *other != at).map(|(_, other)| other.as_slice());
        let slope = dot(means, &weights(column, other));
        line.iter_mut().zip(centred(column)).for_each(|(line, place)| *line += slope * place);
    }
    line
}

fn centred(values: &[f64]) -> Vec<f64> {
    let centre = mean(values);
    values.iter().map(|value| value - centre).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the long-run variance of a series of two or more values, with its degrees of freedom. Divided by the number of values, it is the
/// variance of their mean, as for independent values. Correlated neighbours make it larger than the variance of a sample.
///
/// It is the mean square of the slowest cosine components: half as many as there are values, but at least five if there are enough values.
/// All components together would give the variance of a sample. Source: Lazarus, Lewis, Stock and Watson, "HAR Inference: Recommendations
/// for Practice", Journal of Business and Economic Statistics 36 (2018).
fn long_run_variance(values: &[f64]) -> (f64, u32) {
    const FEWEST_COSINES: usize = 5;
    let count = values.len();
    let cosines = FEWEST_COSINES.max(count / 2).min(count - 1);
    let centred = centred(values);
    let share = |cosine: usize| {
        let turn = std::f64::consts::PI * cosine as f64 / count as f64;
        let part = centred.iter().zip(0..).map(|(value, at)| value * (turn * (f64::from(at) + 0.5)).cos()).sum::<f64>();
        2.0 / count as f64 * part * part
    };
    ((1..=cosines).map(share).sum::<f64>() / cosines as f64, cosines as u32)
}

/// Returns the variance of a sample of two or more values.
fn variance(values: &[f64]) -> f64 {
    let centred = centred(values);
    dot(&centred, &centred) / (values.len() - 1) as f64
}
