//! What a reader may see of threads while they work.

use crate::histogram::{Counts, Seen, empty, to_base64};
use dbdyno_engine::{protocol::ActorProgress, suite::During};
use hdrhistogram::Histogram;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// What is counted of an actor.
pub(crate) struct ActorShape {
    pub(crate) name: String,
    pub(crate) threads: u32,
    /// Operations a second that are due, where they are due at times.
    pub(crate) rate: Option<u64>,
    /// When it takes part; none: from the beginning to the end.
    pub(crate) during: Option<During>,
    /// Whether it holds snapshots.
    pub(crate) holds: bool,
}

/// What the threads of a test show while they work.
pub(crate) struct Shown {
    pub(crate) actors: Vec<ActorCounts>,
    /// When the measuring began.
    pub(crate) measured_since: OnceLock<Instant>,
    /// The latest figures of a test that is followed, until they are told.
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

    /// The latest figures; none where they have been taken already.
    pub(crate) fn take_readings(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut *self.readings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn unseen(&self) -> Vec<SeenOfActor> {
        self.actors.iter().map(ActorCounts::unseen).collect()
    }

    /// What the actors did, and their latencies that came since the last look.
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

/// The counters of one thread, which alone writes them.
#[derive(Default)]
pub(crate) struct ThreadCounts {
    pub(crate) service: Arc<Counts>,
    /// Where operations are due at times.
    pub(crate) response: Option<Counts>,
    pub(crate) busy: AtomicU64,
    /// Snapshots that it holds.
    pub(crate) held: AtomicU64,
}

/// What a reader has seen of the counters of an actor.
pub(crate) struct SeenOfActor(Vec<Seen>);

impl ActorCounts {
    fn new(shape: ActorShape) -> Self {
        let thread = |_| {
            let response = shape.rate.map(|_| Counts::default());
            Arc::new(ThreadCounts { response, ..ThreadCounts::default() })
        };
        let threads = (0..shape.threads).map(thread).collect();
        Self { shape, threads }
    }

    pub(crate) fn thread(&self, thread: u32) -> Arc<ThreadCounts> {
        Arc::clone(&self.threads[thread as usize])
    }

    /// Service times of all threads.
    pub(crate) fn service(&self) -> Histogram<u64> {
        merged(self.threads.iter().map(|thread| thread.service.to_histogram()))
    }

    /// Response times of all threads, where operations are due at times.
    pub(crate) fn response(&self) -> Option<Histogram<u64>> {
        self.shape
            .rate
            .map(|_| merged(self.threads.iter().filter_map(|thread| Some(thread.response.as_ref()?.to_histogram()))))
    }

    pub(crate) fn unseen(&self) -> SeenOfActor {
        SeenOfActor(self.threads.iter().map(|_| Seen::default()).collect())
    }

    /// What was done, and the latencies that came since the last look, after so many ns of measuring.
    fn progress(&self, seen: &mut SeenOfActor, measured_ns: u64) -> ActorProgress {
        let latest = |(thread, seen): (&Arc<ThreadCounts>, &mut Seen)| {
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
    /// Begins anew, when the warm-up is over.
    pub(crate) fn clear(&self) {
        self.service.clear();
        if let Some(response) = &self.response {
            response.clear();
        }
        self.busy.store(0, Relaxed);
    }
}

fn merged(histograms: impl Iterator<Item = Histogram<u64>>) -> Histogram<u64> {
    let mut all = empty();
    for one in histograms {
        // All have the same bounds.
        let _ = all.add(one);
    }
    all
}
