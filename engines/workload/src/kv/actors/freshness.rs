//! Checks that a commit is visible to every read that begins after it: writers register what they have committed, and readers that begin
//! later must find it.

use crate::{kv::accounts::Account, rng::SplitMix64, template::render};
use dbdyno_engine::{
    EngineError,
    kv::{KvRead, KvSession},
    suite::Template,
};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

/// The commits of the threads of a test.
pub(super) struct Acknowledged(Vec<Committed>);

/// The commits of one thread. Only that thread writes them, so they are on separate cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Committed {
    transfers: AtomicU64,
    /// The account that the last transfer debited, and its version since then, 32 bits each; 0: no transfer yet.
    account: AtomicU64,
}

/// The state of an account after an acknowledged commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    record: u64,
    version: u64,
}

impl Acknowledged {
    pub(super) fn new(threads: usize) -> Self {
        Self(std::iter::repeat_with(Committed::default).take(threads).collect())
    }

    /// Registers an acknowledged commit of a thread: its number of transfers so far, and the account that the last one debited, with its
    /// version since then.
    #[inline]
    pub(super) fn commit(&self, thread: usize, transfers: u64, (record, version): (u64, u64)) {
        let Committed { transfers: of_thread, account } = &self.0[thread];
        // An account that does not fit is not registered, so readers do not check it.
        if record.max(version) <= u64::from(u32::MAX) {
            account.store(record << 32 | version, Release);
        }
        of_thread.store(transfers, Release);
    }

    /// Returns the number of transfers that a read beginning now must see.
    pub(super) fn transfers(&self) -> u64 {
        self.0.iter().map(|thread| thread.transfers.load(Acquire)).sum()
    }

    /// Returns the accounts that threads wrote last.
    pub(super) fn stamps(&self) -> Vec<Stamp> {
        let stamp = |word: u64| Stamp { record: word >> 32, version: word & u64::from(u32::MAX) };
        let words = self.0.iter().map(|thread| thread.account.load(Acquire));
        words.filter(|word| *word > 0).map(stamp).collect()
    }
}

impl Stamp {
    /// Reads the account in a transaction that begins now, and returns what is wrong with it, if anything. `key`: the format of keys.
    pub(super) fn look<S: KvSession>(self, session: &mut S, key: &Template) -> Result<Option<String>, EngineError> {
        let Self { record, version } = self;
        let mut name = Vec::new();
        render(key, &mut name, record, 0, &mut SplitMix64::new(0));
        let found = match session.read().and_then(|mut read| read.get(&name, Account::parse)) {
            Ok(found) => found.transpose()?.map(|account| account.version),
            // A later check tries again.
            Err(error) if error.is_busy => return Ok(None),
            Err(error) => return Err(error),
        };
        if found.is_some_and(|found| found >= version) {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(&name);
        let found = found.map_or_else(|| "no such account".to_owned(), |found| format!("version {found}"));
        Ok(Some(format!("a read of `{name}` found {found}, after version {version} of it was committed")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_have_committed_adds_up_and_their_last_accounts_are_known() {
        let acknowledged = Acknowledged::new(3);
        assert_eq!((acknowledged.transfers(), acknowledged.stamps()), (0, vec![]));
        acknowledged.commit(0, 4, (0, 2));
        acknowledged.commit(2, 3, (999_999, 7));
        acknowledged.commit(2, 5, (1 << 32, 1));
        assert_eq!(acknowledged.transfers(), 9);
        let stamps = [Stamp { record: 0, version: 2 }, Stamp { record: 999_999, version: 7 }];
        assert_eq!(acknowledged.stamps(), stamps, "an account that does not fit is not put down");
    }
}
