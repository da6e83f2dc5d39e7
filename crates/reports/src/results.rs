//! Results as files for other programs: every column, with the command that created the file.

use super::{
    answer::markdown_row,
    format::{Format, WriteError},
    lines::lines,
    sheet::{self, Cell, Column, ColumnRole, Row, Section, Sheet, Table},
    text::write_rows,
};
use dbdyno_catalog::Catalog;
use dbdyno_foundation::base::csv::{self, Cells};
use dbdyno_store::{ColumnKind, Selection, Store, TextRows, WholeForm, WholeRow};
use serde::{Serialize, Serializer};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    iter,
    path::Path,
};

/// The formats in which an answer of the store can be shown.
pub const FORMATS: &[Format] = &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html];
/// The formats in which results can be written to a file: every column, one row per run and test.
pub const FILE_FORMATS: &[Format] = &[Format::Csv, Format::Json, Format::Parquet, Format::Lines];

/// Writes the results of a selection to a file of ours, which is replaced. `cells`: the form of CSV cells; `command`: the command that
/// created it; `catalog`: the suites, which define what their published programs print.
///
/// # Errors
/// Fails if it could not be written.
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
        text => write_as_text(store, selection, (text, cells), command, catalog, &mut created(file)?),
    }
}

/// Writes the results of a selection in a format that is text, to any output.
///
/// # Errors
/// The format is not one of [`FILE_FORMATS`], or is no text; the store cannot be read, or the output cannot be written.
pub fn write_as_text(
    store: &Store,
    selection: &Selection,
    (format, cells): (Format, Cells),
    command: &str,
    catalog: &Catalog,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    match format {
        Format::Csv => write_csv(store, selection, command, cells, out),
        Format::Json => write_json(store, selection, command, out),
        Format::Lines => {
            out.write_all(lines(store, selection, catalog)?.as_bytes())?;
            Ok(out.flush()?)
        }
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
            WholeRow::Texts(texts) => csv::line(texts.iter().map(|value| value.unwrap_or("")), cells),
            WholeRow::Object(_) => return Ok(()),
        };
        Ok::<(), WriteError>(out.write_all(line.as_bytes())?)
    })?;
    Ok(out.flush()?)
}

/// Writes an array with one object per line.
fn write_json(store: &Store, selection: &Selection, command: &str, out: &mut impl Write) -> Result<(), WriteError> {
    let mut before = "[\n";
    store.whole(selection, command, WholeForm::Objects, |row| {
        let WholeRow::Object(object) = row else { return Ok(()) };
        write!(out, "{before}{object}")?;
        before = ",\n";
        Ok::<(), WriteError>(())
    })?;
    // Without a result, the array was not begun.
    let begun = before == ",\n";
    out.write_all(if begun { b"\n]\n" } else { b"[]\n" })?;
    Ok(out.flush()?)
}

/// Returns an answer as text. `cells`: the form of CSV cells; `command`: the command that requested it, which becomes a page's title.
///
/// # Errors
/// The format is not one of [`FORMATS`].
pub fn text(answer: &TextRows, format: Format, cells: Cells, command: &str) -> Result<String, WriteError> {
    let mut bytes = Vec::new();
    write_text(answer, (format, cells), command, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes an answer as it is built, because it may be long.
///
/// # Errors
/// The format is not one of [`FORMATS`], or it could not be written.
pub fn write_text(
    answer: &TextRows,
    (format, cells): (Format, Cells),
    command: &str,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    match format {
        Format::Table => Ok(write_rows(answer, out)?),
        Format::Csv => Ok(write_answer_csv(answer, cells, out)?),
        Format::Json => write_answer_json(answer, out),
        Format::Markdown => {
            markdown_row(out, answer, None)?;
            let mut rows = answer.rows.iter();
            rows.try_for_each(|row| markdown_row(out, answer, Some(&row.iter().collect::<Vec<_>>())))
        }
        Format::Html => {
            let sections = vec![Section::table(table(answer))];
            let page = Sheet { title: command.to_owned(), sections, ..Sheet::default() };
            Ok(out.write_all(sheet::html(&page)?.as_bytes())?)
        }
        _ => Err(WriteError::Unsupported { asked: format, supported: FORMATS }),
    }
}

/// Returns an answer as a table. An unknown value is a dash for people, and empty for programs.
pub(super) fn table(answer: &TextRows) -> Table {
    let kinds = answer.kinds.iter().copied().chain(iter::repeat(ColumnKind::Text));
    let column = |(name, kind): (&String, ColumnKind)| {
        Column::new(name.clone(), name, if kind == ColumnKind::Number { ColumnRole::Figure } else { ColumnRole::Name })
    };
    let cell = |cell: Option<&str>| match cell {
        Some(text) => Cell::new(text),
        None => Cell { value: Some(String::new()), ..Cell::new("-") },
    };
    Table {
        columns: answer.columns.iter().zip(kinds).map(column).collect(),
        rows: answer.rows.iter().map(|row| Row::Cells(row.iter().map(cell).collect())).collect(),
        is_headed: true,
        ..Table::default()
    }
}

/// Writes an answer as CSV; unknown values are empty.
fn write_answer_csv(answer: &TextRows, cells: Cells, out: &mut impl Write) -> io::Result<()> {
    out.write_all(csv::line(answer.columns.iter().map(String::as_str), cells).as_bytes())?;
    answer
        .rows
        .iter()
        .try_for_each(|row| out.write_all(csv::line(row.iter().map(Option::unwrap_or_default), cells).as_bytes()))
}

/// Writes an answer as an array of objects. Keys keep the order of the columns, and every value has its own type.
fn write_answer_json(answer: &TextRows, out: &mut impl Write) -> Result<(), WriteError> {
    serde_json::to_writer_pretty(&mut *out, &Objects(answer))?;
    Ok(out.write_all(b"\n")?)
}

/// An answer as an array of objects.
pub(super) struct Objects<'r>(pub(super) &'r TextRows);

impl Serialize for Objects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rows.iter().map(|row| RowObject { heads: self.0, row: row.iter() }))
    }
}

/// A row of an answer as an object.
pub(super) struct RowObject<'r, R> {
    /// The columns of the row.
    pub(super) heads: &'r TextRows,
    /// The values of the row.
    pub(super) row: R,
}

impl<'r, R: Iterator<Item = Option<&'r str>> + Clone> Serialize for RowObject<'r, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kinds = self.heads.kinds.iter().copied().chain(iter::repeat(ColumnKind::Text));
        let values = self.row.clone().zip(kinds).map(|(text, kind)| text.map(|text| TypedText { text, kind }));
        serializer.collect_map(self.heads.columns.iter().zip(values))
    }
}

/// A text that is serialised as the value that it represents.
struct TypedText<'t> {
    text: &'t str,
    kind: ColumnKind,
}

impl Serialize for TypedText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind {
            ColumnKind::Text => serializer.serialize_str(self.text),
            ColumnKind::Flag => serializer.serialize_bool(self.text == "true"),
            ColumnKind::Number => serialize_number(self.text, serializer),
            ColumnKind::Json => match serde_json::from_str::<serde_json::Value>(self.text) {
                Ok(document) => document.serialize(serializer),
                Err(_) => serializer.serialize_str(self.text),
            },
        }
    }
}

/// Serialises whole numbers exactly, however large. JSON has no `nan` and no `inf`: these stay texts.
fn serialize_number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(whole) = text.parse::<i128>() {
        return serializer.serialize_i128(whole);
    }
    if let Ok(whole) = text.parse::<u128>() {
        return serializer.serialize_u128(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => serializer.serialize_f64(number),
        _ => serializer.serialize_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_numbers_as_numbers_and_texts_as_texts() {
        let columns = ["n", "m", "u", "x", "y", "f", "d", "t", "none"].map(str::to_owned).to_vec();
        let number = ColumnKind::Number;
        let kinds = vec![number, number, number, number, number, ColumnKind::Flag, ColumnKind::Json, ColumnKind::Text];
        let (least, most) = (i128::MIN.to_string(), u128::MAX.to_string());
        let texts = ["9007199254740993", &least, &most, "0.25", "inf", "true", "[1]", "7"];
        let row = texts.into_iter().map(Some).chain([None]);
        let written = text(&TextRows::new(columns, kinds, [row]), Format::Json, Cells::Escaped, "").unwrap();
        let line: String = written.split_whitespace().collect();
        assert_eq!(
            line,
            format!(
                r#"[{{"n":9007199254740993,"m":{least},"u":{most},"x":0.25,"y":"inf","f":true,"d":[1],"t":"7","none":null}}]"#
            )
        );
    }
}
