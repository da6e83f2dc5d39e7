//! What a worker uses in a test. What nobody looked at is not known, and never nothing.

use dbdyno_engine::protocol::TestDone;
use dbdyno_foundation::{metric::Figures, metric::Metric};
use dbdyno_running::runner::Uses;

/// What is known of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Used {
    /// Bytes a second from the storage layer.
    pub(crate) read: Option<f64>,
    /// Bytes a second to it.
    pub(crate) written: Option<f64>,
    /// Context switches a second.
    pub(crate) switches: Option<f64>,
    /// Memory, bytes: as last seen, or the peak of a test that is over.
    pub(crate) rss_bytes: Option<u64>,
    /// Bytes of all files of the database together.
    pub(crate) database_bytes: Option<u64>,
}

/// The worker's counters at a moment of the test.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// From the beginning of the test, ns.
    at_ns: u64,
    uses: Uses,
}

/// What a worker uses, from one look at its counters to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    first: Option<Look>,
    pub(super) used: Used,
}

impl Usage {
    /// A test begins: its rates are not known before two looks; memory and disk are as they were.
    pub(super) fn begin_test(&mut self) {
        self.first = None;
        self.used = Used { read: None, written: None, switches: None, ..self.used };
    }

    /// A look so long after the test's beginning.
    pub(super) fn look(&mut self, at_ns: u64, uses: Uses) {
        self.used.rss_bytes = Some(uses.rss_bytes).filter(|bytes| *bytes > 0);
        self.used.database_bytes = Some(uses.database_bytes).filter(|bytes| *bytes > 0);
        let Some(first) = self.first.filter(|first| first.at_ns < at_ns) else {
            self.first = Some(Look { at_ns, uses });
            return;
        };
        let rate = |then: u64, now: u64| Some(now.saturating_sub(then) as f64 * 1e9 / (at_ns - first.at_ns) as f64);
        self.used.read = rate(first.uses.read_bytes, uses.read_bytes);
        self.used.written = rate(first.uses.written_bytes, uses.written_bytes);
        self.used.switches = rate(first.uses.switches, uses.switches);
    }

    /// The test is over: the worker's own counters are of all of it.
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
