//! What tests of several threads have in common, whatever kind of suite they are of: counters that a reader may look at, cores, and
//! what threads come to.

mod counts;
mod pinning;

pub(crate) use self::{
    counts::{ActorCounts, ActorShape, Shown, ThreadCounts},
    pinning::Cores,
};

use crate::{
    histogram::{empty, to_base64},
    recorder::RecordedTime,
};
use dbdyno_engine::{
    EngineError,
    protocol::{ActorDone, Event, TestDone},
};
use std::{sync::Arc, thread::ScopedJoinHandle, time::Instant};

/// What a test of several threads came to.
pub(crate) struct ActorsDone {
    pub(crate) spent: RecordedTime,
    pub(crate) operations: u64,
    pub(crate) rows: u64,
    pub(crate) actors: Vec<ActorDone>,
    /// What the answers amount to; none where nothing can be held against them.
    pub(crate) verification: Option<String>,
}

impl ActorsDone {
    /// The test's result, on top of what was measured around it.
    pub(crate) fn result(self, done: TestDone) -> TestDone {
        let Self { operations, rows, actors, verification, .. } = self;
        let histogram = match actors.as_slice() {
            [only] => only.histogram.clone(),
            // Latencies of different work say nothing together.
            _ => to_base64(&empty()),
        };
        TestDone { operations, rows, verification, actors, histogram, ..done }
    }
}

/// Every thread of actors with so many each: the place of its actor, and its own among the actor's.
pub(crate) fn places(threads: impl Iterator<Item = u32>) -> Vec<(usize, u32)> {
    let of_actor = |(place, threads)| (0..threads).map(move |thread| (place, thread));
    threads.enumerate().flat_map(of_actor).collect()
}

/// What a thread gave.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, EngineError>>) -> Result<T, EngineError> {
    thread.join().unwrap_or_else(|_| Err(EngineError::fatal("a thread of the test panicked: see the run's log")))
}

/// What is said of actors while they work.
pub(crate) fn progress(test: u32, total: Option<u64>, shown: Arc<Shown>) -> impl FnMut() -> Event + Send + 'static {
    let (begun, mut seen) = (Instant::now(), shown.unseen());
    move || {
        let actors = shown.progress(&mut seen);
        Event::Progress {
            test,
            operations: actors.iter().map(|actor| actor.operations).sum(),
            total,
            elapsed_ns: begun.elapsed().as_nanos() as u64,
            histogram: match actors.as_slice() {
                [only] => only.histogram.clone(),
                _ => None,
            },
            actors,
            readings: shown.take_readings(),
        }
    }
}

/// Jain's index of what threads got done: 1 where all got the same, 1/n where one of n got all. In millionths; none for one thread.
pub(crate) fn fairness_ppm(operations: impl Iterator<Item = u64>) -> Option<u64> {
    let operations: Vec<f64> = operations.map(|operations| operations as f64).collect();
    let (sum, squares): (f64, f64) = (operations.iter().sum(), operations.iter().map(|one| one * one).sum());
    (operations.len() > 1 && squares > 0.0)
        .then(|| (sum * sum / (operations.len() as f64 * squares) * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_jains_index() {
        let fairness = |operations: &[u64]| fairness_ppm(operations.iter().copied());
        assert_eq!(fairness(&[5, 5, 5]), Some(1_000_000));
        assert_eq!(fairness(&[9, 0, 0]), Some(333_333));
        assert_eq!(fairness(&[3, 1]), Some(800_000));
        assert_eq!(fairness(&[7]), None);
    }
}
