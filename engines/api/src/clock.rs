//! Clocks from which the times of an engine are read.

use std::{fs, sync::OnceLock, time::Duration};

/// A source of time. Engines that simulate have their own; all others use [`SystemClock`].
pub trait Clock: Clone {
    /// Returns nanoseconds since any fixed point. The value never decreases.
    fn now(&self) -> u64;

    /// Whether this clock runs at the same rate as the system's clock.
    fn is_real(&self) -> bool {
        true
    }

    /// Returns a one-word name of the time source. `None`: the clock does not advance by itself.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Waits until [`Self::now`] is `ns` or more. It sleeps first, and spins for the last stretch, in which a sleep could overshoot.
    fn wait_until(&self, ns: u64) {
        loop {
            let left = ns.saturating_sub(self.now());
            match left.saturating_sub(SLEEP_SLACK_NS) {
                0 if left == 0 => return,
                0 => std::hint::spin_loop(),
                sleep => std::thread::sleep(Duration::from_nanos(sleep)),
            }
        }
    }
}

/// Allowance for the overshoot of a sleep, ns: it is seldom exceeded.
const SLEEP_SLACK_NS: u64 = 100_000;

/// The processor's time-stamp counter, calibrated against the monotonic clock when it is first requested. The monotonic clock itself if
/// the counter is not the same on all cores and at all frequencies, or if the kernel does not use the counter for its own time.
#[derive(Debug, Clone)]
pub struct SystemClock(Source);

#[derive(Debug, Clone)]
enum Source {
    /// The counter, with its first reading.
    Counter(quanta::Clock, u64),
    Monotonic,
}

impl SystemClock {
    /// Returns the clock of this process. The first call takes about a millisecond, because it compares the two clocks.
    pub fn get() -> Self {
        static CLOCK: OnceLock<SystemClock> = OnceLock::new();
        CLOCK.get_or_init(Self::choose).clone()
    }

    fn choose() -> Self {
        if !kernel_trusts_counter() {
            return Self(Source::Monotonic);
        }
        // If the processor does not promise an invariant counter, this is the monotonic clock.
        let clock = quanta::Clock::new();
        let began = clock.raw();
        Self(Source::Counter(clock, began))
    }
}

/// Linux monitors the counter, and switches to another clock if the counter is unreliable. Other systems do not report this.
fn kernel_trusts_counter() -> bool {
    let source = fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    source.map_or(!cfg!(target_os = "linux"), |source| matches!(source.trim(), "tsc" | "arch_sys_counter"))
}

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> u64 {
        match &self.0 {
            Source::Counter(clock, began) => clock.delta_as_nanos(*began, clock.raw()),
            Source::Monotonic => monotonic_ns(),
        }
    }

    fn name(&self) -> Option<&'static str> {
        Some(match self.0 {
            Source::Counter(..) => "counter",
            Source::Monotonic => "monotonic",
        })
    }
}

/// Reads `CLOCK_MONOTONIC`, ns. It does not follow changes to the system's time.
#[inline]
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_clock_goes_as_the_systems_does() {
        let clock = SystemClock::get();
        let (own, system) = (clock.now(), monotonic_ns());
        thread::sleep(Duration::from_millis(50));
        let (own, system) = ((clock.now() - own) as f64, (monotonic_ns() - system) as f64);
        assert!((own / system - 1.0).abs() < 0.01, "{:?} says {own} ns, the system {system} ns", clock.name());
    }
}
