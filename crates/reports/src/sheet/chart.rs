//! Figures on two axes: values, and the positions of their marks in a drawing.

use super::Scale;
use serde::Serialize;

/// A chart: series on common axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub kind: ChartKind,
    pub name: String,
    /// A description in words, for readers who cannot see it.
    pub about: String,
    pub across: ChartAxis,
    pub up: ChartAxis,
    pub series: Vec<ChartSeries>,
    /// The lines below the chart.
    pub notes: Vec<String>,
}

/// The subject of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// Sessions in order.
    Trend,
    /// Every run of both sides.
    Runs,
    /// Both sides over the size.
    Growth,
    /// Ratios over the size.
    Ratios,
    /// The distribution of latencies.
    Latency,
    /// Both sides with their power laws.
    Scaling,
    /// Configurations in the order of their times.
    Ranking,
}

/// The positions of values, and the labelled ones among them.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartAxis {
    pub scale: Scale,
    pub ticks: Vec<ChartTick>,
}

/// A position on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartTick {
    pub at: f64,
    pub label: String,
}

/// Marks and a line that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSeries {
    pub style: SeriesStyle,
    /// Its name for the legend; empty: it needs none.
    pub name: String,
    /// Corners.
    pub line: Vec<(f64, f64)>,
    /// The text shown when the pointer is over the line; empty: nothing.
    pub line_about: String,
    /// Whether the area below the line is filled.
    pub is_area: bool,
    pub marks: Vec<ChartMark>,
}

/// The style that distinguishes a series from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesStyle {
    A,
    B,
    /// Marks without a side.
    Plain,
    /// A mean or median of others.
    Mean,
    /// A fitted line.
    Fit,
    /// A position at which something changed.
    Break,
    /// A durability tier, by its number; none: unknown.
    Tier(Option<u8>),
}

impl SeriesStyle {
    /// Returns its class in the style sheet.
    pub(super) fn class(self) -> String {
        match self {
            Self::A => "a".to_owned(),
            Self::B => "b".to_owned(),
            Self::Plain => "plain".to_owned(),
            Self::Mean => "mean".to_owned(),
            Self::Fit => "fit".to_owned(),
            Self::Break => "one".to_owned(),
            Self::Tier(tier) => format!("tier-{}", tier.unwrap_or(4)),
        }
    }
}

/// A figure of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartMark {
    pub x: f64,
    pub y: f64,
    /// The ends of an interval around y.
    pub range: Option<(f64, f64)>,
    /// The text shown when the pointer is over the mark.
    pub about: String,
}

impl ChartAxis {
    /// Builds an axis whose scale's ticks have labels.
    pub fn labelled(scale: Scale, label: impl Fn(f64) -> String) -> Self {
        let ticks = scale.ticks.iter().map(|at| ChartTick { at: *at, label: label(*at) }).collect();
        Self { scale, ticks }
    }

    /// Builds an axis with those of these labels that do not overlap: each needs the share `room` of the axis.
    pub fn spaced(scale: Scale, labels: impl IntoIterator<Item = (f64, String)>, room: f64) -> Self {
        let mut ticks: Vec<ChartTick> = Vec::new();
        for (at, label) in labels {
            if ticks.last().is_none_or(|last| scale.share(at) - scale.share(last.at) >= room) {
                ticks.push(ChartTick { at, label });
            }
        }
        Self { scale, ticks }
    }
}

impl ChartSeries {
    /// Builds a series of marks without a line.
    pub fn marks(style: SeriesStyle, marks: Vec<ChartMark>) -> Self {
        Self { marks, ..Self::line(style, Vec::new()) }
    }

    /// Builds a series of marks joined by a line.
    pub fn joined(style: SeriesStyle, marks: Vec<ChartMark>) -> Self {
        Self { line: marks.iter().map(|mark| (mark.x, mark.y)).collect(), ..Self::marks(style, marks) }
    }

    /// Builds a series with a line alone.
    pub fn line(style: SeriesStyle, line: Vec<(f64, f64)>) -> Self {
        Self { style, name: String::new(), line, line_about: String::new(), is_area: false, marks: Vec::new() }
    }
}

/// Room left and right of the axes, above and below them.
const AROUND: [f64; 4] = [56.0, 14.0, 8.0, 20.0];
/// Width of a character of a label.
const LETTER: f64 = 5.6;
/// The number of marks from which they are drawn small.
const MANY: usize = 30;

/// A chart in the units of its drawing, y from the top.
#[derive(Debug, Serialize)]
pub(super) struct ChartDrawing<'c> {
    kind: ChartKind,
    name: &'c str,
    about: &'c str,
    view: String,
    width: f64,
    height: f64,
    across: Vec<DrawnTick<'c>>,
    up: Vec<DrawnTick<'c>>,
    series: Vec<DrawnSeries<'c>>,
    notes: &'c [String],
}

#[derive(Debug, Serialize)]
struct DrawnTick<'c> {
    at: f64,
    label: &'c str,
    label_at: f64,
    /// The end of the label that is at the tick, so that nothing is cut off at the ends of an axis.
    anchor: &'static str,
}

#[derive(Debug, Serialize)]
struct DrawnSeries<'c> {
    class: String,
    name: &'c str,
    path: String,
    line_about: &'c str,
    is_area: bool,
    is_diamond: bool,
    radius: f64,
    marks: Vec<DrawnMark<'c>>,
}

#[derive(Debug, Serialize)]
struct DrawnMark<'c> {
    x: f64,
    y: f64,
    range: Option<(f64, f64)>,
    about: &'c str,
}

/// Whether a chart needs the width of a page.
pub(super) fn is_wide(chart: &Chart) -> bool {
    chart.kind == ChartKind::Ranking
}

/// Returns width and height between a chart's axes.
fn inner(chart: &Chart) -> (f64, f64) {
    if is_wide(chart) { (640.0, 200.0) } else { (260.0, 110.0) }
}

/// Returns width and height of a chart's drawing.
pub(super) fn extent(chart: &Chart) -> (f64, f64) {
    let ((width, height), [left, right, top, bottom]) = (inner(chart), AROUND);
    (width + left + right, height + top + bottom)
}

/// Returns a chart with the positions of its parts in the drawing.
pub(super) fn drawing(chart: &Chart) -> ChartDrawing<'_> {
    let (width, height) = inner(chart);
    let drawn = extent(chart);
    let x = |at: f64| rounded(width * chart.across.scale.share(at));
    let y = |at: f64| rounded(height * (1.0 - chart.up.scale.share(at)));
    let corner = |(at, (across, up)): (usize, &(f64, f64))| {
        format!("{}{} {}", if at == 0 { "M" } else { "L" }, x(*across), y(*up))
    };
    let marks = chart.series.iter().map(|series| series.marks.len()).sum::<usize>();
    let [left, right, top, _] = AROUND;
    ChartDrawing {
        kind: chart.kind,
        name: &chart.name,
        about: &chart.about,
        view: format!("{} {} {} {}", -left, -top, drawn.0, drawn.1),
        width,
        height,
        across: chart.across.ticks.iter().map(|tick| across_tick(tick, x(tick.at), width + right)).collect(),
        up: chart
            .up
            .ticks
            .iter()
            .map(|tick| DrawnTick { at: y(tick.at), label: &tick.label, label_at: 0.0, anchor: "end" })
            .collect(),
        series: chart
            .series
            .iter()
            .map(|series| DrawnSeries {
                class: series.style.class(),
                name: &series.name,
                path: series.line.iter().enumerate().map(corner).collect(),
                line_about: &series.line_about,
                is_area: series.is_area,
                is_diamond: series.style == SeriesStyle::Mean,
                radius: if marks > MANY { 2.5 } else { 4.0 },
                marks: series
                    .marks
                    .iter()
                    .map(|mark| DrawnMark {
                        x: x(mark.x),
                        y: y(mark.y),
                        range: mark.range.map(|(low, high)| (y(low), y(high))),
                        about: &mark.about,
                    })
                    .collect(),
            })
            .collect(),
        notes: &chart.notes,
    }
}

/// Places a tick of the axis across. `end`: where the drawing ends.
fn across_tick(tick: &ChartTick, at: f64, end: f64) -> DrawnTick<'_> {
    let half = tick.label.chars().count() as f64 * LETTER / 2.0;
    let (label_at, anchor) = if at + half > end { (end, "end") } else { (at, "middle") };
    DrawnTick { at, label: &tick.label, label_at, anchor }
}

/// Rounds to a tenth of a pixel, which is precise enough.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
