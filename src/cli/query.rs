//! `dbdyno sql`, and how answers of the store are written.

use super::{
    args::{Format, Places, SqlArgs},
    error::CliError,
    print,
};
use crate::{
    report::{csv_line, text},
    store::{Rows, Store},
};
use serde::{Serialize, Serializer};
use std::process::ExitCode;

pub(super) fn sql(places: &Places, args: &SqlArgs) -> Result<ExitCode, CliError> {
    let store = opened(places)?;
    write(&store.query(&args.query, &[])?, args.format)
}

/// The store, with what is in its spool taken in. A store that is not there yet is said so.
pub(super) fn opened(places: &Places) -> Result<Store, CliError> {
    let store = places.store().map_err(CliError::Usage)?;
    if !store.exists() && !store.spool_path().exists() {
        return Err(CliError::Usage(format!(
            "there is no store {} yet: run `dbdyno --preset quick`, or give --store",
            store.path().display()
        )));
    }
    if store.spool_path().exists() {
        store.prepare()?;
    }
    Ok(store)
}

pub(super) fn write(rows: &Rows, format: Format) -> Result<ExitCode, CliError> {
    print(&text_of(rows, format)?)
}

/// An answer as text.
pub(super) fn text_of(rows: &Rows, format: Format) -> Result<String, CliError> {
    Ok(match format {
        Format::Table => text::rows(rows),
        Format::Json => {
            let objects: Vec<Object<'_>> = rows.rows.iter().map(|row| Object { columns: &rows.columns, row }).collect();
            serde_json::to_string_pretty(&objects).map_err(|error| CliError::Failed(error.to_string()))? + "\n"
        }
        Format::Csv => {
            let mut text = csv_line(rows.columns.iter().map(String::as_str));
            for row in &rows.rows {
                text.push_str(&csv_line(row.iter().map(|value| value.as_deref().unwrap_or(""))));
            }
            text
        }
    })
}

/// A row as an object whose keys keep the order of the columns.
struct Object<'r> {
    columns: &'r [String],
    row: &'r [Option<String>],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.row))
    }
}
