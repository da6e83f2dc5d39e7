//! What in a selection no stored run has: most likely typed otherwise than it was meant.

use super::{
    super::{Store, StoreError, read::Narrow},
    Selection, SelectionKey,
};

impl Store {
    /// The names in a selection or in keys that no stored run has as an option or key: most likely misspelt.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn unknown_names(&self, selection: &Selection, keys: &[SelectionKey]) -> Result<Vec<String>, StoreError> {
        let mut unknown: Vec<String> = Vec::new();
        for name in selection.names().chain(keys.iter().filter_map(SelectionKey::option)) {
            if !unknown.iter().any(|known| known == name) && !self.is_name(name)? {
                unknown.push(name.to_owned());
            }
        }
        Ok(unknown)
    }

    /// Whether some stored run has such an option or kept key.
    pub(super) fn is_name(&self, name: &str) -> Result<bool, StoreError> {
        let sql =
            "(SELECT 1 FROM run_option WHERE name = ? LIMIT 1) UNION (SELECT 1 FROM run_key WHERE key = ? LIMIT 1)";
        Ok(!self.bound(sql, &[name.to_owned(), name.to_owned()])?.rows.is_empty())
    }

    /// A sentence for each value with a comma that no stored run has: several values may have been meant, which are separated
    /// by `|`.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn unmatched_commas(&self, selection: &Selection) -> Result<Vec<String>, StoreError> {
        let mut sentences = Vec::new();
        for (one, sentence) in selection.with_commas() {
            let rows = Narrow::selected(&one, std::iter::empty());
            if self.bound(&format!("SELECT 1 FROM ({}) LIMIT 1", rows.sql), &rows.parameters)?.rows.is_empty() {
                sentences.push(sentence);
            }
        }
        Ok(sentences)
    }
}
