//! What is around the measured loop of every kind of suite: events, counters, sizes.

use crate::{
    EngineError,
    histogram::{Counts, to_base64},
    protocol::{Event, TestDone, TestHead},
    resources::{Snapshot, Usage, disk_bytes, peak_rss_bytes, reset_peak_rss},
    serve::Worker,
};
use std::{path::Path, sync::Arc};

/// A test under way.
pub(super) struct Frame<'w> {
    worker: &'w Worker,
    test: u32,
    measured: bool,
    every: u64,
    counts: Arc<Counts>,
    before: Snapshot,
    reporter_before: u64,
}

/// What was measured around the loop.
pub(super) struct Measured<'w> {
    frame: Frame<'w>,
    wall_ns: u64,
    usage: Usage,
    peak_rss_bytes: u64,
    database_bytes: u64,
    side_bytes: u64,
}

/// Says that a test begins.
pub(super) fn announce(worker: &Worker, test: TestHead<'_>, operations: u64) {
    worker.emit(&Event::TestStarted {
        test: test.number,
        name: test.name.to_owned(),
        measured: test.measured,
        operations,
    });
}

impl<'w> Frame<'w> {
    /// Starts the counters. `every`: operations in one sample of the histogram.
    pub(super) fn begin(worker: &'w Worker, test: TestHead<'_>, operations: u64, every: u64) -> Self {
        let counts = worker.begin_test(test.number, Some(operations), every);
        reset_peak_rss();
        let before = Snapshot::now();
        let reporter_before = worker.reporter_cpu_ns();
        Self { worker, test: test.number, measured: test.measured, every, counts, before, reporter_before }
    }

    /// Where latencies are counted.
    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Stops the counters. `folder`: the database's own, with `main_file` in it.
    pub(super) fn end(self, wall_ns: u64, folder: &Path, main_file: &str) -> Result<Measured<'w>, EngineError> {
        let mut usage = Snapshot::now().since(&self.before);
        self.worker.end_test();
        // The thread that reports progress is ours, not the engine's.
        usage.user_ns = usage.user_ns.saturating_sub(self.worker.reporter_cpu_ns() - self.reporter_before);
        let peak_rss_bytes = peak_rss_bytes();
        let (database_bytes, side_bytes) =
            disk_bytes(folder, main_file).map_err(EngineError::doing("measuring the database's size"))?;
        Ok(Measured { frame: self, wall_ns, usage, peak_rss_bytes, database_bytes, side_bytes })
    }
}

impl Measured<'_> {
    /// Says what a test gave.
    pub(super) fn tell(self, operations: u64, rows: u64, verification: Option<String>) {
        let Self { frame, wall_ns, usage, peak_rss_bytes, database_bytes, side_bytes } = self;
        frame.worker.emit(&Event::TestDone(Box::new(TestDone {
            test: frame.test,
            measured: frame.measured,
            wall_ns,
            usage,
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
