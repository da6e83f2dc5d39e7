//! Two selections of stored runs become one table with verdicts.
//!
//! [`load`] reads a side from the store; [`compare`] is a pure function of two sides, so that the command line, the
//! terminal UI and published claims all show the same [`Comparison`].
//!
//! 1. The results of both sides are laid out in lines: a test at a size (and, for a pivot, a part of A).
//! 2. What stands against comparing a line is looked for: see [`ObstacleKind`]. Some of it can be allowed.
//! 3. Runs of the same session and round become pairs. Where there are not enough pairs, runs of one session are compared unpaired, and
//!    of several their medians: sessions differ by more than their runs do.
//! 4. Ratio, interval and p come from [`stats`](crate::stats), p values are adjusted over all lines, verdicts follow.
//!
//! How the figures of a side grow with the size or an option is told without a ratio: see [`ScalingCurve`].

mod evidence;
mod facts;
mod gate;
mod latency;
mod layout;
mod load;
mod model;
mod noise;
mod obstacles;
mod options;
mod pairs;
mod pivot;
mod scaling;
mod sessions;
mod sizes;
mod trend;
mod warnings;

pub use gate::{Gate, OpenReason, OpenTest, gate};
pub use load::{Side, by_configuration, load, others_of, with_repeats};
pub use model::{
    Bucket, COMPARISON_VERSION, ComparedSessions, Comparison, Figure, FigureRange, JudgedRatio, Latency, Line, Mean,
    MeasuredConfiguration, NoiseBasis, NoiseFloor, Obstacle, ObstacleKind, OverSizes, Part, Pivot, PivotCell, PivotRow,
    RatioRange, SideFacts, SideName, SizeRatio,
};
pub use options::{Axis, Options};
pub use pivot::axis_value;
pub use scaling::{Corner, CurveFamily, Growing, ScalingCurve, ScalingFound, ScalingPoint, Segment, curve_families};
pub use sizes::{TestKey, by_test};
pub use trend::{Trend, TrendChange, TrendPoint, TrendSeries, trend};

use evidence::{Known, LineDraft};
use sessions::Repeats;

/// A beside B.
pub fn compare(a: &Side, b: &Side, options: &Options) -> Comparison {
    let (lines, compared) = evidence::judge(drafts(a, b, options), a.metric);
    comparison(a, b, options, lines, compared)
}

/// Each of several sides as A beside one reference as B. Their tests are one family: what is called faster or slower in any of these tables
/// is so together.
pub fn compare_all(candidates: &[Side], reference: &Side, options: &Options) -> Vec<Comparison> {
    let each: Vec<_> = candidates.iter().map(|candidate| drafts(candidate, reference, options)).collect();
    let lengths: Vec<usize> = each.iter().map(Vec::len).collect();
    let (lines, compared) = evidence::judge(each.into_iter().flatten().collect(), reference.metric);
    let mut lines = lines.into_iter();
    let of = |(candidate, length): (&Side, usize)| {
        comparison(candidate, reference, options, lines.by_ref().take(length).collect(), compared)
    };
    candidates.iter().zip(lengths).map(of).collect()
}

fn drafts(a: &Side, b: &Side, options: &Options) -> Vec<LineDraft> {
    let known = Known { places: facts::places(&[a, b]), floors: noise::floors(&[a, b]), repeats: Repeats::of(&[a, b]) };
    layout::lines(a, b, options).into_iter().map(|line| evidence::draft(line, &known, a.metric, options)).collect()
}

fn comparison(a: &Side, b: &Side, options: &Options, lines: Vec<Line>, compared: usize) -> Comparison {
    Comparison {
        version: COMPARISON_VERSION,
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        command: options.command.clone(),
        metric: a.metric,
        a: facts::of_side(a),
        b: facts::of_side(b),
        compared,
        means: sizes::means(&lines),
        by_size: options.by_size.then(|| sizes::over_sizes(&lines)),
        pivot: options.pivot.as_ref().map(|(row, column)| pivot::table(&lines, row, column)),
        scaling: options.scaling.then(|| scaling::curves(a, b)),
        warnings: warnings::warnings(&lines, &[a, b]),
        lines,
    }
}
