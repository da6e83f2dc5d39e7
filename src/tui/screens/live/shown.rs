//! The test that the single view shows. A test that ends too soon to be read stays for a while, with the latencies of all its rounds.

use super::{LiveFigures, WatchedSession, usage::Used};
use dbdyno_running::runner::SentHistogram;
use dbdyno_workload::histogram::{empty, from_bytes, to_bytes};
use hdrhistogram::Histogram;
use std::{borrow::Cow, time::Duration};

/// Minimum time for which a test stays in view.
const STAY: Duration = Duration::from_secs(2);

/// Maximum number of rounds whose latencies are kept separately.
const MOST_ROUNDS: usize = 8;

/// The latencies of a configuration's test in all rounds, HdrHistogram V2 compressed, because whole histograms would take much memory. The
/// size does not grow with the number of rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct SentLatencies {
    /// The sum of the earlier rounds, and their number.
    sum: (Option<Vec<u8>>, usize),
    /// The last rounds, with their runs.
    last: Vec<(usize, Vec<u8>)>,
}

impl SentLatencies {
    /// Adds the latencies of a run.
    pub(super) fn add(&mut self, run: usize, bytes: Vec<u8>) {
        if self.last.len() == MOST_ROUNDS {
            let (all, rounds) = self.of_others(run);
            *self = Self { sum: (Some(to_bytes(&all)), rounds), last: Vec::new() };
        }
        self.last.push((run, bytes));
    }

    /// Returns the latencies of all runs except one, and the number of these runs. The excluded run is the latest, if it was added.
    fn of_others(&self, run: usize) -> (Histogram<u64>, usize) {
        let mut rounds = self.sum.1;
        let mut all = self.sum.0.as_ref().and_then(|sum| from_bytes(sum).ok()).unwrap_or_else(empty);
        for (_, bytes) in self.last.iter().filter(|(of, _)| *of != run) {
            // Adding cannot fail, because all have the same bounds.
            if from_bytes(bytes).is_ok_and(|one| all.add(one).is_ok()) {
                rounds += 1;
            }
        }
        (all, rounds)
    }
}

/// The test chosen for display.
#[derive(Debug, Clone)]
pub(super) struct ShownTest {
    /// Its run and number.
    of: (usize, u32),
    configuration: usize,
    since: Duration,
    /// The figures at its end, once another test is in progress.
    ended: Option<Box<(LiveFigures, Used)>>,
    /// Latencies of other rounds, and the number of these rounds.
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
    /// Number of rounds in the latencies.
    pub(crate) rounds: usize,
}

impl WatchedSession {
    /// Returns the run and number of the current or last test.
    fn latest(&self) -> Option<(usize, u32)> {
        Some((self.current?, self.figures.as_ref()?.number))
    }

    /// Saves the figures in view before another test or run begins.
    pub(super) fn put_aside(&mut self) {
        let latest = self.latest();
        let figures = self.figures.take();
        if let (Some(chosen), Some(figures)) = (&mut self.chosen, figures)
            && Some(chosen.of) == latest
        {
            chosen.ended = Some(Box::new((figures, self.usage.used)));
        }
    }

    /// Adds the latencies of a finished test. They arrive separately from its end, so another test may be in progress by now.
    pub(super) fn take_latencies(&mut self, run: usize, test: u32, sent: &SentHistogram) {
        let Some(configuration) = self.runs.get(run).map(|run| run.configuration) else { return };
        self.sent.entry((configuration, test)).or_default().add(run, sent.bytes.clone());
        let is_latest = self.latest() == Some((run, test));
        let ended =
            self.chosen.as_mut().filter(|chosen| chosen.of == (run, test)).and_then(|chosen| chosen.ended.as_mut());
        let figures = match (is_latest, ended) {
            (true, _) => self.figures.as_mut(),
            (false, ended) => ended.map(|ended| &mut ended.0),
        };
        if let Some(figures) = figures {
            figures.latencies = sent.samples.clone();
        }
    }

    /// Shows the latest test, once the previous one was in view long enough to be read.
    pub(super) fn look(&mut self, now: Duration) {
        let (Some(latest), Some((configuration, _))) = (self.latest(), self.configuration()) else { return };
        let stays = |chosen: &ShownTest| chosen.of == latest || now.saturating_sub(chosen.since) < STAY;
        if !self.chosen.as_ref().is_some_and(stays) {
            let others = self.latencies_of_others(configuration, latest);
            self.chosen = Some(ShownTest { of: latest, configuration, since: now, ended: None, others });
        }
    }

    /// Returns the latencies of a test in other runs of its configuration.
    fn latencies_of_others(&self, configuration: usize, (run, test): (usize, u32)) -> (Histogram<u64>, usize) {
        self.sent.get(&(configuration, test)).map_or_else(|| (empty(), 0), |sent| sent.of_others(run))
    }

    /// Returns the test in view; none before a test has begun.
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
            // Adding cannot fail, because all have the same bounds.
            let _ = latencies.to_mut().add(others);
        }
        Some(TestInView { configuration: chosen.configuration, figures, used, latencies, rounds: rounds + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_of_a_thousand_rounds_take_no_more_than_those_of_a_few() {
        let one = |ns: u64| {
            let mut histogram = empty();
            histogram.record(ns).unwrap();
            to_bytes(&histogram)
        };
        let mut sent = SentLatencies::default();
        for run in 0..1_000 {
            sent.add(run, one(100 + run as u64));
            assert!(sent.last.len() <= MOST_ROUNDS);
        }
        let (others, rounds) = sent.of_others(999);
        assert_eq!((others.len(), rounds), (999, 999));
        assert_eq!((others.min(), others.max()), (100, 1_098));
        assert_eq!(sent.of_others(1_000).1, 1_000, "a run that has sent nothing yet has everything beside it");
    }
}
