//! What the time of a measured thread goes to.
//!
//! The kernel counts a thread's CPU time and its waits for a CPU. Calls that sync or sleep are timed by their definitions in `power`: a
//! clock takes little of their time. A sync is all of its call, on a CPU or not. The rest is other waiting: for reads, locks and page
//! faults.

use crate::explain::{Place, within};
use dbdyno_engine::counters::Counters;
use std::{cell::Cell, fs, ops::AddAssign};

/// Parts of the time of measured threads, ns. Together they are the wall time of all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeParts {
    /// On a CPU, in user mode.
    pub user: u64,
    /// On a CPU, in the kernel, outside sync calls.
    pub kernel: u64,
    /// In sync calls.
    pub sync: u64,
    /// Asleep: pauses, such as a busy handler's between two attempts.
    pub sleep: u64,
    /// Ready, and waiting for a CPU.
    pub queue: u64,
    /// Other waiting: reads, locks, page faults.
    pub rest: u64,
}

impl TimeParts {
    /// Adds the parts of several threads. `None` if a thread's parts are unknown.
    pub(crate) fn of_all(threads: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let mut all = Self::default();
        for parts in threads {
            all += parts?;
        }
        Some(all)
    }

    /// Reads the counters of a test. `None`: they are not all known.
    pub(crate) fn of(counters: &Counters) -> Option<Self> {
        let part = |name| counters.get(name);
        Some(Self {
            user: part("part_user_ns")?,
            kernel: part("part_kernel_ns")?,
            sync: part("part_sync_ns")?,
            sleep: part("part_sleep_ns")?,
            queue: part("part_queue_ns")?,
            rest: part("part_rest_ns")?,
        })
    }

    /// Sets the counters of a test.
    pub(crate) fn add_to(&self, counters: &mut Counters) {
        let Self { user, kernel, sync, sleep, queue, rest } = *self;
        for (name, part) in [
            ("part_user_ns", user),
            ("part_kernel_ns", kernel),
            ("part_sync_ns", sync),
            ("part_sleep_ns", sleep),
            ("part_queue_ns", queue),
            ("part_rest_ns", rest),
        ] {
            counters.set(name, Some(part));
        }
    }
}

impl AddAssign for TimeParts {
    fn add_assign(&mut self, other: Self) {
        self.user += other.user;
        self.kernel += other.kernel;
        self.sync += other.sync;
        self.sleep += other.sleep;
        self.queue += other.queue;
        self.rest += other.rest;
    }
}

/// A sync call that is as short as this waits for nothing, so all of it is on a CPU, ns.
const FAST_SYNC_NS: u64 = 20_000;

/// A kind of wait whose calls are timed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimedWait {
    Sync,
    Sleep,
}

thread_local! {
    /// The time of the thread's calls so far.
    static WAITED: WaitedTimes = const { WaitedTimes::new() };
}

/// Times of a thread's calls, ns.
struct WaitedTimes {
    sync: Cell<u64>,
    /// The part of `sync` on a CPU.
    sync_cpu: Cell<u64>,
    /// The time of the last sync.
    last_sync: Cell<u64>,
    sleep: Cell<u64>,
}

impl WaitedTimes {
    const fn new() -> Self {
        Self { sync: Cell::new(0), sync_cpu: Cell::new(0), last_sync: Cell::new(u64::MAX), sleep: Cell::new(0) }
    }
}

fn add(to: &Cell<u64>, ns: u64) {
    to.set(to.get() + ns);
}

/// Makes a call, and adds its time to the thread's waits.
#[inline]
pub(crate) fn waiting<R>(wait: TimedWait, call: impl FnOnce() -> R) -> R {
    let cpu = match wait {
        // Reading the thread's own clock would take longer than a sync in memory.
        TimedWait::Sync => WAITED.try_with(|waited| waited.last_sync.get() > FAST_SYNC_NS).unwrap_or(false),
        TimedWait::Sleep => false,
    };
    let cpu = cpu.then(|| read_clock(libc::CLOCK_THREAD_CPUTIME_ID));
    let begun = read_clock(libc::CLOCK_MONOTONIC);
    let result = within(Place::Part, call);
    let took = read_clock(libc::CLOCK_MONOTONIC).saturating_sub(begun);
    let cpu = cpu.map(|begun| read_clock(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(begun));
    // While a thread ends, it may have no such place any more.
    let _ = WAITED.try_with(|waited| match wait {
        TimedWait::Sync => {
            add(&waited.sync, took);
            add(&waited.sync_cpu, cpu.unwrap_or(FAST_SYNC_NS).min(took));
            waited.last_sync.set(took);
        }
        TimedWait::Sleep => add(&waited.sleep, took),
    });
    result
}

#[expect(unsafe_code, reason = "the clock of a thread has no safe wrapper among the crates used here")]
fn read_clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the function fills the structure it is given.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Times of the calling thread that are read quickly, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QuickTimes {
    /// On a CPU.
    cpu: u64,
    sync: u64,
    /// The part of `sync` on a CPU.
    sync_cpu: u64,
    sleep: u64,
}

impl QuickTimes {
    pub(crate) fn read() -> Self {
        let [sync, sync_cpu, sleep] =
            WAITED.with(|waited| [waited.sync.get(), waited.sync_cpu.get(), waited.sleep.get()]);
        Self { cpu: read_clock(libc::CLOCK_THREAD_CPUTIME_ID), sync, sync_cpu, sleep }
    }

    pub(crate) fn since(self, begun: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(begun.cpu),
            sync: self.sync.saturating_sub(begun.sync),
            sync_cpu: self.sync_cpu.saturating_sub(begun.sync_cpu),
            sleep: self.sleep.saturating_sub(begun.sleep),
        }
    }
}

impl AddAssign for QuickTimes {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.sync += other.sync;
        self.sync_cpu += other.sync_cpu;
        self.sleep += other.sleep;
    }
}

/// A reading of all times of the calling thread, ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadTimes {
    quick: QuickTimes,
    /// In user mode and in the kernel, as the ticks of the kernel's timer divide it: of a short time only the sum means something.
    user: u64,
    kernel: u64,
    /// Ready, and waiting for a CPU.
    queue: u64,
}

impl ThreadTimes {
    /// Reads the times so far. `None` if the kernel does not count them.
    pub(crate) fn read() -> Option<Self> {
        let (user, kernel) = usage()?;
        let scheduled = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let queue = scheduled.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(Self { quick: QuickTimes::read(), user, kernel, queue })
    }

    /// Returns the parts of the `wall` time since `begun`. `outside`: what the thread did meanwhile that is not in this time, all of it in
    /// user mode. `elapsed`: the time since `begun` with what was outside. Waits for a CPU are as frequent outside as in the `wall` time.
    pub(crate) fn parts_since(&self, begun: &Self, outside: QuickTimes, wall: u64, elapsed: u64) -> TimeParts {
        let QuickTimes { cpu, sync, sync_cpu, sleep } = self.quick.since(begun.quick).since(outside);
        let cpu = cpu.min(wall);
        let user = self.user.saturating_sub(begun.user).saturating_sub(outside.cpu);
        let kernel = self.kernel.saturating_sub(begun.kernel);
        let kernel = match u128::from(user) + u128::from(kernel) {
            0 => 0,
            both => (u128::from(cpu) * u128::from(kernel) / both) as u64,
        };
        let sync_cpu = sync_cpu.min(sync).min(cpu);
        let own = cpu - sync_cpu;
        let kernel = kernel.saturating_sub(sync_cpu).min(own);
        let mut left = wall - cpu;
        let mut take = |part: u64| {
            let taken = part.min(left);
            left -= taken;
            taken
        };
        // After a sync or a sleep a thread may have to wait for a CPU: no time counts twice.
        let (sync, sleep) = (sync_cpu + take(sync - sync_cpu), take(sleep));
        let queue = u128::from(self.queue.saturating_sub(begun.queue));
        let queue = take((queue * u128::from(wall) / u128::from(elapsed.max(wall).max(1))) as u64);
        TimeParts { user: own - kernel, kernel, sync, sleep, queue, rest: left }
    }
}

/// Returns the thread's times in user mode and in the kernel, ns.
#[expect(unsafe_code, reason = "getrusage has no safe wrapper among the crates used here")]
fn usage() -> Option<(u64, u64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the structure it is given, and reports whether it did.
    let usage =
        unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) == 0).then(|| usage.assume_init()) }?;
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    Some((ns(usage.ru_utime), ns(usage.ru_stime)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::File,
        io::Write,
        thread,
        time::{Duration, Instant},
    };

    /// Measures the parts of some work.
    fn parts(work: impl FnOnce()) -> (TimeParts, u64) {
        let (begun, started) = (ThreadTimes::read().unwrap(), Instant::now());
        work();
        let wall = started.elapsed().as_nanos() as u64;
        let parts = ThreadTimes::read().unwrap().parts_since(&begun, QuickTimes::default(), wall, wall);
        let TimeParts { user, kernel, sync, sleep, queue, rest } = parts;
        assert_eq!(user + kernel + sync + sleep + queue + rest, wall, "{parts:?}");
        (parts, wall)
    }

    #[test]
    fn a_thread_that_sleeps_is_asleep() {
        let (parts, wall) = parts(|| thread::sleep(Duration::from_millis(60)));
        assert!(parts.sleep * 10 > wall * 6, "{parts:?} of {wall}");
    }

    #[test]
    fn a_thread_that_calculates_is_in_user_mode_or_waits_for_a_cpu() {
        let (parts, wall) = parts(|| {
            let until = Instant::now() + Duration::from_millis(100);
            let mut sum = 0_u64;
            while Instant::now() < until {
                sum = (0..2_000).fold(sum, |sum, number| std::hint::black_box(sum ^ number));
            }
        });
        assert!((parts.user + parts.queue) * 10 > wall * 7, "{parts:?} of {wall}");
        assert_eq!((parts.sync, parts.sleep), (0, 0));
    }

    #[test]
    fn a_thread_that_syncs_waits_for_syncs() {
        let path = std::env::temp_dir().join(format!("dbdyno-parts-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        let (parts, wall) = parts(|| {
            for _ in 0..20 {
                file.write_all(&[7; 4096]).unwrap();
                file.sync_all().unwrap();
            }
        });
        std::fs::remove_file(&path).unwrap();
        // A file system in memory syncs without waiting.
        assert!(parts.sync + parts.kernel + parts.queue + parts.user > wall / 2, "{parts:?} of {wall}");
    }

    #[test]
    fn parts_that_overlap_are_not_more_than_the_whole() {
        let zero = QuickTimes::default();
        let begun = ThreadTimes { quick: zero, user: 0, kernel: 0, queue: 0 };
        let ended = ThreadTimes { quick: QuickTimes { cpu: 40, sync: 40, ..zero }, user: 30, kernel: 10, queue: 50 };
        let parts = ended.parts_since(&begun, zero, 100, 100);
        assert_eq!(parts, TimeParts { user: 30, kernel: 10, sync: 40, sleep: 0, queue: 20, rest: 0 });
        // Half of the syncs' time is on a CPU: it is no other time in the kernel.
        let synced = ThreadTimes { quick: QuickTimes { sync_cpu: 20, ..ended.quick }, ..ended };
        let parts = synced.parts_since(&begun, zero, 100, 100);
        assert_eq!(parts, TimeParts { user: 20, kernel: 0, sync: 40, sleep: 0, queue: 40, rest: 0 });
        // Preparing inputs took half of the CPU time.
        let parts = ended.parts_since(&begun, QuickTimes { cpu: 20, ..zero }, 100, 100);
        assert_eq!(parts, TimeParts { user: 10, kernel: 10, sync: 40, sleep: 0, queue: 40, rest: 0 });
        // Half of the time was outside, and so were half of the waits for a CPU.
        let parts = ended.parts_since(&begun, QuickTimes { cpu: 20, ..zero }, 100, 200);
        assert_eq!(parts, TimeParts { user: 10, kernel: 10, sync: 40, sleep: 0, queue: 25, rest: 15 });
    }
}
