//! A comparison as CSV (RFC 4180): a header, then one row per line of the comparison.

use super::flat::{COLUMNS, OF_WHOLE, rows};
use dbdyno_comparing::compare::Comparison;
use dbdyno_foundation::base::csv::{Cells, line};
use dbdyno_store::FlatValue;

/// Builds the file.
///
/// # Errors
/// A fact that JSON cannot hold.
pub fn csv(comparison: &Comparison, written: Cells) -> Result<String, serde_json::Error> {
    Ok(of_rows(rows(comparison)?, written))
}

/// Builds the header, then these rows. The columns about the whole comparison are much longer than those of a line, so they are written
/// only if they differ from the row above.
pub(super) fn of_rows(rows: Vec<Vec<FlatValue>>, written: Cells) -> String {
    let mut out = line(COLUMNS.iter().map(|(name, _)| *name), written);
    let mut above = vec![String::new(); OF_WHOLE];
    for row in rows {
        let mut cells: Vec<String> = row.into_iter().map(text).collect();
        let of_line = cells.len().saturating_sub(OF_WHOLE);
        for (cell, above) in cells[of_line..].iter_mut().zip(&mut above) {
            match cell == above {
                true => cell.clear(),
                false => above.clone_from(cell),
            }
        }
        out.push_str(&line(cells.iter().map(String::as_str), written));
    }
    out
}

fn text(cell: FlatValue) -> String {
    match cell {
        FlatValue::Text(text) => text,
        FlatValue::Count(number) => number.to_string(),
        // The shortest text that reads back as the same number.
        FlatValue::Number(number) => number.to_string(),
        FlatValue::Missing => String::new(),
    }
}
