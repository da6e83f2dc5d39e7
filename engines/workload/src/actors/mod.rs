//! Shared code for tests of several threads, for suites of every kind: counters that a reader may observe, cores, and the combined results
//! of the threads.

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
    counters::EngineCounters,
    protocol::{ActorDone, Event, StatementDone, TestDone},
};
use std::{
    sync::Arc,
    thread::ScopedJoinHandle,
    time::{Duration, Instant},
};

/// Time after which a thread gives up an operation that others keep blocking.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The combined result of a test of several threads.
pub(crate) struct ActorsDone {
    pub(crate) spent: RecordedTime,
    pub(crate) operations: u64,
    pub(crate) rows: u64,
    pub(crate) actors: Vec<ActorDone>,
    /// The results under each name that the work of actors has.
    pub(crate) statements: Vec<StatementDone>,
    /// The verification value of the answers; `None` if there is nothing to verify them against.
    pub(crate) verification: Option<String>,
    /// What the engine counted, for all threads.
    pub(crate) own: EngineCounters,
}

impl ActorsDone {
    /// Returns the test's result, added to what was measured around the test.
    pub(crate) fn result(self, done: TestDone) -> TestDone {
        let Self { operations, rows, actors, statements, verification, own, .. } = self;
        let mut done = done;
        done.counters.add_own(&own);
        let (histogram, operations_per_sample) = match actors.as_slice() {
            [only] => (only.histogram.clone(), only.operations_per_sample),
            // A combined histogram of different kinds of work would mean nothing.
            _ => (to_base64(&empty()), done.operations_per_sample),
        };
        TestDone { operations, rows, verification, actors, statements, histogram, operations_per_sample, ..done }
    }
}

/// Returns an entry for every thread of all actors, from each actor's number of threads: the actor's index, and the thread's index within
/// the actor.
pub(crate) fn places(threads: impl Iterator<Item = u32>) -> Vec<(usize, u32)> {
    let of_actor = |(place, threads)| (0..threads).map(move |thread| (place, thread));
    threads.enumerate().flat_map(of_actor).collect()
}

/// Returns a time of a recording at a speed in percent, ns.
pub(crate) fn at_speed(ns: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(ns) * 100 / u128::from(percent.max(1))).unwrap_or(u64::MAX)
}

/// Waits for a thread and returns its result.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, EngineError>>) -> Result<T, EngineError> {
    thread.join().unwrap_or_else(|_| Err(EngineError::fatal("a thread of the test panicked: see the run's log")))
}

/// Returns the function that builds the progress events of the actors while they work.
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
            statements: shown.statements(),
            readings: shown.take_readings(),
        }
    }
}

/// Returns Jain's fairness index of the operations that each thread did: 1 if all did the same number, 1/n if one of n threads did all. In
/// millionths; `None` for a single thread.
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
