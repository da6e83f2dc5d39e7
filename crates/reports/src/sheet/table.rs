//! A table of a sheet: columns and rows as data.

use super::{BarInterval, Slice};
use console::Alignment;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// Rows under columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Whether text has column titles too: two columns that explain themselves need none.
    pub is_headed: bool,
    /// Spaces before each row of text.
    pub indent: usize,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name for programs.
    pub name: Cow<'static, str>,
    /// The heading for people.
    pub title: String,
    pub role: ColumnRole,
    /// The order in which text leaves out columns if there is too little space: the highest first. 0 always stays.
    pub rank: u8,
    /// The fewest characters of its cells that text shows; none: all.
    pub least: Option<usize>,
    pub part: ColumnPart,
}

/// The relation of a column to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnPart {
    #[default]
    Own,
    /// It is repeated in each part of a table that text has to split.
    Repeated,
    /// It adds details to the previous column: a page puts both in one cell, and shows a verdict when the pointer is over the cell.
    Joined,
    /// It is on pages only.
    OnPage,
}

/// The purpose of a column, which determines how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// The subject of a row.
    Name,
    /// The property that neighbouring rows share: a title above them; a column of its own in Markdown.
    Group,
    /// A figure, right-aligned.
    Figure,
    /// The interval of the previous figure.
    Interval,
    /// The finding.
    Verdict,
    /// Figures as a line of characters, if there are no charts.
    Sparkline,
    /// An interval as a line: in text if there is space, and on pages without charts of their own.
    Bar,
    /// A magnitude as a bar that begins at 0: the text has it drawn, and pages draw its interval.
    Magnitude,
    /// Parts of a magnitude as a bar: the text has it drawn, and pages draw its slices.
    Stack,
}

impl ColumnRole {
    /// Returns the alignment of its cells, in every format.
    pub(super) fn alignment(self) -> Alignment {
        match self {
            Self::Figure => Alignment::Right,
            Self::Name
            | Self::Group
            | Self::Interval
            | Self::Verdict
            | Self::Sparkline
            | Self::Bar
            | Self::Magnitude
            | Self::Stack => Alignment::Left,
        }
    }
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// The totals of the rows above, with a cell for each column.
    Total(Vec<Cell>),
    /// A title over the rows that follow.
    Title(String),
    /// A sentence about the previous row.
    Detail(String),
}

/// The content of a row in a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// The text for people.
    pub text: String,
    /// The long form for formats with long lines: not in text.
    pub long: Option<String>,
    /// The second line.
    pub below: Option<String>,
    /// The value for programs, if it is not the text.
    pub value: Option<String>,
    /// The meaning, for colours and signs.
    pub sense: Option<Sense>,
    /// Numbers of footnotes.
    pub notes: Vec<usize>,
    /// The interval that a bar shows.
    pub interval: Option<BarInterval>,
    /// The slices that a stacked bar shows.
    pub slices: Vec<Slice>,
    /// The depth of its colour on a page, from 0 to 1.
    pub heat: Option<f64>,
}

/// The meaning of a cell, independent of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    Faster,
    Slower,
    Same,
    Undecided,
    TooFew,
    NotComparable,
    /// As expected, or as promised.
    Fit,
    /// Worth knowing.
    Note,
    /// Not as expected, or not as promised.
    Unfit,
}

impl Sense {
    /// Returns the word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Undecided => "undecided",
            Self::TooFew => "too_few",
            Self::NotComparable => "not_comparable",
            Self::Fit => "fit",
            Self::Note => "note",
            Self::Unfit => "unfit",
        }
    }

    /// Returns its sign, so that colour alone never carries the meaning.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Faster => "▼",
            Self::Slower => "▲",
            Self::Same => "=",
            Self::Undecided => "?",
            Self::TooFew => "…",
            Self::NotComparable => "",
            Self::Fit => "✓",
            Self::Note => "·",
            Self::Unfit => "!",
        }
    }
}

impl Column {
    /// Builds a column from its name for programs, its title for people, and its purpose.
    pub fn new(name: impl Into<Cow<'static, str>>, title: &str, role: ColumnRole) -> Self {
        Self { name: name.into(), title: title.to_owned(), role, rank: 0, least: None, part: ColumnPart::Own }
    }

    /// Builds columns from their names, titles and roles.
    pub fn all<const N: usize>(columns: [(&'static str, &str, ColumnRole); N]) -> Vec<Self> {
        columns.map(|(name, title, role)| Self::new(name, title, role)).to_vec()
    }

    /// Returns the column with a rank.
    #[must_use]
    pub fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Returns the column with the fewest characters that text shows of it.
    #[must_use]
    pub fn at_least(self, characters: usize) -> Self {
        Self { least: Some(characters), ..self }
    }

    /// Returns the column with its relation to the others.
    #[must_use]
    pub fn part(self, part: ColumnPart) -> Self {
        Self { part, ..self }
    }
}

impl Table {
    /// Builds a table of rows for programs only.
    pub fn records<const N: usize>(columns: [&'static str; N], rows: impl Iterator<Item = Row>) -> Self {
        let columns = columns.map(|name| Column::new(name, name, ColumnRole::Name)).to_vec();
        Self { columns, rows: rows.collect(), ..Self::default() }
    }

    /// Builds a table of names, each with its description.
    pub fn pairs(columns: [&'static str; 2], rows: impl IntoIterator<Item = [String; 2]>) -> Self {
        let columns = columns.map(|name| Column::new(name, name, ColumnRole::Name)).to_vec();
        Self { columns, rows: rows.into_iter().map(Row::texts).collect(), ..Self::default() }
    }

    /// Whether at least one of its columns has a title.
    pub(super) fn has_titles(&self) -> bool {
        self.columns.iter().any(|column| !column.title.is_empty())
    }
}

/// Formats numbers of footnotes: `[1,2]`, or nothing.
pub fn marks(notes: &[usize]) -> String {
    let numbers: Vec<String> = notes.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!("[{}]", numbers.join(",")) }
}

/// The rows of a table as an array of objects, for a report without other content: figures are numbers, and unknown values are null.
#[derive(Debug, Clone, Copy)]
pub struct TableObjects<'t>(pub &'t Table);

impl Serialize for TableObjects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.0.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(CellsObject(&self.0.columns, cells)),
            Row::Total(_) | Row::Title(_) | Row::Detail(_) => None,
        });
        serializer.collect_seq(rows)
    }
}

struct CellsObject<'t>(&'t [Column], &'t [Cell]);

impl Serialize for CellsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |(column, cell): (&Column, &Cell)| -> serde_json::Value {
            let text = cell.value();
            match text.parse::<serde_json::Number>() {
                Ok(number) if column.role == ColumnRole::Figure => number.into(),
                _ if text.is_empty() => serde_json::Value::Null,
                _ => text.into(),
            }
        };
        serializer.collect_map(self.0.iter().zip(self.1).map(|(column, cell)| (&column.name, value((column, cell)))))
    }
}

impl Row {
    /// Builds a row of texts.
    pub fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Cells(texts.into_iter().map(Cell::new).collect())
    }
}

impl Cell {
    /// Builds a cell with the same text and value.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Builds a figure: the text for people, and the number.
    pub fn figure(text: impl Into<String>, value: Option<f64>) -> Self {
        let value = value.map_or_else(String::new, |value| value.to_string());
        Self { value: Some(value), ..Self::new(text) }
    }

    /// Builds a number of a record; empty without a value.
    pub fn number(value: Option<f64>) -> Self {
        Self::new(value.map_or_else(String::new, |value| value.to_string()))
    }

    /// Returns the cell with a long form.
    #[must_use]
    pub fn at_length(self, long: impl Into<String>) -> Self {
        Self { long: Some(long.into()), ..self }
    }

    /// Returns the cell with a meaning.
    #[must_use]
    pub fn sensed(self, sense: Sense) -> Self {
        Self { sense: Some(sense), ..self }
    }

    /// Returns the value for programs.
    pub(super) fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.text)
    }

    /// Returns the text for people in formats with long lines.
    pub(super) fn long(&self) -> &str {
        self.long.as_deref().unwrap_or(&self.text).trim()
    }

    /// Returns the numbers of its notes with a space before them, or nothing.
    pub(super) fn marks(&self) -> String {
        if self.notes.is_empty() { String::new() } else { format!(" {}", marks(&self.notes)) }
    }
}
