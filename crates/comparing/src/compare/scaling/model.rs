//! How figures grow, as every output shows it.

use super::super::model::{Part, SideName};
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::{NoAnswer, Slope};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How one side's figure of a test grows along an axis, with everything else that was chosen held fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingCurve {
    pub test: u32,
    /// The test's name; where names tell the size (`25000 INSERTs`), with `N` for their numbers.
    pub name: String,
    /// `size`, or the name of an option.
    pub axis: String,
    pub side: SideName,
    /// What is fixed here and has another value on another curve of this side along the same axis.
    pub held: Part,
    /// What is not fixed, because it has one value for each value of the axis: an option that follows from it, the tier.
    pub moving: Vec<String>,
    /// Values of the axis that are no positive numbers, and so have no place on it.
    pub no_numbers: Vec<String>,
    pub figure: Growing,
    /// What was measured, along the axis.
    pub points: Vec<ScalingPoint>,
    /// Runs that are in no point, because their round does not have all points.
    pub left_out: usize,
    pub found: ScalingFound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Growing {
    /// The time of the whole test, ns: what grows with the size.
    Time,
    /// Operations a second: what grows with any option, and all that there is of a test that ended after a time.
    Rate,
}

impl Growing {
    /// The median of some figures of it.
    pub(super) fn median(self, figures: &[f64]) -> Result<f64, NoAnswer> {
        match self {
            Self::Time => Metric::Wall.median(figures),
            Self::Rate => Metric::Rate.median(figures),
        }
    }
}

/// What was measured at one value of the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The value, as it is stored.
    pub value: String,
    /// The value as a number, above 0.
    pub x: f64,
    /// The median over runs: ns, or operations a second; 0 where that is no number, because no time passed.
    pub figure: f64,
    /// Operations of one run.
    pub operations: u64,
    /// The wall times of the runs, ns; those of an operation where the test ended after a time.
    pub times_ns: Vec<u64>,
    /// The runs that these times are of, in the same order.
    pub run_ids: Vec<Uuid>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum ScalingFound {
    Fitted {
        /// One power law, or two that meet at a knee.
        segments: Vec<Segment>,
        /// How far the farthest point lies from the line, as a part of 1.
        off: f64,
        /// Rounds that have every point, a slope each; none: the points share too few, and slopes are of runs.
        rounds: Option<usize>,
    },
    /// Fewer values of the axis than a slope needs.
    TooFewPoints { have: usize, need: usize },
    /// Fewer rounds, or runs at a point, than an interval needs.
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

/// The curves by test and axis, in their order.
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
