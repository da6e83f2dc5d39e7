//! The resources of a worker in a test. A value that was not measured is unknown, never 0.

use dbdyno_engine::protocol::TestDone;
use dbdyno_foundation::{metric::Figures, metric::Metric};
use dbdyno_running::runner::Uses;

/// The known values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Used {
    /// Bytes a second from the storage layer.
    pub(crate) read: Option<f64>,
    /// Bytes a second to the storage layer.
    pub(crate) written: Option<f64>,
    /// Context switches a second.
    pub(crate) switches: Option<f64>,
    /// Memory, bytes: the last value, or the peak once a test has ended.
    pub(crate) rss_bytes: Option<u64>,
    /// Total size of the database's files, bytes.
    pub(crate) database_bytes: Option<u64>,
}

/// The worker's counters at a moment of the test.
#[derive(Debug, Clone, Copy)]
struct UsageSample {
    /// Time from the beginning of the test, ns.
    at_ns: u64,
    uses: Uses,
}

/// A worker's resources, updated with each reading of its counters.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    first: Option<UsageSample>,
    pub(super) used: Used,
}

impl Usage {
    /// Begins a test. Its rates are unknown until there are two readings; memory and disk keep their values.
    pub(super) fn begin_test(&mut self) {
        self.first = None;
        self.used = Used { read: None, written: None, switches: None, ..self.used };
    }

    /// Adds a reading of the counters, `at_ns` after the test's beginning.
    pub(super) fn look(&mut self, at_ns: u64, uses: Uses) {
        self.used.rss_bytes = Some(uses.rss_bytes).filter(|bytes| *bytes > 0);
        self.used.database_bytes = Some(uses.database_bytes).filter(|bytes| *bytes > 0);
        let Some(first) = self.first.filter(|first| first.at_ns < at_ns) else {
            self.first = Some(UsageSample { at_ns, uses });
            return;
        };
        let rate = |then: u64, now: u64| Some(now.saturating_sub(then) as f64 * 1e9 / (at_ns - first.at_ns) as f64);
        self.used.read = rate(first.uses.read_bytes, uses.read_bytes);
        self.used.written = rate(first.uses.written_bytes, uses.written_bytes);
        self.used.switches = rate(first.uses.switches, uses.switches);
    }

    /// Ends the test with the worker's own counters, which cover all of it.
    pub(super) fn finish(&mut self, done: &TestDone) {
        let figures = Figures::from_test_done(done, None);
        let rate = |counted: u64| counted as f64 * 1e9 / done.wall_ns.max(1) as f64;
        let switches = [Metric::VoluntarySwitches, Metric::InvoluntarySwitches].map(|metric| figures.get(metric));
        self.used = Used {
            read: figures.get(Metric::Read).map(rate),
            written: figures.get(Metric::Written).map(rate),
            switches: switches.into_iter().flatten().reduce(|one, other| one + other).map(rate),
            rss_bytes: Some(done.peak_rss_bytes).filter(|bytes| *bytes > 0),
            database_bytes: Some(done.database_bytes),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_not_known_before_two_looks_of_one_test() {
        let uses = |read_bytes| Uses { read_bytes, rss_bytes: 1, ..Uses::default() };
        let mut usage = Usage::default();
        usage.look(1_000_000_000, uses(500));
        assert_eq!(usage.used.read, None);
        usage.look(3_000_000_000, uses(2_500));
        assert_eq!(usage.used.read, Some(1_000.0));
        usage.begin_test();
        assert_eq!((usage.used.read, usage.used.rss_bytes), (None, Some(1)));
        usage.finish(&TestDone { wall_ns: 20_000_000, ..TestDone::default() });
        assert_eq!((usage.used.read, usage.used.switches), (None, None), "the worker does not count them");
    }
}
