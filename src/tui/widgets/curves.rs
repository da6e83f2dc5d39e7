//! Curves on common axes, drawn with braille dots: several configurations on one picture, each with a mark at its highest point.

use super::paint::{Paint, width};
use dbdyno_catalog::Role;
use ratatui::{
    layout::Rect,
    style::Color,
    symbols::Marker,
    widgets::{
        Widget,
        canvas::{Canvas, Line},
    },
};

/// A curve.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    /// The character that marks it, because colours alone do not tell curves apart.
    pub(crate) mark: char,
    pub(crate) role: Role,
    /// Its corners from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// An axis with labels at some of its values.
#[derive(Debug, Clone)]
pub(crate) struct CurveAxis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Values with their labels, in order.
    pub(crate) labels: Vec<(f64, String)>,
}

impl CurveAxis {
    /// Returns the place of a value, from 0 at the low end to 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

/// Rows from which the label of the vertical axis has its own.
const ROOMY: u16 = 6;

/// Paints curves over their axes. `top` is the label of the upper end of the vertical axis, which begins at 0.
pub(crate) fn curves(paint: &mut Paint<'_>, area: Rect, curves: &[Curve], across: &CurveAxis, top: (f64, &str)) {
    if area.height < 3 || area.width < 12 {
        return;
    }
    // Where there is room, no curve is below the label.
    let above = u16::from(area.height >= ROOMY);
    let plot = Rect { y: area.y + above, height: area.height - 1 - above, ..area };
    let colour = |role: Role| paint.style(role).fg.unwrap_or(Color::Reset);
    let drawn: Vec<(Color, &Curve)> = curves.iter().map(|curve| (colour(curve.role), curve)).collect();
    let canvas =
        Canvas::default().marker(Marker::Braille).x_bounds([across.low, across.high]).y_bounds([0.0, top.0]).paint(
            |context| {
                for (color, curve) in &drawn {
                    for corners in curve.points.windows(2) {
                        let [(x1, y1), (x2, y2)] = [corners[0], corners[1]];
                        context.draw(&Line { x1, y1, x2, y2, color: *color });
                    }
                    context.layer();
                }
            },
        );
    canvas.render(plot, paint.buffer);
    for (at, curve) in curves.iter().enumerate() {
        mark(paint, plot, curve, across, top.0, at);
    }
    paint.text(Rect { height: 1, ..area }, top.1, Role::Dim);
    labels(paint, Rect { y: plot.bottom(), height: 1, ..area }, across);
}

/// Writes a curve's mark at its highest point. The marks of the next two curves are further to the right, so that equal curves stay readable.
fn mark(paint: &mut Paint<'_>, plot: Rect, curve: &Curve, across: &CurveAxis, top: f64, at: usize) {
    let highest = curve.points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((x, y)) = highest else { return };
    let column = (across.place(x) * f64::from(plot.width - 1)).round() as u16;
    let row = ((1.0 - (y / top.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)) * f64::from(plot.height - 1)).round() as u16;
    let column = (column + 2 * (at as u16 % 3)).min(plot.width - 1);
    let cell = Rect { x: plot.x + column, y: plot.y + row, width: 1, height: 1 };
    paint.text(cell, &curve.mark.to_string(), curve.role);
}

/// Writes the labels of the horizontal axis, those that do not overlap an earlier one.
fn labels(paint: &mut Paint<'_>, row: Rect, axis: &CurveAxis) {
    let mut free = row.x;
    for (value, label) in &axis.labels {
        let wide = width(label) as u16;
        let at = row.x + (axis.place(*value) * f64::from(row.width.saturating_sub(1))).round() as u16;
        let x = at.saturating_sub(wide / 2).max(row.x).min(row.right().saturating_sub(wide));
        if x >= free && wide <= row.width {
            paint.text(Rect { x, width: wide, ..row }, label, Role::Dim);
            free = x + wide + 2;
        }
    }
}
