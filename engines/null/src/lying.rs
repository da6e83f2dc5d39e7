//! A map whose reads are wrong in a way that can be chosen: it is what tests of answers have to catch. Its writes are seen by all writers
//! at once, and nothing is rolled back.

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

/// What is wrong with reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lie {
    /// They are of no snapshot.
    Torn,
    /// They find no key.
    Nothing,
    /// They see what there was when their session began.
    Stale,
}

/// What a transaction sees.
#[derive(Debug, Clone, Copy)]
pub(super) enum View<'s> {
    Now,
    NoKey,
    Old(&'s Rows),
}

impl Lie {
    /// By the value of the option `answers`.
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

    /// The rows that a session which begins now will see for ever, where that is the lie.
    pub(super) fn frozen(&self) -> Option<Rows> {
        (self.lie == Lie::Stale).then(|| self.with(|rows| rows.clone()))
    }

    /// What a transaction of reading sees in a session with these rows.
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

    /// Shows row after row, and lets others write between them.
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
