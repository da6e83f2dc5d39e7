//! The recorder of a measured loop: the latencies of its operations and the total time, with as few reads of the clock as possible.
//!
//! Reading a clock takes tens of nanoseconds, and a fast engine answers in a few hundred, so one read for each operation would distort the
//! result. Therefore the recorder times the first operations one by one, and decides from their latencies once for the test. If an
//! operation is far slower than reading the clock, all operations are timed. Otherwise one stretch of samples in each group is timed, at a
//! random place drawn for each group. Reading the clock then takes half a hundredth of the time, and the latencies of the histogram are a
//! sample of all.

use crate::{
    explain,
    histogram::Counts,
    parts::{QuickTimes, ThreadTimes, TimeParts},
    rng::SplitMix64,
};
use dbdyno_engine::{
    EngineError,
    clock::{Clock, monotonic_ns},
};
use std::{fmt, sync::Arc};

/// Consecutive samples that are timed, if not all are.
const STRETCH: u64 = 16;
/// Upper limit for the number of stretches in a group, of which one is timed.
const MOST_STRETCHES: u64 = 16;
/// Samples that are timed before the recorder decides how many of the others to time.
const TRIAL: usize = 32;
/// The share of the time that reading the clock may take: one in this many.
const READING_SHARE: u64 = 200;

/// Records the latencies of one test, and the time of its windows: the periods that count. Within a window the end of one operation is the
/// start of the next, so all time in it is counted.
///
/// ```
/// use dbdyno_engine::clock::SystemClock;
/// use dbdyno_workload::{histogram::Counts, recorder::Recorder};
/// use std::sync::Arc;
///
/// let counts = Arc::new(Counts::default());
/// let mut recorder = Recorder::new(SystemClock::get(), Arc::clone(&counts), 1);
/// recorder.start();
/// for operation in 0..100_u32 {
///     std::hint::black_box(operation.to_string());
///     recorder.lap();
/// }
/// recorder.stand_still(|| std::thread::sleep(std::time::Duration::from_millis(2)));
/// let spent = recorder.finish()?;
/// assert!(counts.operations() == 100 && spent.wall > 0 && spent.between >= 2_000_000);
/// # Ok::<(), dbdyno_engine::EngineError>(())
/// ```
#[derive(Debug)]
pub struct Recorder<C> {
    clock: C,
    counts: Arc<Counts>,
    /// Operations in one sample.
    every: u64,
    /// Operations between two reads of the clock, and how many of them remain.
    ahead: u64,
    left: u64,
    sampling: Sampling,
    /// The time when the window opened, and when the current sample began in it.
    window: u64,
    last: u64,
    /// Time of the current sample in previous windows, ns.
    carried: u64,
    spent: RecordedTime,
    /// The thread's times when the timer started, and what it did since then outside of windows.
    begun: Option<ThreadTimes>,
    outside: QuickTimes,
    /// The time when the timer started.
    started: u64,
    /// The time when the recorder was created, by its clock and by the system's, ns. `None`: time is simulated.
    made: Option<(u64, u64)>,
    turns: Option<SliceTurns>,
    /// How long other workers had their turns, ns.
    away: u64,
}

/// How a test takes turns with those of other workers.
pub(crate) struct SliceTurns {
    /// The wall time of a turn, ns.
    ns: u64,
    /// The wall time of the test when the turn is over, ns.
    due: u64,
    /// Passes the turn, and returns once it is back. It receives the operations and the wall time (ns) so far.
    pass: Box<dyn FnMut(u64, u64) + Send>,
}

impl SliceTurns {
    pub(crate) fn new(ns: u64, pass: impl FnMut(u64, u64) + Send + 'static) -> Self {
        Self { ns, due: ns, pass: Box::new(pass) }
    }
}

impl fmt::Debug for SliceTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SliceTurns").field("ns", &self.ns).field("due", &self.due).finish_non_exhaustive()
    }
}

/// The time of a test, split by use, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordedTime {
    /// Inside windows: the operations.
    pub wall: u64,
    /// Between windows: preparing the inputs.
    pub between: u64,
    /// What the time inside windows went to. `None`: the kernel does not count it, or time is simulated.
    pub parts: Option<TimeParts>,
}

#[derive(Debug)]
enum Sampling {
    /// The first samples, from which the recorder decides.
    Trial(Vec<u64>),
    All,
    Stretches(Stretches),
}

impl<C: Clock> Recorder<C> {
    /// Creates a recorder that counts into `counts`, with `every` operations per sample. The timer is stopped.
    pub fn new(clock: C, counts: Arc<Counts>, every: u64) -> Self {
        let every = every.max(1);
        let made = clock.is_real().then(|| both_clocks(|| clock.now(), monotonic_ns));
        let now = clock.now();
        Self {
            clock,
            counts,
            every,
            ahead: every,
            left: every,
            sampling: Sampling::Trial(Vec::with_capacity(TRIAL)),
            last: now,
            carried: 0,
            window: now,
            spent: RecordedTime::default(),
            begun: None,
            outside: QuickTimes::default(),
            started: now,
            made,
            turns: None,
            away: 0,
        }
    }

    /// Takes turns with other workers.
    pub(crate) fn taking_turns(self, turns: Option<SliceTurns>) -> Self {
        Self { turns, ..self }
    }

    /// Creates a recorder that times every operation, for operations whose end is told later: see [`Self::lap_at`].
    pub(crate) fn of_each(clock: C, counts: Arc<Counts>) -> Self {
        Self { sampling: Sampling::All, ..Self::new(clock, counts, 1) }
    }

    /// Starts the timer at zero. Call it before the first operation.
    pub fn start(&mut self) {
        self.spent.wall = 0;
        explain::register();
        // Simulated time has no parts.
        (self.begun, self.outside) = (self.clock.is_real().then(ThreadTimes::read).flatten(), QuickTimes::default());
        self.open();
        self.started = self.window;
    }

    /// Ends one operation.
    #[inline]
    pub fn lap(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.look();
        }
    }

    /// Ends one operation of a recorder that times each, at a time of its clock that may be past. Returns its latency, ns.
    pub(crate) fn lap_at(&mut self, ended: u64) -> u64 {
        let took = ended.saturating_sub(self.last) + std::mem::take(&mut self.carried);
        self.counts.add_operations(1);
        self.counts.record(took);
        // The timer may have been paused since then.
        self.last = self.last.max(ended);
        took
    }

    /// Pauses the timer while `work` runs.
    #[inline(never)]
    pub fn stand_still<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let closed = self.close();
        let done = self.outside(work);
        self.open();
        self.spent.between += self.window.saturating_sub(closed);
        done
    }

    /// Pauses the timer while `wait` waits without work: the thread needs no processor meanwhile, as it does between windows.
    pub(crate) fn idle<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        self.close();
        let done = self.outside(wait);
        self.open();
        done
    }

    /// Does something outside of windows.
    fn outside<R>(&mut self, work: impl FnOnce() -> R) -> R {
        if self.begun.is_none() {
            return work();
        }
        let begun = QuickTimes::read();
        let done = work();
        self.outside += QuickTimes::read().since(begun);
        done
    }

    fn open(&mut self) {
        explain::enter();
        self.window = self.clock.now();
        self.last = self.window;
    }

    fn close(&mut self) -> u64 {
        let now = self.clock.now();
        explain::leave();
        self.spent.wall += now.saturating_sub(self.window);
        self.carried += now.saturating_sub(self.last);
        now
    }

    /// Not a part of the loop, which stays short.
    #[inline(never)]
    fn look(&mut self) {
        let now = self.clock.now();
        let took = now.saturating_sub(self.last) + std::mem::take(&mut self.carried);
        self.last = now;
        self.counts.add_operations(self.ahead);
        let samples = match &mut self.sampling {
            Sampling::All => {
                self.counts.record(took);
                1
            }
            Sampling::Trial(trial) => {
                trial.push(took);
                if trial.len() == TRIAL { self.decide() } else { 1 }
            }
            Sampling::Stretches(stretches) => {
                if stretches.is_timed() {
                    self.counts.record(took);
                }
                stretches.next()
            }
        };
        self.ahead = samples * self.every;
        self.left = self.ahead;
        if self.turns.as_ref().is_some_and(|turns| self.spent.wall + (now - self.window) >= turns.due) {
            self.pass_turn();
        }
    }

    /// Stops the timer while other workers have their turns.
    #[inline(never)]
    fn pass_turn(&mut self) {
        let closed = self.close();
        if let Some(mut turns) = self.turns.take() {
            let (operations, wall) = (self.counts.operations(), self.spent.wall);
            self.outside(|| (turns.pass)(operations, wall));
            turns.due = wall + turns.ns;
            self.turns = Some(turns);
        }
        self.open();
        self.away += self.window.saturating_sub(closed);
    }

    /// Decides which samples to time from now on, and returns the number of samples until the next read of the clock.
    fn decide(&mut self) -> u64 {
        let Sampling::Trial(trial) = std::mem::replace(&mut self.sampling, Sampling::All) else { return 1 };
        let stretches = stretches_a_group(reading_ns(&self.clock), &mut trial.clone());
        for took in trial.into_iter().step_by(stretches as usize) {
            self.counts.record(took);
        }
        // The decision took time that belongs to no operation.
        let now = self.clock.now();
        self.window += now.saturating_sub(self.last);
        self.last = now;
        if stretches == 1 {
            return 1;
        }
        let mut sampled = Stretches::new(stretches);
        let samples = sampled.next();
        self.sampling = Sampling::Stretches(sampled);
        samples
    }

    /// Stops the timer. Operations of an unfinished sample count in the time but not in the histogram.
    ///
    /// # Errors
    /// The clock disagrees with the system's clock, so its times are worthless.
    pub fn finish(mut self) -> Result<RecordedTime, EngineError> {
        let elapsed = self.close().saturating_sub(self.started).saturating_sub(self.away);
        let wall = self.spent.wall;
        let parts = |begun: ThreadTimes| Some(ThreadTimes::read()?.parts_since(&begun, self.outside, wall, elapsed));
        self.spent.parts = self.begun.and_then(parts);
        if let Some((made, made_by_system)) = self.made {
            let (now, now_by_system) = both_clocks(|| self.clock.now(), monotonic_ns);
            check_clock(now.saturating_sub(made), now_by_system.saturating_sub(made_by_system))?;
        }
        self.counts.add_operations(self.ahead - self.left);
        if let Sampling::Trial(trial) = self.sampling {
            trial.into_iter().for_each(|took| self.counts.record(took));
        }
        Ok(self.spent)
    }
}

/// Difference that two clocks may always have, because the thread may be preempted between the two reads.
const CLOCK_SLACK_NS: u64 = 20_000_000;
/// The longest time between two reads of a clock between which another was read at the same moment, ns, and the most tries.
const SAME_MOMENT_NS: u64 = 1_000_000;
const MOMENTS: usize = 100;

/// Reads two clocks at the same moment: again, if the thread was preempted in between.
fn both_clocks(one: impl Fn() -> u64, other: impl Fn() -> u64) -> (u64, u64) {
    let read = || {
        let (before, other, after) = (one(), other(), one());
        ((before, other), after.saturating_sub(before))
    };
    let mut last = read();
    for _ in 1..MOMENTS {
        if last.1 <= SAME_MOMENT_NS {
            break;
        }
        last = read();
    }
    last.0
}

fn check_clock(ns: u64, by_system_ns: u64) -> Result<(), EngineError> {
    if ns.abs_diff(by_system_ns) <= by_system_ns / 100 + CLOCK_SLACK_NS {
        return Ok(());
    }
    let message =
        format!("the test took {ns} ns by the processor's counter, but {by_system_ns} ns by the system's clock");
    Err(EngineError::new(format!(
        "{message}: run it again; if it happens again, set another clock source in the kernel"
    )))
}

/// Groups of samples in which one stretch is timed, at a random place drawn for each group.
#[derive(Debug)]
struct Stretches {
    /// Stretches in a group.
    count: u64,
    /// Samples that remain in the current stretch; 0 between stretches.
    timed: u64,
    /// Samples of the group that come after its stretch.
    after: u64,
    places: SplitMix64,
}

impl Stretches {
    /// Creates the state before the first group: as at the end of a stretch with nothing after it.
    fn new(count: u64) -> Self {
        Self { count, timed: 1, after: 0, places: SplitMix64::new(0) }
    }

    /// Whether the sample that just ended is timed.
    fn is_timed(&self) -> bool {
        self.timed > 0
    }

    /// Returns the samples from this read of the clock until the next one.
    fn next(&mut self) -> u64 {
        if self.timed > 1 {
            self.timed -= 1;
            return 1;
        }
        if self.timed == 1 {
            self.timed = 0;
            let untimed = (self.count - 1) * STRETCH;
            let before = self.places.below(untimed + 1);
            let gap = std::mem::replace(&mut self.after, untimed - before) + before;
            if gap > 0 {
                return gap;
            }
        }
        self.timed = STRETCH;
        1
    }
}

/// Returns the number of stretches in a group, of which one is timed, so that reading the clock takes little of the time.
fn stretches_a_group(reading_ns: u64, trial: &mut [u64]) -> u64 {
    let (_, median, _) = trial.select_nth_unstable(TRIAL / 2);
    (reading_ns * READING_SHARE).div_ceil((*median).max(1)).clamp(1, MOST_STRETCHES)
}

/// Measures how long one read of a clock takes, ns.
fn reading_ns<C: Clock>(clock: &C) -> u64 {
    const READS: u64 = 32;
    let began = clock.now();
    let ended = (0..READS).fold(began, |_, _| clock.now());
    ended.saturating_sub(began) / READS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        cell::{Cell, RefCell},
        rc::Rc,
        sync::{
            Mutex,
            atomic::{AtomicU64, Ordering::Relaxed},
        },
    };

    /// A clock that advances by the latency of operations and by the cost of each read.
    #[derive(Clone, Default)]
    struct Scripted {
        now: Rc<Cell<u64>>,
        reading_ns: u64,
    }

    impl Clock for Scripted {
        fn is_real(&self) -> bool {
            false
        }

        fn now(&self) -> u64 {
            self.now.set(self.now.get() + self.reading_ns);
            self.now.get()
        }
    }

    impl Scripted {
        fn pass(&self, ns: u64) {
            self.now.set(self.now.get() + ns);
        }
    }

    struct Recorded {
        time: RecordedTime,
        operations: u64,
        latencies: Vec<u64>,
    }

    fn record(reading_ns: u64, every: u64, latencies: impl IntoIterator<Item = u64>) -> Recorded {
        let clock = Scripted { reading_ns, ..Scripted::default() };
        let counts = Arc::new(Counts::default());
        let mut recorder = Recorder::new(clock.clone(), Arc::clone(&counts), every);
        clock.pass(1_000);
        recorder.start();
        for latency in latencies {
            clock.pass(latency);
            recorder.lap();
        }
        let time = recorder.finish().unwrap();
        let all = counts.to_histogram();
        let latencies =
            all.iter_recorded().flat_map(|at| (0..at.count_at_value()).map(move |_| at.value_iterated_to())).collect();
        Recorded { time, operations: counts.operations(), latencies }
    }

    #[test]
    fn each_operation_is_one_sample() {
        let recorded = record(0, 1, [10, 30, 20]);
        assert_eq!((recorded.time.wall, recorded.operations, recorded.latencies), (60, 3, vec![10, 20, 30]));
    }

    #[test]
    fn a_sample_of_several_operations_ends_with_the_last_of_them() {
        let recorded = record(0, 2, [10, 30, 20, 5, 7]);
        assert_eq!((recorded.time.wall, recorded.operations, recorded.latencies), (72, 5, vec![25, 40]));
    }

    #[test]
    fn slow_operations_are_all_timed() {
        let recorded = record(20, 1, (0..1_000).map(|_| 20 * READING_SHARE));
        assert_eq!((recorded.latencies.len(), recorded.operations), (1_000, 1_000));
    }

    #[test]
    fn of_fast_operations_a_part_is_timed_that_costs_a_small_share() {
        // One of every hundred operations takes 3,000 ns. It is as frequent in the sample as overall.
        let latencies = |at: u64| if at % 100 == 99 { 3_000 } else { 300 };
        let operations = 1_000_000;
        let recorded = record(30, 1, (0..operations).map(latencies));
        let truth: u64 = (0..operations).map(latencies).sum();
        let share = recorded.latencies.len() as f64 / operations as f64;
        assert!((share * MOST_STRETCHES as f64 - 1.0).abs() < 0.01, "{share}");
        assert_eq!(recorded.operations, operations);
        let cost = recorded.time.wall as f64 / truth as f64 - 1.0;
        assert!((0.0..0.01).contains(&cost), "reading the clock costs {cost}");
        let slow =
            recorded.latencies.iter().filter(|&&ns| ns >= 3_000).count() as f64 / recorded.latencies.len() as f64;
        assert!((slow - 0.01).abs() < 0.001, "{slow}");
    }

    #[test]
    fn a_clock_that_goes_otherwise_than_the_systems_is_an_error() {
        assert!(check_clock(1_000, 15_000_000).is_ok(), "put aside between two reads");
        assert!(check_clock(10_100_000_000, 10_000_000_000).is_ok());
        assert!(check_clock(5_000_000_000, 10_000_000_000).is_err());
        assert!(check_clock(10_000_000_000, 5_000_000_000).is_err());
    }

    #[test]
    fn a_thread_that_is_preempted_between_two_clocks_reads_them_again() {
        let script = RefCell::new(vec![50_000_020, 50_000_010, 50_000_000, 0]);
        let clocks = both_clocks(|| script.borrow_mut().pop().unwrap(), || 7);
        assert_eq!((clocks, script.borrow().len()), ((50_000_010, 7), 0));
    }

    /// A clock that others may advance.
    #[derive(Clone, Default)]
    struct Shared(Arc<AtomicU64>);

    impl Clock for Shared {
        fn is_real(&self) -> bool {
            false
        }

        fn now(&self) -> u64 {
            self.0.load(Relaxed)
        }
    }

    #[test]
    fn a_turn_is_passed_after_its_time_and_that_of_others_does_not_count() {
        let (clock, passed) = (Shared::default(), Arc::new(Mutex::new(Vec::new())));
        let counts = Arc::new(Counts::default());
        let (others, seen) = (clock.clone(), Arc::clone(&passed));
        let turns = SliceTurns::new(100, move |operations, wall| {
            seen.lock().unwrap().push((operations, wall));
            others.0.fetch_add(1_000_000, Relaxed);
        });
        let mut recorder = Recorder::new(clock.clone(), Arc::clone(&counts), 1).taking_turns(Some(turns));
        recorder.start();
        for _ in 0..10 {
            clock.0.fetch_add(40, Relaxed);
            recorder.lap();
        }
        let spent = recorder.finish().unwrap();
        assert_eq!(spent, RecordedTime { wall: 400, between: 0, parts: None });
        assert_eq!(*passed.lock().unwrap(), [(3, 120), (6, 240), (9, 360)]);
        let histogram = counts.to_histogram();
        assert_eq!((histogram.len(), histogram.min(), histogram.max()), (10, 40, 40));
    }

    #[test]
    fn what_is_done_between_windows_is_no_time_of_operations() {
        let clock = Scripted::default();
        let counts = Arc::new(Counts::default());
        let mut recorder = Recorder::new(clock.clone(), Arc::clone(&counts), 2);
        recorder.start();
        for _ in 0..4 {
            clock.pass(10);
            recorder.stand_still(|| clock.pass(1_000));
            clock.pass(5);
            recorder.lap();
        }
        let spent = recorder.finish().unwrap();
        assert_eq!(spent, RecordedTime { wall: 60, between: 4_000, parts: None });
        let histogram = counts.to_histogram();
        assert_eq!((histogram.len(), histogram.min(), histogram.max()), (2, 30, 30), "a sample may span windows");
    }
}
