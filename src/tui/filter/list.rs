//! Filters of lists in memory: the grammar of selections, applied to each row.

use dbdyno_store::{SelectableRow, Selection};

/// The keys of rows that are tests.
pub(crate) const OF_TESTS: &[&str] = &["test", "test_name", "size"];

/// A filter as typed, with its parsed selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    line: String,
    selection: Selection,
}

impl ListFilter {
    /// Parses a line whose terms may have these keys.
    ///
    /// # Errors
    /// The line cannot be parsed, or it has a key that the rows lack. The text names the expected keys.
    pub fn read(line: &str, keys: &[&str]) -> Result<Self, String> {
        let selection = Selection::parse_line(line)?;
        match selection.key_beside(keys) {
            Some(other) => {
                let keys = if keys.is_empty() { String::new() } else { format!(", or {}", keys.join(", ")) };
                Err(format!("`{other}`: unknown key for these rows: expected words{keys}"))
            }
            None => Ok(Self { line: line.trim().to_owned(), selection }),
        }
    }

    /// Returns the filter as it was typed.
    pub fn line(&self) -> &str {
        &self.line
    }

    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether a row is shown.
    pub fn means(&self, row: &SelectableRow) -> bool {
        self.selection.is_all() || self.selection.means(row)
    }

    /// Whether a row is shown of which only the text is known.
    pub fn means_text(&self, text: &str) -> bool {
        self.means(&SelectableRow { text: text.to_owned(), values: Vec::new() })
    }

    /// Whether a test is shown, by its number, its name and its sizes.
    pub fn means_test<'s>(&self, test: u32, name: &str, sizes: impl IntoIterator<Item = &'s str>) -> bool {
        let named = [("test", test.to_string()), ("test", name.to_owned()), ("test_name", name.to_owned())];
        let sizes = sizes.into_iter().map(|size| ("size", size.to_owned()));
        self.means(&SelectableRow { text: format!("{test} {name}"), values: named.into_iter().chain(sizes).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_rows_do_not_have_is_told() {
        assert!(ListFilter::read("reads size>=10k", &["test", "size"]).unwrap().means_test(
            2,
            "Random reads",
            ["10000"]
        ));
        let error = ListFilter::read("engine=lmdb", &["test", "size"]).unwrap_err();
        assert!(error.contains("`engine`") && error.contains("test, size"), "{error}");
    }
}
