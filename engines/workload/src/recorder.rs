//! The recorder of a measured loop: one clock read an operation, and nothing that waits.

use crate::histogram::Counts;
use dbdyno_engine::clock::Clock;
use std::sync::Arc;

/// Records the latencies of one test. The end of one operation is the start of the next, so there is one clock read an
/// operation and no time between operations that nobody counts.
#[derive(Debug)]
pub struct Recorder<C> {
    clock: C,
    counts: Arc<Counts>,
    every: u64,
    pending: u64,
    begun: u64,
    last: u64,
}

impl<C: Clock> Recorder<C> {
    /// A recorder that counts into `counts` and reads the clock every `every` operations.
    pub fn new(clock: C, counts: Arc<Counts>, every: u64) -> Self {
        let now = clock.now();
        Self { clock, counts, every: every.max(1), pending: 0, begun: now, last: now }
    }

    #[inline]
    pub fn start(&mut self) {
        self.begun = self.clock.now();
        self.last = self.begun;
    }

    /// Ends one operation.
    #[inline]
    pub fn lap(&mut self) {
        self.pending += 1;
        if self.pending == self.every {
            let now = self.clock.now();
            self.counts.record(now.saturating_sub(self.last));
            self.last = now;
            self.pending = 0;
        }
    }

    /// Stops the timer; nanoseconds since [`Self::start`] up to the end of the last operation.
    ///
    /// Operations of an unfinished stretch count in the time and not in the histogram.
    pub fn finish(&mut self) -> u64 {
        if self.pending > 0 {
            self.last = self.clock.now();
            self.pending = 0;
        }
        self.last.saturating_sub(self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::Cell, rc::Rc};

    #[derive(Clone, Default)]
    struct Scripted(Rc<Cell<u64>>);

    impl Clock for Scripted {
        fn now(&self) -> u64 {
            self.0.get()
        }
    }

    fn record(every: u64, latencies: &[u64]) -> (u64, Vec<u64>) {
        let clock = Scripted::default();
        let counts = Arc::new(Counts::default());
        let mut recorder = Recorder::new(clock.clone(), Arc::clone(&counts), every);
        clock.0.set(1_000);
        recorder.start();
        for latency in latencies {
            clock.0.set(clock.0.get() + latency);
            recorder.lap();
        }
        let wall = recorder.finish();
        let recorded = counts.to_histogram();
        (wall, recorded.iter_recorded().map(|at| at.value_iterated_to()).collect())
    }

    #[test]
    fn each_operation_is_one_sample() {
        assert_eq!(record(1, &[10, 30, 20]), (60, vec![10, 20, 30]));
    }

    #[test]
    fn a_stretch_is_one_sample_and_the_rest_counts_in_the_time() {
        assert_eq!(record(2, &[10, 30, 20, 5, 7]), (72, vec![25, 40]));
    }
}
