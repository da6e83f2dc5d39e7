//! The course of a test of several threads: they start together, work unmeasured for a while, are measured, and stop together.

use dbdyno_engine::{clock::Clock, suite::KvActors};
use std::{
    sync::{
        Barrier, OnceLock,
        atomic::{AtomicU8, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

/// The current phase of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CoursePhase {
    WarmUp,
    Measured,
    Over,
}

/// The course that all threads of a test follow.
pub(super) struct Course {
    start: Barrier,
    phase: AtomicU8,
    warm_up: Duration,
    time: Option<Duration>,
    /// The number of threads that must finish before the test ends.
    awaited: AtomicUsize,
    threads: usize,
    /// Whether time is real; otherwise each thread has its own simulated time.
    is_real: bool,
    /// The reading of the engine's clock when the measurement began, in real time.
    measured_from: OnceLock<u64>,
}

/// Time between two checks of the phase, while something else must happen on time.
const LOOK: Duration = Duration::from_millis(1);

impl Course {
    pub(super) fn new(load: &KvActors, is_real: bool) -> Self {
        let threads = load.actors.iter().map(|actor| actor.threads as usize).sum();
        let counted = load.actors.iter().filter(|actor| actor.operations.is_some());
        let warm_up = Duration::from_millis(load.warm_up_ms);
        let first = if warm_up.is_zero() { CoursePhase::Measured } else { CoursePhase::WarmUp };
        Self {
            start: Barrier::new(threads + 1),
            phase: AtomicU8::new(first as u8),
            warm_up,
            time: load.time_ms.map(Duration::from_millis),
            awaited: AtomicUsize::new(counted.map(|actor| actor.threads as usize).sum()),
            threads,
            is_real,
            measured_from: OnceLock::new(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Whether there is no warm-up.
    pub(super) fn is_measured_at_once(&self) -> bool {
        self.warm_up.is_zero()
    }

    /// Waits for the start. Each thread calls this when it is ready.
    pub(super) fn start(&self) {
        self.start.wait();
    }

    /// Returns the phase for a thread whose clock read `started` when the thread started.
    #[inline]
    pub(super) fn phase<C: Clock>(&self, clock: &C, started: u64) -> CoursePhase {
        if self.is_real {
            return match self.phase.load(SeqCst) {
                0 => CoursePhase::WarmUp,
                1 => CoursePhase::Measured,
                _ => CoursePhase::Over,
            };
        }
        let passed = Duration::from_nanos(clock.now().saturating_sub(started));
        match self.time {
            _ if passed < self.warm_up => CoursePhase::WarmUp,
            Some(time) if passed >= self.warm_up + time => CoursePhase::Over,
            _ if self.is_over() => CoursePhase::Over,
            _ => CoursePhase::Measured,
        }
    }

    /// Marks that a thread has done all its operations.
    pub(super) fn finished(&self) {
        self.awaited.fetch_sub(1, SeqCst);
    }

    /// Stops all threads, because the test is over or a thread has failed.
    pub(super) fn end(&self) {
        self.phase.store(CoursePhase::Over as u8, SeqCst);
    }

    /// Returns when the measurement began for a thread that notices it `now`, by its clock. A thread that was blocked by others at that
    /// moment notices it late, and the time for which it was blocked counts.
    pub(super) fn measured_from(&self, now: u64) -> u64 {
        self.measured_from.get().map_or(now, |from| now.min(*from))
    }

    /// Starts the threads and ends each phase on time. Returns when all threads have been told to stop. `measured_since`: set when the
    /// measurement begins.
    pub(super) fn conduct<C: Clock>(&self, clock: &C, measured_since: &OnceLock<Instant>) {
        self.start.wait();
        if self.is_real && !self.warm_up.is_zero() {
            self.wait_for(|passed| passed >= self.warm_up);
        }
        // These cannot fail: they are set only here.
        let _ = measured_since.set(Instant::now());
        if self.is_real {
            let _ = self.measured_from.set(clock.now());
            // A thread that failed has already ended the test.
            let _ = self.phase.compare_exchange(CoursePhase::WarmUp as u8, CoursePhase::Measured as u8, SeqCst, SeqCst);
        }
        match self.time {
            Some(time) if self.is_real => self.wait_for(|passed| passed >= time),
            Some(_) => return,
            None => self.wait_for(|_| self.awaited.load(SeqCst) == 0),
        }
        self.end();
    }

    pub(super) fn is_over(&self) -> bool {
        self.phase.load(SeqCst) == CoursePhase::Over as u8
    }

    /// Waits until a condition is true or the test is over.
    fn wait_for(&self, is_so: impl Fn(Duration) -> bool) {
        let begun = Instant::now();
        while !is_so(begun.elapsed()) && !self.is_over() {
            thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::clock::SystemClock;

    #[test]
    fn a_thread_that_was_blocked_when_the_measurement_began_is_measured_from_then() {
        let load = KvActors { actors: Vec::new(), time_ms: Some(60), warm_up_ms: 20, followed: false };
        let (course, clock) = (Course::new(&load, true), SystemClock::get());
        let started = clock.now();
        assert_eq!(course.measured_from(started), started, "nobody knows yet");
        course.conduct(&clock, &OnceLock::new());
        assert_eq!(course.phase(&clock, started), CoursePhase::Over);
        let (late, from) = (clock.now(), course.measured_from(clock.now()));
        assert!(from >= started + 20_000_000 && late - from >= 60_000_000, "{started} {from} {late}");
        assert_eq!(course.measured_from(from - 5), from - 5, "it saw the beginning itself");
    }
}
