//! The identity of one of a test's threads, and its results.

use super::freshness::Acknowledged;
use crate::{
    digest::Digest,
    kv::{
        accounts::Accounts,
        inputs::{DrawnInputs, InputSource},
        operations::MovedSnapshot,
        recorded::RecordedInputs,
    },
    named::NamedResults,
    parts::TimeParts,
    rng::SplitMix64,
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    replay::KeysReader,
    suite::{KeyChoice, KvActor, KvTest},
};
use std::path::Path;

/// The identity of a thread.
pub(super) struct ThreadPlace<'t> {
    pub(super) test: &'t KvTest,
    pub(super) actor: &'t KvActor,
    /// The folder with the operations of a recording, if the suite has one.
    pub(super) recording: Option<&'t Path>,
    pub(super) seed: u64,
    /// The index of the actor among the actors of the test, from 0.
    pub(super) number: u64,
    /// The index of the thread within its actor, from 0.
    pub(super) thread: u32,
    /// The index of the thread among all threads of the test, from 0.
    pub(super) ordinal: usize,
    /// The commits of all these threads.
    pub(super) acknowledged: &'t Acknowledged,
    /// Whether it reads accounts that others write, and so must see their commits.
    pub(super) expects_news: bool,
}

/// The results of a thread while it was measured.
#[derive(Debug, Default)]
pub(crate) struct KvThreadDone {
    /// What the engine counted for it.
    pub(super) own: EngineCounters,
    pub(super) operations: u64,
    pub(super) rows: u64,
    pub(super) digest: Digest,
    /// Committed transfers, including those of the warm-up.
    pub(super) transfers: u64,
    pub(super) broken: Option<Accounts>,
    pub(super) short: Option<(u64, u64)>,
    pub(super) moved: Option<MovedSnapshot>,
    pub(super) missed: u64,
    /// Reads that found a row for a key that no record has.
    pub(super) unexpected: u64,
    pub(super) stale_audit: Option<(u64, u64)>,
    /// The first read that did not see what was committed before it began, with what it found.
    pub(super) stale_read: Option<String>,
    /// Operations that the thread gave up.
    pub(super) failures: u64,
    /// How often another transaction was in the way.
    pub(super) busy: u64,
    pub(super) retries: u64,
    /// Time of the operations, ns; with an arrival rate, including the waits for due times.
    pub(super) wall_ns: u64,
    /// Time of preparing inputs, ns.
    pub(super) between_ns: u64,
    /// What the time of the operations went to.
    pub(super) parts: Option<TimeParts>,
    /// Its clock at the beginning of the measurement, ns.
    pub(super) begun_ns: u64,
    /// Time from there to the end, ns.
    pub(super) elapsed_ns: u64,
    /// Operations that were due but not begun.
    pub(super) backlog: u64,
    /// The results of each work of the actor; empty if none has a name.
    pub(super) named: Vec<NamedResults>,
}

impl ThreadPlace<'_> {
    /// Returns this thread's own stream of random numbers.
    pub(super) fn stream(&self, purpose: u64) -> SplitMix64 {
        let of_test = SplitMix64::stream(self.seed, u64::from(self.test.number)).next_u64();
        SplitMix64::stream(of_test, purpose << 48 | self.number << 32 | u64::from(self.thread))
    }

    /// Returns the inputs of this thread's operations.
    ///
    /// # Errors
    /// The recording has no file of this thread, or none that can be opened.
    pub(super) fn inputs(&self) -> Result<InputSource<'_>, EngineError> {
        let work = &self.actor.work;
        if work.keys == KeyChoice::Recorded {
            let folder = self
                .recording
                .ok_or_else(|| EngineError::new("the suite has no folder with the files of its recording"))?;
            let file = KeysReader::open(folder, self.test.number, self.thread, work.work.len())?;
            return Ok(InputSource::recorded(RecordedInputs::new(work, file)));
        }
        let place = (u64::from(self.thread), u64::from(self.actor.threads));
        let drawn = DrawnInputs::new(self.test, work, self.stream(0), place);
        Ok(InputSource::drawn(drawn.in_batches(self.actor.together() as usize)))
    }

    /// Returns empty results of each work; none if no work has a name.
    pub(super) fn empty_results(&self) -> Vec<NamedResults> {
        let is_named = self.actor.names().next().is_some();
        vec![NamedResults::default(); if is_named { self.actor.work.work.len() } else { 0 }]
    }

    /// Returns the number of operations of this thread. Recorded ones end with their file.
    pub(super) fn quota(&self) -> u64 {
        if self.actor.work.keys == KeyChoice::Recorded {
            return u64::MAX;
        }
        let threads = u64::from(self.actor.threads);
        self.actor.operations.map_or(u64::MAX, |all| all / threads + u64::from(u64::from(self.thread) < all % threads))
    }
}
