//! A report as a value: sections of lines, a table and charts. It is built once, and drawn by a renderer for each format.

mod bar;
mod chart;
mod csv;
mod forest;
mod html;
mod markdown;
mod scale;
mod style;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use bar::{Interval, bar, reach};
pub use chart::{Chart, ChartAxis, ChartKind, ChartMark, ChartSeries, ChartTick, SeriesStyle};
pub use forest::{Forest, ForestMark, ForestRow, ratio_axis};
pub use markdown::escaped;
pub use scale::Scale;
pub use style::{Colouring, TableStyle};
pub use table::{Cell, Column, ColumnPart, ColumnRole, Row, Sense, Table, TableObjects, marks};

use super::format::{Format, WriteError};
use dbdyno_foundation::base::csv::Cells;
use serde::Serialize;

/// How every sheet can be written. JSON has what the sheet was built of.
pub const SHEET_FORMATS: &[Format] = &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html];

/// A report. Texts are as they were stored: renderers escape them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// What it is about, in a few words.
    pub title: String,
    /// Text separates them by empty lines.
    pub sections: Vec<Section>,
    /// The rows for programs, where they are not those of the only table; CSV has these.
    pub records: Option<Table>,
    /// The command that shows it again, which files carry; empty where a section has it.
    pub command: String,
}

/// A part of a sheet, drawn in the order of its fields. What it lacks takes no room; one that has charts alone is on pages only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    pub tone: Tone,
    pub heading: Option<String>,
    pub before: Vec<String>,
    pub table: Option<Table>,
    pub forests: Vec<Forest>,
    pub charts: Vec<Chart>,
    pub after: Vec<String>,
}

/// What the lines of a section are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    #[default]
    Plain,
    /// What the report is about: above all others.
    Head,
    /// What to know before the figures are believed: on pages above these.
    Warnings,
    /// The sentences that cells refer to by number, from 1.
    Footnotes,
    /// Remarks on the figures: a list, where there are lists.
    Remarks,
    /// Details, which a page shows when they are asked for, and without a heading elsewhere.
    Folded,
    /// The same where a report may be long: not in text.
    AtLength,
    /// The same on pages only.
    OnPage,
}

impl Section {
    /// Lines under each other.
    pub fn lines(lines: Vec<String>) -> Self {
        Self { before: lines, ..Self::default() }
    }

    /// Lines of a tone; none where there are no lines.
    pub fn toned(tone: Tone, heading: &str, lines: Vec<String>) -> Option<Self> {
        (!lines.is_empty()).then(|| Self { tone, heading: Some(heading.to_owned()), before: lines, ..Self::default() })
    }

    /// A table alone.
    pub fn table(table: Table) -> Self {
        Self { table: Some(table), ..Self::default() }
    }

    /// Whether only pages have it.
    fn is_on_page(&self) -> bool {
        let has_charts = !self.charts.is_empty() || !self.forests.is_empty();
        self.tone == Tone::OnPage || self.table.is_none() && has_charts
    }
}

/// A sheet in a format. `typed`: what it was built of, which is JSON; `style`: how a table is drawn; `cells`: what those of CSV are
/// written as.
///
/// # Errors
/// A format that sheets do not have, or why it could not be written.
pub fn written(
    sheet: &Sheet,
    typed: &impl Serialize,
    format: Format,
    style: TableStyle,
    cells: Cells,
) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => text::text(sheet, style),
        Format::Markdown => markdown::markdown(sheet),
        Format::Csv => csv::csv(sheet, cells),
        Format::Json => serde_json::to_string_pretty(typed)? + "\n",
        Format::Html => html::html(sheet)?,
        asked @ (Format::Benchfmt | Format::Parquet | Format::Lines) => {
            return Err(WriteError::Unsupported { asked, supported: SHEET_FORMATS });
        }
    })
}

pub use html::html;
pub use text::text;
