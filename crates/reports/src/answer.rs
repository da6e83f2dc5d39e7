//! The answer of a user's query as a file, written row by row because it may have any size.

use super::{
    format::{Format, WriteError},
    results::RowObject,
    sheet::escaped,
};
use dbdyno_foundation::base::csv::{self, Cells};
use dbdyno_store::{AnswerOrder, ColumnKind, Store, TextRows};
use std::{
    fs::File,
    io::{BufWriter, Write},
    iter,
    path::Path,
};

/// The formats in which an answer can be written to a file.
pub const FILE_FORMATS: &[Format] = &[Format::Csv, Format::Json, Format::Markdown];

type AnswerRow<'r> = &'r [Option<&'r str>];

/// Writes a row, or the text before the first row.
type WriteRow = fn(&mut dyn Write, &TextRows, Option<AnswerRow<'_>>, Cells) -> Result<(), WriteError>;

/// Writes the whole answer of a user's query to a file of ours, which is replaced. `cells`: the form of CSV cells.
///
/// # Errors
/// Fails if it could not be written.
pub fn write(
    store: &Store,
    sql: &str,
    order: Option<AnswerOrder>,
    (format, cells): (Format, Cells),
    file: &Path,
) -> Result<(), WriteError> {
    let write_row: WriteRow = match format {
        Format::Csv => csv_row,
        Format::Json => json_row,
        Format::Markdown => |out, heads, row, _| markdown_row(out, heads, row),
        _ => return Err(WriteError::Unsupported { asked: format, supported: FILE_FORMATS }),
    };
    let mut out = BufWriter::new(File::create(file)?);
    let mut rows = 0_u64;
    store.ask_whole(sql, order, |heads, row| {
        if format == Format::Json && row.is_some() {
            out.write_all(if rows == 0 { b"\n" } else { b",\n" })?;
        }
        rows += u64::from(row.is_some());
        write_row(&mut out, heads, row, cells)
    })?;
    if format == Format::Json {
        out.write_all(if rows == 0 { b"]\n" } else { b"\n]\n" })?;
    }
    Ok(out.flush()?)
}

/// Writes a row as CSV; unknown values are empty.
fn csv_row(out: &mut dyn Write, heads: &TextRows, row: Option<AnswerRow<'_>>, cells: Cells) -> Result<(), WriteError> {
    let line = match row {
        None => csv::line(heads.columns.iter().map(String::as_str), cells),
        Some(row) => csv::line(row.iter().map(|value| value.unwrap_or("")), cells),
    };
    Ok(out.write_all(line.as_bytes())?)
}

/// Writes the bracket that begins the array, or an object.
fn json_row(
    out: &mut dyn Write,
    heads: &TextRows,
    row: Option<AnswerRow<'_>>,
    _cells: Cells,
) -> Result<(), WriteError> {
    match row {
        None => Ok(out.write_all(b"[")?),
        Some(row) => Ok(serde_json::to_writer(out, &RowObject { heads, row: row.iter().copied() })?),
    }
}

/// Writes a line of a table; numbers are right-aligned.
pub(super) fn markdown_row(
    out: &mut dyn Write,
    heads: &TextRows,
    row: Option<AnswerRow<'_>>,
) -> Result<(), WriteError> {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let text = match row {
        Some(row) => line(row.iter().map(|value| value.map_or_else(|| "NULL".to_owned(), escaped)).collect()),
        None => {
            let names = heads.columns.iter().map(|name| escaped(name)).collect();
            let rule = |kind: ColumnKind| if kind == ColumnKind::Number { "--:" } else { ":--" }.to_owned();
            // Some answers have no column kinds.
            let kinds = heads.kinds.iter().copied().chain(iter::repeat(ColumnKind::Text));
            line(names) + &line(kinds.take(heads.columns.len()).map(rule).collect())
        }
    };
    Ok(out.write_all(text.as_bytes())?)
}
