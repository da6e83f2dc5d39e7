//! Records which chunks of pages were decrypted, to detect when LMDB's cache of them can no longer be trusted.
//!
//! LMDB 0.9.90 maps an encrypted database in chunks of 16 pages and keeps their decrypted pages for all transactions. At a transaction's
//! end it drops them from the cache. But a transaction that touches more chunks than its list holds removes some from the list early, and
//! LMDB never drops those from the cache. If such a page is freed, reused and read again, its old content comes back without an error.
//! (Observed: wrong answers of the test Mixed at 3,000,000 records.) So this module counts the chunks of each transaction. After a
//! transaction that may have exceeded the list, nothing is written until the environment is reopened.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pages of a chunk.
const PAGES: u64 = 16;
/// Chunks that a transaction's list certainly holds: half of 4,096, less a few for LMDB's own tables.
const LIMIT: usize = 2000;

/// The chunks of the open transactions.
#[derive(Debug, Default)]
pub(crate) struct Chunks(Mutex<SeenChunks>);

#[derive(Debug, Default)]
struct SeenChunks {
    /// A bit for each chunk.
    seen: Vec<u64>,
    count: usize,
    beyond: bool,
    /// Pages decrypted since the database was opened.
    decrypted: u64,
}

impl Chunks {
    fn lock(&self) -> MutexGuard<'_, SeenChunks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a page was decrypted.
    pub(crate) fn touch(&self, page: u64) {
        let chunk = page / PAGES;
        let (word, bit) = ((chunk / 64) as usize, 1 << (chunk % 64));
        let mut state = self.lock();
        state.decrypted += 1;
        if state.seen.len() <= word {
            state.seen.resize(word + 1, 0);
        }
        if state.seen[word] & bit == 0 {
            state.seen[word] |= bit;
            state.count += 1;
            state.beyond |= state.count > LIMIT;
        }
    }

    /// Records that no transaction is open.
    pub(crate) fn forget(&self) {
        let mut state = self.lock();
        if state.count > 0 {
            state.seen.clear();
            state.count = 0;
        }
    }

    /// Records that the environment was reopened, with an empty cache.
    pub(crate) fn renew(&self) {
        let mut state = self.lock();
        *state = SeenChunks { decrypted: state.decrypted, ..SeenChunks::default() };
    }

    /// Returns how often a page was decrypted.
    pub(crate) fn decrypted(&self) -> u64 {
        self.lock().decrypted
    }

    /// Returns whether a transaction may have left pages in the cache for good.
    pub(crate) fn are_beyond(&self) -> bool {
        self.lock().beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_count_once_a_transaction_and_the_limit_is_remembered() {
        let chunks = Chunks::default();
        for page in (0..LIMIT as u64 * PAGES).chain(0..LIMIT as u64) {
            chunks.touch(page);
        }
        assert!(!chunks.are_beyond());
        chunks.forget();
        for page in 0..LIMIT as u64 * PAGES {
            chunks.touch(page + 1_000_000);
        }
        assert!(!chunks.are_beyond(), "each transaction counts anew");
        chunks.touch(0);
        chunks.forget();
        assert!(chunks.are_beyond());
        chunks.renew();
        assert!(!chunks.are_beyond());
    }
}
