//! The values of a row, taken one after the other.

use super::Rows;
use std::{str::FromStr, vec::IntoIter};

/// A row whose values are taken in the order of its columns.
#[derive(Debug)]
pub(super) struct Fields(IntoIter<Option<String>>);

impl Fields {
    /// A row.
    pub(super) fn new(row: Vec<Option<String>>) -> Self {
        Self(row.into_iter())
    }

    /// The first row of an answer; one without values where there is none.
    pub(super) fn first(rows: Rows) -> Self {
        Self::new(rows.rows.into_iter().next().unwrap_or_default())
    }

    /// The next value, where there is one.
    pub(super) fn maybe(&mut self) -> Option<String> {
        self.0.next().flatten()
    }

    /// The next value; empty where there is none.
    pub(super) fn text(&mut self) -> String {
        self.maybe().unwrap_or_default()
    }

    /// The next value as a number, where it is one.
    pub(super) fn number<T: FromStr>(&mut self) -> Option<T> {
        self.maybe()?.parse().ok()
    }

    /// The next value as a count; 0 where there is none.
    pub(super) fn count(&mut self) -> u64 {
        self.number().unwrap_or(0)
    }

    /// The next value as a flag.
    pub(super) fn flag(&mut self) -> bool {
        self.maybe().as_deref() == Some("true")
    }
}
