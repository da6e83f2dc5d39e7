//! The scaling of figures: each test with the exponents of both sides, and a description and plot of the test under the cursor.

use crate::tui::{
    screens::compare::{CompareScreen, family_rows},
    widgets::{
        paint::{Paint, width, wrap},
        table::{ListTable, TableColumn},
    },
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Comparison, CurveFamily, ScalingCurve, SideName};
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::comparison::{
    corners,
    scaling::{self, NOTHING},
};
use dbdyno_reports::sheet::Scale;
use ratatui::layout::{Constraint, Layout, Rect};

/// Columns for a figure next to the plot.
const FIGURE: u16 = 9;
/// Rows below which a plot is unreadable.
const LEAST: u16 = 4;
/// Rows reserved for the description and the plot.
const BELOW: u16 = 8;

/// Paints the table of tests along their axes, and below it the test under the cursor.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, screen: &CompareScreen, comparison: &Comparison) {
    let families = family_rows(comparison, &screen.looked.filter);
    if families.is_empty() {
        let none = comparison.scaling.as_ref().is_none_or(Vec::is_empty);
        paint.wrapped(area, if none { NOTHING } else { "no test matches the filter" }, Role::Dim);
        return;
    }
    let below = (area.height / 2).max(BELOW);
    let list = (families.len() as u16 + 1).min(area.height.saturating_sub(below).max(2));
    let [table, below] = area.layout(&Layout::vertical([Constraint::Length(list), Constraint::Min(3)]));
    ListTable::new(columns(), &families, screen.cursor(), 0).paint(paint, table);
    let Some(family) = families.get(screen.cursor().at) else { return };
    let taken = draw_words(paint, below, comparison, family);
    draw_plot(paint, Rect { y: below.y + taken, height: below.height.saturating_sub(taken), ..below }, family);
}

type FamilyColumn<'t> = TableColumn<'t, &'t CurveFamily<'t>>;

fn columns<'t>() -> Vec<FamilyColumn<'t>> {
    vec![
        FamilyColumn::text("test · axis", 0, |family| format!("{} · {}", scaling::name(family), family.axis))
            .at_most(usize::MAX),
        FamilyColumn::text("A", 0, |family| short(family, SideName::A)).coloured(|_| Role::A),
        FamilyColumn::text("B", 0, |family| short(family, SideName::B)).coloured(|_| Role::B),
    ]
}

/// Returns the exponent of a side's curve, or the number of curves if there are several.
fn short(family: &CurveFamily<'_>, side: SideName) -> String {
    let of_side: Vec<&ScalingCurve> = family.curves.iter().filter(|curve| curve.side == side).collect();
    match of_side.as_slice() {
        [] => "-".to_owned(),
        [only] => scaling::short_growth(only),
        several => format!("{} curves", several.len()),
    }
}

/// Paints a description of each curve and the remarks, if the plot leaves room. Returns the number of rows used.
fn draw_words(paint: &mut Paint<'_>, area: Rect, comparison: &Comparison, family: &CurveFamily<'_>) -> u16 {
    let words = family.curves.iter().map(|curve| {
        let text = format!("{} {}  {}", sign(curve), scaling::side(curve), scaling::growth(curve));
        (text, role(curve))
    });
    let remarks = family.curves.iter().flat_map(|curve| {
        scaling::remarks(scaling::of_curve(comparison, curve), curve)
            .into_iter()
            .map(move |text| format!("! {}: {text}", curve.side))
    });
    let most = area.height.saturating_sub(LEAST);
    let mut taken = 0;
    for (text, role) in words.chain(remarks.map(|text| (text, Role::Warn))) {
        let lines = wrap(&plain(&text), usize::from(area.width)).len() as u16;
        if taken + lines > most {
            break;
        }
        taken += paint.wrapped(Rect { y: area.y + taken, height: lines, ..area }, &text, role);
    }
    taken
}

fn role(curve: &ScalingCurve) -> Role {
    if curve.side == SideName::A { Role::A } else { Role::B }
}

/// Returns the sign that marks a side's points.
fn sign(curve: &ScalingCurve) -> &'static str {
    if curve.side == SideName::A { "●" } else { "○" }
}

/// Paints points and fitted lines on logarithmic axes.
fn draw_plot(paint: &mut Paint<'_>, area: Rect, family: &CurveFamily<'_>) {
    let Some(first) = family.curves.first().filter(|_| area.height >= LEAST && area.width > 3 * FIGURE) else { return };
    let plot = Rect { x: area.x + FIGURE, width: area.width - FIGURE - 3, height: area.height - 1, ..area };
    let points = || family.curves.iter().flat_map(|curve| &curve.points);
    let fitted = family.curves.iter().flat_map(corners).map(|(_, figure)| figure);
    let last = |cells: u16| f64::from(cells.saturating_sub(1));
    let across = Scale::logarithmic(points().map(|point| point.x));
    let up = Scale::logarithmic(points().map(|point| point.figure).chain(fitted));
    let column = |x: f64| plot.x + (across.share(x) * last(plot.width)).round() as u16;
    let row = |figure: f64| plot.bottom() - 1 - (up.share(figure) * last(plot.height)).round() as u16;
    let mut cell = |x: u16, y: u16, sign: &str, role: Role| {
        paint.text(Rect { x, y, width: 1, height: 1 }, sign, role);
    };
    for curve in family.curves {
        let corners: Vec<(f64, f64)> = corners(curve).collect();
        for x in 0..plot.width {
            if let Some(figure) = between(&corners, across.value_at(f64::from(x) / last(plot.width).max(1.0))) {
                cell(plot.x + x, row(figure), "·", role(curve));
            }
        }
    }
    // A is drawn last, over points of B in the same cell.
    for curve in family.curves.iter().rev() {
        for point in curve.points.iter().filter(|point| point.figure > 0.0) {
            cell(column(point.x), row(point.figure), sign(curve), role(curve));
        }
    }
    for figure in up.ticks.iter().copied() {
        let place = Rect { y: row(figure), width: FIGURE - 1, height: 1, ..area };
        paint.right(place, &scaling::figure(first, figure), Role::Dim);
    }
    let mut values: Vec<(u16, &str)> = points().map(|point| (column(point.x), point.value.as_str())).collect();
    values.sort_unstable();
    let mut free = area.x;
    for (x, value) in values {
        let columns = width(&plain(value)) as u16;
        let left = x.saturating_sub(columns / 2).min(area.right().saturating_sub(columns));
        if left >= free {
            paint.text(Rect { x: left, y: plot.bottom(), width: columns, height: 1 }, value, Role::Dim);
            free = left + columns + 1;
        }
    }
}

/// Returns the figure at x on a line through corners, interpolated on log axes; none beyond its ends.
fn between(corners: &[(f64, f64)], x: f64) -> Option<f64> {
    // The rounding of the scale must not cut off the ends.
    let slack = 1.0 + 1e-9;
    let on = |pair: &&[(f64, f64)]| pair[0].0 <= x * slack && x <= pair[1].0 * slack;
    let [(from, low), (to, high)] = corners.windows(2).find(on)? else { return None };
    let share = (x / from).ln() / (to / from).ln();
    Some((low.ln() + share * (high / low).ln()).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_straight_in_logarithms_and_ends_where_it_ends() {
        let corners = [(1.0, 10.0), (100.0, 1000.0), (1000.0, 1000.0)];
        assert!((between(&corners, 10.0).unwrap() - 100.0).abs() < 1e-9);
        assert!((between(&corners, 300.0).unwrap() - 1000.0).abs() < 1e-9);
        assert_eq!((between(&corners, 0.5), between(&corners, 2000.0), between(&[], 1.0)), (None, None, None));
    }
}
