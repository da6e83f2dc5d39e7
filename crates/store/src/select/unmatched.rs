//! Parts of a selection that match no stored run: most likely typing mistakes.

use super::{
    super::{Store, StoreError, read::Narrow},
    Selection, SelectionKey,
};

impl Store {
    /// Returns the names in a selection or in keys that are no option or key of any stored run: most likely misspelt.
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

    /// Whether some stored run has such an option or key.
    pub(super) fn is_name(&self, name: &str) -> Result<bool, StoreError> {
        let sql =
            "(SELECT 1 FROM run_option WHERE name = ? LIMIT 1) UNION (SELECT 1 FROM run_key WHERE key = ? LIMIT 1)";
        Ok(!self.bound(sql, &[name.to_owned(), name.to_owned()])?.rows.is_empty())
    }

    /// Returns a sentence for each value with a comma that no stored run has: the user may have meant several values, which are separated
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
