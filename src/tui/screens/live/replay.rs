//! The replay of a finished run.

use super::figures::LiveFigures;
use hdrhistogram::Histogram;
use std::{sync::Arc, time::Duration};

/// Speeds of a replay, as multiples of real time.
pub const SPEEDS: [u32; 3] = [1, 10, 100];

/// A run as it was stored.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Label, suite and size of the run.
    pub(crate) title: String,
    /// Its tests, in order.
    pub(crate) tests: Vec<RecordedTest>,
}

/// A stored test.
#[derive(Debug, Clone)]
pub struct RecordedTest {
    pub(crate) number: u32,
    pub(crate) name: String,
    /// Operations done.
    pub(crate) operations: u64,
    /// Wall time, ns.
    pub(crate) wall_ns: u64,
    pub(crate) latencies: Option<Histogram<u64>>,
    /// Operations in one sample of the latencies.
    pub(crate) per_sample: Option<u64>,
    /// The progress reports during the test.
    pub(crate) slots: Vec<RecordedSlot>,
}

/// A stored slot of a test's timeline.
#[derive(Debug, Clone)]
pub struct RecordedSlot {
    /// End, from the beginning of the test, ns.
    pub(crate) end_ns: u64,
    /// Operations that ended in the slot.
    pub(crate) operations: u64,
    pub(crate) latencies: Option<Histogram<u64>>,
}

/// A replay in progress.
#[derive(Debug, Clone)]
pub struct Replay {
    pub(crate) recording: Recording,
    /// The test in view.
    pub(crate) test: usize,
    /// Index of the speed in [`SPEEDS`].
    pub(crate) speed: usize,
    pub(crate) paused: bool,
    /// The test as far as it has progressed.
    pub(crate) figures: Option<LiveFigures>,
    at: Duration,
    slot: usize,
    last: Duration,
}

impl Replay {
    /// Returns a replay from the beginning.
    pub(crate) fn new(recording: Recording, now: Duration) -> Self {
        let mut replay =
            Self { recording, test: 0, speed: 0, paused: false, figures: None, at: Duration::ZERO, slot: 0, last: now };
        replay.begin(0);
        replay
    }

    fn begin(&mut self, test: usize) {
        let Some(recorded) = self.recording.tests.get(test) else { return };
        self.test = test;
        (self.at, self.slot) = (Duration::ZERO, 0);
        let figures = LiveFigures::new(recorded.number, recorded.name.clone(), true, Some(recorded.operations));
        self.figures = Some(figures.sampled(recorded.per_sample));
    }

    /// Moves to the next test, or to the previous one.
    pub(crate) fn step(&mut self, forward: bool) {
        let next = if forward { self.test + 1 } else { self.test.saturating_sub(1) };
        self.begin(next.min(self.recording.tests.len().saturating_sub(1)));
    }

    /// Whether the last test has reached its end.
    pub(crate) fn over(&self) -> bool {
        let last = self.test + 1 >= self.recording.tests.len();
        last && self.figures.as_ref().is_none_or(|figures| figures.finished)
    }

    /// Advances the replay to the current time, at the chosen speed.
    pub(crate) fn time(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.last);
        self.last = now;
        if self.paused || self.over() {
            return;
        }
        if self.figures.as_ref().is_some_and(|figures| figures.finished) {
            return self.begin(self.test + 1);
        }
        self.at += passed * SPEEDS[self.speed % SPEEDS.len()];
        let (Some(recorded), Some(figures)) = (self.recording.tests.get(self.test), &mut self.figures) else { return };
        let at = self.at.as_nanos() as u64;
        while let Some(slot) = recorded.slots.get(self.slot).filter(|slot| slot.end_ns <= at) {
            figures.progress(figures.done + slot.operations, slot.end_ns, slot.latencies.as_ref());
            self.slot += 1;
        }
        if at >= recorded.wall_ns {
            figures.progress(recorded.operations, recorded.wall_ns, None);
            if let Some(latencies) = &recorded.latencies {
                figures.latencies = Arc::new(latencies.clone());
            }
            figures.finished = true;
        }
    }
}
