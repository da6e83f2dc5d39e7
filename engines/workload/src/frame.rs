//! What is around the measured loop of every kind of suite: events, counters, sizes.

use crate::{
    histogram::{Counts, Seen, to_base64},
    resources::{counters, disk_bytes, peak_rss_bytes, reset_peak_rss},
};
use dbdyno_engine::{
    EngineError,
    counters::Counters,
    protocol::{Event, TestDone, TestHead},
    serve::Worker,
};
use std::{path::Path, sync::Arc, time::Instant};

/// What all tests of a run share: who is told, and the counters, whose memory no test has to get anew.
pub(crate) struct Harness<'w> {
    worker: &'w Worker,
    counts: Arc<Counts>,
}

/// A test under way.
pub(crate) struct Frame<'w> {
    worker: &'w Worker,
    test: u32,
    measured: bool,
    every: u64,
    counts: Arc<Counts>,
    before: Counters,
    reporter_before: u64,
}

/// What is said of a test while it is under way.
struct Progress {
    test: u32,
    operations: u64,
    every: u64,
    begun: Instant,
    counts: Arc<Counts>,
    seen: Seen,
}

/// What was measured around the loop.
pub(crate) struct MeasuredFrame<'w> {
    frame: Frame<'w>,
    wall_ns: u64,
    counters: Counters,
    peak_rss_bytes: u64,
    database_bytes: u64,
    side_bytes: u64,
}

impl<'w> Harness<'w> {
    pub(crate) fn new(worker: &'w Worker) -> Self {
        Self { worker, counts: Arc::default() }
    }

    /// Says that a test begins.
    pub(crate) fn announce(&self, test: TestHead<'_>, operations: u64) {
        self.worker.emit(&Event::TestStarted {
            test: test.number,
            name: test.name.to_owned(),
            measured: test.measured,
            operations,
        });
    }

    /// Starts the counters of a test. `every`: operations in one sample of the histogram.
    pub(crate) fn begin(&self, test: TestHead<'_>, operations: u64, every: u64) -> Frame<'w> {
        let Self { worker, counts } = self;
        counts.clear();
        let mut progress = Progress {
            test: test.number,
            operations,
            every: every.max(1),
            begun: Instant::now(),
            counts: Arc::clone(counts),
            seen: Seen::default(),
        };
        worker.begin_test(move || progress.event());
        reset_peak_rss();
        let before = counters();
        let reporter_before = worker.reporter_cpu_ns();
        let (test, measured) = (test.number, test.measured);
        Frame { worker, test, measured, every, counts: Arc::clone(counts), before, reporter_before }
    }
}

impl Progress {
    /// What was done since the last time.
    fn event(&mut self) -> Event {
        let (samples, delta) = self.counts.delta(&mut self.seen);
        Event::Progress {
            test: self.test,
            operations: samples * self.every,
            total: Some(self.operations),
            elapsed_ns: self.begun.elapsed().as_nanos() as u64,
            histogram: (!delta.is_empty()).then(|| to_base64(&delta)),
        }
    }
}

impl<'w> Frame<'w> {
    /// Where latencies are counted.
    pub(crate) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Stops the counters. `folder`: the database's own, with `main_file` in it.
    pub(crate) fn end(self, wall_ns: u64, folder: &Path, main_file: &str) -> Result<MeasuredFrame<'w>, EngineError> {
        let mut counters = counters().since(&self.before);
        self.worker.end_test();
        // The thread that reports progress is ours, not the engine's.
        let reporter_ns = self.worker.reporter_cpu_ns() - self.reporter_before;
        counters.set("user_ns", counters.get("user_ns").map(|ns| ns.saturating_sub(reporter_ns)));
        let peak_rss_bytes = peak_rss_bytes();
        let (database_bytes, side_bytes) =
            disk_bytes(folder, main_file).map_err(EngineError::doing("measuring the database's size"))?;
        Ok(MeasuredFrame { frame: self, wall_ns, counters, peak_rss_bytes, database_bytes, side_bytes })
    }
}

impl MeasuredFrame<'_> {
    /// Says what a test gave.
    pub(crate) fn tell(self, operations: u64, rows: u64, verification: Option<String>) {
        let Self { frame, wall_ns, counters, peak_rss_bytes, database_bytes, side_bytes } = self;
        frame.worker.emit(&Event::TestDone(Box::new(TestDone {
            test: frame.test,
            measured: frame.measured,
            wall_ns,
            counters,
            operations,
            rows,
            verification,
            peak_rss_bytes,
            database_bytes,
            side_bytes,
            operations_per_sample: frame.every,
            histogram: to_base64(&frame.counts.to_histogram()),
        })));
    }
}
