//! How a series changes over time: not at all, in steps to other levels, or by a drift.

use super::change::{MIN_STEPPED, change_points};
use super::correlated::{Estimated, correlation, fit_at, last_coefficient, likeliest};
use super::error::{NoAnswer, at_least};

/// The reduction of the deviance that a step needs. Steps are placed where they fit best, so chance alone gains much: with 13, at most 5 %
/// of simulated series without a step showed one, whatever the correlation of neighbours (tests/stats/movement.rs). A gain of 13 at a place
/// known beforehand would have a p of 0.0003.
const STEP_GAIN: f64 = 13.0;

/// The reduction of the deviance that a straight line needs. It is lower, because a line has only one possible place.
const LINE_GAIN: f64 = 4.0;

/// The movement of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Movement {
    pub kind: MovementKind,
    /// The correlation of neighbours in the residuals of the movement: 0 for none, up to nearly 1.
    pub correlation: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MovementKind {
    /// No change beyond chance.
    Still,
    /// Steps to other levels, in their order; at least one.
    Steps(Vec<LevelStep>),
    /// A movement without steps: along a line, or to and fro with correlated neighbours.
    Drift(StraightLine),
}

/// A move to another level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelStep {
    /// The first value at the new level.
    pub at: usize,
    /// The new level minus the old level, with its 95 % interval.
    pub shift: f64,
    pub low: f64,
    pub high: f64,
    /// The probability that a random order has a split as good.
    pub p: f64,
}

/// The straight line through a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightLine {
    /// The line at the first value.
    pub from: f64,
    /// The rise of the line from the first value to the last, with its 95 % interval. An interval that contains 0 shows no direction.
    pub shift: f64,
    pub low: f64,
    pub high: f64,
}

/// Returns the movement of a series, given in its order.
///
/// If random orders of the series look no different, it is still ([`change_points`]). Otherwise it is explained in three ways, each with
/// noise that partly carries over from one value to the next: by one level, by a straight line, and by the levels between the places that
/// `change_points` finds, without the steps that do not improve the fit. The best explanation wins. Each step has to gain more than a line
/// does, because its place was searched for. So correlated neighbours and a slow climb count as a drift, not as steps.
///
/// # Errors
/// [`NoAnswer::TooFew`] below [`MIN_STEPPED`], [`NoAnswer::NotFinite`] when a value is NaN or infinite.
pub fn movement(series: &[f64], seed: u64) -> Result<Movement, NoAnswer> {
    at_least(MIN_STEPPED, series.len())?;
    let found = change_points(series, seed)?;
    let count = series.len();
    let level = levels(count, &[]);
    if found.is_empty() {
        return Ok(Movement { kind: MovementKind::Still, correlation: correlation(&level, series) });
    }
    let line = line(count);
    let (steps, stepped) = worth_it(series, found.iter().map(|change| change.at).collect());
    let straight = likeliest(&line, series).deviance + LINE_GAIN;
    let plain = likeliest(&level, series).deviance;
    if steps.is_empty() || stepped >= straight.min(plain) {
        let best = if straight < plain { &line } else { &level };
        return Ok(Movement {
            kind: MovementKind::Drift(slope(&line, series)),
            correlation: correlation(best, series),
        });
    }
    let p = |at: usize| found.iter().find(|change| change.at == at).map_or(f64::NAN, |change| change.p);
    let step = |place: usize| {
        let Estimated { value, low, high } = last_coefficient(&levels_with_last(count, &steps, place), series);
        LevelStep { at: steps[place], shift: value, low, high, p: p(steps[place]) }
    };
    let correlation = correlation(&levels(count, &steps), series);
    Ok(Movement { kind: MovementKind::Steps((0..steps.len()).map(step).collect()), correlation })
}

/// Removes steps that do not gain enough, the least useful first. Returns the remaining steps, with their deviance plus the gain that they
/// need.
fn worth_it(series: &[f64], mut steps: Vec<usize>) -> (Vec<usize>, f64) {
    let count = series.len();
    let mut fit = likeliest(&levels(count, &steps), series);
    while !steps.is_empty() {
        let without = |place: usize| -> Vec<usize> {
            steps.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, step)| *step).collect()
        };
        let deviance = |steps: &Vec<usize>| fit_at(&levels(count, steps), series, fit.correlation).deviance;
        let fewer = (0..steps.len()).map(without).min_by(|one, other| deviance(one).total_cmp(&deviance(other)));
        let Some(fewer) = fewer else { break };
        let simpler = likeliest(&levels(count, &fewer), series);
        if simpler.deviance - fit.deviance >= STEP_GAIN {
            break;
        }
        (steps, fit) = (fewer, simpler);
    }
    let asked = STEP_GAIN * steps.len() as f64;
    (steps, fit.deviance + asked)
}

fn slope(line: &[Vec<f64>], series: &[f64]) -> StraightLine {
    let Estimated { value, low, high } = last_coefficient(line, series);
    let centre = series.iter().sum::<f64>() / series.len() as f64;
    StraightLine { from: centre - value / 2.0, shift: value, low, high }
}

/// Returns two columns: a constant, and a line that rises by 1 from the first value to the last.
fn line(count: usize) -> Vec<Vec<f64>> {
    let last = count.saturating_sub(1).max(1) as f64;
    vec![vec![1.0; count], (0..count).map(|at| at as f64 / last).collect()]
}

/// Returns a constant column, and for each step a column that is 1 from the step on.
fn levels(count: usize, steps: &[usize]) -> Vec<Vec<f64>> {
    let step = |from: &usize| (0..count).map(|at| f64::from(u8::from(at >= *from))).collect();
    std::iter::once(vec![1.0; count]).chain(steps.iter().map(step)).collect()
}

/// Returns the same columns as `levels`, with the step at one place as the last column.
fn levels_with_last(count: usize, steps: &[usize], last: usize) -> Vec<Vec<f64>> {
    let mut columns = levels(count, steps);
    let column = columns.remove(last + 1);
    columns.push(column);
    columns
}
