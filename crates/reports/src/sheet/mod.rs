//! A report as a value: sections of lines, a table and charts. It is built once, and each format has a renderer that draws it.

mod bar;
mod bar_rows;
mod chart;
mod csv;
mod flame;
mod forest;
mod html;
mod markdown;
mod png;
mod scale;
mod style;
mod svg;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use bar::{BarInterval, Slice, bar, key, largest_first, magnitude, reach, stacked};
pub use chart::{Chart, ChartAxis, ChartKind, ChartMark, ChartSeries, ChartTick, SeriesStyle};
pub use flame::{Flame, FlameFrame, SampledTime, Stacks, any_differs, heaviest};
pub(crate) use forest::shortened;
pub use forest::{Forest, ForestMark, ForestRow, ratio_axis};
pub use markdown::escaped;
pub use scale::Scale;
pub use style::{Colouring, ReportStyle, TableStyle};
pub use table::{Cell, Column, ColumnPart, ColumnRole, Row, Sense, Table, TableObjects, marks};

use super::format::{Format, WriteError};
use serde::Serialize;
use std::borrow::Cow;

/// The formats in which every sheet can be written. JSON contains the value that the sheet was built from.
pub const SHEET_FORMATS: &[Format] =
    &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html, Format::Svg, Format::Png];

/// A report. Texts are as they were stored: renderers escape them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// The subject, in a few words.
    pub title: String,
    /// The sections; text separates them by empty lines.
    pub sections: Vec<Section>,
    /// The rows for programs, which CSV contains, if they are not the rows of the only table.
    pub records: Option<Table>,
    /// The command that shows it again, which files contain; empty if a section has it.
    pub command: String,
}

/// A part of a sheet, drawn in the order of its fields. Empty fields take no space; a section with charts alone is on pages only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    pub tone: Tone,
    pub heading: Option<String>,
    pub before: Vec<String>,
    pub table: Option<Table>,
    pub forests: Vec<Forest>,
    pub charts: Vec<Chart>,
    pub flames: Vec<Flame>,
    pub after: Vec<String>,
}

/// The purpose of a section's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    #[default]
    Plain,
    /// The answer in sentences: above all other sections.
    Answer,
    /// The subject of the report: above all others but the answer.
    Head,
    /// Facts to know before trusting the figures.
    Warnings,
    /// The sentences that cells refer to by number, from 1.
    Footnotes,
    /// Remarks on the figures: a list in formats that have lists.
    Remarks,
    /// Details: folded on a page, and without a heading elsewhere.
    Folded,
    /// Details for formats where a report may be long: not in text.
    AtLength,
    /// Details on pages only.
    OnPage,
}

impl Sheet {
    /// Returns its answer and its tables of figures, as Markdown to paste.
    pub fn tables_to_paste(&self) -> String {
        let is_wanted = |section: &&Section| match section.tone {
            Tone::Answer => true,
            Tone::Plain => section.table.is_some(),
            _ => false,
        };
        let sections = self.sections.iter().filter(is_wanted).cloned().collect();
        markdown::markdown(&Self { sections, ..Self::default() })
    }
}

impl Section {
    /// Builds a section of lines.
    pub fn lines(lines: Vec<String>) -> Self {
        Self { before: lines, ..Self::default() }
    }

    /// Builds a section of lines with a tone; none if there are no lines.
    pub fn toned(tone: Tone, heading: &str, lines: Vec<String>) -> Option<Self> {
        (!lines.is_empty()).then(|| Self { tone, heading: Some(heading.to_owned()), before: lines, ..Self::default() })
    }

    /// Builds a section with only a table.
    pub fn table(table: Table) -> Self {
        Self { table: Some(table), ..Self::default() }
    }

    /// Whether the section is on pages only.
    fn is_on_page(&self) -> bool {
        let has_charts = !self.charts.is_empty() || !self.forests.is_empty() || !self.flames.is_empty();
        self.tone == Tone::OnPage || self.table.is_none() && has_charts
    }
}

/// Returns a sheet in a format. `typed`: the value that it was built from, which JSON contains.
///
/// # Errors
/// A format that sheets do not support, or a failure to write.
pub fn written(
    sheet: &Sheet,
    typed: &impl Serialize,
    format: Format,
    style: ReportStyle<'_>,
) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => text::text(sheet, style.table),
        Format::Markdown => markdown::markdown(sheet),
        Format::Csv => csv::csv(sheet, style.cells),
        Format::Json => serde_json::to_string_pretty(typed)? + "\n",
        Format::Html => html::html(sheet)?,
        // A picture of pixels is made of this one when it is written.
        Format::Svg | Format::Png => svg::svg(sheet, style.chart)?,
        Format::Summary => text::summary(sheet),
        Format::Comment => markdown::comment(sheet),
        asked @ (Format::Benchfmt | Format::Parquet | Format::Lines) => {
            return Err(WriteError::Unsupported { asked, supported: SHEET_FORMATS });
        }
    })
}

/// Returns the bytes of a report that [`written`] or its like returned as text.
///
/// # Errors
/// The picture cannot be drawn.
pub fn encoded(text: &str, format: Format) -> Result<Cow<'_, [u8]>, WriteError> {
    match format {
        Format::Png => png::png(text).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(text.as_bytes())),
    }
}

pub use html::html;
pub use text::text;
