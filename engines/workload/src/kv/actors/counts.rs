//! What a reader may see of threads while they work.

use crate::histogram::{Counts, Seen, empty, to_base64};
use dbdyno_engine::{protocol::ActorProgress, suite::KvActor};
use hdrhistogram::Histogram;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// The counters of an actor's threads.
pub(crate) struct ActorCounts {
    name: String,
    /// Operations a second that are due, where they are due at times.
    rate: Option<u64>,
    threads: Vec<Arc<ThreadCounts>>,
}

/// The counters of one thread, which alone writes them.
#[derive(Default)]
pub(super) struct ThreadCounts {
    pub(super) service: Arc<Counts>,
    /// Where operations are due at times.
    pub(super) response: Option<Counts>,
    pub(super) busy: AtomicU64,
}

/// What a reader has seen of the counters of an actor.
pub(in crate::kv) struct SeenOfActor(Vec<Seen>);

impl ActorCounts {
    pub(in crate::kv) fn new(actor: &KvActor) -> Self {
        let thread = |_| {
            let response = actor.arrival.map(|_| Counts::default());
            Arc::new(ThreadCounts { response, ..ThreadCounts::default() })
        };
        Self {
            name: actor.name.clone(),
            rate: actor.arrival.map(|arrival| arrival.rate),
            threads: (0..actor.threads).map(thread).collect(),
        }
    }

    pub(super) fn thread(&self, thread: u32) -> Arc<ThreadCounts> {
        Arc::clone(&self.threads[thread as usize])
    }

    /// Service times of all threads.
    pub(super) fn service(&self) -> Histogram<u64> {
        merged(self.threads.iter().map(|thread| thread.service.to_histogram()))
    }

    /// Response times of all threads, where operations are due at times.
    pub(super) fn response(&self) -> Option<Histogram<u64>> {
        self.rate
            .map(|_| merged(self.threads.iter().filter_map(|thread| Some(thread.response.as_ref()?.to_histogram()))))
    }

    pub(in crate::kv) fn unseen(&self) -> SeenOfActor {
        SeenOfActor(self.threads.iter().map(|_| Seen::default()).collect())
    }

    /// What was done, and the latencies that came since the last look, after so many ns of measuring.
    pub(in crate::kv) fn progress(&self, seen: &mut SeenOfActor, elapsed_ns: u64) -> ActorProgress {
        let latest = |(thread, seen): (&Arc<ThreadCounts>, &mut Seen)| {
            thread.response.as_ref().unwrap_or(&thread.service).delta(seen)
        };
        let latencies = merged(self.threads.iter().zip(&mut seen.0).map(latest));
        let operations = self.threads.iter().map(|thread| thread.service.operations()).sum();
        let due = |rate: u64| (u128::from(rate) * u128::from(elapsed_ns) / 1_000_000_000) as u64;
        ActorProgress {
            name: self.name.clone(),
            operations,
            busy: self.threads.iter().map(|thread| thread.busy.load(Relaxed)).sum(),
            backlog: self.rate.map(|rate| due(rate).saturating_sub(operations)),
            histogram: (!latencies.is_empty()).then(|| to_base64(&latencies)),
        }
    }
}

impl ThreadCounts {
    /// Begins anew, when the warm-up is over.
    pub(super) fn clear(&self) {
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
