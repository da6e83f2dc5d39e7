//! The test in the single view: all configurations, and the latencies of all their runs.

use super::{
    LiveFigures, Slot, WatchedSession,
    figures::no_latencies,
    gathered::RunTime,
    race::{RaceCell, RaceColumn},
    usage::Used,
};
use dbdyno_engine::size::Size;
use dbdyno_workload::histogram::{bytes_from_base64, empty, from_bytes};
use hdrhistogram::Histogram;
use std::{collections::BTreeMap, time::Duration};

/// Minimum time for which a test stays in view while tests pass quickly.
const STAY: Duration = Duration::from_secs(4);
/// A test that takes longer than this, ns, is shown at once.
const LONG_NS: u64 = 1_000_000_000;

/// The most runs of a test whose latencies are kept.
const MOST_RUNS: usize = 16;

/// The latencies of a configuration's test in some of its runs, evenly spread over the session, HdrHistogram V2 compressed. Adding up all
/// runs would cost more than everything else that this process does while tests end a hundred times a second; the store has all.
#[derive(Debug, Clone)]
pub(super) struct SentLatencies {
    /// How many runs there were.
    runs: usize,
    /// One of so many is kept.
    each: usize,
    kept: Vec<(usize, Vec<u8>)>,
}

impl Default for SentLatencies {
    fn default() -> Self {
        Self { runs: 0, each: 1, kept: Vec::new() }
    }
}

impl SentLatencies {
    /// Adds the latencies of a run, in place of earlier ones of this run.
    pub(super) fn add(&mut self, run: usize, bytes: Vec<u8>) {
        if let Some((_, own)) = self.kept.iter_mut().find(|(of, _)| *of == run) {
            *own = bytes;
            return;
        }
        if self.runs.is_multiple_of(self.each) {
            self.kept.push((run, bytes));
        }
        self.runs += 1;
        if self.kept.len() > MOST_RUNS {
            let mut place = 0..;
            self.kept.retain(|_| place.next().is_some_and(|place: usize| place.is_multiple_of(2)));
            self.each *= 2;
        }
    }

    /// Returns the latencies of the kept runs, and the number of these runs.
    fn all(&self) -> (Histogram<u64>, usize) {
        let mut all = empty();
        // Adding cannot fail, because all have the same bounds.
        let added = self.kept.iter().filter(|(_, bytes)| from_bytes(bytes).is_ok_and(|one| all.add(one).is_ok()));
        let runs = added.count();
        (all, runs)
    }
}

/// The test that the single view shows, of all configurations at its size.
#[derive(Debug, Clone)]
pub(super) struct ShownTest {
    size: Size,
    test: u32,
    since: Duration,
    /// Whether the user chose it. Then it stays.
    is_chosen: bool,
    /// Latencies of finished runs by configuration, and the number of these runs: those that were kept, and all since it is shown.
    latencies: BTreeMap<usize, (Histogram<u64>, usize)>,
}

/// The test in view.
#[derive(Debug)]
pub(crate) struct TestInView<'s> {
    pub(crate) size: Size,
    pub(crate) test: u32,
    pub(crate) name: &'s str,
    /// Whether the user chose it.
    pub(crate) is_chosen: bool,
    pub(crate) configurations: Vec<ConfigurationInView<'s>>,
}

/// A configuration in the test in view.
#[derive(Debug)]
pub(crate) struct ConfigurationInView<'s> {
    pub(crate) label: &'s str,
    /// Its place in the race, which decides its colour.
    pub(crate) place: usize,
    /// The test in progress, if it is the one in view.
    pub(crate) under_way: Option<&'s LiveFigures>,
    /// The figures of its last finished test and of its worker.
    pub(crate) last: Option<&'s LastTest>,
    /// Latencies of its runs: [`SentLatencies`] says of which.
    pub(crate) latencies: Histogram<u64>,
    /// Throughput of the test in progress, or of the last finished one.
    pub(crate) timeline: &'s [Slot],
    /// The times of finished runs, in their order.
    pub(crate) times: &'s [RunTime],
    /// The usual time of the test, ns.
    pub(crate) usual: Option<f64>,
    /// Its cell in the race.
    pub(crate) cell: RaceCell<'s>,
}

impl ConfigurationInView<'_> {
    /// Whether its latencies are of single operations, instead of many.
    pub(crate) fn single(&self) -> bool {
        self.under_way.or(self.last.map(|last| &last.figures)).is_none_or(LiveFigures::single)
    }
}

/// The last finished test of a configuration.
#[derive(Debug, Clone)]
pub(crate) struct LastTest {
    /// Without its latencies, which the histogram of all runs has.
    pub(crate) figures: LiveFigures,
    pub(crate) used: Used,
}

impl WatchedSession {
    /// Returns the size and number of the current or last test.
    fn latest(&self) -> Option<(Size, u32)> {
        let (_, configuration) = self.configuration()?;
        Some((configuration.size, self.figures.as_ref()?.number))
    }

    /// Adds the latencies of a finished test, in base64, to those of all its runs. They are decoded now only if the test is in view: tests
    /// may end a hundred times a second.
    pub(super) fn take_latencies(&mut self, run: usize, test: u32, sent: &str) {
        let Some(configuration) = self.runs.get(run).map(|run| run.configuration) else { return };
        let Ok(bytes) = bytes_from_base64(sent) else { return };
        let size = self.configurations.get(configuration).map(|one| one.size);
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.test == test && Some(shown.size) == size) {
            let (all, runs) = shown.latencies.entry(configuration).or_insert_with(|| (empty(), 0));
            // Adding cannot fail, because all have the same bounds.
            *runs += usize::from(from_bytes(&bytes).is_ok_and(|one| all.add(one).is_ok()));
        }
        self.sent.entry((configuration, test)).or_default().add(run, bytes);
    }

    /// Keeps a test that has ended, to be shown until the next one of its configuration ends.
    pub(super) fn keep_last(&mut self, configuration: usize) {
        let Some(figures) = self.figures.as_ref().filter(|figures| figures.measured) else { return };
        let figures = LiveFigures { latencies: no_latencies(), ..figures.clone() };
        self.last.insert((configuration, figures.number), LastTest { figures, used: self.usage.used });
    }

    /// Follows the test in progress. While tests pass quickly, one stays long enough to be read, and shows all that is measured of it.
    pub(super) fn look(&mut self, now: Duration) {
        let (Some((size, test)), Some(figures)) = (self.latest(), &self.figures) else { return };
        let is_long = !figures.finished && figures.elapsed_ns > LONG_NS;
        let stays = |shown: &ShownTest| {
            let is_latest = (shown.size, shown.test) == (size, test);
            is_latest || shown.is_chosen || (!is_long && now.saturating_sub(shown.since) < STAY)
        };
        let is_wanted = figures.measured || is_long || self.shown.is_none();
        if is_wanted && !self.shown.as_ref().is_some_and(stays) {
            self.show_test(size, test, false, now);
        }
    }

    fn show_test(&mut self, size: Size, test: u32, is_chosen: bool, since: Duration) {
        let of_size = self.configurations.iter().enumerate().filter(|(_, one)| one.size == size);
        let sent = of_size.filter_map(|(at, _)| Some((at, self.sent.get(&(at, test))?.all())));
        let latencies = sent.collect();
        self.shown = Some(ShownTest { size, test, since, is_chosen, latencies });
    }

    /// Shows the next or previous test of the race, and stays there.
    pub(super) fn choose_test(&mut self, forward: bool) {
        let rows: Vec<(Size, u32)> = self.race_rows().iter().map(|row| (row.size, row.test)).collect();
        let Some(shown) = &self.shown else { return };
        let at = rows.iter().position(|row| *row == (shown.size, shown.test)).unwrap_or(0);
        let next = if forward { at + 1 } else { at + rows.len().saturating_sub(1) };
        if let Some((size, test)) = rows.get(next % rows.len().max(1)).copied() {
            self.show_test(size, test, true, Duration::ZERO);
        }
    }

    /// Follows the test in progress again. Returns whether a chosen test was in view.
    pub(super) fn follow(&mut self) -> bool {
        self.shown.as_mut().is_some_and(|shown| std::mem::take(&mut shown.is_chosen))
    }

    /// Returns the test in view; none before a test has begun.
    pub(crate) fn in_view(&self) -> Option<TestInView<'_>> {
        let shown = self.shown.as_ref()?;
        let columns = self.race_columns();
        let of_column = |(place, column): (usize, &RaceColumn<'_>)| {
            let at = column.at(shown.size)?;
            Some(self.configuration_in_view(shown, at, place))
        };
        let configurations = columns.iter().enumerate().filter_map(of_column).collect();
        let under_way = self.figures.as_ref().filter(|figures| figures.number == shown.test);
        let name = self.tests.get(&shown.test).or(under_way.map(|figures| &figures.name));
        Some(TestInView {
            size: shown.size,
            test: shown.test,
            name: name.map_or("", String::as_str),
            is_chosen: shown.is_chosen,
            configurations,
        })
    }

    fn configuration_in_view(&self, shown: &ShownTest, at: usize, place: usize) -> ConfigurationInView<'_> {
        let is_its = self.test_under_way() == Some((at, shown.test));
        let under_way = self.figures.as_ref().filter(|figures| is_its && !figures.finished);
        let mut latencies = shown.latencies.get(&at).map_or_else(empty, |(all, _)| all.clone());
        if let Some(figures) = under_way {
            // Adding cannot fail, because all have the same bounds.
            let _ = latencies.add(&*figures.latencies);
        }
        let last = self.last.get(&(at, shown.test));
        let finished = last.map_or(&[][..], |last| last.figures.slots.as_slice());
        ConfigurationInView {
            label: self.configurations.get(at).map_or("", |one| one.label.as_str()),
            place,
            under_way,
            last,
            latencies,
            timeline: under_way.map_or(finished, |figures| figures.slots.as_slice()),
            times: self.gathered.times(at, shown.test),
            usual: self.usual_ns(at, shown.test),
            cell: self.race_cell(at, shown.test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::to_bytes;

    #[test]
    fn latencies_of_a_thousand_runs_take_no_more_than_those_of_a_few() {
        let one = |ns: u64| {
            let mut histogram = empty();
            histogram.record(ns).unwrap();
            to_bytes(&histogram)
        };
        let mut sent = SentLatencies::default();
        for run in 0..1_000 {
            sent.add(run, one(100 + run as u64));
            assert!(sent.kept.len() <= MOST_RUNS);
        }
        let runs: Vec<usize> = sent.kept.iter().map(|(run, _)| *run).collect();
        assert!(runs.len() > MOST_RUNS / 2 && runs.windows(2).all(|pair| pair[1] - pair[0] == 64), "{runs:?}");
        let (all, count) = sent.all();
        assert_eq!((all.len(), count), (runs.len() as u64, runs.len()));
        sent.add(runs[0], one(5));
        let (all, count) = sent.all();
        assert_eq!((all.min(), count), (5, runs.len()), "a run counts once");
    }
}
