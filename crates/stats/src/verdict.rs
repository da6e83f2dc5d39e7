use super::error::NoAnswer;
use super::ratio::RatioInterval;
use super::{ALPHA, SAME_BAND, within};
use serde::{Deserialize, Serialize};

/// What a comparison of one test says of A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum Verdict {
    /// A takes less time: shown beyond chance, and beyond the noise floor.
    Faster,
    /// A takes more time: shown beyond chance, and beyond the noise floor.
    Slower,
    /// No difference was shown, and a factor of more than 1.03, either way, is ruled out.
    Same,
    /// Neither a difference nor that there is none was shown.
    Undecided {
        /// With how many more rounds nine in ten are decided; `None` when that is not in reach. See
        /// [`more_rounds`](super::more_rounds).
        more_rounds: Option<u32>,
    },
    /// Too few runs for an interval.
    TooFew {
        /// The runs needed a side.
        need: usize,
    },
}

/// What the verdict on one test of a table rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The ratio of the times with its interval, or why there is none.
    pub interval: Result<RatioInterval, NoAnswer>,
    /// The test's p value after the adjustment over the table, by [`benjamini_hochberg`](super::benjamini_hochberg) or
    /// [`holm`](super::holm).
    pub p_adjusted: f64,
    /// The ratio's distance from 1 that chance alone makes, as [`within`] takes it: of [`noise_floors`](super::noise_floors), or
    /// [`DEFAULT_NOISE_FLOOR`](super::DEFAULT_NOISE_FLOOR).
    pub noise_floor: f64,
}

impl Evidence {
    /// The verdict. `more_rounds` is called where it is undecided.
    ///
    /// `Faster` or `Slower` when `p_adjusted` is below [`ALPHA`], the interval excludes 1, and the ratio is farther from
    /// 1 than the noise floor. Else `Same` when the interval is [`within`] [`SAME_BAND`] of 1. Else `Undecided`. Distances
    /// are factors, so that exchanging A and B changes the side and never the word.
    ///
    /// The order matters where a difference is shown and small: 0.98 within [0.975, 0.985] is `Faster`, not `Same`. Such
    /// a difference is real, and larger than what the machine shows between equal things; to call it none would
    /// contradict the figure beside it, and whoever finds 2 % too small to care about can read that from the ratio.
    /// Where it is within the noise floor, it is `Same`.
    ///
    /// # Errors
    /// The reason why there is no interval, unless that is [`NoAnswer::TooFew`] or [`NoAnswer::Unreplicated`], which are verdicts.
    pub fn verdict(&self, more_rounds: impl FnOnce() -> Option<u32>) -> Result<Verdict, NoAnswer> {
        let interval = match self.interval {
            Ok(interval) => interval,
            Err(NoAnswer::TooFew { need, .. }) => return Ok(Verdict::TooFew { need }),
            Err(NoAnswer::Unreplicated) => return Ok(Verdict::Undecided { more_rounds: None }),
            Err(reason) => return Err(reason),
        };
        let shown = self.p_adjusted < ALPHA && !within(interval.ratio, self.noise_floor);
        Ok(if shown && interval.high < 1.0 {
            Verdict::Faster
        } else if shown && interval.low > 1.0 {
            Verdict::Slower
        } else if within(interval.low, SAME_BAND) && within(interval.high, SAME_BAND) {
            Verdict::Same
        } else {
            Verdict::Undecided { more_rounds: more_rounds() }
        })
    }
}
