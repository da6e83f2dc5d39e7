//! What the layer counts of its own work: incremented once a statement or a batch of rows.

use dbdyno_engine::counters::EngineCounters;
use std::collections::BTreeMap;

/// How the layer has found rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LayerWork {
    /// Walks through a whole table or a whole index.
    full_scans: u64,
    /// Searches by rowid, or in an index.
    searches: u64,
    /// Rows and index entries read by both.
    visited: u64,
}

const FULL_SCANS: &str = "full_scans";
const SEARCHES: &str = "searches";
const VISITED: &str = "rows_visited";

/// Returns the meaning of each counter, by name.
pub(super) fn described() -> BTreeMap<String, String> {
    let counters = [
        (FULL_SCANS, "in SQL suites: scans of a whole table, or of a whole index"),
        (SEARCHES, "in SQL suites: searches by rowid, or in an index"),
        (VISITED, "in SQL suites: rows and index entries that scans and searches read from the store"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

impl LayerWork {
    /// Counts the beginning of a walk. `is_whole`: whether its keys have no bounds.
    #[inline]
    pub(super) fn begin(&mut self, is_whole: bool) {
        *(if is_whole { &mut self.full_scans } else { &mut self.searches }) += 1;
    }

    /// Counts rows or index entries that were read.
    #[inline]
    pub(super) fn visit(&mut self, rows: u64) {
        self.visited += rows;
    }

    pub(super) fn counters(self) -> EngineCounters {
        [(FULL_SCANS, self.full_scans), (SEARCHES, self.searches), (VISITED, self.visited)].into()
    }
}
