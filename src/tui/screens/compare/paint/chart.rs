//! A text chart of ratios over sizes: a point with its interval for each size, the median as a diamond, on a log axis around 1.

use crate::tui::widgets::paint::{Paint, fit, width};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::Line;
use dbdyno_reports::comparison::words;
use ratatui::layout::Rect;

/// Columns for the axis labels.
const AXIS: u16 = 7;
/// Rows below which the chart is unreadable.
const LEAST: u16 = 5;

/// A point of the chart.
#[derive(Debug, Clone, PartialEq)]
struct SizePoint {
    label: String,
    ratio: f64,
    low: f64,
    high: f64,
    sign: &'static str,
    /// The sign of its verdict.
    verdict: &'static str,
}

/// The log scale of ratios in a chart of a given number of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LogScale {
    top: f64,
    bottom: f64,
    rows: u16,
}

impl LogScale {
    /// Returns a scale that covers these ratios and 1.
    fn for_ratios(ratios: impl Iterator<Item = f64>, rows: u16) -> Self {
        let (mut bottom, mut top) = (0.0_f64, 0.0_f64);
        for log in ratios.map(f64::ln) {
            (bottom, top) = (bottom.min(log), top.max(log));
        }
        let margin = ((top - bottom) * 0.05).max(0.01);
        Self { top: top + margin, bottom: bottom - margin, rows }
    }

    /// Returns the row of a ratio, counted from the top.
    fn row(self, ratio: f64) -> u16 {
        let last = f64::from(self.rows.saturating_sub(1));
        (last * (self.top - ratio.ln()) / (self.top - self.bottom)).round().clamp(0.0, last) as u16
    }
}

/// Paints the ratios of a test's comparable sizes, and their median.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, lines: &[&Line], median: Option<f64>) {
    let points = points(lines, median);
    if area.height < LEAST || points.is_empty() {
        return;
    }
    let plot = Rect { x: area.x + AXIS, width: area.width.saturating_sub(AXIS), height: area.height - 1, ..area };
    let ends = points.iter().flat_map(|point| [point.low, point.high, point.ratio]);
    let axis = LogScale::for_ratios(ends, plot.height);
    let at = |x: u16, y: u16, width: u16| Rect { x, y, width: width.min(area.right().saturating_sub(x)), height: 1 };
    draw_axis(paint, area, plot, axis);
    let step = plot.width / points.len() as u16;
    for (number, point) in (0..).zip(&points) {
        let x = plot.x + number * step + step / 3;
        for y in axis.row(point.high)..=axis.row(point.low) {
            paint.text(at(x, plot.y + y, 1), "│", Role::Accent);
        }
        let row = plot.y + axis.row(point.ratio);
        paint.text(at(x, row, 1), point.sign, Role::Accent);
        let value = format!("{} {}", words::ratio(point.ratio), point.verdict).trim_end().to_owned();
        if usize::from(step) > width(&value) + 2 {
            paint.text(at(x + 2, row, step), &value, Role::Text);
        }
        let label = fit(&point.label, usize::from(step.saturating_sub(1)));
        let left = x.saturating_sub(width(&label) as u16 / 2).max(plot.x);
        paint.text(at(left, plot.bottom(), step), &label, Role::Dim);
    }
}

/// Paints the line at 1 and the labels at the ends of the axis.
fn draw_axis(paint: &mut Paint<'_>, area: Rect, plot: Rect, axis: LogScale) {
    let one = axis.row(1.0);
    let label = |row: u16| Rect { y: plot.y + row, width: AXIS - 1, height: 1, ..area };
    paint.right(label(one), "1", Role::Dim);
    paint.text(Rect { y: plot.y + one, height: 1, ..plot }, &"┄".repeat(usize::from(plot.width)), Role::Ghost);
    for (row, end) in [(0, axis.top), (axis.rows - 1, axis.bottom)] {
        if row.abs_diff(one) > 1 {
            paint.right(label(row), &words::ratio(end.exp()), Role::Dim);
        }
    }
}

fn points(lines: &[&Line], median: Option<f64>) -> Vec<SizePoint> {
    let point = |line: &&Line| {
        let found = line.found.as_ref()?;
        let ratio = found.ratio;
        let (low, high) = found.interval.map_or((ratio, ratio), |interval| (interval.low, interval.high));
        let verdict = words::sign(Some(found.verdict));
        Some(SizePoint { label: line.size.clone(), ratio, low, high, sign: "●", verdict })
    };
    let mut points: Vec<SizePoint> = lines.iter().filter_map(point).collect();
    points.extend(median.filter(|_| !points.is_empty()).map(|ratio| SizePoint {
        label: "median".to_owned(),
        ratio,
        low: ratio,
        high: ratio,
        sign: "◆",
        verdict: "",
    }));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_always_on_the_axis_and_equal_factors_are_equally_far() {
        let axis = LogScale::for_ratios([0.25, 4.0].into_iter(), 21);
        assert_eq!(axis.row(1.0), 10);
        assert_eq!(axis.row(0.5) - axis.row(1.0), axis.row(1.0) - axis.row(2.0));
        let below = LogScale::for_ratios([0.1, 0.2].into_iter(), 10);
        assert!(below.row(1.0) < below.row(0.2) && below.row(0.2) < below.row(0.1));
    }
}
