//! A comparison, as every output shows it. `assets/schemas/comparison.schema.json` describes its JSON.

use super::{
    options::{Axis, RatioForm},
    reason::Reason,
    scaling::ScalingCurve,
};
use crate::doubt::Doubt;
use dbdyno_catalog::Difference;
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::Verdict;
use dbdyno_store::{RunConfiguration, SessionFacts};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};
use uuid::Uuid;

/// The version of the JSON's schema.
pub const COMPARISON_VERSION: u32 = 3;

/// The values that separate the runs of both sides: the values of a pivot's keys, and those that distinguish several configurations of a
/// side.
pub type Part = BTreeMap<String, String>;

/// A comparison of two selections. Ratios are value A / value B: for times, A is faster below 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`COMPARISON_VERSION`].
    pub version: u32,
    /// Version of the dbdyno that compared them.
    pub dbdyno_version: String,
    /// The command that requested it.
    pub command: String,
    /// The moment since which A ran and before which B ran; none: the sides differ in something else.
    #[serde(default)]
    pub since: Option<String>,
    /// The compared metric; values are in its unit.
    pub metric: Metric,
    /// The form in which readers see the ratios.
    #[serde(default)]
    pub ratios: RatioForm,
    /// Whether readers also see the ratios of medians.
    #[serde(default)]
    pub median_ratios: bool,
    pub a: SideFacts,
    pub b: SideFacts,
    /// The number of compared tests, over which p values were adjusted.
    pub compared: usize,
    /// The tests, by the parts of a pivot, size and number.
    pub lines: Vec<Line>,
    /// Descriptions of the parts without a partner on the other side, which name the option; they have no lines.
    #[serde(default)]
    pub unmatched: Vec<String>,
    /// The geometric mean of each part and size.
    pub means: Vec<Mean>,
    /// The geometric mean of all lines; none if they are of one part and size.
    #[serde(default)]
    pub overall: Option<Overall>,
    /// Each test over its sizes, if requested.
    pub by_size: Option<Vec<OverSizes>>,
    /// The pivot table, if requested.
    pub pivot: Option<Pivot>,
    /// Whether text shows the reasons of all lines, and not only of the one whose sides differ most.
    #[serde(default)]
    pub all_reasons: bool,
    /// Other metrics of the same lines, if they were read too.
    #[serde(default)]
    pub beside: Vec<super::SecondaryMetric>,
    /// How figures grow, if requested: by test, axis, fixed values, and side.
    pub scaling: Option<Vec<ScalingCurve>>,
    /// The facts to know before believing the figures.
    pub doubts: Vec<Doubt>,
}

/// The runs and configurations of a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideFacts {
    pub selection: String,
    /// Runs selected.
    pub runs: usize,
    /// Finished tests of these runs.
    pub results: usize,
    /// The configurations that were measured.
    pub configurations: Vec<MeasuredConfiguration>,
    /// The sessions: where and when.
    pub sessions: Vec<SessionFacts>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredConfiguration {
    /// Its label in its sessions.
    pub label: String,
    pub runs: usize,
    pub sizes: Vec<String>,
    /// The engine, suite and options.
    #[serde(flatten)]
    pub configuration: RunConfiguration,
}

/// The distance from 1 within which chance keeps the ratio of two equal things in a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// As a part of 1.
    pub value: f64,
    pub basis: NoiseBasis,
}

/// The basis of a noise floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum NoiseBasis {
    /// No session ran a configuration against itself.
    Assumed,
    /// Sessions ran a configuration against itself, but in other tests than this one.
    OtherTests,
    /// The number of pairs of a configuration with itself in this test.
    Measured { pairs: usize },
}

/// One test at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The values that separate the runs.
    pub part: Part,
    /// The size; `A / B` if they differ.
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The actor whose share of the test this is, if the whole test has a line too. Such a line is shown with a verdict from the family of
    /// actors' rows, and is left out of all means and counts. None: a line that counts.
    #[serde(default)]
    pub actor: Option<String>,
    /// Side A; none if it has no figure.
    pub a: Option<Figure>,
    /// Side B.
    pub b: Option<Figure>,
    /// The obstacles to comparing them, allowed or not.
    pub obstacles: Vec<Obstacle>,
    pub noise_floor: NoiseFloor,
    /// The number of looks: one, plus one for each session that added rounds to decide it.
    #[serde(default = "once")]
    pub looks: u32,
    /// The judged ratio; none: not comparable.
    pub found: Option<JudgedRatio>,
    /// Why the sides differ; none: they do not, or their runs do not tell what their time went to.
    #[serde(default)]
    pub reason: Option<Reason>,
}

/// Returns the number of looks for comparisons stored before there were several.
fn once() -> u32 {
    1
}

/// One side's figure in a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub label: String,
    /// Durability tier; none: not recorded.
    pub tier: Option<u8>,
    /// Median of the values, in the metric's unit: ns, bytes, operations a second, or a number.
    pub median: f64,
    /// The 95 % interval of the median of latency quantiles: the bootstrap interval over runs. None for other metrics, or with too few
    /// runs.
    #[serde(default)]
    pub interval: Option<FigureRange>,
    /// The values that the figure is based on; for paired runs, in the order of the pairs.
    pub values: Vec<f64>,
    /// The runs of these values, in the same order.
    pub run_ids: Vec<Uuid>,
    /// The number of selected runs that were left out, because they have no partner on the other side.
    pub left_out: usize,
    /// Operations of one run.
    pub operations: u64,
    /// Whether median and values are per operation: the metric adds up over operations, and the test ended after a fixed time.
    #[serde(default)]
    pub per_operation: bool,
    /// How many of these runs took turns in slices with other runs.
    #[serde(default)]
    pub sliced: usize,
    /// Latencies of operations over these runs; none if single operations were not timed.
    pub latency: Option<Latency>,
}

impl Figure {
    /// Formats one of its values for people.
    pub fn shown(&self, value: f64, metric: Metric) -> String {
        if self.per_operation { metric.shown_per_operation(value) } else { metric.shown(value) }
    }
}

/// An interval of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FigureRange {
    pub low: f64,
    pub high: f64,
}

/// Latencies of single operations, ns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Operations timed.
    pub operations: u64,
    /// The median; each quantile is none with fewer than ten operations beyond it.
    pub p50_ns: Option<u64>,
    /// 90th percentile.
    pub p90_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// Operations by latency, in buckets 10^(1/20) wide.
    pub buckets: Vec<Bucket>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The end of the bucket, as a power of 10^(1/20) ns: 20 is 10 ns.
    pub end: u32,
    pub operations: u64,
}

/// An obstacle to comparing A and B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    pub kind: ObstacleKind,
    /// The side that it concerns; none: both.
    pub side: Option<SideName>,
    /// A sentence that states the difference.
    pub message: String,
    /// Whether it was allowed; if so, it is a badge on the line.
    pub allowed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SideName {
    A,
    B,
}

impl fmt::Display for SideName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// Only one side has the test at this size.
    OneSide,
    /// A side has several configurations, whose times cannot be one figure.
    SeveralConfigurations,
    /// A run is on both sides.
    SharedRuns,
    /// Answers are wrong, or differ between A and B at the same seed.
    FailedVerification,
    /// The answers were not checked against anything; the line is compared anyway.
    NotVerified,
    /// One side is 0, and the other is not.
    NoRatio,
    /// A difference that can be allowed.
    #[serde(untagged)]
    Differ(Difference),
}

/// The ratio of a line's values, with the verdict on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedRatio {
    /// The verdict on A.
    pub verdict: Verdict,
    /// Value A / value B: the Hodges-Lehmann estimate that the interval belongs to; without an interval, the ratio of the medians.
    pub ratio: f64,
    pub median_ratio: f64,
    /// The ratio's interval; none with too few runs, or where some values are 0.
    pub interval: Option<RatioRange>,
    /// Whether runs were compared in pairs of one round; with several sessions, in the pairs of each session.
    pub paired: bool,
    /// Whether it is the ratio of two values that are not subject to chance, which needs no test.
    #[serde(default)]
    pub exact: bool,
    /// The sessions that were compared, if there are several; none: runs were compared.
    #[serde(default)]
    pub sessions: Option<ComparedSessions>,
    /// p of the rank test, not adjusted, or of Student's test if sessions were compared; none with too few runs.
    pub p: Option<f64>,
    /// p after the adjustment over the table.
    pub p_adjusted: Option<f64>,
}

impl JudgedRatio {
    /// Whether neither a difference nor its absence was shown.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Undecided { .. } | Verdict::TooFew { .. })
    }
}

/// Several sessions, each as one figure: the ratio of its pairs, or, if the sides were measured in different sessions, the median of its
/// runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComparedSessions {
    /// Sessions of A.
    pub a: usize,
    /// Sessions of B.
    pub b: usize,
    /// Further sessions of one of their configurations on the same host, which show how far sessions differ.
    pub others: usize,
    /// How far apart two sessions of equal things are, or their A/B, as a part of 1; none if unknown.
    pub apart: Option<f64>,
}

/// An interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatioRange {
    pub low: f64,
    pub high: f64,
    /// The confidence reached, 0 to 1.
    pub confidence: f64,
}

/// The geometric mean of the ratios of one part and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub part: Part,
    pub size: String,
    pub tests: usize,
    /// The mean: the estimate that the interval belongs to, if there is one; none without a test.
    pub ratio: Option<f64>,
    /// Its interval over the pairs of runs that have all of these tests; none if there are too few, or runs are not paired.
    pub interval: Option<RatioRange>,
    /// The names of the tests that are left out because they are not comparable.
    pub left_out: Vec<String>,
}

/// The geometric mean of the ratios of all lines: each test at each size of each part counts once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// The number of lines in it.
    pub lines: usize,
    /// The number of lines that are not comparable.
    pub left_out: usize,
    /// The mean: the estimate that the interval belongs to, if there is one.
    pub ratio: f64,
    /// Its interval over the rounds that have all of these lines; none if there are too few, or runs are not paired.
    pub interval: Option<RatioRange>,
}

/// One test over its sizes: the ratio at each, and the median and extremes of these ratios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverSizes {
    pub part: Part,
    pub test: u32,
    pub name: String,
    /// By size, in the order of sizes.
    pub sizes: Vec<SizeRatio>,
    /// The median of these ratios.
    pub median: f64,
    pub min: f64,
    pub max: f64,
    /// Sizes at which A and B are not comparable.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeRatio {
    pub size: String,
    /// The ratio of the line.
    pub ratio: f64,
    /// The ratio's interval; none with too few runs.
    pub interval: Option<RatioRange>,
    /// The verdict on A.
    pub verdict: Verdict,
}

/// A pivot table of ratios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pivot {
    pub row: Axis,
    pub column: Axis,
    /// The values of the columns.
    pub columns: Vec<String>,
    pub rows: Vec<PivotRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PivotRow {
    /// The row's value.
    pub value: String,
    /// One cell per column; none if nothing was measured.
    pub cells: Vec<Option<PivotCell>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PivotCell {
    /// The ratio; over several lines, their geometric mean; none if none is comparable.
    pub ratio: Option<f64>,
    /// The ratio's interval; none with too few runs, or if lines share no rounds.
    #[serde(default)]
    pub interval: Option<RatioRange>,
    pub lines: usize,
    /// Lines left out because they are not comparable.
    pub left_out: usize,
    /// The verdict, if the cell is one line.
    pub verdict: Option<Verdict>,
}
