//! Which of a test's threads one is, and what it has done.

use super::freshness::Acknowledged;
use crate::{
    digest::Digest,
    kv::{accounts::Accounts, inputs::Inputs, operations::MovedSnapshot},
    rng::SplitMix64,
};
use dbdyno_engine::suite::{KvActor, KvTest};

/// Which thread it is.
pub(super) struct ThreadPlace<'t> {
    pub(super) test: &'t KvTest,
    pub(super) actor: &'t KvActor,
    pub(super) seed: u64,
    /// The actor's among the actors of the test, from 0.
    pub(super) number: u64,
    /// The thread's among those of the actor, from 0.
    pub(super) thread: u32,
    /// The thread's among all threads of the test, from 0.
    pub(super) ordinal: usize,
    /// What all of these have committed.
    pub(super) acknowledged: &'t Acknowledged,
    /// Whether it reads accounts that others write, and so has to see what they committed.
    pub(super) expects_news: bool,
}

/// What a thread did while it was measured.
#[derive(Debug, Default)]
pub(super) struct ThreadDone {
    pub(super) operations: u64,
    pub(super) rows: u64,
    pub(super) digest: Digest,
    /// Committed ones, those of the warm-up too.
    pub(super) transfers: u64,
    pub(super) broken: Option<Accounts>,
    pub(super) short: Option<(u64, u64)>,
    pub(super) moved: Option<MovedSnapshot>,
    pub(super) missed: u64,
    pub(super) stale_audit: Option<(u64, u64)>,
    /// What the first read found that did not see what was committed before it began.
    pub(super) stale_read: Option<String>,
    /// Operations that were given up.
    pub(super) failures: u64,
    /// How often another transaction was in the way.
    pub(super) busy: u64,
    pub(super) retries: u64,
    /// Time of the operations, ns; where they are due at times, with the waits for those.
    pub(super) wall_ns: u64,
    /// Time of getting inputs ready, ns.
    pub(super) between_ns: u64,
    /// When its clock stood at the beginning of the measuring, ns.
    pub(super) begun_ns: u64,
    /// From there to the end, ns.
    pub(super) elapsed_ns: u64,
    /// Operations that were due and not begun.
    pub(super) backlog: u64,
}

impl ThreadPlace<'_> {
    /// A stream of random numbers of this thread's own.
    pub(super) fn stream(&self, purpose: u64) -> SplitMix64 {
        let of_test = SplitMix64::stream(self.seed, u64::from(self.test.number)).next_u64();
        SplitMix64::stream(of_test, purpose << 48 | self.number << 32 | u64::from(self.thread))
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        let place = (u64::from(self.thread), u64::from(self.actor.threads));
        Inputs::new(self.test, &self.actor.work, self.stream(0), place)
    }

    /// How many operations are this thread's.
    pub(super) fn quota(&self) -> u64 {
        let threads = u64::from(self.actor.threads);
        self.actor.operations.map_or(u64::MAX, |all| all / threads + u64::from(u64::from(self.thread) < all % threads))
    }
}
