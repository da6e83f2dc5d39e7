//! A table of a sheet: columns and rows as data.

use super::Interval;
use console::Alignment;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

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
    pub name: Cow<'static, str>,
    /// What people read above it.
    pub title: String,
    pub role: ColumnRole,
    /// What text leaves out first where there is no room: the highest. 0 stays.
    pub rank: u8,
    /// How many characters of its cells text shows at least; none: all.
    pub least: Option<usize>,
    pub part: ColumnPart,
}

/// How a column belongs to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnPart {
    #[default]
    Own,
    /// It is there again in each part of a table that text has to cut.
    Repeated,
    /// It says more of the column before: a page has both in one cell, and a verdict where the cell is pointed at.
    Joined,
    /// It is on pages only.
    OnPage,
}

/// What a column is for, which says how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// What a row is about.
    Name,
    /// What neighbouring rows have in common: a title above them; a column of its own in Markdown.
    Group,
    /// A figure: to the right.
    Figure,
    /// An interval of the figure before.
    Interval,
    /// What was found.
    Verdict,
    /// Figures as a line of characters, where there are no charts.
    Sparkline,
    /// An interval as a line: in text where there is room, and on pages without charts of their own.
    Bar,
}

impl ColumnRole {
    /// Where its cells stand, in every format.
    pub(super) fn alignment(self) -> Alignment {
        match self {
            Self::Figure => Alignment::Right,
            Self::Name | Self::Group | Self::Interval | Self::Verdict | Self::Sparkline | Self::Bar => Alignment::Left,
        }
    }
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// The same of the rows above together.
    Total(Vec<Cell>),
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
    /// The same at length, where lines may be long: not in text.
    pub long: Option<String>,
    /// A second line of it.
    pub below: Option<String>,
    /// For programs, where it is not the text.
    pub value: Option<String>,
    /// What it says, for colours and signs.
    pub sense: Option<Sense>,
    /// Numbers of footnotes.
    pub notes: Vec<usize>,
    /// What a bar is drawn of.
    pub interval: Option<Interval>,
    /// How deep its colour is on a page, from 0 to 1.
    pub heat: Option<f64>,
}

/// What a cell says, whatever its words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    Faster,
    Slower,
    Same,
    Undecided,
    TooFew,
    NotComparable,
    /// As it should be, or as promised.
    Fit,
    /// Worth knowing.
    Note,
    /// Not as it should be, or as promised.
    Unfit,
}

impl Sense {
    /// The word that programs read.
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

    /// Its sign, so that it is never told by colour alone.
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
    /// What programs call it, what people read above it, and what it is for.
    pub fn new(name: impl Into<Cow<'static, str>>, title: &str, role: ColumnRole) -> Self {
        Self { name: name.into(), title: title.to_owned(), role, rank: 0, least: None, part: ColumnPart::Own }
    }

    /// Columns by their names, titles and roles.
    pub fn all<const N: usize>(columns: [(&'static str, &str, ColumnRole); N]) -> Vec<Self> {
        columns.map(|(name, title, role)| Self::new(name, title, role)).to_vec()
    }

    /// The same with a rank.
    #[must_use]
    pub fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// The same, of which text shows so many characters at least.
    #[must_use]
    pub fn at_least(self, characters: usize) -> Self {
        Self { least: Some(characters), ..self }
    }

    /// The same, belonging to others.
    #[must_use]
    pub fn part(self, part: ColumnPart) -> Self {
        Self { part, ..self }
    }
}

impl Table {
    /// Rows that only programs read.
    pub fn records<const N: usize>(columns: [&'static str; N], rows: impl Iterator<Item = Row>) -> Self {
        let columns = columns.map(|name| Column::new(name, name, ColumnRole::Name)).to_vec();
        Self { columns, rows: rows.collect(), ..Self::default() }
    }

    /// Names, each with what it is.
    pub fn pairs(columns: [&'static str; 2], rows: impl IntoIterator<Item = [String; 2]>) -> Self {
        let columns = columns.map(|name| Column::new(name, name, ColumnRole::Name)).to_vec();
        Self { columns, rows: rows.into_iter().map(Row::texts).collect(), ..Self::default() }
    }

    /// Where each of its columns has something to say.
    pub(super) fn has_titles(&self) -> bool {
        self.columns.iter().any(|column| !column.title.is_empty())
    }
}

/// Numbers of footnotes: `[1,2]`, or nothing.
pub fn marks(notes: &[usize]) -> String {
    let numbers: Vec<String> = notes.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!("[{}]", numbers.join(",")) }
}

/// The rows of a table as an array of objects, for a report that is nothing else: figures are numbers, and what is not known is null.
#[derive(Debug, Clone, Copy)]
pub struct TableObjects<'t>(pub &'t Table);

impl Serialize for TableObjects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.0.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(RowObject(&self.0.columns, cells)),
            Row::Total(_) | Row::Title(_) | Row::Detail(_) => None,
        });
        serializer.collect_seq(rows)
    }
}

struct RowObject<'t>(&'t [Column], &'t [Cell]);

impl Serialize for RowObject<'_> {
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
    /// A row of texts.
    pub fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Cells(texts.into_iter().map(Cell::new).collect())
    }
}

impl Cell {
    /// A cell whose text and value are one.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A figure: how people read it, and the number.
    pub fn figure(text: impl Into<String>, value: Option<f64>) -> Self {
        let value = value.map_or_else(String::new, |value| value.to_string());
        Self { value: Some(value), ..Self::new(text) }
    }

    /// A number of a record; empty where there is none.
    pub fn number(value: Option<f64>) -> Self {
        Self::new(value.map_or_else(String::new, |value| value.to_string()))
    }

    /// The same at length.
    #[must_use]
    pub fn at_length(self, long: impl Into<String>) -> Self {
        Self { long: Some(long.into()), ..self }
    }

    /// The same with what it says.
    #[must_use]
    pub fn sensed(self, sense: Sense) -> Self {
        Self { sense: Some(sense), ..self }
    }

    /// What a program reads.
    pub(super) fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.text)
    }

    /// What people read where lines may be long.
    pub(super) fn long(&self) -> &str {
        self.long.as_deref().unwrap_or(&self.text).trim()
    }

    /// The numbers of its notes with a space before them, or nothing.
    pub(super) fn marks(&self) -> String {
        if self.notes.is_empty() { String::new() } else { format!(" {}", marks(&self.notes)) }
    }
}
