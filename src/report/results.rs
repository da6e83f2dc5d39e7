//! Results as files for other programs: every column, with the command that made the file.

use crate::base::csv::{self, Cells};
use crate::store::{Rows, Selection, Store, StoreError};
use serde::{Serialize, Serializer};
use std::{fs, io, path::Path};

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultsFormat {
    /// Comma-separated values with a header.
    Csv,
    /// An array of objects; every value is a text or null.
    Json,
    /// Parquet, with types.
    Parquet,
}

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsFileError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They are no JSON.
    #[error("as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] io::Error),
}

impl ResultsFormat {
    /// The format that a file's ending means.
    pub fn of(path: &Path) -> Result<Self, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(format!("{}: expected a name that ends in .csv, .json or .parquet", path.display())),
        }
    }

    /// The word for `--format`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Parquet => "parquet",
        }
    }
}

/// Writes the results of a selection to a file of ours, which is replaced. `cells`: what those of CSV are written as;
/// `command`: what made it.
pub fn write(
    store: &Store,
    selection: &Selection,
    format: ResultsFormat,
    cells: Cells,
    command: &str,
    file: &Path,
) -> Result<(), ResultsFileError> {
    let text = match format {
        ResultsFormat::Parquet => return Ok(store.write_results_parquet(selection, command, file)?),
        ResultsFormat::Csv => csv(&store.whole(selection, command)?, cells),
        ResultsFormat::Json => json(&store.whole(selection, command)?)?,
    };
    Ok(fs::write(file, text)?)
}

/// An answer as CSV; what is not known is empty.
pub fn csv(rows: &Rows, cells: Cells) -> String {
    let mut text = csv::line(rows.columns.iter().map(String::as_str), cells);
    for row in &rows.rows {
        text.push_str(&csv::line(row.iter().map(|value| value.as_deref().unwrap_or("")), cells));
    }
    text
}

/// An answer as an array of objects whose keys keep the order of the columns.
pub fn json(rows: &Rows) -> serde_json::Result<String> {
    let objects: Vec<Object<'_>> = rows.rows.iter().map(|row| Object { columns: &rows.columns, row }).collect();
    Ok(serde_json::to_string_pretty(&objects)? + "\n")
}

struct Object<'r> {
    columns: &'r [String],
    row: &'r [Option<String>],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.row))
    }
}
