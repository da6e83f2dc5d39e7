//! The style of a report. Each format uses its part.

use dbdyno_foundation::base::csv::Cells;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportStyle<'c> {
    /// Of text.
    pub table: TableStyle,
    /// The form of CSV cells.
    pub cells: Cells,
    /// The chart of a picture: words in its name, or `all`. None: the default.
    pub chart: Option<&'c str>,
}

impl ReportStyle<'_> {
    /// No colours, 80 columns, cells that no spreadsheet runs, and the first chart.
    pub const FILE: Self = Self { table: TableStyle::FILE, cells: Cells::Escaped, chart: None };
}

/// Whether red and green may be used; a word always carries the same meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colouring {
    /// ANSI colours.
    On,
    Off,
}

/// The style of a table in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether verdicts are coloured; their words carry the same meaning.
    pub colour: Colouring,
    /// The width available, in columns.
    pub width: usize,
}

impl TableStyle {
    /// The style for a file, and for a terminal that does not report its width.
    pub const FILE: Self = Self { colour: Colouring::Off, width: 80 };
}
