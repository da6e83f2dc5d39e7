use super::error::NoAnswer;
use super::ratio::RatioInterval;
use super::{ALPHA, SAME_BAND, within};
use serde::{Deserialize, Serialize};

/// The verdict on A from a comparison of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum Verdict {
    /// A takes less time: shown beyond chance and beyond the noise floor.
    Faster,
    /// A takes more time: shown beyond chance and beyond the noise floor.
    Slower,
    /// No difference was shown, and a difference of more than a factor of 1.03, in either direction, is ruled out.
    Same,
    /// Neither a difference nor its absence was shown.
    Undecided {
        /// The number of further rounds with which nine in ten are decided; `None` if that is not in reach. See
        /// [`more_rounds`](super::more_rounds).
        more_rounds: Option<u32>,
    },
    /// Too few runs for an interval.
    TooFew {
        /// The number of runs needed per side.
        need: usize,
    },
}

/// The evidence for the verdict on one test of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The ratio of the times with its interval, or the reason why there is none.
    pub interval: Result<RatioInterval, NoAnswer>,
    /// The test's p value after the adjustment over the table, by [`benjamini_hochberg`](super::benjamini_hochberg) or
    /// [`holm`](super::holm).
    pub p_adjusted: f64,
    /// The ratio's distance from 1 that chance alone can cause, as defined by [`within`]: from [`noise_floors`](super::noise_floors), or
    /// [`DEFAULT_NOISE_FLOOR`](super::DEFAULT_NOISE_FLOOR).
    pub noise_floor: f64,
}

impl Evidence {
    /// Returns the verdict. Calls `more_rounds` if the verdict is undecided.
    ///
    /// `Faster` or `Slower` if `p_adjusted` is below [`ALPHA`], the interval excludes 1, and the ratio is farther from 1 than the noise
    /// floor. Otherwise `Same` if the interval is [`within`] [`SAME_BAND`] of 1. Otherwise `Undecided`. Distances are factors, so
    /// exchanging A and B mirrors the verdict and changes nothing else.
    ///
    /// The order matters if a difference is shown but small: 0.98 within [0.975, 0.985] is `Faster`, not `Same`. Such a difference is real,
    /// and larger than the machine shows between equal things. A verdict of no difference would contradict the figure next to it, and
    /// readers for whom 2 % is too small can see that from the ratio. Within the noise floor, it is `Same`.
    ///
    /// # Errors
    /// The reason why there is no interval, except [`NoAnswer::TooFew`] and [`NoAnswer::Unreplicated`], which are verdicts.
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
