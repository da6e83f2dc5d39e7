//! A heat map of two options: a cell for each combination of their values, darker the farther it is from the base.

use super::sweep::ratio_cell;
use crate::tui::{
    screens::compare::{CompareScreen, HeatCell, Sweep, SweepRank},
    widgets::paint::{Paint, fit, pad, piece, width},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::plain;
use ratatui::layout::Rect;

/// Shades from the base to the cell farthest from it.
const SHADES: [&str; 5] = [" ", "░", "▒", "▓", "█"];
/// The narrowest column: a shade, a ratio and its sign.
const CELL: usize = 10;

/// Returns the number of rows of the map.
pub(super) fn height(sweep: &Sweep) -> usize {
    sweep.options.first().map_or(0, |rows| rows.values.len() + 2)
}

/// Paints as many columns of the map as there is room for. Returns the number of terminal columns used.
pub(super) fn draw(
    paint: &mut Paint<'_>,
    area: Rect,
    screen: &CompareScreen,
    sweep: &Sweep,
    cells: &[Vec<HeatCell>],
) -> u16 {
    let [rows, columns] = sweep.options.as_slice() else { return 0 };
    let corner = format!("{} \\ {}", rows.name, columns.name);
    let names = rows.values.iter().map(|value| width(&plain(value))).max().unwrap_or(0);
    let name = names.max(8).min(usize::from(area.width) / 4) + 1;
    let values = columns.values.iter().map(|value| width(&plain(value)) + 2).max().unwrap_or(0);
    let each = values.clamp(CELL, CELL + 6);
    let shown = columns.values.len().min(usize::from(area.width).saturating_sub(name) / each);
    let line = |down: usize| Rect { y: area.y + down as u16, height: 1, ..area };
    let is_there = |down: usize| down < usize::from(area.height);
    if is_there(0) {
        let left = columns.values.len() - shown;
        let more = if left > 0 { format!(" · {left} more columns") } else { String::new() };
        paint.text(line(0), &format!("{corner}{more}"), Role::Title);
    }
    let at = |row: Rect, column: usize| Rect { x: row.x + (name + column * each) as u16, width: each as u16, ..row };
    for (column, value) in columns.values.iter().take(shown).enumerate().filter(|_| is_there(1)) {
        paint.text(at(line(1), column), &format!("  {}", fit(&plain(value), each - 2)), Role::Title);
    }
    let reach = cells.iter().flatten().filter_map(away).fold(f64::MIN_POSITIVE, f64::max);
    let under = screen.ranked().map(|ranked| ranked.configuration);
    for (down, (value, cells)) in rows.values.iter().zip(cells).enumerate().filter(|(down, _)| is_there(down + 2)) {
        let row = line(down + 2);
        paint.text(Rect { width: name as u16, ..row }, &pad(&plain(value), name), Role::Title);
        for (column, cell) in cells.iter().take(shown).enumerate() {
            let place = at(row, column);
            match cell {
                HeatCell::Empty => {
                    paint.text(place, "  -", Role::Dim);
                }
                HeatCell::Measured(ranked) => {
                    let (ratio, role) = ratio_cell(ranked);
                    paint
                        .line(place, &[piece(shade(cell, reach), heat_role(ranked)), piece(format!(" {ratio}"), role)]);
                    if under == Some(ranked.configuration) {
                        paint.highlight(place);
                    }
                }
            }
        }
    }
    (name + shown * each) as u16
}

/// Returns the distance of a cell from the base, on a log scale.
fn away(cell: &HeatCell) -> Option<f64> {
    match cell {
        HeatCell::Empty => None,
        HeatCell::Measured(ranked) => ranked.ratio.map(|ratio| ratio.ln().abs()),
    }
}

fn shade(cell: &HeatCell, reach: f64) -> &'static str {
    let share = away(cell).unwrap_or(0.0) / reach;
    SHADES[((share * (SHADES.len() - 1) as f64).round() as usize).min(SHADES.len() - 1)]
}

/// Returns the role of the side that is better; the ratio next to the shade shows it too.
fn heat_role(ranked: &SweepRank) -> Role {
    if ranked.ratio.is_some_and(|ratio| ratio < 1.0) { Role::A } else { Role::B }
}
