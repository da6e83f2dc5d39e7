//! Columns of text under each other, with titles across them.

use console::{Alignment, measure_text_width, pad_str};

/// Lines of a table: titles span all columns, rows are aligned.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    columns: Vec<Alignment>,
    lines: Vec<GridLine>,
}

#[derive(Debug, Clone)]
enum GridLine {
    Title(String),
    Row(Vec<String>),
}

impl Grid {
    pub(crate) fn new(columns: impl Into<Vec<Alignment>>) -> Self {
        Self { columns: columns.into(), lines: Vec::new() }
    }

    /// Adds a line across all columns.
    pub(crate) fn title(&mut self, title: impl Into<String>) {
        self.lines.push(GridLine::Title(title.into()));
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.lines.push(GridLine::Row(cells.into_iter().collect()));
    }

    /// The text: columns as wide as their widest cell, two spaces apart, no spaces at the ends of lines.
    pub(crate) fn render(&self) -> String {
        let mut widths = vec![0; self.columns.len()];
        for line in &self.lines {
            if let GridLine::Row(cells) = line {
                for (width, cell) in widths.iter_mut().zip(cells) {
                    *width = (*width).max(measure_text_width(cell));
                }
            }
        }
        let mut text = String::new();
        for line in &self.lines {
            let line = match line {
                GridLine::Title(title) => title.clone(),
                GridLine::Row(cells) => cells
                    .iter()
                    .zip(&widths)
                    .zip(&self.columns)
                    .map(|((cell, &width), &alignment)| pad_str(cell, width, alignment, None).into_owned())
                    .collect::<Vec<_>>()
                    .join("  "),
            };
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
