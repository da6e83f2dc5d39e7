//! A comparison in every format.

pub(crate) mod bar;
mod benchfmt;
pub(crate) mod charts;
mod csv;
pub(crate) mod explain;
pub(crate) mod facts;
mod flat;
mod html;
mod markdown;
mod parquet;
mod table;
pub(crate) mod words;

pub use benchfmt::benchfmt;
pub use csv::csv;
pub use html::html;
pub use markdown::markdown;
pub use table::{TableStyle, table};

use crate::{
    base::{csv::Cells, output::Output},
    compare::Comparison,
};
use std::path::Path;

/// How a comparison is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned text.
    Table,
    /// GitHub's Markdown.
    Markdown,
    /// Comma-separated values, a row a test and size.
    Csv,
    /// Everything, as assets/schemas/comparison.schema.json says.
    Json,
    /// One self-contained page with charts.
    Html,
    /// The Go benchmark format, for `benchstat -col side`.
    Benchfmt,
    /// The columns of csv as Parquet; needs --out.
    Parquet,
}

impl Format {
    /// The format that a file's ending stands for.
    ///
    /// # Errors
    /// Which endings there are.
    pub fn of_file(path: &Path) -> Result<Self, String> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Ok(match ending.to_ascii_lowercase().as_str() {
            "txt" => Self::Table,
            "md" => Self::Markdown,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "html" => Self::Html,
            "bench" => Self::Benchfmt,
            "parquet" => Self::Parquet,
            _ => {
                let endings = "expected a name that ends in .txt, .md, .csv, .json, .html, .bench or .parquet";
                return Err(format!("`{}`: {endings}", path.display()));
            }
        })
    }
}

/// Why a comparison could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A fact that JSON cannot hold.
    #[error("writing JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The template does not fit the report.
    #[error("writing the HTML report: {0}")]
    Html(#[from] minijinja::Error),
    /// DuckDB could not write.
    #[error("writing Parquet: {0}")]
    Parquet(String),
    /// The file cannot be written.
    #[error("{} cannot be written: {error}: choose another file", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

/// The comparison as text; none for Parquet, which is no text. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written.
pub fn text(
    comparison: &Comparison,
    format: Format,
    style: TableStyle,
    cells: Cells,
) -> Result<Option<String>, ExportError> {
    Ok(Some(match format {
        Format::Table => table(comparison, style),
        Format::Markdown => markdown(comparison),
        Format::Csv => csv(comparison, cells)?,
        Format::Json => serde_json::to_string_pretty(comparison)? + "\n",
        Format::Html => html(comparison)?,
        Format::Benchfmt => benchfmt(comparison),
        Format::Parquet => return Ok(None),
    }))
}

/// Writes the comparison to a file, which is replaced in one step or left as it is. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written.
pub fn export(
    comparison: &Comparison,
    format: Format,
    style: TableStyle,
    cells: Cells,
    output: &Output,
) -> Result<(), ExportError> {
    let text = text(comparison, format, style, cells)?;
    let failed = |error| ExportError::File { path: output.target().to_owned(), error };
    let write = |temporary: &Path| match &text {
        Some(text) => std::fs::write(temporary, text).map_err(failed),
        None => parquet::write(comparison, temporary),
    };
    output.replace(write).unwrap_or_else(|error| Err(failed(error)))
}
