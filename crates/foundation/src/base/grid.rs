//! Aligned columns of text, with titles across them.

use super::units::is_printable_ascii;
use console::{Alignment, measure_text_width};
use std::iter;

/// Lines of a table: titles span all columns, rows are aligned.
#[derive(Debug, Clone)]
pub struct Grid {
    columns: Vec<Alignment>,
    lines: Vec<GridLine>,
}

#[derive(Debug, Clone)]
enum GridLine {
    Title(String),
    Row(Vec<String>),
}

impl Grid {
    pub fn new(columns: impl Into<Vec<Alignment>>) -> Self {
        Self { columns: columns.into(), lines: Vec::new() }
    }

    /// Adds a line across all columns.
    pub fn title(&mut self, title: impl Into<String>) {
        self.lines.push(GridLine::Title(title.into()));
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.lines.push(GridLine::Row(cells.into_iter().collect()));
    }

    /// Returns the text, with columns as wide as their widest cell.
    pub fn render(&self) -> String {
        let mut columns: Vec<GridColumn> =
            self.columns.iter().map(|&alignment| GridColumn { width: 0, alignment }).collect();
        for line in &self.lines {
            if let GridLine::Row(cells) = line {
                for (column, cell) in columns.iter_mut().zip(cells) {
                    column.width = column.width.max(text_width(cell));
                }
            }
        }
        let mut text = String::new();
        for line in &self.lines {
            match line {
                GridLine::Title(title) => text.push_str(title.trim_end()),
                GridLine::Row(cells) => text.push_str(&aligned(&columns, cells)),
            }
            text.push('\n');
        }
        text
    }
}

/// Returns the columns of the terminal that a text takes.
pub fn text_width(text: &str) -> usize {
    if is_printable_ascii(text) { text.len() } else { measure_text_width(text) }
}

/// The width and alignment of a column's cells.
#[derive(Debug, Clone, Copy)]
pub struct GridColumn {
    /// In columns of the terminal.
    pub width: usize,
    pub alignment: Alignment,
}

/// Returns a line of cells, two spaces apart, without trailing spaces.
pub fn aligned(columns: &[GridColumn], cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut line = String::new();
    for (at, (cell, column)) in cells.into_iter().zip(columns).enumerate() {
        if at > 0 {
            line.push_str("  ");
        }
        let cell = cell.as_ref();
        let spaces = column.width.saturating_sub(text_width(cell));
        let before = match column.alignment {
            Alignment::Left => 0,
            Alignment::Center => spaces / 2,
            Alignment::Right => spaces,
        };
        line.extend(iter::repeat_n(' ', before));
        line.push_str(cell);
        line.extend(iter::repeat_n(' ', spaces - before));
    }
    line.truncate(line.trim_end().len());
    line
}
