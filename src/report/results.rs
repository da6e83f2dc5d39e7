//! Results as files for other programs: every column, with the command that made the file.

use super::{
    format::{Format, WriteError},
    lines::lines,
    text::rows,
};
use crate::{
    base::csv::{self, Cells},
    catalog::Catalog,
    store::{Selection, Store, TextRows, WholeForm, WholeRow},
};
use serde::{Serialize, Serializer};
use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

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
    match format {
        Format::Parquet => Ok(store.write_results_parquet(selection, command, file)?),
        Format::Csv => write_csv(store, selection, command, cells, &mut created(file)?),
        Format::Json => write_json(store, selection, command, &mut created(file)?),
        Format::Lines => Ok(fs::write(file, lines(store, selection, catalog)?)?),
        _ => Err(WriteError::Unsupported { asked: format, supported: FILE_FORMATS }),
    }
}

fn created(file: &Path) -> std::io::Result<BufWriter<File>> {
    File::create(file).map(BufWriter::new)
}

fn write_csv(
    store: &Store,
    selection: &Selection,
    command: &str,
    cells: Cells,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    store.whole(selection, command, WholeForm::Texts, |row| {
        let line = match row {
            WholeRow::Columns(columns) => csv::line(columns.iter().map(String::as_str), cells),
            WholeRow::Texts(texts) => csv::line(texts.iter().map(|value| value.as_deref().unwrap_or("")), cells),
            WholeRow::Object(_) => return Ok(()),
        };
        Ok::<(), WriteError>(out.write_all(line.as_bytes())?)
    })?;
    Ok(out.flush()?)
}

/// An array with an object a line.
fn write_json(store: &Store, selection: &Selection, command: &str, out: &mut impl Write) -> Result<(), WriteError> {
    let mut before = "[\n";
    store.whole(selection, command, WholeForm::Objects, |row| {
        let WholeRow::Object(object) = row else { return Ok(()) };
        write!(out, "{before}{object}")?;
        before = ",\n";
        Ok::<(), WriteError>(())
    })?;
    // Without a result nothing was begun.
    let begun = before == ",\n";
    out.write_all(if begun { b"\n]\n" } else { b"[]\n" })?;
    Ok(out.flush()?)
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
