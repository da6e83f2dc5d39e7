//! A sheet's rows as CSV, for programs.

use super::{Cell, Row, Sheet, Table};
use dbdyno_foundation::base::csv::{Cells, line};

/// Returns the records of a sheet, or the rows of all its tables, which must then have the same columns.
pub(super) fn csv(sheet: &Sheet, cells: Cells) -> String {
    let tables: Vec<&Table> = match &sheet.records {
        Some(records) => vec![records],
        None => sheet.sections.iter().filter_map(|section| section.table.as_ref()).collect(),
    };
    let head = tables.first().map(|table| line(table.columns.iter().map(|column| column.name.as_ref()), cells));
    let rows = tables.iter().flat_map(|table| &table.rows).filter_map(|row| match row {
        Row::Cells(row) => Some(line(row.iter().map(Cell::value), cells)),
        Row::Total(_) | Row::Title(_) | Row::Detail(_) => None,
    });
    head.into_iter().chain(rows).collect()
}
