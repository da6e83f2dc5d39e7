//! Where an engine has time read from.

use std::{fs, sync::OnceLock, time::Duration};

/// A source of time. Engines that simulate have one of their own; all others take [`SystemClock`].
pub trait Clock: Clone {
    /// Nanoseconds from any fixed point, never less than before.
    fn now(&self) -> u64;

    /// Whether it goes as the system's clock does.
    fn is_real(&self) -> bool {
        true
    }

    /// What it reads, in a word; none: nothing that goes on by itself.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Lets time pass until [`Self::now`] is `ns` or more. It sleeps, and turns round for the last of the way, as long as a sleep may
    /// be too long.
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

/// A sleep is seldom longer than asked for by more than this.
const SLEEP_SLACK_NS: u64 = 100_000;

/// The processor's time-stamp counter, held against the monotonic clock when it is first asked for; the monotonic clock itself
/// where the counter is not the same on all cores and at all frequencies, or where the kernel does not take it for its own time.
#[derive(Debug, Clone)]
pub struct SystemClock(Source);

#[derive(Debug, Clone)]
enum Source {
    /// With what it said at first.
    Counter(quanta::Clock, u64),
    Monotonic,
}

impl SystemClock {
    /// The clock of this process. The first call takes about a millisecond, for the comparison of the two clocks.
    pub fn get() -> Self {
        static CLOCK: OnceLock<SystemClock> = OnceLock::new();
        CLOCK.get_or_init(Self::choose).clone()
    }

    fn choose() -> Self {
        if !kernel_trusts_counter() {
            return Self(Source::Monotonic);
        }
        // Where the processor does not promise an invariant counter, this is the monotonic clock.
        let clock = quanta::Clock::new();
        let began = clock.raw();
        Self(Source::Counter(clock, began))
    }
}

/// Linux watches the counter, and takes another clock when it is not to be trusted. Other systems do not tell.
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

/// `CLOCK_MONOTONIC`, ns: it does not follow changes of the system's time.
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
