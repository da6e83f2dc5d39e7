//! The geometry of how figures grow, on logarithmic axes: plain numbers that the template puts into SVG.

use super::{
    charts::{HEIGHT, Tick, WIDTH, rounded},
    scaling,
};
use dbdyno_comparing::compare::{CurveFamily, ScalingCurve, ScalingFound, ScalingPoint, SideName};
use serde::Serialize;

/// A test along an axis: the points and lines of both sides.
#[derive(Debug, Serialize)]
pub(super) struct ScalingPanel {
    title: String,
    curves: Vec<PanelCurve>,
    /// The values of the axis, where there is room for them.
    values: Vec<Tick>,
    /// The smallest and the largest figure.
    figures: Vec<Tick>,
}

#[derive(Debug, Serialize)]
struct PanelCurve {
    /// A class of the style sheet.
    class: &'static str,
    points: Vec<PanelPoint>,
    /// The fitted line, as an SVG path; empty without a fit.
    line: String,
    /// The curve in words.
    about: String,
}

#[derive(Debug, Serialize)]
struct PanelPoint {
    x: f64,
    y: f64,
    text: String,
}

/// Room that a value below the axis takes.
const VALUE: f64 = 34.0;

/// A scale of logarithms over so many pixels, or cells.
#[derive(Debug, Clone, Copy)]
pub struct LogScale {
    low: f64,
    high: f64,
    length: f64,
}

impl LogScale {
    /// A scale that holds these figures; those that have no logarithm are passed over.
    pub fn over(values: impl Iterator<Item = f64>, length: f64) -> Self {
        let logs = values.filter(|value| *value > 0.0 && value.is_finite()).map(f64::ln);
        let (low, high) =
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
        if low > high { Self { low: 0.0, high: 1.0, length } } else { Self { low, high, length } }
    }

    /// Where a figure is, from the lowest.
    pub fn at(self, value: f64) -> f64 {
        rounded(self.length * ((value.ln() - self.low) / self.span()).clamp(0.0, 1.0))
    }

    /// The figure that is there.
    pub fn figure(self, at: f64) -> f64 {
        (self.low + self.span() * at / self.length).exp()
    }

    pub fn ends(self) -> [f64; 2] {
        [self.low, self.high].map(f64::exp)
    }

    /// Figures that hardly differ are no reason for a steep line.
    fn span(self) -> f64 {
        (self.high - self.low).max(0.05)
    }
}

pub(super) fn panel(family: &CurveFamily<'_>) -> ScalingPanel {
    let points = || family.curves.iter().flat_map(|curve| &curve.points);
    let across = LogScale::over(points().map(|point| point.x), WIDTH);
    let lines = family.curves.iter().flat_map(corners).map(|(_, figure)| figure);
    let up = LogScale::over(points().map(|point| point.figure).chain(lines), HEIGHT);
    let x = |value: f64| across.at(value);
    let y = |figure: f64| rounded(HEIGHT - up.at(figure));
    let mut values: Vec<&ScalingPoint> = points().collect();
    values.sort_by(|one, other| one.x.total_cmp(&other.x));
    let mut ticks: Vec<Tick> = Vec::new();
    for point in values {
        if ticks.last().is_none_or(|last| x(point.x) - last.at >= VALUE) {
            ticks.push(Tick { at: x(point.x), label: point.value.clone() });
        }
    }
    let label = |figure: f64| family.curves.first().map_or(String::new(), |curve| scaling::figure(curve, figure));
    let curve = |curve: &ScalingCurve| PanelCurve {
        class: if curve.side == SideName::A { "grow-a" } else { "grow-b" },
        points: curve
            .points
            .iter()
            .map(|point| PanelPoint {
                x: x(point.x),
                y: y(point.figure),
                text: format!(
                    "{} {}={}: {}",
                    scaling::side(curve),
                    curve.axis,
                    point.value,
                    scaling::figure(curve, point.figure)
                ),
            })
            .collect(),
        line: path(corners(curve).map(|(at, figure)| (x(at), y(figure)))),
        about: format!("{}: {}", scaling::side(curve), scaling::growth(curve)),
    };
    ScalingPanel {
        title: format!("{} · {}", scaling::name(family), family.axis),
        curves: family.curves.iter().map(curve).collect(),
        values: ticks,
        figures: up.ends().map(|figure| Tick { at: y(figure), label: label(figure) }).into(),
    }
}

/// The ends and the knee of the fitted line.
pub fn corners(curve: &ScalingCurve) -> impl Iterator<Item = (f64, f64)> {
    let segments = match &curve.found {
        ScalingFound::Fitted { segments, .. } => segments.as_slice(),
        _ => &[],
    };
    let first = segments.first().map(|segment| segment.from);
    first.into_iter().chain(segments.iter().map(|segment| segment.to)).map(|corner| (corner.x, corner.figure))
}

fn path(corners: impl Iterator<Item = (f64, f64)>) -> String {
    corners.enumerate().map(|(at, (x, y))| format!("{}{x} {y}", if at == 0 { "M" } else { "L" })).collect()
}
