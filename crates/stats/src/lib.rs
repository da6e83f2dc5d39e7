//! Statistics of comparisons: pure functions on slices, no I/O, no panics.
//!
//! The unit of replication is the run, and the session if there are several. Every slice here holds one value per run (or round, or
//! session), never one per operation. Times may be in any unit, but both sides must use the same one. Every ratio is time A / time B, so a
//! ratio below 1 means that A is faster. Values come in any order; the functions never assume that they are sorted.
//!
//! A comparison takes these steps:
//!
//! 1. [`paired_ratio`] (or [`unpaired_ratio`], or for several sessions [`paired_session_ratio`] or [`session_ratio`]) returns
//!    the [`RatioInterval`] of each test of a table;
//! 2. [`signed_rank`] on [`log_ratios`] (or [`rank_sum`]; the session functions return their own) returns each test's p value;
//! 3. [`benjamini_hochberg`] adjusts the p values of the whole table ([`holm`] for trials that act on their first answer);
//! 4. [`noise_floors`] estimates how large a ratio the machine shows between two equal things, for each test;
//! 5. [`Evidence::verdict`] combines these, and [`more_rounds`] estimates how many rounds would decide an undecided test.
//!
//! [`scaling`] describes how a figure grows with the size or an option; [`drift`] whether it drifts with time; [`movement`] how it changes
//! from one session to the next.
//!
//! If there is no answer, [`NoAnswer`] gives the reason.

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

/// Whether a ratio is within the factor `1 + part` of 1, in either direction, ends included: for 0.03, the limits are 1.03 and 1/1.03. So a
/// ratio and its inverse get the same answer, and the order of the two sides does not matter.
pub fn within(ratio: f64, part: f64) -> bool {
    let most = 1.0 + part;
    (most.recip()..=most).contains(&ratio)
}

/// The minimum confidence of every interval here (as far as its order statistics allow).
pub const CONFIDENCE: f64 = 0.95;

/// The limit of significance: an adjusted p value below it is significant. `1 - CONFIDENCE`.
pub const ALPHA: f64 = 0.05;

/// The fewest runs per side for an interval: with five, even the range from the smallest to the largest pair has a confidence of only 93.75
/// %, `1 - 2 / 2^5`.
pub const MIN_RUNS: usize = 6;

/// The largest difference that counts as the same, as a factor less 1: an interval within 1/1.03 to 1.03 is `same`.
pub const SAME_BAND: f64 = 0.03;
