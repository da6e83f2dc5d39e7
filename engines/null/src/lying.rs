//! A map whose reads are wrong in a selectable way, which tests of answers must detect. All writers see its writes immediately, and nothing
//! is rolled back.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Mutex, PoisonError},
};

pub(super) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Debug)]
pub(super) struct LyingMap {
    lie: Lie,
    rows: Mutex<Rows>,
}

/// The error in reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lie {
    /// Reads do not see a snapshot.
    Torn,
    /// Reads find no key.
    Nothing,
    /// Reads see the state at the beginning of their session.
    Stale,
}

/// The rows that a transaction sees.
#[derive(Debug, Clone, Copy)]
pub(super) enum View<'s> {
    Now,
    NoKey,
    Old(&'s Rows),
}

impl Lie {
    /// Returns the lie for a value of the option `answers`.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "torn" => Some(Self::Torn),
            "nothing" => Some(Self::Nothing),
            "stale" => Some(Self::Stale),
            _ => None,
        }
    }
}

impl LyingMap {
    pub(super) fn new(lie: Lie) -> Self {
        Self { lie, rows: Mutex::default() }
    }

    fn with<R>(&self, work: impl FnOnce(&mut Rows) -> R) -> R {
        work(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the rows that a session beginning now will always see, if the lie is `Stale`.
    pub(super) fn frozen(&self) -> Option<Rows> {
        (self.lie == Lie::Stale).then(|| self.with(|rows| rows.clone()))
    }

    /// Returns what a read transaction sees in a session with these rows.
    pub(super) fn view<'s>(&self, old: Option<&'s Rows>) -> View<'s> {
        match (self.lie, old) {
            (Lie::Nothing, _) => View::NoKey,
            (Lie::Stale, Some(rows)) => View::Old(rows),
            (Lie::Torn | Lie::Stale, _) => View::Now,
        }
    }

    pub(super) fn get(&self, view: View<'_>, key: &[u8]) -> Option<Vec<u8>> {
        match view {
            View::Now => self.with(|rows| rows.get(key).cloned()),
            View::NoKey => None,
            View::Old(rows) => rows.get(key).cloned(),
        }
    }

    pub(super) fn put(&self, key: &[u8], value: &[u8]) {
        self.with(|rows| rows.insert(key.to_owned(), value.to_owned()));
    }

    /// Visits row after row, and lets others write in between.
    pub(super) fn walk(&self, view: View<'_>, mut visit: impl FnMut(&[u8], &[u8])) {
        if let View::Old(rows) = view {
            return rows.iter().for_each(|(key, value)| visit(key, value));
        }
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
