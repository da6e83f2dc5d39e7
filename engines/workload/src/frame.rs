//! What is around the measured loop of every kind of suite: events, counters, sizes.

use crate::{
    histogram::{Counts, Seen, to_base64},
    phases::{OwnThreads, Phases},
    recorder::RecordedTime,
    resources::{counters, disk_bytes, peak_rss_bytes, reset_peak_rss, rss_bytes},
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::Counters,
    describe::Library,
    engine::Engine,
    protocol::{ActorHead, Event, TestDone, TestHead},
    serve::Worker,
};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

/// What all tests of a run share: who is told, and the counters, whose memory no test has to get anew.
pub(crate) struct Harness<'w> {
    worker: &'w Worker,
    counts: Arc<Counts>,
    own_threads: OwnThreads,
    /// Resident memory before anything was opened, bytes.
    floor_rss_bytes: u64,
}

/// A test under way.
pub(crate) struct Frame<'h> {
    harness: &'h Harness<'h>,
    test: u32,
    measured: bool,
    every: u64,
    before: Counters,
    reporter_before: u64,
}

/// What is said of a test while it is under way.
struct Progress {
    test: u32,
    operations: u64,
    begun: Instant,
    counts: Arc<Counts>,
    seen: Seen,
}

impl<'w> Harness<'w> {
    /// Of a worker whose engine is not yet opened.
    pub(crate) fn new(worker: &'w Worker) -> Self {
        let own_threads = OwnThreads::now();
        Self { worker, counts: Arc::default(), own_threads, floor_rss_bytes: rss_bytes() }
    }

    /// Says that the engine's first database is open.
    pub(crate) fn opened<E: Engine>(&self, engine: &E, library: &Library, phases: &Phases) -> Result<(), EngineError> {
        let in_force = engine.in_force()?;
        let Library { version, build, source } = engine.library().unwrap_or_else(|| library.clone());
        let open_ns = phases.open_ns().unwrap_or(0);
        let clock = engine.clock().name().map(str::to_owned);
        self.worker.emit(&Event::Opened { version, build, source, in_force, open_ns, clock });
        self.worker.pause();
        Ok(())
    }

    /// Says that a test of one thread begins. `every`: operations in one sample of the histogram.
    pub(crate) fn announce(&self, test: TestHead<'_>, operations: u64, every: u64) {
        self.worker.emit(&Event::TestStarted {
            test: test.number,
            name: test.name.to_owned(),
            measured: test.measured,
            operations: Some(operations),
            operations_per_sample: Some(every.max(1)),
            time_ms: None,
            actors: Vec::new(),
        });
    }

    /// Says that a test of actors begins. `time_ms`: how long it will take with its warm-up, where it ends with the time.
    pub(crate) fn announce_actors(&self, test: TestHead<'_>, actors: Vec<ActorHead>, time_ms: Option<u64>) {
        self.worker.emit(&Event::TestStarted {
            test: test.number,
            name: test.name.to_owned(),
            measured: test.measured,
            operations: test.operations,
            operations_per_sample: Some(1),
            time_ms,
            actors,
        });
    }

    /// Says what a test gave.
    pub(crate) fn tell(&self, mut done: TestDone, phases: &Phases) {
        phases.add_to(&mut done.counters);
        self.worker.emit(&Event::TestDone(Box::new(done)));
        self.worker.pause();
    }

    /// Does what comes before a test's timer, and says all the while that the test is under way: to prepare may take longer than to measure.
    pub(crate) fn preparing<R>(&self, test: TestHead<'_>, work: impl FnOnce() -> R) -> R {
        let (test, total) = (test.number, test.operations);
        self.worker.begin_test(move || Event::Progress {
            test,
            operations: 0,
            total,
            elapsed_ns: 0,
            histogram: None,
            actors: Vec::new(),
            readings: BTreeMap::new(),
        });
        let done = work();
        self.worker.end_test();
        done
    }

    /// Starts the counters of a test of one thread. `every`: operations in one sample of the histogram.
    pub(crate) fn begin_alone(&self, test: TestHead<'_>, operations: u64, every: u64) -> Frame<'_> {
        self.counts.clear();
        let mut progress = Progress {
            test: test.number,
            operations,
            begun: Instant::now(),
            counts: Arc::clone(&self.counts),
            seen: Seen::default(),
        };
        Frame { every: every.max(1), ..self.begin(test, move || progress.event()) }
    }

    /// Starts the counters of a test; `progress` says how far it has come.
    pub(crate) fn begin(&self, test: TestHead<'_>, progress: impl FnMut() -> Event + Send + 'static) -> Frame<'_> {
        self.worker.begin_test(progress);
        reset_peak_rss();
        let before = counters();
        let reporter_before = self.worker.reporter_cpu_ns();
        let (test, measured) = (test.number, test.measured);
        Frame { harness: self, test, measured, every: 1, before, reporter_before }
    }
}

impl Progress {
    /// What was done since the last time.
    fn event(&mut self) -> Event {
        let delta = self.counts.delta(&mut self.seen);
        Event::Progress {
            test: self.test,
            operations: self.counts.operations(),
            total: Some(self.operations),
            elapsed_ns: self.begun.elapsed().as_nanos() as u64,
            histogram: (!delta.is_empty()).then(|| to_base64(&delta)),
            actors: Vec::new(),
            readings: BTreeMap::new(),
        }
    }
}

impl Frame<'_> {
    /// Where latencies are counted.
    pub(crate) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.harness.counts)
    }

    /// Stops the counters, and lets the engine's own threads come to rest; the answers are still to be filled in. `folder`: the
    /// database's own, with `main_file` in it.
    pub(crate) fn end(
        self,
        spent: RecordedTime,
        phases: &mut Phases,
        folder: &Path,
        main_file: &str,
    ) -> Result<TestDone, EngineError> {
        let mut counters = counters().since(&self.before);
        self.harness.worker.end_test();
        // The thread that reports progress is ours, not the engine's, and so is the work of getting inputs ready.
        let own_ns = self.harness.worker.reporter_cpu_ns() - self.reporter_before + spent.between;
        counters.set("user_ns", counters.get("user_ns").map(|ns| ns.saturating_sub(own_ns)));
        let peak_rss_bytes = peak_rss_bytes();
        counters.set("floor_rss_bytes", Some(self.harness.floor_rss_bytes));
        phases.settle(&self.harness.own_threads);
        let (database_bytes, side_bytes) =
            disk_bytes(folder, main_file).map_err(EngineError::doing("measuring the database's size"))?;
        Ok(TestDone {
            test: self.test,
            measured: self.measured,
            wall_ns: spent.wall,
            counters,
            peak_rss_bytes,
            database_bytes,
            side_bytes,
            operations_per_sample: self.every,
            histogram: to_base64(&self.harness.counts.to_histogram()),
            ..TestDone::default()
        })
    }
}
