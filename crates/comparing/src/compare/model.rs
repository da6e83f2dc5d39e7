//! A comparison, as every output shows it. `assets/schemas/comparison.schema.json` describes its JSON.

use super::{
    options::{Axis, RatioForm},
    scaling::ScalingCurve,
};
use dbdyno_catalog::Difference;
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::Verdict;
use dbdyno_store::{RunConfiguration, SessionFacts};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};
use uuid::Uuid;

/// The version of the JSON's schema.
pub const COMPARISON_VERSION: u32 = 2;

/// The values that part the runs of both sides: those of a pivot's keys, and those that tell several configurations of a side apart.
pub type Part = BTreeMap<String, String>;

/// Two selections beside each other. Ratios are value A / value B: of times, A is faster below 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`COMPARISON_VERSION`].
    pub version: u32,
    /// Version of the dbdyno that compared.
    pub dbdyno_version: String,
    /// The command that asked for it.
    pub command: String,
    /// What is compared; its values are in its unit.
    pub metric: Metric,
    /// How readers are shown the ratios.
    #[serde(default)]
    pub ratios: RatioForm,
    /// Whether readers are shown the ratios of medians too.
    #[serde(default)]
    pub median_ratios: bool,
    pub a: SideFacts,
    pub b: SideFacts,
    /// How many tests were compared, which is what p values were adjusted for.
    pub compared: usize,
    /// The tests, by the parts of a pivot, size and number.
    pub lines: Vec<Line>,
    /// What has no partner on the other side, in sentences that name the option; it has no lines.
    #[serde(default)]
    pub unmatched: Vec<String>,
    /// The geometric mean of each part and size.
    pub means: Vec<Mean>,
    /// That of all lines; none where they are of one part and size.
    #[serde(default)]
    pub overall: Option<Overall>,
    /// Each test over its sizes, where asked for.
    pub by_size: Option<Vec<OverSizes>>,
    /// The pivot table, where asked for.
    pub pivot: Option<Pivot>,
    /// Other metrics of the same lines, where they were read too.
    #[serde(default)]
    pub beside: Vec<super::Beside>,
    /// How figures grow, where asked for: by test, axis, what is held fixed, and side.
    pub scaling: Option<Vec<ScalingCurve>>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// What a side was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideFacts {
    pub selection: String,
    /// Runs selected.
    pub runs: usize,
    /// Finished tests of these runs.
    pub results: usize,
    /// What was measured.
    pub configurations: Vec<MeasuredConfiguration>,
    /// Where and when.
    pub sessions: Vec<SessionFacts>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredConfiguration {
    /// Its label in its sessions.
    pub label: String,
    pub runs: usize,
    pub sizes: Vec<String>,
    /// What it is.
    #[serde(flatten)]
    pub configuration: RunConfiguration,
}

/// How far from 1 chance takes the ratio of two equal things in a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// As a part of 1.
    pub value: f64,
    pub basis: NoiseBasis,
}

/// What a noise floor rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum NoiseBasis {
    /// No session ran a configuration against itself.
    Assumed,
    /// Sessions did, in other tests than this.
    OtherTests,
    /// Pairs of a configuration with itself in this test, so many.
    Measured { pairs: usize },
}

/// One test at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The values that part the runs.
    pub part: Part,
    /// Size; `A / B` where they differ.
    pub size: String,
    pub test: u32,
    pub name: String,
    /// The actor whose share of the test this is, where the test as a whole has a line too: shown, with a verdict from the family of
    /// actors' rows, and counted in nothing. None: a line that counts.
    #[serde(default)]
    pub actor: Option<String>,
    /// Side A; none where there is no figure.
    pub a: Option<Figure>,
    /// Side B.
    pub b: Option<Figure>,
    /// What stands against comparing them, allowed or not.
    pub obstacles: Vec<Obstacle>,
    pub noise_floor: NoiseFloor,
    /// How often it was looked at: once, and once more for each session that added rounds to decide it.
    #[serde(default = "once")]
    pub looks: u32,
    /// What was found; none: not comparable.
    pub found: Option<JudgedRatio>,
}

/// Looks of what was stored before there were several.
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
    /// The 95 % interval of the median of latencies' quantiles: the bootstrap's, over runs. None of other metrics, or with too few runs.
    #[serde(default)]
    pub interval: Option<FigureRange>,
    /// The values that the figure rests on; of paired runs, in the order of the pairs.
    pub values: Vec<f64>,
    /// The runs that these values are of, in the same order.
    pub run_ids: Vec<Uuid>,
    /// Runs that were selected and left out, because they have no partner on the other side.
    pub left_out: usize,
    /// Operations of one run.
    pub operations: u64,
    /// Whether median and values are those of one operation: the metric adds up over operations, and the test ended after a time.
    #[serde(default)]
    pub per_operation: bool,
    /// Latencies of operations over these runs; none where single operations were not timed.
    pub latency: Option<Latency>,
}

impl Figure {
    /// One of its values for people.
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
    /// Median; none with fewer than ten operations beyond it, as for the others.
    pub p50_ns: Option<u64>,
    /// 90th percentile.
    pub p90_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// Operations by latency: buckets that end at these ns, each 10^(1/20) wide.
    pub buckets: Vec<Bucket>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Where it ends, as a power of 10^(1/20) ns: 20 is 10 ns.
    pub end: u32,
    pub operations: u64,
}

/// Something that stands against comparing A and B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    pub kind: ObstacleKind,
    /// The side that it is about; none: both.
    pub side: Option<SideName>,
    /// In a sentence, with what differs.
    pub message: String,
    /// Whether it was allowed; then it is a badge on the line.
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
    /// A side is several configurations, whose times cannot be one figure.
    SeveralConfigurations,
    /// A run is on both sides.
    SharedRuns,
    /// Answers are wrong, or differ between A and B at the same seed.
    FailedVerification,
    /// Nothing was held against the answers: compared all the same.
    NotVerified,
    /// A side is 0, and the other is not.
    NoRatio,
    /// A difference that can be allowed.
    #[serde(untagged)]
    Differ(Difference),
}

/// The ratio of a line's values with the verdict on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedRatio {
    /// The verdict on A.
    pub verdict: Verdict,
    /// Value A / value B: the Hodges-Lehmann estimate that the interval belongs to; without an interval, the ratio of the medians.
    pub ratio: f64,
    pub median_ratio: f64,
    /// The ratio's interval; none with too few runs, or where some values are 0.
    pub interval: Option<RatioRange>,
    /// Whether runs were compared in pairs of one round; of several sessions, each session's pairs.
    pub paired: bool,
    /// Whether it is the ratio of two values without chance in them, which no test is needed for.
    #[serde(default)]
    pub exact: bool,
    /// The sessions that were compared, where there are several; none: runs were.
    #[serde(default)]
    pub sessions: Option<ComparedSessions>,
    /// p of the rank test, not adjusted, or of Student's where sessions were compared; none with too few runs.
    pub p: Option<f64>,
    /// p after the adjustment over the table.
    pub p_adjusted: Option<f64>,
}

impl JudgedRatio {
    /// Whether neither a difference was shown nor that there is none.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Undecided { .. } | Verdict::TooFew { .. })
    }
}

/// Several sessions: each is one figure, the ratio of its pairs, or of sides that were measured in different ones the median of its runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComparedSessions {
    /// Sessions of A.
    pub a: usize,
    /// Sessions of B.
    pub b: usize,
    /// Further sessions of one of their configurations on the same host, which say how far sessions lie apart.
    pub others: usize,
    /// How far apart, as a part of 1, two sessions of equal things come, or their A/B; none where nothing tells.
    pub apart: Option<f64>,
}

/// An interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatioRange {
    pub low: f64,
    pub high: f64,
    /// Confidence reached, 0 to 1.
    pub confidence: f64,
}

/// The geometric mean of the ratios of one part and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub part: Part,
    pub size: String,
    pub tests: usize,
    /// The mean, as the estimate that the interval belongs to where there is one; none without a test.
    pub ratio: Option<f64>,
    /// Its interval over the pairs of runs that have all of these tests; none where there are too few, or runs are not paired.
    pub interval: Option<RatioRange>,
    /// Names of the tests left out because they are not comparable.
    pub left_out: Vec<String>,
}

/// The geometric mean of the ratios of all lines: each test at each size of each part counts once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// Lines in it.
    pub lines: usize,
    /// Lines that are not comparable.
    pub left_out: usize,
    /// The mean, as the estimate that the interval belongs to where there is one.
    pub ratio: f64,
    /// Its interval over the rounds that have all of these lines; none where there are too few, or runs are not paired.
    pub interval: Option<RatioRange>,
}

/// One test over its sizes: the ratio at each, and the median and extremes of those.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverSizes {
    pub part: Part,
    pub test: u32,
    pub name: String,
    /// By size, in the order of sizes.
    pub sizes: Vec<SizeRatio>,
    /// Median of these.
    pub median: f64,
    pub min: f64,
    pub max: f64,
    /// Sizes at which A and B are not comparable.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeRatio {
    pub size: String,
    /// That of the line.
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
    /// Values of the columns.
    pub columns: Vec<String>,
    pub rows: Vec<PivotRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PivotRow {
    /// The row's value.
    pub value: String,
    /// A cell for each column; none where nothing was measured.
    pub cells: Vec<Option<PivotCell>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PivotCell {
    /// The ratio; over several lines, their geometric mean; none where none is comparable.
    pub ratio: Option<f64>,
    /// The ratio's interval; none with too few runs, or where lines have no rounds in common.
    #[serde(default)]
    pub interval: Option<RatioRange>,
    pub lines: usize,
    /// Lines left out because they are not comparable.
    pub left_out: usize,
    /// The verdict, where it is one line.
    pub verdict: Option<Verdict>,
}
