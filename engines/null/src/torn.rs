//! A map whose writes everybody sees at once: reads are of no snapshot, and nothing is rolled back. It is what tests of snapshots have to
//! catch.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Mutex, PoisonError},
};

#[derive(Debug, Default)]
pub(super) struct Torn(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Torn {
    fn with<R>(&self, work: impl FnOnce(&mut BTreeMap<Vec<u8>, Vec<u8>>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.with(|rows| rows.get(key).cloned())
    }

    pub(super) fn put(&self, key: &[u8], value: &[u8]) {
        self.with(|rows| rows.insert(key.to_owned(), value.to_owned()));
    }

    /// Shows row after row, and lets others write between them.
    pub(super) fn walk(&self, mut visit: impl FnMut(&[u8], &[u8])) {
        let mut from = Bound::Unbounded;
        loop {
            let next = self.with(|rows| {
                rows.range((from.clone(), Bound::Unbounded)).next().map(|(key, value)| (key.clone(), value.clone()))
            });
            let Some((key, value)) = next else { return };
            visit(&key, &value);
            from = Bound::Excluded(key);
        }
    }
}
