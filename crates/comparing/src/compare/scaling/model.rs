//! How figures grow, as every output shows it.

use super::super::model::{Part, SideName};
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::{NoAnswer, Slope};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How one side's figure of a test grows along an axis, with all other chosen settings fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingCurve {
    pub test: u32,
    /// The test's name; if names contain the size (`25000 INSERTs`), with `N` for the numbers.
    pub name: String,
    /// `size`, or the name of an option.
    pub axis: String,
    pub side: SideName,
    /// The settings that are fixed here and have other values on other curves of this side along the same axis.
    pub held: Part,
    /// Settings that are not fixed, because they have one value for each value of the axis: an option that follows from it, the tier.
    pub moving: Vec<String>,
    /// Values of the axis that are not positive numbers, so they have no position on it.
    pub no_numbers: Vec<String>,
    pub figure: Growing,
    /// The measured points, along the axis.
    pub points: Vec<ScalingPoint>,
    /// The number of runs that are in no point, because their round does not have all points.
    pub left_out: usize,
    pub found: ScalingFound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Growing {
    /// The time of the whole test, ns. It grows with the size.
    Time,
    /// Operations per second. They can grow with any option, and are the only figure of a test that ended after a fixed time.
    Rate,
}

impl Growing {
    /// Returns the median of several figures of this kind.
    pub(super) fn median(self, figures: &[f64]) -> Result<f64, NoAnswer> {
        match self {
            Self::Time => Metric::Wall.median(figures),
            Self::Rate => Metric::Rate.median(figures),
        }
    }
}

/// The measurement at one value of the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The value, as it is stored.
    pub value: String,
    /// The value as a number, above 0.
    pub x: f64,
    /// The median over runs: ns, or operations per second; 0 if that is not a number, because no time passed.
    pub figure: f64,
    /// Operations of one run.
    pub operations: u64,
    /// The wall times of the runs, ns; per operation if the test ended after a fixed time.
    pub times_ns: Vec<u64>,
    /// The runs of these times, in the same order.
    pub run_ids: Vec<Uuid>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum ScalingFound {
    Fitted {
        /// One power law, or two that meet at a knee.
        segments: Vec<Segment>,
        /// The distance of the farthest point from the line, as a part of 1.
        off: f64,
        /// The number of rounds that have every point, each with its own slope; none: the points share too few rounds, and slopes are based
        /// on runs.
        rounds: Option<usize>,
    },
    /// Fewer values of the axis than a slope requires.
    TooFewPoints { have: usize, need: usize },
    /// Fewer rounds, or runs at a point, than an interval requires.
    TooFewRuns { have: usize, need: usize },
    /// Some answers are wrong.
    FailedVerification { wrong: usize, runs: usize },
    /// A time or a number of operations is 0.
    NoLogarithm,
}

/// A power law: figure = constant * x^slope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    pub from: Corner,
    pub to: Corner,
    /// The exponent, with its 95 % interval.
    pub slope: Slope,
}

/// An end of a fitted line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Corner {
    pub x: f64,
    /// The fitted figure: ns, or operations a second.
    pub figure: f64,
}

/// The curves of a test along an axis, of both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveFamily<'c> {
    pub test: u32,
    pub name: &'c str,
    pub axis: &'c str,
    pub curves: &'c [ScalingCurve],
}

/// Groups the curves by test and axis, in their order.
pub fn curve_families(curves: &[ScalingCurve]) -> Vec<CurveFamily<'_>> {
    let family = |one: &ScalingCurve, next: &ScalingCurve| {
        (one.test, &one.name, &one.axis) == (next.test, &next.name, &next.axis)
    };
    let families = curves.chunk_by(family).filter_map(|curves| {
        let ScalingCurve { test, name, axis, .. } = curves.first()?;
        Some(CurveFamily { test: *test, name, axis, curves })
    });
    families.collect()
}
