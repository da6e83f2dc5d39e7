//! What a series does over time: nothing, steps to other levels, or a drift.

use super::change::{MIN_STEPPED, change_points};
use super::correlated::{Estimated, correlation, fit_at, last_coefficient, likeliest};
use super::error::{NoAnswer, at_least};

/// By how much the deviance has to fall for a step to be one. Steps are where they fit best, so chance alone gains much: with 13 a step
/// was seen in at most 5 % of simulated series without one, whatever their neighbours' correlation (tests/stats/movement.rs). A
/// gain of 13 at a place that is known beforehand would have a p of 0.0003.
const STEP_GAIN: f64 = 13.0;

/// The same of a straight line, which is in one place only.
const LINE_GAIN: f64 = 4.0;

/// What a series does.
#[derive(Debug, Clone, PartialEq)]
pub struct Movement {
    pub kind: MovementKind,
    /// How much neighbours resemble each other in what is left without what was found: 0 not at all, to nearly 1.
    pub correlation: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MovementKind {
    /// Nothing that chance would not do.
    Still,
    /// It moves to other levels, at these places in their order; at least one.
    Steps(Vec<LevelStep>),
    /// It moves, and not in steps: along a line, or to and fro with neighbours that resemble each other.
    Drift(StraightLine),
}

/// A move to another level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelStep {
    /// The first value at the new level.
    pub at: usize,
    /// New level less old level, with its 95 % interval.
    pub shift: f64,
    pub low: f64,
    pub high: f64,
    /// How often a random order has a split as good.
    pub p: f64,
}

/// The straight line through a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightLine {
    /// The line at the first value.
    pub from: f64,
    /// How much higher it is at the last one, with its 95 % interval. An interval that has 0 in it shows no direction.
    pub shift: f64,
    pub low: f64,
    pub high: f64,
}

/// What a series does, in its order.
///
/// Where random orders of it look no different, it is still ([`change_points`]). Else it is explained three ways, each with noise of
/// which a part stays from one value to the next: by one level, by a straight line, and by the levels between the places that
/// `change_points` finds, without those that do not make it better. The best explanation is taken: steps each have to gain more
/// than a line, because they were looked for. So neighbours that resemble each other and a slow climb are a drift, and no steps.
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

/// Leaves out steps as long as one does not gain enough, the least useful first; those that stay, with their deviance and what
/// they have to gain.
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

/// A constant, and a line that rises by 1 from the first value to the last.
fn line(count: usize) -> Vec<Vec<f64>> {
    let last = count.saturating_sub(1).max(1) as f64;
    vec![vec![1.0; count], (0..count).map(|at| at as f64 / last).collect()]
}

/// A constant, and for each step a column that is 1 from it on.
fn levels(count: usize, steps: &[usize]) -> Vec<Vec<f64>> {
    let step = |from: &usize| (0..count).map(|at| f64::from(u8::from(at >= *from))).collect();
    std::iter::once(vec![1.0; count]).chain(steps.iter().map(step)).collect()
}

/// The same with the step at one place as the last column.
fn levels_with_last(count: usize, steps: &[usize], last: usize) -> Vec<Vec<f64>> {
    let mut columns = levels(count, steps);
    let column = columns.remove(last + 1);
    columns.push(column);
    columns
}
