//! A map whose reads are wrong in a selectable way, which tests of answers must detect. All writers see its writes immediately, and nothing
//! is rolled back.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Mutex, PoisonError},
};

pub(super) type StoredRows = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Debug)]
pub(super) struct LyingMap {
    lie: Lie,
    rows: Mutex<StoredRows>,
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
pub(super) enum TransactionView<'s> {
    Now,
    NoKey,
    Old(&'s StoredRows),
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

    fn with<R>(&self, work: impl FnOnce(&mut StoredRows) -> R) -> R {
        work(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the rows that a session beginning now will always see, if the lie is `Stale`.
    pub(super) fn frozen(&self) -> Option<StoredRows> {
        (self.lie == Lie::Stale).then(|| self.with(|rows| rows.clone()))
    }

    /// Returns what a read transaction sees in a session with these rows.
    pub(super) fn view<'s>(&self, old: Option<&'s StoredRows>) -> TransactionView<'s> {
        match (self.lie, old) {
            (Lie::Nothing, _) => TransactionView::NoKey,
            (Lie::Stale, Some(rows)) => TransactionView::Old(rows),
            (Lie::Torn | Lie::Stale, _) => TransactionView::Now,
        }
    }

    pub(super) fn get(&self, view: TransactionView<'_>, key: &[u8]) -> Option<Vec<u8>> {
        match view {
            TransactionView::Now => self.with(|rows| rows.get(key).cloned()),
            TransactionView::NoKey => None,
            TransactionView::Old(rows) => rows.get(key).cloned(),
        }
    }

    pub(super) fn put(&self, key: &[u8], value: &[u8]) {
        self.with(|rows| rows.insert(key.to_owned(), value.to_owned()));
    }

    /// Visits row after row, and lets others write in between.
    pub(super) fn walk(&self, view: TransactionView<'_>, mut visit: impl FnMut(&[u8], &[u8])) {
        if let TransactionView::Old(rows) = view {
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
