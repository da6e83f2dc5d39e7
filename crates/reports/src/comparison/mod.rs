//! A comparison in every format.

mod benchfmt;
mod charts;
mod csv;
pub mod explain;
pub mod facts;
mod flat;
mod forests;
mod leader;
pub mod looks;
mod magnitudes;
mod names;
mod plans;
mod ratios;
pub mod reasons;
pub mod scaling;
pub(crate) mod sentence;
pub mod several;
mod sheet;
mod wording;
pub mod words;

pub use benchfmt::benchfmt;
pub use charts::corners;
pub use csv::csv;
pub use names::SideNames;
pub use scaling::grown_text;
pub use sentence::{sentence, sentences};
pub use several::{SEVERAL_COMMAND_FORMATS, SEVERAL_FORMATS, export_several, several, verdicts};
pub(crate) use sheet::NAME;
pub use sheet::sheet;
pub use wording::{Wording, part_title};

use crate::{
    format::{Format, WriteError},
    sheet::{ReportStyle, encoded, written},
};
use dbdyno_comparing::compare::{Comparison, OverSizes, over_sizes};
use dbdyno_foundation::base::output::Output;
use dbdyno_store::write_parquet;

/// The formats in which a comparison can be written: Csv and Parquet with one row per test and size, Json as described by
/// assets/schemas/comparison.schema.json.
pub const FORMATS: &[Format] = COMMAND_FORMATS.split_at(COMMAND_FORMATS.len() - 2).0;

/// The formats of the command: [`FORMATS`], then two with only or mainly the answer.
pub const COMMAND_FORMATS: &[Format] = &[
    Format::Table,
    Format::Markdown,
    Format::Csv,
    Format::Json,
    Format::Html,
    Format::Svg,
    Format::Png,
    Format::Benchfmt,
    Format::Parquet,
    Format::Summary,
    Format::Comment,
];

/// The formats of [`FORMATS`] that include how figures grow.
pub const SCALING_FORMATS: &[Format] =
    &[Format::Table, Format::Markdown, Format::Json, Format::Html, Format::Svg, Format::Png];

/// Returns the comparison as text.
///
/// # Errors
/// Fails if it could not be written. Parquet is not text.
pub fn text(comparison: &Comparison, format: Format, style: ReportStyle<'_>) -> Result<String, WriteError> {
    match format {
        Format::Csv => Ok(csv(comparison, style.cells)?),
        Format::Benchfmt => Ok(benchfmt(comparison)),
        Format::Parquet | Format::Lines => Err(WriteError::Unsupported { asked: format, supported: COMMAND_FORMATS }),
        // Building the sheet takes time, so these formats avoid it.
        Format::Json => Ok(serde_json::to_string_pretty(comparison)? + "\n"),
        Format::Table
        | Format::Markdown
        | Format::Html
        | Format::Svg
        | Format::Png
        | Format::Summary
        | Format::Comment => written(&sheet(comparison), comparison, format, style),
    }
}

/// Writes the comparison to a file, which is replaced in one step or left unchanged.
///
/// # Errors
/// Fails if it could not be written.
pub fn export(
    comparison: &Comparison,
    format: Format,
    style: ReportStyle<'_>,
    output: &Output,
) -> Result<(), WriteError> {
    match format {
        Format::Parquet => {
            output.replace(|temporary| Ok(write_parquet(flat::COLUMNS, &flat::rows(comparison)?, temporary)?))?
        }
        _ => Ok(output.replace_with(&encoded(&text(comparison, format, style)?, format)?)?),
    }
}

/// Summarises the tests of a comparison over their sizes, for the parts that have several sizes.
fn over_several(comparison: &Comparison) -> Vec<OverSizes> {
    let tests = over_sizes(&comparison.lines);
    tests.into_iter().filter(|test| test.sizes.len() + test.left_out.len() > 1).collect()
}
