use std::fmt;

/// Why a statistic has no answer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum NoAnswer {
    /// Fewer values than the statistic needs.
    TooFew {
        /// The number of values available (on the smaller side, if there are two).
        have: usize,
        /// The number of values needed (per side).
        need: usize,
    },
    /// Fewer different values of an axis than a line needs.
    TooFewPoints {
        /// The number of different values available.
        have: usize,
        /// The number of different values needed.
        need: usize,
    },
    /// Values of an axis that do not ascend: this value is not above the previous one.
    NotAscending(f64),
    /// Paired samples of different lengths, so that the pairs are unknown.
    UnequalLengths {
        /// The number of values of A.
        a: usize,
        /// The number of values of B.
        b: usize,
    },
    /// A value, or the result itself, is NaN or infinite.
    NotFinite(f64),
    /// A value is zero or negative where only positive ones have a logarithm.
    NotPositive(f64),
    /// A value outside 0 to 1 where a probability or a quantile is required.
    NotAProbability(f64),
    /// No session was repeated, or the repeated ones are equal to the last digit: the variation between sessions is unknown.
    Unreplicated,
    /// The statistic to be bootstrapped has no value for one of the resamples.
    Undefined,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { have, need } => write!(f, "need >= {need} runs, have {have}"),
            Self::TooFewPoints { have, need } => write!(f, "need >= {need} points, have {have}"),
            Self::NotAscending(value) => write!(f, "{value} is not above the previous value"),
            Self::UnequalLengths { a, b } => write!(f, "pairs need equal counts, have {a} and {b}"),
            Self::NotFinite(value) => write!(f, "{value} is not a finite number"),
            Self::NotPositive(value) => write!(f, "{value} is not positive, so it has no ratio"),
            Self::NotAProbability(value) => write!(f, "{value} is not between 0 and 1"),
            Self::Unreplicated => write!(f, "no session was repeated, so the difference between sessions is unknown"),
            Self::Undefined => write!(f, "the statistic has no value for a resample"),
        }
    }
}

impl std::error::Error for NoAnswer {}

/// Refuses fewer than `need` values.
pub(super) fn at_least(need: usize, have: usize) -> Result<(), NoAnswer> {
    if have < need { Err(NoAnswer::TooFew { have, need }) } else { Ok(()) }
}

/// Refuses NaN and infinite values.
pub(super) fn finite(values: &[f64]) -> Result<(), NoAnswer> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(NoAnswer::NotFinite(value)),
        None => Ok(()),
    }
}

/// Refuses values that have no logarithm.
pub(super) fn positive(values: &[f64]) -> Result<(), NoAnswer> {
    finite(values)?;
    match values.iter().find(|&&value| value <= 0.0) {
        Some(&value) => Err(NoAnswer::NotPositive(value)),
        None => Ok(()),
    }
}
