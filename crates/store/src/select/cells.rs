//! Rows of texts in one block of memory: a list of a million rows takes little more than its characters.

/// The length that represents SQL's NULL. No value of DuckDB has this number of bytes.
const NULL: u32 = u32::MAX;

/// Rows of one width. Each value is a text or none, for SQL's NULL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextCells {
    width: usize,
    /// All values concatenated, row by row.
    text: String,
    /// The start of each row in the text.
    begins: Vec<usize>,
    /// Bytes of each value, or [`NULL`].
    lengths: Vec<u32>,
}

impl TextCells {
    /// Returns a list without rows, for rows with this number of values.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a row. Missing values are NULL, extra values are dropped, and a value of 4 GiB is truncated.
    pub fn push<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = Option<T>>) {
        self.begins.push(self.text.len());
        let missing = std::iter::repeat_with(|| None);
        for value in row.into_iter().chain(missing).take(self.width) {
            let (text, length) = value.as_ref().map_or(("", NULL), |value| kept(value.as_ref()));
            self.text.push_str(text);
            self.lengths.push(length);
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    /// Returns a row by its position, from 0.
    pub fn get(&self, at: usize) -> Option<TextRow<'_>> {
        let text = self.text.get(*self.begins.get(at)?..)?;
        Some(TextRow { text, lengths: self.lengths.get(at * self.width..(at + 1) * self.width)? })
    }

    /// Returns all rows in order.
    pub fn iter(&self) -> impl Iterator<Item = TextRow<'_>> + Clone {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

/// Returns the part of a value that is stored, and its number of bytes.
fn kept(value: &str) -> (&str, u32) {
    match u32::try_from(value.len()) {
        Ok(length) if length < NULL => (value, length),
        _ => {
            let most = (0..NULL as usize).rev().find(|at| value.is_char_boundary(*at));
            kept(&value[..most.unwrap_or_default()])
        }
    }
}

/// One of the rows.
#[derive(Debug, Clone, Copy)]
pub struct TextRow<'t> {
    /// The text from the row's start on, including later rows.
    text: &'t str,
    lengths: &'t [u32],
}

impl<'t> TextRow<'t> {
    /// Returns a value by its column, from 0; also `None` if there is no such column.
    pub fn get(self, column: usize) -> Option<&'t str> {
        self.iter().nth(column).flatten()
    }

    /// Returns the values in order.
    pub fn iter(self) -> impl Iterator<Item = Option<&'t str>> + Clone {
        let Self { text, lengths } = self;
        lengths.iter().scan(text, |rest, &length| {
            if length == NULL {
                return Some(None);
            }
            let (value, after) = rest.split_at_checked(length as usize)?;
            *rest = after;
            Some(Some(value))
        })
    }

    /// Returns the first `N` values.
    pub fn first<const N: usize>(self) -> [Option<&'t str>; N] {
        let mut values = self.iter();
        std::array::from_fn(|_| values.next().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_what_was_put_in_as_wide_as_all() {
        let mut cells = TextCells::new(2);
        cells.push([Some("é"), None]);
        cells.push([Some("")]);
        cells.push([None, Some("b"), Some("beyond")]);
        assert_eq!(cells.len(), 3);
        let rows: Vec<Vec<Option<&str>>> = cells.iter().map(|row| row.iter().collect()).collect();
        assert_eq!(rows, [[Some("é"), None], [Some(""), None], [None, Some("b")]]);
        assert_eq!(cells.get(2).map(TextRow::first), Some([None, Some("b"), None]));
        assert!(cells.get(3).is_none() && TextCells::new(0).is_empty());
    }
}
