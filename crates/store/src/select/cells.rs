//! Rows of texts in one piece of memory: a list of a million rows takes little more than its letters.

/// Stands for the length of what is SQL's NULL. DuckDB has no value of so many bytes.
const NULL: u32 = u32::MAX;

/// Rows of one width. Each value is a text, or none: SQL's NULL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextCells {
    width: usize,
    /// All values, one after the other, row by row.
    text: String,
    /// Where each row begins in the text.
    begins: Vec<usize>,
    /// Bytes of each value, or [`NULL`].
    lengths: Vec<u32>,
}

impl TextCells {
    /// No row yet; each will have so many values.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a row. Values that it lacks are NULL, those beyond the width are left out; a value of 4 GiB is cut.
    pub fn push<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = Option<T>>) {
        self.begins.push(self.text.len());
        let missing = std::iter::repeat_with(|| None);
        for value in row.into_iter().chain(missing).take(self.width) {
            let (text, length) = value.as_ref().map_or(("", NULL), |value| kept(value.as_ref()));
            self.text.push_str(text);
            self.lengths.push(length);
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    /// A row by its place, from 0.
    pub fn get(&self, at: usize) -> Option<TextRow<'_>> {
        let text = self.text.get(*self.begins.get(at)?..)?;
        Some(TextRow { text, lengths: self.lengths.get(at * self.width..(at + 1) * self.width)? })
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = TextRow<'_>> + Clone {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

/// What is kept of a value, and how many bytes that is.
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
    /// From where it begins; those after it too.
    text: &'t str,
    lengths: &'t [u32],
}

impl<'t> TextRow<'t> {
    /// A value by its column, from 0; none also where there is no such column.
    pub fn get(self, column: usize) -> Option<&'t str> {
        self.iter().nth(column).flatten()
    }

    /// The values in order.
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

    /// The first values, as many as are wanted.
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
