//! Counters of threads that another thread may read while they work.

use crate::histogram::{Counts, SeenCounts, empty, to_base64};
use dbdyno_engine::{
    protocol::{ActorProgress, MOST_STATEMENTS, StatementProgress},
    suite::During,
};
use hdrhistogram::Histogram;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// The shape of an actor's counters.
pub(crate) struct ActorShape {
    pub(crate) name: String,
    pub(crate) threads: u32,
    /// Whether each operation is due at a time.
    pub(crate) is_due: bool,
    /// How many are due per second, if that is known in advance.
    pub(crate) rate: Option<u64>,
    /// The time during which it takes part; `None`: the whole test.
    pub(crate) during: Option<During>,
    /// Whether it holds snapshots.
    pub(crate) holds: bool,
    /// The names of its statements or its work; `None`: it has none.
    pub(crate) names: Vec<Option<String>>,
}

/// The counters and readings that the threads of a test publish while they work.
pub(crate) struct Shown {
    pub(crate) actors: Vec<ActorCounts>,
    /// The time at which the measurement began.
    pub(crate) measured_since: OnceLock<Instant>,
    /// The latest readings of a followed test, until they are reported.
    readings: Mutex<BTreeMap<String, u64>>,
}

impl Shown {
    pub(crate) fn new(actors: impl Iterator<Item = ActorShape>) -> Self {
        Self {
            actors: actors.map(ActorCounts::new).collect(),
            measured_since: OnceLock::new(),
            readings: Mutex::default(),
        }
    }

    pub(crate) fn show(&self, readings: BTreeMap<String, u64>) {
        *self.readings.lock().unwrap_or_else(PoisonError::into_inner) = readings;
    }

    /// Takes the latest readings; empty if they were already taken.
    pub(crate) fn take_readings(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut *self.readings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn unseen(&self) -> Vec<SeenOfActor> {
        self.actors.iter().map(ActorCounts::unseen).collect()
    }

    /// Returns the statements and work that took the most time so far.
    pub(crate) fn statements(&self) -> Vec<StatementProgress> {
        let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for actor in &self.actors {
            for (place, name) in actor.shape.names.iter().enumerate() {
                let Some(name) = name else { continue };
                let (operations, wall_ns) = all.entry(name).or_default();
                for named in actor.threads.iter().filter_map(|thread| thread.named.get(place)) {
                    *operations += named.operations.load(Relaxed);
                    *wall_ns += named.wall_ns.load(Relaxed);
                }
            }
        }
        let done = all.into_iter().filter(|(_, (operations, _))| *operations > 0);
        let progress =
            |(name, (operations, wall_ns)): (&str, _)| StatementProgress { name: name.to_owned(), operations, wall_ns };
        let mut statements: Vec<StatementProgress> = done.map(progress).collect();
        statements.sort_by_key(|statement| Reverse(statement.wall_ns));
        statements.truncate(MOST_STATEMENTS);
        statements
    }

    /// Returns each actor's progress, with the latencies recorded since `seen` was last updated.
    pub(crate) fn progress(&self, seen: &mut [SeenOfActor]) -> Vec<ActorProgress> {
        let measured_ns = self.measured_since.get().map_or(0, |since| since.elapsed().as_nanos() as u64);
        self.actors.iter().zip(seen).map(|(actor, seen)| actor.progress(seen, measured_ns)).collect()
    }
}

/// The counters of an actor's threads.
pub(crate) struct ActorCounts {
    shape: ActorShape,
    threads: Vec<Arc<ThreadCounts>>,
}

/// The counters of one thread. Only that thread writes them.
#[derive(Default)]
pub(crate) struct ThreadCounts {
    pub(crate) service: Arc<Counts>,
    /// Present if operations are due at a time.
    pub(crate) response: Option<Counts>,
    pub(crate) busy: AtomicU64,
    /// The number of snapshots that the thread holds.
    pub(crate) held: AtomicU64,
    /// By the places of the actor's names.
    named: Box<[NamedCounts]>,
}

/// What a thread has done under a name.
#[derive(Default)]
struct NamedCounts {
    operations: AtomicU64,
    wall_ns: AtomicU64,
}

/// The counter values that a reader has already seen of an actor.
pub(crate) struct SeenOfActor(Vec<SeenCounts>);

impl ActorCounts {
    fn new(shape: ActorShape) -> Self {
        let thread = |_| {
            let response = shape.is_due.then(Counts::default);
            let named = shape.names.iter().map(|_| NamedCounts::default()).collect();
            Arc::new(ThreadCounts { response, named, ..ThreadCounts::default() })
        };
        let threads = (0..shape.threads).map(thread).collect();
        Self { shape, threads }
    }

    pub(crate) fn thread(&self, thread: u32) -> Arc<ThreadCounts> {
        Arc::clone(&self.threads[thread as usize])
    }

    /// Returns the service times of all threads.
    pub(crate) fn service(&self) -> Histogram<u64> {
        merged(self.threads.iter().map(|thread| thread.service.to_histogram()))
    }

    /// Returns the response times of all threads, if operations are due at a time.
    pub(crate) fn response(&self) -> Option<Histogram<u64>> {
        let all = || merged(self.threads.iter().filter_map(|thread| Some(thread.response.as_ref()?.to_histogram())));
        self.shape.is_due.then(all)
    }

    pub(crate) fn unseen(&self) -> SeenOfActor {
        SeenOfActor(self.threads.iter().map(|_| SeenCounts::default()).collect())
    }

    /// Returns the progress so far and the latencies since the last call. `measured_ns`: time measured so far, ns.
    fn progress(&self, seen: &mut SeenOfActor, measured_ns: u64) -> ActorProgress {
        let latest = |(thread, seen): (&Arc<ThreadCounts>, &mut SeenCounts)| {
            thread.response.as_ref().unwrap_or(&thread.service).delta(seen)
        };
        let latencies = merged(self.threads.iter().zip(&mut seen.0).map(latest));
        let operations = self.threads.iter().map(|thread| thread.service.operations()).sum();
        let worked_ns = self.shape.during.map_or(measured_ns, |during| {
            measured_ns.clamp(during.from_ms * 1_000_000, during.until_ms * 1_000_000) - during.from_ms * 1_000_000
        });
        let due = |rate: u64| (u128::from(rate) * u128::from(worked_ns) / 1_000_000_000) as u64;
        ActorProgress {
            name: self.shape.name.clone(),
            operations,
            busy: self.threads.iter().map(|thread| thread.busy.load(Relaxed)).sum(),
            backlog: self.shape.rate.map(|rate| due(rate).saturating_sub(operations)),
            held: self.shape.holds.then(|| self.threads.iter().map(|thread| thread.held.load(Relaxed)).sum()),
            histogram: (!latencies.is_empty()).then(|| to_base64(&latencies)),
        }
    }
}

impl ThreadCounts {
    /// Adds an execution under the name at this place. Only the thread itself writes, so no update is lost.
    #[inline]
    pub(crate) fn add_named(&self, place: usize, ns: u64) {
        if let Some(named) = self.named.get(place) {
            named.operations.store(named.operations.load(Relaxed) + 1, Relaxed);
            named.wall_ns.store(named.wall_ns.load(Relaxed) + ns, Relaxed);
        }
    }

    /// Resets the counters when the warm-up ends.
    pub(crate) fn clear(&self) {
        self.service.clear();
        if let Some(response) = &self.response {
            response.clear();
        }
        self.busy.store(0, Relaxed);
        for NamedCounts { operations, wall_ns } in &self.named {
            operations.store(0, Relaxed);
            wall_ns.store(0, Relaxed);
        }
    }
}

fn merged(histograms: impl Iterator<Item = Histogram<u64>>) -> Histogram<u64> {
    let mut all = empty();
    for one in histograms {
        // Cannot fail: all histograms have the same bounds.
        let _ = all.add(one);
    }
    all
}
