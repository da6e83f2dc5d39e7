//! The forest plot: a row a test, its ratio as a point and the interval as a line, on one logarithmic axis for the whole page.

use super::{
    super::charts::Tick,
    axis::Axis,
    rounded, shortened,
    words::{self, comparatives},
};
use dbdyno_comparing::compare::{JudgedRatio, Line, Mean, RatioRange};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_stats::Verdict;
use serde::Serialize;

/// Width of the drawing. Its text is readable where it is as wide as a phone, and not too large on a screen.
const WIDTH: f64 = 440.0;
/// Room at both ends for marks.
const MARGIN: f64 = 10.0;
/// Height of a row: a line of text, and the interval below it.
const ROW: f64 = 30.0;
/// Characters of a name that fit beside the ratio.
const NAME: usize = 44;
/// How far beyond the estimates an interval is drawn, as a factor: one wide interval does not press all others together.
const BEYOND: f64 = 2.0;
/// The farthest ratio from 1 that is drawn.
const FARTHEST: f64 = 1_000.0;

/// What all forest plots of a page have in common, so that they can be compared.
#[derive(Debug)]
pub(in super::super) struct ForestAxis {
    axis: Axis,
    below: String,
    above: String,
    metric: Metric,
}

/// The tests of one part and size.
#[derive(Debug, Serialize)]
pub(in super::super) struct ForestPlot {
    width: f64,
    height: f64,
    /// Where the rows end and the axis is.
    bottom: f64,
    /// The line of no difference.
    one: f64,
    ticks: Vec<Tick>,
    rows: Vec<ForestRow>,
    /// What ratios below 1 mean.
    below: String,
    above: String,
}

#[derive(Debug, Serialize)]
struct ForestRow {
    /// Base line of the text.
    text: f64,
    /// Height of the mark.
    y: f64,
    name: String,
    /// The ratio with the verdict's sign.
    ratio: String,
    /// The row in a sentence.
    words: String,
    mark: Option<Mark>,
}

#[derive(Debug, Serialize)]
struct Mark {
    /// A class of the style sheet.
    class: &'static str,
    low: f64,
    high: f64,
    /// Whether the interval goes on beyond the ends of the axis.
    beyond_low: bool,
    beyond_high: bool,
    /// The estimate; none where it is beyond the axis.
    at: Option<f64>,
}

impl ForestAxis {
    pub(in super::super) fn new<'f>(found: impl Iterator<Item = &'f JudgedRatio> + Clone, metric: Metric) -> Self {
        let (low, high) = ends(found);
        let word = comparatives(metric).0;
        let [below, above] = if metric.better() == Better::More { ["B", "A"] } else { ["A", "B"] };
        Self {
            axis: Axis::of_ratios(low, high),
            below: format!("◂ {below} {word}"),
            above: format!("{above} {word} ▸"),
            metric,
        }
    }

    /// What the two directions mean, for other charts of ratios.
    pub(in super::super) fn directions(&self) -> String {
        format!("below 1: {}, above 1: {}", self.below.trim_start_matches("◂ "), self.above.trim_end_matches(" ▸"))
    }

    /// The plot of some tests and of their mean.
    pub(in super::super) fn plot(&self, lines: &[&Line], mean: &Mean) -> ForestPlot {
        let mut rows: Vec<ForestRow> = lines.iter().zip(0..).map(|(line, at)| self.row(line, at)).collect();
        rows.extend(mean.ratio.filter(|_| mean.tests > 1).map(|ratio| self.mean(ratio, mean, rows.len())));
        let bottom = ROW * rows.len() as f64 + 4.0;
        let tick = |ratio: &f64| Tick { at: self.x(*ratio), label: tick_label(*ratio) };
        ForestPlot {
            width: WIDTH,
            height: bottom + 34.0,
            bottom,
            one: self.x(1.0),
            ticks: self.axis.ticks.iter().map(tick).collect(),
            rows,
            below: self.below.clone(),
            above: self.above.clone(),
        }
    }

    fn row(&self, line: &Line, at: usize) -> ForestRow {
        let name = format!("{} {}", line.test, line.name);
        let (ratio, words, mark) = match &line.found {
            Some(found) => (
                format!("{} {}", words::ratio(found.ratio), words::sign(Some(found.verdict))),
                format!(
                    "{name}: A/B {}, 95 % {}: {}",
                    words::ratio(found.ratio),
                    words::interval(found),
                    words::verdict(found, self.metric)
                ),
                Some(self.mark(found.ratio, found.interval, class(found.verdict))),
            ),
            None => ("not comparable".to_owned(), format!("{name}: not comparable"), None),
        };
        placed(at, ForestRow { text: 0.0, y: 0.0, name: shortened(&name, NAME), ratio, words, mark })
    }

    fn mean(&self, ratio: f64, mean: &Mean, at: usize) -> ForestRow {
        let name = format!("geometric mean ({})", mean.tests);
        let words = format!("{name}: A/B {}, 95 % {}", words::ratio(ratio), words::range(mean.interval));
        let mark = Some(self.mark(ratio, mean.interval, "mean"));
        placed(at, ForestRow { text: 0.0, y: 0.0, name, ratio: words::ratio(ratio), words, mark })
    }

    fn mark(&self, ratio: f64, interval: Option<RatioRange>, class: &'static str) -> Mark {
        let (low, high) = interval.map_or((ratio, ratio), |interval| (interval.low, interval.high));
        Mark {
            class,
            low: self.x(low),
            high: self.x(high),
            beyond_low: self.axis.beyond(low)[0],
            beyond_high: self.axis.beyond(high)[1],
            at: (!self.axis.beyond(ratio).contains(&true)).then(|| self.x(ratio)),
        }
    }

    fn x(&self, ratio: f64) -> f64 {
        rounded(MARGIN + (WIDTH - 2.0 * MARGIN) * self.axis.share(ratio))
    }
}

/// A row in its place.
fn placed(at: usize, row: ForestRow) -> ForestRow {
    let top = ROW * at as f64;
    ForestRow { text: top + 13.0, y: top + 22.0, ..row }
}

/// The ends of the axis: all estimates and most of the intervals, and on either side of 1 enough to be read.
fn ends<'f>(found: impl Iterator<Item = &'f JudgedRatio> + Clone) -> (f64, f64) {
    let estimates = || found.clone().map(|found| found.ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    let intervals = || found.clone().filter_map(|found| found.interval);
    let (least, most) = (estimates().fold(1.0, f64::min), estimates().fold(1.0, f64::max));
    let low = intervals().map(|interval| interval.low).fold(least, f64::min).max(least / BEYOND);
    let high = intervals().map(|interval| interval.high).fold(most, f64::max).min(most * BEYOND);
    let (below, above) = (-low.ln(), high.ln());
    let enough = |this: f64, other: f64| this.max(other / 3.0).max(0.02).min(FARTHEST.ln()) * 1.05;
    ((-enough(below, above)).exp(), enough(above, below).exp())
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "wins-a",
        Verdict::Slower => "wins-b",
        Verdict::Same => "same",
        Verdict::Undecided { .. } | Verdict::TooFew { .. } => "open",
    }
}

/// `0.5`, `10`, `1.02`.
fn tick_label(ratio: f64) -> String {
    let text = format!("{ratio:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
