//! Turns two selections of stored runs into one table with verdicts.
//!
//! [`load`] reads a side from the store; [`compare`] is a pure function of two sides, so that the command line, the
//! terminal UI and published claims all show the same [`Comparison`].
//!
//! 1. The results of both sides are laid out in lines: a test at a size, for configurations of A and B that agree in the keys that both
//!    sides have.
//! 2. Each line is checked for obstacles to comparing it: see [`ObstacleKind`]. Some obstacles can be allowed.
//! 3. Runs of the same session and round become pairs. If there are not enough pairs, runs are compared unpaired. If there are several
//!    sessions, each is one ratio, or one median per side: sessions differ by more than their runs do.
//! 4. A line with added rounds has had an earlier look, and pays for it: see [`Spending`](dbdyno_stats::Spending).
//! 5. [`stats`](dbdyno_stats) calculates ratio, interval and p; p values are adjusted over all lines; verdicts follow.
//!
//! How the figures of a side grow with the size or an option is reported without a ratio: see [`ScalingCurve`].

mod conditions;
mod doubts;
mod evidence;
mod exact;
mod explained;
mod facts;
mod gate;
mod groups;
mod latency;
mod layout;
mod leader;
mod load;
mod looks;
mod matching;
mod model;
mod noise;
mod obstacles;
mod options;
mod pairs;
mod pivot;
mod plans;
mod reason;
mod scaling;
mod secondary;
mod sessions;
mod since;
mod sizes;
mod trend;
mod zeros;

pub use explained::ExplainedSide;
pub use gate::{Gate, OpenReason, OpenTest, gate};
pub use groups::{Grouped, ReferenceGroup, grouped};
pub use leader::{ComparedGroups, Leader, LeaderDuel, by_reference};
pub use load::{Side, as_rates, by_configuration, load, load_all, load_both, of_sessions, others_of, with_repeats};
pub use looks::{AnotherLook, price};
pub use model::{
    Bucket, COMPARISON_VERSION, ComparedSessions, Comparison, Figure, FigureRange, JudgedRatio, Latency, Line, Mean,
    MeasuredConfiguration, NoiseBasis, NoiseFloor, Obstacle, ObstacleKind, OverSizes, Overall, Part, Pivot, PivotCell,
    PivotRow, RatioRange, SideFacts, SideName, SizeRatio,
};
pub use options::{Axis, Options, RatioForm, Several};
pub use pivot::axis_value;
pub use plans::StatementPlans;
pub use reason::{PartCounts, PartDifference, PlanDifference, Reason, SplitTime, TimePart};
pub use scaling::{
    Corner, CurveFamily, Growing, Grown, ScalingCurve, ScalingFound, ScalingPoint, Segment, curve_families, grown,
};
pub use secondary::{SecondaryLine, SecondaryMetric};
pub use since::{Since, SinceError};
pub use sizes::{TestKey, by_test, over_sizes, without_numbers};
pub use trend::{Trend, TrendChange, TrendDrift, TrendPoint, TrendSeries, trend};

use dbdyno_foundation::metric::Metric;
use evidence::{CommonFacts, LineDraft};
use layout::Layout;
use rayon::prelude::*;
use sessions::Repeats;

/// Compares A with B.
pub fn compare(a: &Side, b: &Side, options: &Options) -> Comparison {
    let Drafts { lines, unmatched } = drafts(a, b, options);
    let (lines, compared) = evidence::judge(lines, a.metric, options);
    comparison(a, b, options, lines, compared, unmatched)
}

/// Compares each of several sides as A with one reference as B. Their tests are one family, so the error rate covers the differences in all
/// of these tables together.
pub fn compare_all(candidates: &[Side], reference: &Side, options: &Options) -> Vec<Comparison> {
    compare_chosen(candidates.iter().map(|candidate| (candidate, reference, true)).collect(), options)
}

/// Compares the sides of several groups, each with the reference of its group, in their order. All tests of all groups are one family.
pub fn compare_groups(groups: &[ReferenceGroup], options: &Options) -> Vec<Comparison> {
    let pairs = groups.iter().flat_map(|group| group.candidates.iter().map(move |side| (side, &group.reference, true)));
    compare_chosen(pairs.collect(), options)
}

/// Compares pairs of sides, whose tests are one family, and returns the comparisons that are wanted.
fn compare_chosen(pairs: Vec<(&Side, &Side, bool)>, options: &Options) -> Vec<Comparison> {
    let metric = pairs.first().map_or_else(Metric::default, |(_, reference, _)| reference.metric);
    let mut each: Vec<Drafts> = pairs.iter().map(|(a, b, _)| drafts(a, b, options)).collect();
    let lengths: Vec<usize> = each.iter().map(|drafts| drafts.lines.len()).collect();
    let all = each.iter_mut().flat_map(|drafts| std::mem::take(&mut drafts.lines)).collect();
    let (lines, compared) = evidence::judge(all, metric, options);
    let mut lines = lines.into_iter();
    let of = |(((a, b, is_wanted), drafts), length): (((&Side, &Side, bool), Drafts), usize)| {
        let lines = lines.by_ref().take(length).collect();
        is_wanted.then(|| comparison(a, b, options, lines, compared, drafts.unmatched))
    };
    pairs.into_iter().zip(each).zip(lengths).filter_map(of).collect()
}

/// Lines before the p values of all lines are adjusted.
struct Drafts {
    lines: Vec<LineDraft>,
    unmatched: Vec<String>,
}

fn drafts(a: &Side, b: &Side, options: &Options) -> Drafts {
    let common = CommonFacts {
        places: facts::places(&[a, b]),
        conditions: conditions::DecidingConditions::of(&[a, b]),
        floors: noise::floors(&[a, b]),
        repeats: Repeats::of(&[a, b]),
        shared: facts::shared_runs(a, b),
        added: facts::AddedSessions::of(&[a, b]),
        later: facts::LaterLooks::of(&[a, b]),
        without_value: [a, b].map(facts::without_value),
    };
    let Layout { lines, unmatched } = layout::lay_out(a, b, options);
    let mut lines: Vec<_> =
        lines.into_par_iter().map(|line| evidence::draft(line, &common, a.metric, options)).collect();
    // Parts follow their test. What a part saves or costs matters most: many percent of little time are little.
    for test in lines.chunk_by_mut(|_, next| next.line.actor.is_some()) {
        if let [_, parts @ ..] = test {
            parts.sort_by(|one, next| next.difference().total_cmp(&one.difference()));
        }
    }
    Drafts { lines, unmatched }
}

fn comparison(
    a: &Side,
    b: &Side,
    options: &Options,
    lines: Vec<Line>,
    compared: usize,
    unmatched: Vec<String>,
) -> Comparison {
    let of_lines = || {
        let rounds = sizes::Rounds::of(a);
        (sizes::means(&lines, &rounds), sizes::overall(&lines, &rounds))
    };
    let of_sides = || (facts::of_side(a), facts::of_side(b), doubts::doubts(&lines, &[a, b], &options.pooled));
    let ((means, overall), (side_a, side_b, doubts)) = rayon::join(of_lines, of_sides);
    Comparison {
        version: COMPARISON_VERSION,
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        command: options.command.clone(),
        since: options.since.clone(),
        metric: load::metric_named(&[a, b]),
        a: side_a,
        b: side_b,
        compared,
        ratios: options.ratios,
        median_ratios: options.median_ratios,
        unmatched,
        means,
        overall,
        by_size: options.by_size.then(|| sizes::over_sizes(&lines)),
        pivot: options.pivot.as_ref().map(|(row, column)| pivot::table(&lines, a, row, column)),
        all_reasons: false,
        beside: Vec::new(),
        scaling: options.scaling.then(|| scaling::curves(a, b)),
        doubts,
        lines,
    }
}
