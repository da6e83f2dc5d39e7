//! The forest plot: one row per ratio, with the estimate as a point and the interval as a line, on one logarithmic axis.

use super::{BarInterval, Scale, Sense, chart::rounded};
use serde::Serialize;

/// Width of the drawing. Its text is readable at the width of a phone, and not too large on a screen.
const WIDTH: f64 = 440.0;
/// Room at both ends for marks.
const MARGIN: f64 = 10.0;
/// Height of a row: a line of text, and the interval below it.
const ROW: f64 = 30.0;
/// Characters of a name that fit next to the ratio.
const NAME: usize = 44;
/// The factor beyond the estimates up to which an interval is drawn, so that one wide interval does not compress all others.
const BEYOND: f64 = 2.0;
/// The farthest ratio from 1 that is drawn.
const FARTHEST: f64 = 1_000.0;

/// A list of ratios, drawn one below the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    pub name: String,
    pub scale: Scale,
    /// The meanings of ratios below and above 1.
    pub directions: [String; 2],
    pub rows: Vec<ForestRow>,
}

/// A ratio of a forest plot.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestRow {
    pub name: String,
    /// The ratio as shown to people.
    pub figure: String,
    /// The row in a sentence.
    pub about: String,
    /// None if there is no ratio.
    pub mark: Option<ForestMark>,
}

/// The mark of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForestMark {
    pub interval: BarInterval,
    /// None: it is a mean of the others.
    pub sense: Option<Sense>,
}

/// Returns the axis of these ratios. It covers all estimates, most of the intervals, and enough on either side of 1 to be readable.
pub fn ratio_axis(ratios: impl Iterator<Item = BarInterval> + Clone) -> Scale {
    let estimates = || ratios.clone().map(|ratio| ratio.at).filter(|at| at.is_finite() && *at > 0.0);
    let (least, most) = (estimates().fold(1.0, f64::min), estimates().fold(1.0, f64::max));
    let low = ratios.clone().map(|ratio| ratio.low).fold(least, f64::min).max(least / BEYOND);
    let high = ratios.map(|ratio| ratio.high).fold(most, f64::max).min(most * BEYOND);
    let (below, above) = (-low.ln(), high.ln());
    let enough = |this: f64, other: f64| this.max(other / 3.0).max(0.02).min(FARTHEST.ln()) * 1.05;
    Scale::of_ratios((-enough(below, above)).exp(), enough(above, below).exp())
}

/// A forest plot in the units of its drawing, y from the top.
#[derive(Debug, Serialize)]
pub(super) struct ForestDrawing<'f> {
    name: &'f str,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The position of the axis, below the rows.
    bottom: f64,
    /// The position of the line of no difference.
    one: f64,
    ticks: Vec<(f64, String)>,
    rows: Vec<DrawnRow<'f>>,
    below: &'f str,
    above: &'f str,
}

#[derive(Debug, Serialize)]
struct DrawnRow<'f> {
    /// Base line of the text, and height of the mark.
    text: f64,
    y: f64,
    name: String,
    figure: &'f str,
    about: &'f str,
    mark: Option<DrawnInterval>,
}

#[derive(Debug, Serialize)]
struct DrawnInterval {
    /// Its class in the style sheet.
    class: &'static str,
    low: f64,
    high: f64,
    /// Whether the interval extends beyond the ends of the axis.
    beyond_low: bool,
    beyond_high: bool,
    /// The estimate; none if it is beyond the axis.
    at: Option<f64>,
}

/// Returns a forest plot with the positions of its parts in the drawing.
pub(super) fn drawing(forest: &Forest) -> ForestDrawing<'_> {
    let x = |ratio: f64| rounded(MARGIN + (WIDTH - 2.0 * MARGIN) * forest.scale.share(ratio));
    let bottom = ROW * forest.rows.len() as f64 + 4.0;
    let mark = |mark: ForestMark| {
        let BarInterval { at, low, high } = mark.interval;
        DrawnInterval {
            class: class(mark.sense),
            low: x(low),
            high: x(high),
            beyond_low: forest.scale.beyond(low)[0],
            beyond_high: forest.scale.beyond(high)[1],
            at: (!forest.scale.beyond(at).contains(&true)).then(|| x(at)),
        }
    };
    let rows = forest.rows.iter().enumerate().map(|(at, row)| {
        let top = ROW * at as f64;
        DrawnRow {
            text: top + 13.0,
            y: top + 22.0,
            name: shortened(&row.name, NAME),
            figure: &row.figure,
            about: &row.about,
            mark: row.mark.map(mark),
        }
    });
    ForestDrawing {
        name: &forest.name,
        width: WIDTH,
        height: bottom + 34.0,
        bottom,
        one: x(1.0),
        ticks: forest.scale.ticks.iter().map(|ratio| (x(*ratio), tick_label(*ratio))).collect(),
        rows: rows.collect(),
        below: &forest.directions[0],
        above: &forest.directions[1],
    }
}

fn class(sense: Option<Sense>) -> &'static str {
    match sense {
        Some(Sense::Faster) => "wins-a",
        Some(Sense::Slower) => "wins-b",
        Some(Sense::Same) => "even",
        Some(_) => "open",
        None => "mean",
    }
}

/// `0.5`, `10`, `1.02`.
fn tick_label(ratio: f64) -> String {
    let text = format!("{ratio:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shortens text to `most` characters, with an ellipsis if it is longer.
pub(crate) fn shortened(words: &str, most: usize) -> String {
    match words.char_indices().nth(most.saturating_sub(1)) {
        Some((end, _)) if words.chars().count() > most => format!("{}…", words[..end].trim_end()),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shortened("Writes", 6), "Writes");
        assert_eq!(shortened("Größenänderung", 6), "Größe…");
    }
}
