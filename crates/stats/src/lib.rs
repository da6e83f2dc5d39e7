//! Statistics of comparisons: pure functions on slices, no I/O, no panics.
//!
//! The unit of replication is the run, and the session where there are several: every slice here holds one value a run (or
//! a round, or a session), never one an operation.
//! Times may be in any unit as long as both sides use the same one; every ratio is time A / time B, so a ratio below 1
//! says that A is faster. Values come in any order and are never assumed sorted.
//!
//! A comparison goes through in this order:
//!
//! 1. [`paired_ratio`] (or [`unpaired_ratio`], or of several sessions [`paired_session_ratio`] or [`session_ratio`]) gives
//!    the [`RatioInterval`] of each test of a table;
//! 2. [`signed_rank`] on [`log_ratios`] (or [`rank_sum`]; those of sessions have their own) gives each test's p value;
//! 3. [`benjamini_hochberg`] adjusts the p values of the whole table ([`holm`] those of trials that act on their first answer);
//! 4. [`noise_floors`] says how large a ratio the machine shows between two equal things, test by test;
//! 5. [`Evidence::verdict`] puts these together, and [`more_rounds`] says how many rounds would decide what is open.
//!
//! How a figure grows with the size or an option is [`scaling`]'s answer; whether it drifts with time, [`drift`]'s; what it
//! does from one session to the next, [`movement`]'s.
//!
//! Where there is no answer, [`NoAnswer`] says why.

mod adjust;
mod bootstrap;
mod change;
mod correlated;
mod drift;
mod error;
mod forecast;
mod least_squares;
mod movement;
mod noise;
mod normal;
mod null;
mod order;
mod rank_sum;
mod ranks;
mod ratio;
mod rounds;
mod scaling;
mod select;
mod sessions;
mod signed_rank;
mod spending;
mod student;
mod verdict;

pub use adjust::{benjamini_hochberg, holm};
pub use bootstrap::bootstrap_interval;
pub use change::{ChangePoint, MIN_STEPPED, change_points};
pub use drift::{Drift, MIN_STRETCHES, drift};
pub use error::NoAnswer;
pub use forecast::{Logs, MORE_ROUNDS_CAP, more_rounds};
pub use least_squares::{Fit, least_squares};
pub use movement::{LevelStep, Movement, MovementKind, StraightLine, movement};
pub use noise::{DEFAULT_NOISE_FLOOR, NoiseFloors, SelfNoise, noise_floors};
pub use normal::{two_sided_z, upper_tail};
pub use null::EXACT_LIMIT;
pub use order::{Interval, Spread, median, median_interval, quantile, spread};
pub use rank_sum::rank_sum;
pub use ranks::{Method, TestResult};
pub use ratio::{RatioInterval, geometric_mean, log_ratios, paired_ratio, paired_ratio_at, unpaired_ratio};
pub use rounds::rounds_needed;
pub use scaling::{FLAT_BAND, Growth, LogSamples, MIN_POINTS, MIN_SCALING_RUNS, Scaling, Slope, scaling};
pub use sessions::{SessionSpread, paired_session_ratio, ratios_of_sessions, session_ratio};
pub use signed_rank::signed_rank;
pub use spending::Spending;
pub use student::{student_p, student_t};
pub use verdict::{Evidence, Verdict};

/// Whether a ratio is no farther from 1 than the factor `1 + part`, either way and ends included: of 0.03, 1.03 and 1/1.03 are as
/// far. Whatever is said of a ratio is then said of its inverse, whichever of two sides is named first.
pub fn within(ratio: f64, part: f64) -> bool {
    let most = 1.0 + part;
    (most.recip()..=most).contains(&ratio)
}

/// The confidence that every interval here reaches at least (as far as its order statistics allow).
pub const CONFIDENCE: f64 = 0.95;

/// An adjusted p value below this is called significant: `1 - CONFIDENCE`.
pub const ALPHA: f64 = 0.05;

/// The fewest runs a side for an interval: with five, even the range from the smallest to the largest pair holds only
/// 93.75 %, `1 - 2 / 2^5`.
pub const MIN_RUNS: usize = 6;

/// The factor from 1, less 1, that counts as the same: an interval within 1/1.03 to 1.03 is `same`.
pub const SAME_BAND: f64 = 0.03;
