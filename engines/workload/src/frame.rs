//! The frame around the measured loop for every kind of suite: events, counters, sizes.

use crate::{
    explain,
    histogram::{Counts, SeenCounts, to_base64},
    parts::TimeParts,
    phases::{OwnThreads, Phases, others_cpu},
    recorder::{RecordedTime, SliceTurns},
    resources::{counters, disk_bytes, peak_rss_bytes, reset_peak_rss, rss_bytes},
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::Counters,
    describe::Library,
    engine::EngineInstance,
    protocol::{ActorHead, Event, Job, SliceTerms, TestDone, TestHead},
    say,
    serve::Worker,
};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// State shared by all tests of a run: the worker that receives events, and the counters, whose memory is allocated once for all tests.
pub(crate) struct Harness<'w> {
    worker: &'w Worker,
    counts: Arc<Counts>,
    own_threads: OwnThreads,
    /// Resident memory before any database was opened, bytes.
    floor_rss_bytes: u64,
    slices: Option<SliceTerms>,
    away: Arc<TimeAway>,
}

/// The turns of other workers in a test.
#[derive(Default)]
struct TimeAway {
    /// How long they took, ns.
    wall: AtomicU64,
    /// The CPU time of the other threads of this process meanwhile, ns.
    cpu: AtomicU64,
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

/// The state behind the progress events of a test.
struct TestProgress {
    test: u32,
    operations: Option<u64>,
    begun: Instant,
    away: Arc<TimeAway>,
    counts: Arc<Counts>,
    seen: SeenCounts,
}

impl<'w> Harness<'w> {
    /// Creates the harness of a worker before its engine is opened.
    pub(crate) fn new(worker: &'w Worker, job: &Job) -> Self {
        if let Err(error) = if job.explain { explain::start() } else { Ok(()) } {
            say!("tests are not explained: {error}");
        }
        let own_threads = OwnThreads::now();
        let slices = job.slices.clone();
        Self { worker, counts: Arc::default(), own_threads, floor_rss_bytes: rss_bytes(), slices, away: Arc::default() }
    }

    /// Reports that the engine's first database is open.
    pub(crate) fn opened<E: EngineInstance>(
        &self,
        engine: &E,
        library: &Library,
        phases: &Phases,
    ) -> Result<(), EngineError> {
        let in_force = engine.in_force()?;
        let Library { version, build, source } = engine.library().unwrap_or_else(|| library.clone());
        let open_ns = phases.open_ns().unwrap_or(0);
        let clock = engine.clock().name().map(str::to_owned);
        self.worker.emit(&Event::Opened { version, build, source, in_force, open_ns, clock });
        self.worker.pause();
        Ok(())
    }

    /// Reports that a test of one thread begins. `operations`: None if their number depends on draws. `every`: operations per histogram
    /// sample.
    pub(crate) fn announce(&self, test: TestHead<'_>, operations: Option<u64>, every: u64) {
        self.worker.emit(&Event::TestStarted {
            test: test.number,
            name: test.name.to_owned(),
            measured: test.measured,
            operations,
            operations_per_sample: Some(every.max(1)),
            time_ms: None,
            actors: Vec::new(),
        });
    }

    /// Reports that a test of actors begins. `time_ms`: its duration including the warm-up, if the test has a time limit.
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

    /// Reports the result of a test.
    pub(crate) fn tell(&self, mut done: TestDone, phases: &Phases) {
        phases.add_to(&mut done.counters);
        if done.measured {
            done.explained = TimeParts::of(&done.counters).and_then(explain::end);
        }
        self.worker.emit(&Event::TestDone(Box::new(done)));
        self.worker.pause();
    }

    /// Does the work before a test's timer starts, and reports meanwhile that the test is running: preparing may take longer than
    /// measuring.
    pub(crate) fn preparing<R>(&self, test: TestHead<'_>, work: impl FnOnce() -> R) -> R {
        let (test, total) = (test.number, test.operations);
        self.worker.begin_test(move || Event::Progress {
            test,
            operations: 0,
            total,
            elapsed_ns: 0,
            histogram: None,
            actors: Vec::new(),
            statements: Vec::new(),
            readings: BTreeMap::new(),
        });
        let done = work();
        self.worker.end_test();
        done
    }

    /// Starts the counters of a test of one thread, as [`Harness::announce`] reported it.
    pub(crate) fn begin_alone(&self, test: TestHead<'_>, operations: Option<u64>, every: u64) -> Frame<'_> {
        self.counts.clear();
        self.away.wall.store(0, Relaxed);
        self.away.cpu.store(0, Relaxed);
        let mut progress = TestProgress {
            test: test.number,
            operations,
            begun: Instant::now(),
            away: Arc::clone(&self.away),
            counts: Arc::clone(&self.counts),
            seen: SeenCounts::default(),
        };
        Frame { every: every.max(1), ..self.begin(test, move || progress.event()) }
    }

    /// Starts the counters of a test; `progress` returns its progress events.
    pub(crate) fn begin(&self, test: TestHead<'_>, progress: impl FnMut() -> Event + Send + 'static) -> Frame<'_> {
        self.worker.begin_test(progress);
        reset_peak_rss();
        let before = counters();
        let reporter_before = self.worker.reporter_cpu_ns();
        explain::begin();
        let (test, measured) = (test.number, test.measured);
        Frame { harness: self, test, measured, every: 1, before, reporter_before }
    }
}

impl TestProgress {
    /// Returns the progress since the previous event.
    fn event(&mut self) -> Event {
        let delta = self.counts.delta(&mut self.seen);
        Event::Progress {
            test: self.test,
            operations: self.counts.operations(),
            total: self.operations,
            elapsed_ns: (self.begun.elapsed().as_nanos() as u64).saturating_sub(self.away.wall.load(Relaxed)),
            histogram: (!delta.is_empty()).then(|| to_base64(&delta)),
            actors: Vec::new(),
            statements: Vec::new(),
            readings: BTreeMap::new(),
        }
    }
}

impl Frame<'_> {
    /// Returns the counters for latencies.
    pub(crate) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.harness.counts)
    }

    /// Returns the terms on which the test takes turns with those of other workers; `None` if it does not.
    fn slices(&self) -> Option<&SliceTerms> {
        self.harness.slices.as_ref().filter(|terms| terms.tests.contains(&self.test))
    }

    /// Returns the turns of the test; `None` if it takes none.
    pub(crate) fn turns(&self) -> Option<SliceTurns> {
        let terms = self.slices()?;
        let (pass, away, test) = (self.harness.worker.turns()?, Arc::clone(&self.harness.away), self.test);
        Some(SliceTurns::new(terms.ns, move |operations, wall_ns| {
            let (begun, cpu) = (Instant::now(), others_cpu());
            pass(&Event::Turn { test, operations, wall_ns });
            away.wall.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
            away.cpu.fetch_add(others_cpu().saturating_sub(cpu).as_nanos() as u64, Relaxed);
        }))
    }

    /// Stops the counters and waits until the engine's own threads are idle; the caller fills in the answers. `folder`: the database's own
    /// folder, which contains `main_file`.
    pub(crate) fn end(
        self,
        spent: RecordedTime,
        phases: &mut Phases,
        folder: &Path,
        main_file: &str,
    ) -> Result<TestDone, EngineError> {
        explain::rest();
        let mut counters = counters().since(&self.before);
        self.harness.worker.end_test();
        // The CPU time of the thread that reports progress and of drawing inputs belongs to the harness, not to the engine.
        let own_ns = self.harness.worker.reporter_cpu_ns() - self.reporter_before + spent.between;
        counters.set("user_ns", counters.get("user_ns").map(|ns| ns.saturating_sub(own_ns)));
        let peak_rss_bytes = peak_rss_bytes();
        spent.parts.iter().for_each(|parts| parts.add_to(&mut counters));
        counters.set("floor_rss_bytes", Some(self.harness.floor_rss_bytes));
        if self.slices().is_some() {
            counters.set("away_ns", Some(self.harness.away.wall.load(Relaxed)));
            counters.set("away_cpu_ns", Some(self.harness.away.cpu.load(Relaxed)));
        }
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
