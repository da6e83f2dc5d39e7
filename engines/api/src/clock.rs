//! Where an engine has time read from.

/// A source of time. Engines that simulate have one of their own; all others take [`MonotonicClock`].
pub trait Clock {
    /// Nanoseconds from any fixed point, never less than before.
    fn now(&self) -> u64;
}

/// `CLOCK_MONOTONIC`: it does not follow changes of the system's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}
