//! A report as a value: sections of lines, a table and charts. It is built once, and drawn by a renderer for each format.

mod chart;
mod csv;
mod html;
mod markdown;
mod text;

pub use chart::{Chart, ChartPoint};

use super::format::{Format, WriteError};
use console::Alignment;
use dbdyno_foundation::base::csv::Cells;
use serde::Serialize;

/// How every sheet can be written. JSON has what the sheet was built of.
pub const SHEET_FORMATS: &[Format] = &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html];

/// A report. Texts are as they were stored: renderers escape them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// What it is about, in a few words.
    pub title: String,
    /// Text parts them by empty lines.
    pub sections: Vec<Section>,
    /// The rows for programs, where they are not those of the only table; CSV has these.
    pub records: Option<Table>,
    /// The command that shows it again, which files carry.
    pub command: String,
}

/// A part of a sheet, drawn in the order of its fields. What it lacks takes no room.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    pub heading: Option<String>,
    pub before: Vec<String>,
    pub table: Option<Table>,
    pub charts: Vec<Chart>,
    pub after: Vec<String>,
}

/// Rows under columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Whether text has the titles of columns too: of two columns that explain themselves it needs none.
    pub is_headed: bool,
    /// Spaces before each row of text.
    pub indent: usize,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What programs call it.
    pub name: &'static str,
    /// What people read above it.
    pub title: String,
    pub role: Role,
}

/// What a column is for, which says how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What a row is about.
    Name,
    /// A figure: to the right.
    Figure,
    /// An interval of the figure before.
    Interval,
    /// What was found.
    Verdict,
    /// Figures as a line of characters, where there are no charts.
    Sparkline,
}

impl Role {
    /// Where its cells stand, in every format.
    fn alignment(self) -> Alignment {
        match self {
            Self::Figure => Alignment::Right,
            Self::Name | Self::Interval | Self::Verdict | Self::Sparkline => Alignment::Left,
        }
    }
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// A title over the rows that follow.
    Title(String),
    /// A sentence about the row before.
    Detail(String),
}

/// What a row says in a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// For people.
    pub text: String,
    /// For programs, where it is not the text.
    pub value: Option<String>,
}

impl Column {
    /// A column of a role.
    pub fn new(name: &'static str, title: &str, role: Role) -> Self {
        Self { name, title: title.to_owned(), role }
    }

    /// Columns by their names, titles and roles.
    pub fn all<const N: usize>(columns: [(&'static str, &str, Role); N]) -> Vec<Self> {
        columns.map(|(name, title, role)| Self::new(name, title, role)).to_vec()
    }
}

impl Table {
    /// Rows that only programs read.
    pub fn records<const N: usize>(columns: [&'static str; N], rows: impl Iterator<Item = Row>) -> Self {
        let columns = columns.map(|name| Column::new(name, name, Role::Name)).to_vec();
        Self { columns, rows: rows.collect(), ..Self::default() }
    }
}

impl Cell {
    /// A cell whose text and value are one.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None }
    }

    /// A figure: how people read it, and the number.
    pub fn figure(text: impl Into<String>, value: Option<f64>) -> Self {
        Self { text: text.into(), value: Some(value.map_or_else(String::new, |value| value.to_string())) }
    }

    /// A number of a record; empty where there is none.
    pub fn number(value: Option<f64>) -> Self {
        Self::new(value.map_or_else(String::new, |value| value.to_string()))
    }

    /// What a program reads.
    fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.text)
    }
}

impl Section {
    /// Lines under each other.
    pub fn lines(lines: Vec<String>) -> Self {
        Self { before: lines, ..Self::default() }
    }
}

/// A sheet in a format. `typed`: what it was built of, which is JSON; `cells`: what those of CSV are written as.
///
/// # Errors
/// A format that sheets do not have, or why it could not be written.
pub fn written(sheet: &Sheet, typed: &impl Serialize, format: Format, cells: Cells) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => text::text(sheet),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet with everything, and text that each format would obey.
    fn sheet() -> Sheet {
        let columns = vec![
            Column::new("test", "test", Role::Name),
            Column::new("ns", "time", Role::Figure),
            Column::new("line", "", Role::Sparkline),
            Column::new("verdict", "verdict", Role::Verdict),
        ];
        let evil = "=a|<b>\u{1b}[2J";
        let rows = vec![
            Row::Title("size 10".to_owned()),
            Row::Cells(vec![Cell::new(evil), Cell::figure("1.50 ms", Some(1.5e6)), Cell::new("▁█"), Cell::new("same")]),
            Row::Detail("since Monday".to_owned()),
            Row::Cells(vec![Cell::new("2"), Cell::figure("-", None), Cell::new(""), Cell::new("")]),
        ];
        let chart = Chart {
            name: evil.to_owned(),
            points: vec![ChartPoint { x: 0.0, y: 1.0, about: evil.to_owned() }, ChartPoint::default()],
            breaks: vec![0.5],
            line: Some((1.0, 2.0)),
            notes: vec!["note".to_owned()],
        };
        Sheet {
            title: "Sheet".to_owned(),
            sections: vec![
                Section {
                    heading: Some("Heading".to_owned()),
                    before: vec!["before".to_owned()],
                    table: Some(Table { columns, rows, is_headed: true, indent: 1 }),
                    charts: vec![chart],
                    after: vec!["after".to_owned()],
                },
                Section::lines(vec!["last".to_owned()]),
            ],
            records: None,
            command: "dbdyno x".to_owned(),
        }
    }

    fn drawn(format: Format) -> String {
        written(&sheet(), &[1], format, Cells::Escaped).unwrap()
    }

    #[test]
    fn text_has_sections_parted_by_empty_lines() {
        let expected = "Heading\nbefore\n test                time      verdict\nsize 10\n =a|<b>\\u{1b}[2J  1.50 ms  ▁█  same\n    \
                        since Monday\n 2                      -\nafter\n\nlast\n";
        assert_eq!(drawn(Format::Table), expected);
    }

    #[test]
    fn programs_read_values_and_no_titles() {
        assert_eq!(drawn(Format::Csv), "test,ns,line,verdict\n'=a|<b>\u{1b}[2J,1500000,▁█,same\n2,,,\n");
        assert_eq!(drawn(Format::Json), "[\n  1\n]\n");
        let records = Table::records(["n"], std::iter::empty());
        let with_records = Sheet { records: Some(records), ..sheet() };
        assert_eq!(written(&with_records, &(), Format::Csv, Cells::Raw).unwrap(), "n\n");
    }

    #[test]
    fn markdown_has_tables_whose_cells_cannot_end_them() {
        let text = drawn(Format::Markdown);
        for line in [
            "### Heading",
            "| test | time |  | verdict |",
            "|---|--:|---|---|",
            "| **size 10** |  |  |  |",
            "| =a\\|&lt;b&gt;\\\\u{1b}\\[2J | 1.50 ms | ▁█ | same |",
            "Made by dbdyno x",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}: {text}");
        }
    }

    #[test]
    fn a_page_escapes_what_it_shows_and_has_charts_in_place_of_sparklines() {
        let page = drawn(Format::Html);
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
        assert!(page.contains("<svg") && !page.contains('▁'), "{page}");
        assert!(page.contains(r#"<td class="figure">1.50 ms</td>"#), "{page}");
    }

    #[test]
    fn a_format_of_others_is_refused_with_those_that_there_are() {
        let refused = written(&sheet(), &(), Format::Parquet, Cells::Raw).unwrap_err();
        assert_eq!(refused.to_string(), "parquet is not supported here: expected table, markdown, csv, json or html");
    }
}
