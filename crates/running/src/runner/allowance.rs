//! Limits the progress events that are passed on, so that an engine that floods can grow neither this process nor the stored data.

use dbdyno_engine::protocol::LEAST_PROGRESS_MS;
use std::time::{Duration, Instant};

/// The shortest mean time between two progress events.
const EVERY: Duration = Duration::from_millis(LEAST_PROGRESS_MS);
/// Events that may arrive at once: that many may wait in the pipe while this process is stopped.
const AT_ONCE: u32 = 100;
/// The maximum length of a progress event, bytes. A histogram of the widest spread takes a fifth of it.
const LONGEST: usize = 256 << 10;
/// Limits for the timeline of one test: slots (an hour of them at the usual pace), and bytes of their events.
const SLOTS: usize = 36_000;
const BYTES: usize = 64 << 20;

/// The remaining allowance of a worker for progress events.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Events that may arrive now.
    now: u32,
    /// When `now` was last increased.
    added: Instant,
    slots: usize,
    bytes: usize,
    /// How many events were left out.
    left_out: u64,
}

impl Allowance {
    /// Returns the allowance of a worker that begins.
    pub(super) fn new(now: Instant) -> Self {
        Self { now: AT_ONCE, added: now, slots: SLOTS, bytes: BYTES, left_out: 0 }
    }

    /// Resets the limits of the timeline: another test begins, with its own.
    pub(super) fn begin_test(&mut self) {
        (self.slots, self.bytes) = (SLOTS, BYTES);
    }

    /// Whether a progress event of this many bytes is passed on.
    pub(super) fn take(&mut self, now: Instant, bytes: usize) -> bool {
        let due = now.saturating_duration_since(self.added).as_millis() / EVERY.as_millis();
        if due > 0 {
            self.now = u32::try_from(due).unwrap_or(AT_ONCE).saturating_add(self.now).min(AT_ONCE);
            self.added = now;
        }
        let passed = self.now > 0 && bytes <= LONGEST && self.slots > 0 && bytes <= self.bytes;
        if passed {
            self.now -= 1;
            self.slots -= 1;
            self.bytes -= bytes;
        } else {
            self.left_out += 1;
        }
        passed
    }

    /// Returns the notice about events that were left out; none if all were passed on.
    pub(super) fn said(&self) -> Option<String> {
        let count = self.left_out;
        (count > 0).then(|| {
            format!("{count} progress events of the worker were ignored: it sent more or larger ones than requested")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_passed_on_and_a_flood_is_not() {
        let begun = Instant::now();
        let mut usual = Allowance::new(begun);
        assert!((0..20_000).all(|at| usual.take(begun + at * Duration::from_millis(100), 1_000)));
        assert_eq!(usual.said(), None);
        let mut flood = Allowance::new(begun);
        let passed = (0..1_000_000).filter(|at| flood.take(begun + *at * Duration::from_micros(10), 1_000)).count();
        assert!((200..=300).contains(&passed), "100 at once and 20 a second for ten seconds: {passed}");
        assert!(flood.said().unwrap().starts_with(&format!("{} progress events", 1_000_000 - passed)));
    }

    #[test]
    fn a_timeline_has_an_end_and_each_test_has_its_own() {
        let begun = Instant::now();
        let at = |event: u32| begun + event * Duration::from_millis(100);
        let mut many = Allowance::new(begun);
        assert_eq!((0..50_000).filter(|&event| many.take(at(event), 100)).count(), SLOTS);
        many.begin_test();
        assert!(many.take(at(50_000), 100));
        let mut large = Allowance::new(begun);
        assert_eq!((0..1_000).filter(|&event| large.take(at(event), LONGEST)).count(), BYTES / LONGEST);
        assert!(!Allowance::new(begun).take(begun, LONGEST + 1));
    }
}
