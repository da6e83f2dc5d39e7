//! The test that the single view shows: one that is over before it can be read stays for a while, with the latencies of all its rounds.

use super::{LiveFigures, WatchedSession, usage::Used};
use dbdyno_workload::histogram::{empty, from_bytes};
use hdrhistogram::Histogram;
use std::{borrow::Cow, time::Duration};

/// The least time for which a test stays in view.
const STAY: Duration = Duration::from_secs(2);

/// The latencies that a run sent of a test, HdrHistogram V2 compressed: whole histograms of all tests and rounds would take much memory.
#[derive(Debug, Clone)]
pub(super) struct SentLatencies {
    pub(super) run: usize,
    pub(super) bytes: Vec<u8>,
}

/// The test that was chosen to be shown.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// Its run and its number.
    of: (usize, u32),
    configuration: usize,
    since: Duration,
    /// As it ended, once another is under way.
    ended: Option<Box<(LiveFigures, Used)>>,
    /// Latencies of other rounds, and how many those are.
    others: (Histogram<u64>, usize),
}

/// The test in view.
#[derive(Debug)]
pub(crate) struct TestInView<'s> {
    pub(crate) configuration: usize,
    pub(crate) figures: &'s LiveFigures,
    pub(crate) used: Used,
    /// Latencies of all rounds.
    pub(crate) latencies: Cow<'s, Histogram<u64>>,
    /// Rounds in them.
    pub(crate) rounds: usize,
}

impl WatchedSession {
    /// The run and number of the test under way or last.
    fn latest(&self) -> Option<(usize, u32)> {
        Some((self.current?, self.figures.as_ref()?.number))
    }

    /// Another test or run begins: what is shown of this one is kept.
    pub(super) fn put_aside(&mut self) {
        let latest = self.latest();
        let figures = self.figures.take();
        if let (Some(chosen), Some(figures)) = (&mut self.chosen, figures)
            && Some(chosen.of) == latest
        {
            chosen.ended = Some(Box::new((figures, self.usage.used)));
        }
    }

    /// Shows the latest test, once the one in view was there long enough to be read.
    pub(super) fn look(&mut self, now: Duration) {
        let (Some(latest), Some((configuration, _))) = (self.latest(), self.configuration()) else { return };
        let stays = |chosen: &Chosen| chosen.of == latest || now.saturating_sub(chosen.since) < STAY;
        if !self.chosen.as_ref().is_some_and(stays) {
            let others = self.latencies_of_others(configuration, latest);
            self.chosen = Some(Chosen { of: latest, configuration, since: now, ended: None, others });
        }
    }

    /// The latencies of a test in other runs of its configuration.
    fn latencies_of_others(&self, configuration: usize, (run, test): (usize, u32)) -> (Histogram<u64>, usize) {
        let mut all = empty();
        let mut rounds = 0;
        let sent = self.sent.get(&(configuration, test)).into_iter().flatten();
        for other in sent.filter(|other| other.run != run) {
            if from_bytes(&other.bytes).is_ok_and(|one| all.add(one).is_ok()) {
                rounds += 1;
            }
        }
        (all, rounds)
    }

    /// The test in view; none before one has begun.
    pub(crate) fn in_view(&self) -> Option<TestInView<'_>> {
        let chosen = self.chosen.as_ref()?;
        let (figures, used) = match (&chosen.ended, &self.figures) {
            (Some(ended), _) => (&ended.0, ended.1),
            (None, Some(figures)) => (figures, self.usage.used),
            (None, None) => return None,
        };
        let (others, rounds) = &chosen.others;
        let mut latencies = Cow::Borrowed(&figures.latencies);
        if *rounds > 0 {
            // All have the same bounds.
            let _ = latencies.to_mut().add(others);
        }
        Some(TestInView { configuration: chosen.configuration, figures, used, latencies, rounds: rounds + 1 })
    }
}
