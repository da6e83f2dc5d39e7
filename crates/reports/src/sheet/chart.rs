//! Figures in an order as a chart: a value that renderers draw.

use serde::Serialize;

/// A line of figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    pub name: String,
    /// In the order of x.
    pub points: Vec<ChartPoint>,
    /// Places, in x, where something changed.
    pub breaks: Vec<f64>,
    /// A fitted line: its y at the first and at the last point.
    pub line: Option<(f64, f64)>,
    /// What stands under it.
    pub notes: Vec<String>,
}

/// A figure of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartPoint {
    pub x: f64,
    pub y: f64,
    /// What it says when it is pointed at.
    pub about: String,
}

/// A drawing's width and height, and the room left around its points.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 25.0;

/// A chart in the units of its drawing, y from the top.
#[derive(Debug, Serialize)]
pub(super) struct Drawing {
    name: String,
    width: f64,
    height: f64,
    margin: f64,
    points: Vec<(f64, f64, String)>,
    breaks: Vec<f64>,
    line: Option<(f64, f64)>,
    notes: Vec<String>,
}

/// Where a value stands between the least and the most, from 0 to 1; alone in the middle.
fn share(value: f64, (least, most): (f64, f64)) -> f64 {
    if most > least { (value - least) / (most - least) } else { 0.5 }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}

/// A chart as it is drawn.
pub(super) fn drawing(chart: &Chart) -> Drawing {
    let across = range(chart.points.iter().map(|point| point.x));
    let ends = chart.line.iter().flat_map(|(first, last)| [*first, *last]);
    let up = range(chart.points.iter().map(|point| point.y).chain(ends));
    let x = |at: f64| MARGIN + share(at, across) * (WIDTH - 2.0 * MARGIN);
    let y = |at: f64| HEIGHT - MARGIN - share(at, up) * (HEIGHT - 2.0 * MARGIN);
    Drawing {
        name: chart.name.clone(),
        width: WIDTH,
        height: HEIGHT,
        margin: MARGIN,
        points: chart.points.iter().map(|point| (x(point.x), y(point.y), point.about.clone())).collect(),
        breaks: chart.breaks.iter().map(|at| x(*at)).collect(),
        line: chart.line.map(|(first, last)| (y(first), y(last))),
        notes: chart.notes.clone(),
    }
}
