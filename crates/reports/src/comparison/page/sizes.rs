//! How the values of both sides go with the size: medians joined by lines, and the range of the runs.

use super::{
    super::{
        charts::{HEIGHT, Tick, WIDTH},
        scaling_chart::LogScale,
    },
    axis::Axis,
    points::extremes,
    rounded, words,
};
use dbdyno_comparing::compare::{Comparison, Figure, Line, TestKey, by_test};
use dbdyno_engine::size::Size;
use dbdyno_foundation::metric::Metric;
use serde::Serialize;

/// A test over its sizes.
#[derive(Debug, Serialize)]
pub(in super::super) struct GrowthPanel {
    title: String,
    /// Of the values.
    ticks: Vec<Tick>,
    /// Those for which there is room.
    sizes: Vec<Tick>,
    curves: Vec<GrowthCurve>,
}

/// The values of a side.
#[derive(Debug, Serialize)]
struct GrowthCurve {
    /// A class of the style sheet.
    class: &'static str,
    /// Through the medians, as an SVG path.
    line: String,
    points: Vec<GrowthPoint>,
}

#[derive(Debug, Serialize)]
struct GrowthPoint {
    x: f64,
    y: f64,
    /// The ends of the runs' range.
    low: f64,
    high: f64,
    text: String,
}

/// Room at both ends of the axis, and the least between two labels below it.
const MARGIN: f64 = 12.0;
const LABEL: f64 = 44.0;

/// A panel for each test that has values at two sizes or more.
pub(in super::super) fn growth_panels(comparison: &Comparison) -> Vec<GrowthPanel> {
    by_test(&comparison.lines)
        .into_iter()
        .filter_map(|(TestKey { part, test, name }, lines)| {
            let lines: Vec<&Line> = lines.into_iter().filter(|line| line.a.is_some() || line.b.is_some()).collect();
            let title = format!("{test} {name} {}", words::part(part)).trim_end().to_owned();
            (lines.len() > 1).then(|| panel(title, &lines, comparison.metric))
        })
        .collect()
}

fn panel(title: String, lines: &[&Line], metric: Metric) -> GrowthPanel {
    let places = places(lines);
    let sides = lines.iter().flat_map(|line| [&line.a, &line.b]).flatten();
    let axis = Axis::over(sides.flat_map(|side| side.values.iter().copied()), metric);
    let y = |value: f64| rounded(HEIGHT * (1.0 - axis.share(value)));
    let point = |line: &Line, x: f64, name: &str, side: &Figure| {
        let [least, most] = extremes(&side.values);
        GrowthPoint {
            x,
            y: y(side.median),
            low: y(least),
            high: y(most),
            text: format!(
                "{name}, size {}: {}, runs {} to {}",
                line.size,
                metric.shown(side.median),
                metric.shown(least),
                metric.shown(most)
            ),
        }
    };
    let curve = |name: &str, class: &'static str, side: fn(&Line) -> Option<&Figure>| {
        let points: Vec<GrowthPoint> = lines
            .iter()
            .zip(&places)
            .filter_map(|(line, place)| Some(point(line, *place, name, side(line)?)))
            .collect();
        let corner =
            |(at, point): (usize, &GrowthPoint)| format!("{}{} {}", if at == 0 { "M" } else { "L" }, point.x, point.y);
        GrowthCurve { class, line: points.iter().enumerate().map(corner).collect(), points }
    };
    GrowthPanel {
        title,
        ticks: axis.ticks.iter().map(|tick| Tick { at: y(*tick), label: metric.shown(*tick) }).collect(),
        sizes: labels(lines, &places),
        curves: vec![curve("A", "grow-a", |line| line.a.as_ref()), curve("B", "grow-b", |line| line.b.as_ref())],
    }
}

/// Where sizes are: by their logarithms, or, where they are no single numbers, in equal steps.
fn places(lines: &[&Line]) -> Vec<f64> {
    let room = WIDTH - 2.0 * MARGIN;
    let single = |line: &&Line| line.size.parse::<Size>().ok().filter(|size| size.second.is_none());
    match lines.iter().map(single).collect::<Option<Vec<Size>>>() {
        Some(sizes) => {
            let scale = LogScale::over(sizes.iter().map(|size| size.first as f64), room);
            sizes.iter().map(|size| rounded(MARGIN + scale.at(size.first as f64))).collect()
        }
        None => {
            let step = room / (lines.len() - 1).max(1) as f64;
            (0..lines.len()).map(|at| rounded(MARGIN + step * at as f64)).collect()
        }
    }
}

/// The sizes below the axis, as far as they do not lie over each other.
fn labels(lines: &[&Line], places: &[f64]) -> Vec<Tick> {
    let mut ticks: Vec<Tick> = Vec::new();
    for (line, at) in lines.iter().zip(places) {
        if ticks.last().is_none_or(|last| at - last.at >= LABEL) {
            ticks.push(Tick { at: *at, label: line.size.clone() });
        }
    }
    ticks
}
