//! Results as files for other programs: every column, with the command that made the file.

use super::{
    format::{Format, WriteError},
    lines::lines,
    text::rows,
};
use crate::{
    base::csv::{self, Cells},
    catalog::Catalog,
    store::{Selection, Store, TextRows},
};
use serde::{Serialize, Serializer};
use std::{fs, path::Path};

/// How an answer of the store can be shown.
pub const FORMATS: &[Format] = &[Format::Table, Format::Csv, Format::Json];
/// How results can be written to a file: every column, a row a run and test.
pub const FILE_FORMATS: &[Format] = &[Format::Csv, Format::Json, Format::Parquet, Format::Lines];

/// Writes the results of a selection to a file of ours, which is replaced. `cells`: what those of CSV are written as;
/// `command`: what made it; `catalog`: the suites, which say what their published programs print.
///
/// # Errors
/// Why it could not be written.
pub fn write(
    store: &Store,
    selection: &Selection,
    (format, cells): (Format, Cells),
    command: &str,
    catalog: &Catalog,
    file: &Path,
) -> Result<(), WriteError> {
    let text = match format {
        Format::Parquet => return Ok(store.write_results_parquet(selection, command, file)?),
        Format::Csv => csv(&store.whole(selection, command)?, cells),
        Format::Json => json(&store.whole(selection, command)?)?,
        Format::Lines => lines(store, selection, catalog)?,
        _ => return Err(WriteError::Unsupported { asked: format, supported: FILE_FORMATS }),
    };
    Ok(fs::write(file, text)?)
}

/// An answer as text. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written.
pub fn text(answer: &TextRows, format: Format, cells: Cells) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => rows(answer),
        Format::Csv => csv(answer, cells),
        Format::Json => json(answer)?,
        _ => return Err(WriteError::Unsupported { asked: format, supported: FORMATS }),
    })
}

/// An answer as CSV; what is not known is empty.
fn csv(rows: &TextRows, cells: Cells) -> String {
    let mut text = csv::line(rows.columns.iter().map(String::as_str), cells);
    for row in &rows.rows {
        text.push_str(&csv::line(row.iter().map(|value| value.as_deref().unwrap_or("")), cells));
    }
    text
}

/// An answer as an array of objects whose keys keep the order of the columns.
fn json(rows: &TextRows) -> serde_json::Result<String> {
    let objects: Vec<RowObject<'_>> = rows.rows.iter().map(|row| RowObject { columns: &rows.columns, row }).collect();
    Ok(serde_json::to_string_pretty(&objects)? + "\n")
}

struct RowObject<'r> {
    columns: &'r [String],
    row: &'r [Option<String>],
}

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.row))
    }
}
