//! The data that waits in the journals, inspected from outside.

use super::{super::Store, REFUSED, has_owner};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// Journal data that the store has not imported yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnimportedJournals {
    /// Bytes of journals whose processes live: a session stores them when it pauses or ends.
    pub owned_bytes: u64,
    /// Bytes of journals whose processes are gone: the next command imports them.
    pub left_bytes: u64,
    /// The file with journal lines that cannot be read, if there are any.
    pub refused: Option<PathBuf>,
    /// Why the journals cannot be inspected.
    pub unreadable: Option<String>,
}

impl Store {
    /// Returns the journal data beyond the positions up to which each journal was imported.
    pub(crate) fn waiting(&self, taken: &BTreeMap<String, u64>) -> UnimportedJournals {
        let refused = self.journal_folder().join(REFUSED);
        let refused = refused.exists().then_some(refused);
        let mut waiting = UnimportedJournals { refused, ..UnimportedJournals::default() };
        match self.journals() {
            Ok(journals) => {
                for journal in journals {
                    let length = fs::metadata(&journal.path).map_or(0, |facts| facts.len());
                    let bytes = length.saturating_sub(taken.get(&journal.id).copied().unwrap_or(0));
                    let of = if has_owner(&journal.path) { &mut waiting.owned_bytes } else { &mut waiting.left_bytes };
                    *of += bytes;
                }
            }
            Err(error) => waiting.unreadable = Some(error.to_string()),
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_foundation::base::identifier::identifier;

    #[test]
    fn what_was_taken_in_does_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("results.duckdb"));
        assert_eq!(store.waiting(&BTreeMap::new()), UnimportedJournals::default());
        let journals = store.journal_folder();
        fs::create_dir(&journals).unwrap();
        let (held, left) = (identifier(), identifier());
        let file = fs::File::create(journals.join(format!("{held}.jsonl"))).unwrap();
        file.lock().unwrap();
        fs::write(journals.join(format!("{held}.jsonl")), "0123456789").unwrap();
        fs::write(journals.join(format!("{left}.jsonl")), "0123").unwrap();
        let taken = BTreeMap::from([(held.to_string(), 7)]);
        let expected = UnimportedJournals { owned_bytes: 3, left_bytes: 4, ..UnimportedJournals::default() };
        assert_eq!(store.waiting(&taken), expected);
    }
}
