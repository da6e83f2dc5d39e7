//! A table with bars as rows of a picture.

use super::{
    BarInterval, ColumnRole, Row, Slice, Table,
    bar::largest_first,
    chart::rounded,
    forest::shortened,
    html::{DrawnSlice, drawn_slices, most_stacked},
    svg::{LETTER, MARGIN},
};
use serde::Serialize;

/// Row of a bar, where bars begin and end, and characters of a name that fit before them.
const BAR_ROW: f64 = 24.0;
const BARS: (f64, f64) = (210.0, 550.0);
const BAR_NAME: usize = 28;

/// A row of bars.
#[derive(Debug, Serialize)]
pub(super) struct DrawnBar<'s> {
    y: f64,
    name: String,
    figure: &'s str,
    from: f64,
    /// None for a row without a bar.
    length: Option<f64>,
    /// The ends of its interval.
    low: f64,
    high: f64,
    /// The slices of a stacked bar.
    slices: Vec<DrawnSlice<'s>>,
    /// The key below it, with the place of each name.
    key: Vec<(f64, &'static str, &'s str)>,
}

/// Returns the height of a table of bars.
pub(super) fn bars_height(table: &Table) -> f64 {
    let rows = table.rows.len() + table.rows.iter().filter(|row| is_stacked(row)).count();
    BAR_ROW * rows as f64
}

/// Returns the rows of a table of bars.
pub(super) fn drawn_bars(table: &Table) -> Vec<DrawnBar<'_>> {
    let column = |role| table.columns.iter().position(|column| column.role == role);
    let [name, bar, stack, interval] =
        [ColumnRole::Name, ColumnRole::Magnitude, ColumnRole::Stack, ColumnRole::Interval].map(column);
    let figure = interval.or_else(|| column(ColumnRole::Figure));
    let longest = stack.map_or(1.0, |at| most_stacked(table, at));
    let interval = |row: &Row| match row {
        Row::Cells(cells) | Row::Total(cells) => cells.get(bar?)?.interval,
        Row::Title(_) | Row::Detail(_) => None,
    };
    let most = table.rows.iter().filter_map(interval).map(|one| one.high.max(one.at)).fold(f64::MIN_POSITIVE, f64::max);
    let x = |value: f64| rounded(BARS.0 + (BARS.1 - BARS.0) * value / most);
    let mut y = -BAR_ROW;
    let drawn = table.rows.iter().map(|row| {
        y += BAR_ROW;
        let slices: &[Slice] = match (row, stack) {
            (Row::Cells(cells), Some(at)) => cells.get(at).map_or(&[], |cell| &cell.slices),
            _ => &[],
        };
        let (name, figure) = match row {
            Row::Cells(cells) | Row::Total(cells) => {
                let text = |at: Option<usize>| at.and_then(|at| cells.get(at)).map_or("", |cell| cell.text.as_str());
                (text(name), text(figure))
            }
            Row::Title(title) | Row::Detail(title) => (title.as_str(), ""),
        };
        let found = interval(row);
        let BarInterval { at: length, low, high } = found.unwrap_or(BarInterval { at: 0.0, low: 0.0, high: 0.0 });
        let drawn = DrawnBar {
            y,
            name: shortened(name, BAR_NAME),
            figure,
            from: BARS.0,
            length: found.map(|_| rounded(x(length) - BARS.0)),
            low: x(low),
            high: x(high),
            slices: drawn_slices(slices, BARS.0, (BARS.1 - BARS.0) / longest),
            key: drawn_key(slices),
        };
        if is_stacked(row) {
            y += BAR_ROW;
        }
        drawn
    });
    drawn.collect()
}

/// Whether a row has a stacked bar, which needs a line for its key.
fn is_stacked(row: &Row) -> bool {
    matches!(row, Row::Cells(cells) if cells.iter().any(|cell| !cell.slices.is_empty()))
}

/// Places the names of slices one after the other.
fn drawn_key(slices: &[Slice]) -> Vec<(f64, &'static str, &str)> {
    let mut x = MARGIN;
    let place = |slice: &'_ Slice| {
        let at = x;
        x += (slice.about.chars().count() + 3) as f64 * 10.0 * LETTER;
        at
    };
    let named = largest_first(slices);
    let places: Vec<f64> = named.iter().copied().map(place).collect();
    places.into_iter().zip(named).map(|(x, slice)| (x, slice.class, slice.about.as_str())).collect()
}
