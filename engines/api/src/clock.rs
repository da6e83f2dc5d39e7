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

/// The processor's time-stamp counter, calibrated against the monotonic clock. The monotonic clock itself if the counter is not the same on
/// all cores and at all frequencies, or if the kernel does not use the counter for its own time.
#[derive(Debug, Clone)]
pub struct SystemClock(Source);

#[derive(Debug, Clone)]
enum Source {
    /// The reading of the counter from which times count, and its rate.
    Counter(u64, Rate),
    Monotonic,
}

/// The least time over which the clocks are compared, ns: both are read within 20 ns of each other, so the rate is right to 10 parts in a
/// million.
const COMPARED_NS: u64 = 2_000_000;

/// The first readings of both clocks in this process; none if the counter cannot be trusted.
static FIRST: OnceLock<Option<Readings>> = OnceLock::new();

impl SystemClock {
    /// Begins to compare the clocks. What a process does until it needs the clock is time that [`get`](Self::get) does not have to wait.
    pub fn begin() {
        first();
    }

    /// Returns the clock of this process. Waits until the clocks were compared for two milliseconds.
    pub fn get() -> Self {
        static CLOCK: OnceLock<SystemClock> = OnceLock::new();
        CLOCK.get_or_init(Self::choose).clone()
    }

    fn choose() -> Self {
        let Some(first) = first() else { return Self(Source::Monotonic) };
        while monotonic_ns() < first.system_ns + COMPARED_NS {
            std::hint::spin_loop();
        }
        Self(Source::Counter(first.counter, Rate::between(first, Readings::now())))
    }
}

fn first() -> Option<Readings> {
    *FIRST.get_or_init(|| (counter::is_invariant() && kernel_trusts_counter()).then(Readings::now))
}

/// Both clocks, read together.
#[derive(Debug, Clone, Copy)]
struct Readings {
    counter: u64,
    system_ns: u64,
}

impl Readings {
    /// Reads both clocks several times. The closest readings count, because an interrupt may come between two of them.
    fn now() -> Self {
        let read = |_| {
            let (before, system_ns, after) = (counter::read(), monotonic_ns(), counter::read());
            (after.saturating_sub(before), Self { counter: before.midpoint(after), system_ns })
        };
        let readings = (0..16).map(read).min_by_key(|(apart, _)| *apart);
        readings.map_or(Self { counter: 0, system_ns: 0 }, |(_, closest)| closest)
    }
}

/// Nanoseconds for each 2^32 steps of the counter.
#[derive(Debug, Clone, Copy)]
struct Rate(u64);

impl Rate {
    fn between(first: Readings, second: Readings) -> Self {
        let ns = u128::from(second.system_ns.saturating_sub(first.system_ns));
        let steps = u128::from(second.counter.saturating_sub(first.counter).max(1));
        Self(((ns << 32) / steps) as u64)
    }

    #[inline]
    fn ns(self, steps: u64) -> u64 {
        ((u128::from(steps) * u128::from(self.0)) >> 32) as u64
    }
}

#[cfg(target_arch = "x86_64")]
mod counter {
    /// Whether the counter is the same on all cores and at all frequencies.
    pub(super) fn is_invariant() -> bool {
        let power = raw_cpuid::CpuId::new().get_advanced_power_mgmt_info();
        power.is_some_and(|power| power.has_invariant_tsc())
    }

    #[inline]
    #[expect(unsafe_code, reason = "the instruction that reads the counter")]
    pub(super) fn read() -> u64 {
        // SAFETY: every processor of this architecture has the instruction.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
}

#[cfg(target_arch = "aarch64")]
mod counter {
    pub(super) fn is_invariant() -> bool {
        true
    }

    #[inline]
    #[expect(unsafe_code, reason = "the instruction that reads the counter")]
    pub(super) fn read() -> u64 {
        let count: u64;
        // SAFETY: Linux and macOS let programs read the counter; reading it changes nothing.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
        count
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod counter {
    pub(super) fn is_invariant() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        0
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
            Source::Counter(began, rate) => rate.ns(counter::read().saturating_sub(*began)),
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

    #[test]
    fn a_rate_is_exact_over_hours() {
        let at = |counter, system_ns| Readings { counter, system_ns };
        // 3.25 steps a nanosecond, known from two milliseconds.
        let rate = Rate::between(at(1_000, 5), at(1_000 + 6_500_000, 5 + 2_000_000));
        let hours = 10 * 3_600 * 1_000_000_000_u64;
        assert!(rate.ns(hours / 100 * 325).abs_diff(hours) < hours / 1_000_000_000, "{}", rate.ns(hours / 100 * 325));
        assert_eq!(Rate::between(at(7, 7), at(7, 7)).ns(1), 0, "a counter that stands still");
    }
}
