//! A comparison as CSV (RFC 4180): a header, then a row a line.

use super::flat::{COLUMNS, rows};
use crate::{
    base::csv::{Cells, line},
    compare::Comparison,
    store::Cell,
};

/// The file.
///
/// # Errors
/// A fact that JSON cannot hold.
pub fn csv(comparison: &Comparison, written: Cells) -> Result<String, serde_json::Error> {
    Ok(of_rows(rows(comparison)?, written))
}

/// The header, then these rows.
pub(super) fn of_rows(rows: Vec<Vec<Cell>>, written: Cells) -> String {
    let mut out = line(COLUMNS.iter().map(|(name, _)| *name), written);
    for row in rows {
        let cells: Vec<String> = row.into_iter().map(text).collect();
        out.push_str(&line(cells.iter().map(String::as_str), written));
    }
    out
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text,
        Cell::Count(number) => number.to_string(),
        // The shortest text that reads back as the same number.
        Cell::Number(number) => number.to_string(),
        Cell::Missing => String::new(),
    }
}
