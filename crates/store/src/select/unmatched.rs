//! Parts of a selection that match no stored run: most likely typing mistakes.

use super::{
    super::{Store, StoreError, read::Narrow},
    Selection, SelectionKey,
    selection::ExactValue,
};
use dbdyno_engine::names::instead_of;

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

    /// Returns a sentence for each name and each exact value in a selection that no stored run has, with the nearest ones.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn unmatched(&self, selection: &Selection, keys: &[SelectionKey]) -> Result<Vec<String>, StoreError> {
        let unknown = self.unknown_names(selection, keys)?;
        let known: Vec<String> = match unknown.is_empty() {
            true => Vec::new(),
            false => SelectionKey::words().map(str::to_owned).chain(self.names()?).collect(),
        };
        let mut sentences: Vec<String> = unknown
            .iter()
            .map(|name| format!("no stored run has an option or a key `{name}`: {}", instead_of(name, &known)))
            .collect();
        let is_known = |one: &ExactValue<'_>| one.key.option().is_none_or(|name| !unknown.iter().any(|x| x == name));
        let values: Vec<ExactValue<'_>> = selection.exact_values().filter(is_known).collect();
        for (value, is_stored) in values.iter().zip(self.are_stored(&values)?) {
            if !is_stored {
                let instead = match value.with_commas() {
                    Some(several) => format!("separate several values with |, as in '{several}'"),
                    None => instead_of(value.text, self.values(value.key)?),
                };
                sentences.push(format!("no stored run has {}{}: {instead}", value.before(), value.text));
            }
        }
        Ok(sentences)
    }

    /// Whether some stored run has each of these values.
    fn are_stored(&self, values: &[ExactValue<'_>]) -> Result<Vec<bool>, StoreError> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let mut parameters = Vec::new();
        let mut asked = Vec::new();
        for value in values {
            let rows = value.alone();
            let rows = Narrow::selected(&rows, std::iter::empty());
            asked.push(format!("EXISTS(SELECT 1 FROM ({}))", rows.sql));
            parameters.extend(rows.parameters);
        }
        let found = self.bound(&format!("SELECT {}", asked.join(", ")), &parameters)?;
        let row = found.rows.iter().next();
        Ok((0..values.len()).map(|at| row.and_then(|row| row.get(at)) == Some("true")).collect())
    }

    /// Returns the values that stored runs have of a key.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn values(&self, key: &SelectionKey) -> Result<Vec<String>, StoreError> {
        let mut parameters = Vec::new();
        let value = key.sql(&mut parameters);
        let rows = Narrow::selected(&Selection::default(), key.option().into_iter());
        parameters.extend(rows.parameters);
        let found =
            self.bound(&format!("SELECT DISTINCT CAST({value} AS VARCHAR) FROM ({})", rows.sql), &parameters)?;
        Ok(found.rows.iter().filter_map(|row| row.get(0).map(str::to_owned)).collect())
    }
}
