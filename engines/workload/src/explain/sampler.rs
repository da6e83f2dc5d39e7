//! The thread that looks at the measured threads.
//!
//! It runs on the CPU of the thread that it looks at. So it interrupts that thread at any instruction, and the signal that requests its
//! stack is handled there. From another CPU the signal would arrive late, often after the next system call, and stacks would have too many
//! system calls.

use super::{
    copied,
    place::{self, MeasuredThread, Place},
    stacks::SeenStacks,
};
use crate::{parts::TimeParts, rng::SplitMix64};
use dbdyno_engine::protocol::{ExplainedTest, SpentKind, SpentTime};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::FileExt,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
    thread::{self, Thread},
    time::Duration,
};

/// The mean time between two looks, us. Each is from half of it to one and a half, so that the looks do not beat with the work. A look
/// takes some ten microseconds.
const LOOK_US: u64 = 250;
/// The shortest time slice that the kernel gives.
const SHORTEST_SLICE_NS: u64 = 100_000;
/// The most threads of a look: more would take the time of the threads themselves.
const MOST_AT_ONCE: usize = 8;

static SAMPLER: OnceLock<Mutex<Sampler>> = OnceLock::new();
/// The sampler's thread, and whether a test is running: between tests it sleeps, so that it does not look like work of the engine's.
static LOOKER: OnceLock<Thread> = OnceLock::new();
static IS_LOOKING: AtomicBool = AtomicBool::new(false);

/// The sampled threads, and the samples of the test.
#[derive(Default)]
struct Sampler {
    watched: Vec<WatchedThread>,
    /// Places of threads that have ended.
    free: Vec<&'static MeasuredThread>,
    next: usize,
    seen: Seen,
    stacks: SeenStacks,
}

struct WatchedThread {
    thread: &'static MeasuredThread,
    /// The kernel's files that say what it waits for, and which CPU it was on last.
    state: File,
    stat: File,
}

/// How often threads were seen on a CPU, and how often waiting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Seen {
    running: Looks,
    waiting: Looks,
    calls: BTreeMap<SpentKind, u64>,
}

/// Looks that found a thread in a kind of call or wait, and all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Looks {
    all: u64,
    of_kinds: BTreeMap<SpentKind, u64>,
}

/// The state of a thread, as the kernel's file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampledState {
    /// On a CPU, or waiting for one.
    Running,
    /// Waiting outside of calls: a page fault.
    Fault,
    /// Waiting in a system call of this number.
    Call(i64),
}

/// Begins to look at measured threads.
///
/// # Errors
/// The signal has no handler, or there is no other thread.
pub(crate) fn start() -> io::Result<()> {
    copied::handle_signal()?;
    place::explain();
    let sampler = thread::Builder::new().name("explain".to_owned()).spawn(look_forever)?;
    let _ = LOOKER.set(sampler.thread().clone());
    Ok(())
}

fn sampler() -> MutexGuard<'static, Sampler> {
    SAMPLER.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the sampler look at the calling thread, which `take_over` makes the owner of a record.
pub(super) fn watch(take_over: fn(&'static MeasuredThread)) {
    let mut sampler = sampler();
    let thread = sampler.free.pop().unwrap_or_else(|| Box::leak(Box::new(MeasuredThread::new())));
    take_over(thread);
    // Without the file there is nothing to see.
    let open = |file| File::open(format!("/proc/self/task/{}/{file}", thread.id.load(Acquire)));
    if let (Ok(state), Ok(stat)) = (open("syscall"), open("stat")) {
        sampler.watched.push(WatchedThread { thread, state, stat });
    }
}

/// Begins a test.
pub(crate) fn begin() {
    if place::is_explaining() {
        let mut sampler = sampler();
        sampler.take();
        sampler.stacks.get_ready();
        drop(sampler);
        IS_LOOKING.store(true, Release);
        LOOKER.get().inspect(|thread| thread.unpark());
    }
}

/// Ends the looks of a test, whose timer has stopped.
pub(crate) fn rest() {
    IS_LOOKING.store(false, Release);
}

/// Returns the samples since the test began; `None` if tests are not explained. `parts`: the parts of its threads' time.
pub(crate) fn end(parts: TimeParts) -> Option<ExplainedTest> {
    place::is_explaining().then(|| {
        let (seen, stacks) = sampler().take();
        ExplainedTest { spent: seen.spent(parts), stacks: stacks.named() }
    })
}

fn look_forever() {
    interrupt_others();
    let mut gaps = SplitMix64::new(u64::from(std::process::id()));
    loop {
        while !IS_LOOKING.load(Acquire) {
            thread::park();
        }
        thread::sleep(Duration::from_micros(LOOK_US / 2 + gaps.below(LOOK_US)));
        sampler().look();
    }
}

impl Sampler {
    /// Returns what was seen, and begins again.
    fn take(&mut self) -> (Seen, SeenStacks) {
        // The last look's copies belong to this test.
        for WatchedThread { thread, .. } in &self.watched {
            thread.stack.taken(|registers, bytes| self.stacks.add(registers, bytes));
        }
        for (place, kind) in CALLS {
            let calls = self.watched.iter().map(|watched| watched.thread.take_calls(place)).sum::<u64>();
            *self.seen.calls.entry(kind).or_default() += calls;
        }
        (std::mem::take(&mut self.seen), self.stacks.take())
    }

    /// Looks at some of the threads, the next time at others.
    fn look(&mut self) {
        let Self { watched, free, next, seen, stacks } = self;
        for _ in 0..watched.len().min(MOST_AT_ONCE) {
            *next = (*next + 1) % watched.len();
            let WatchedThread { thread, state, stat } = &watched[*next];
            follow(stat);
            thread.stack.taken(|registers, bytes| stacks.add(registers, bytes));
            match (thread.place(), state_of(state)) {
                (_, None) => {
                    for (place, kind) in CALLS {
                        *seen.calls.entry(kind).or_default() += thread.take_calls(place);
                    }
                    free.push(watched.swap_remove(*next).thread);
                    if watched.is_empty() {
                        break;
                    }
                }
                (Place::Outside, _) => {}
                (place, Some(state)) => {
                    seen.add(place, state);
                    if state == SampledState::Running && place != Place::Part {
                        thread.stack.ask(thread.id.load(Acquire));
                    }
                }
            }
        }
    }
}

/// Lets the scheduler prefer this thread whenever it is ready, since it never runs long. Kernels before 6.12 ignore it.
#[expect(unsafe_code, reason = "sched_setattr has no wrapper in the C library")]
fn interrupt_others() {
    /// The kernel's `sched_attr`, in its first version.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        slice_ns: u64,
        deadline_ns: u64,
        period_ns: u64,
    }
    let attributes =
        Attributes { size: size_of::<Attributes>() as u32, slice_ns: SHORTEST_SLICE_NS, ..Attributes::default() };
    // SAFETY: the attributes have the size that they state, and are only read.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Goes to the CPU on which a thread was last. If that fails, it looks from where it is.
fn follow(stat: &File) {
    let mut text = [0; 512];
    let length = stat.read_at(&mut text, 0).unwrap_or(0);
    let Some(cpu) = text.get(..length).and_then(processor) else { return };
    if rustix::thread::sched_getcpu() != cpu {
        let mut one = CpuSet::new();
        one.set(cpu);
        let _ = sched_setaffinity(None, &one);
    }
}

/// Reads the CPU from the line of a thread's `stat`: its field 39.
fn processor(line: &[u8]) -> Option<usize> {
    // The name, in parentheses, may contain anything.
    let (_, fields) = str::from_utf8(line).ok()?.rsplit_once(") ")?;
    let cpu = fields.split_ascii_whitespace().nth(36)?.parse().ok()?;
    (cpu < CpuSet::MAX_CPU).then_some(cpu)
}

/// The places that are kinds of calls.
const CALLS: [(Place, SpentKind); 3] =
    [(Place::Read, SpentKind::Read), (Place::Write, SpentKind::Write), (Place::Lock, SpentKind::Lock)];

/// Reads the state of a thread. `None`: it has ended.
fn state_of(file: &File) -> Option<SampledState> {
    let mut text = [0; 32];
    let length = file.read_at(&mut text, 0).ok().filter(|length| *length > 0)?;
    let text = str::from_utf8(&text[..length]).ok()?;
    match text.split_ascii_whitespace().next()? {
        "running" => Some(SampledState::Running),
        number => {
            Some(number.parse().ok().filter(|number| *number >= 0).map_or(SampledState::Fault, SampledState::Call))
        }
    }
}

impl Seen {
    fn add(&mut self, place: Place, state: SampledState) {
        let in_call = CALLS.into_iter().find(|(call, _)| *call == place).map(|(_, kind)| kind);
        match (place, state) {
            // The parts of the time have them already.
            (Place::Outside | Place::Part, _) => {}
            (_, SampledState::Running) => self.running.add(in_call),
            (_, SampledState::Fault) => self.waiting.add(in_call.or(Some(SpentKind::Fault))),
            (_, SampledState::Call(number)) => self.waiting.add(in_call.or_else(|| kind_of(number))),
        }
    }

    /// Divides the parts of a test's time by the samples.
    fn spent(&self, parts: TimeParts) -> BTreeMap<SpentKind, SpentTime> {
        let of = |kind| {
            let spent = SpentTime {
                calls: self.calls.get(&kind).copied().filter(|calls| *calls > 0),
                cpu_ns: self.running.part(kind, parts.user + parts.kernel),
                wait_ns: self.waiting.part(kind, parts.rest),
            };
            // The other kinds are known even if they are 0.
            let is_part = matches!(kind, SpentKind::Sync | SpentKind::Sleep);
            (!is_part || spent != SpentTime::default()).then_some((kind, spent))
        };
        SpentKind::ALL.into_iter().filter_map(of).collect()
    }
}

impl Looks {
    fn add(&mut self, kind: Option<SpentKind>) {
        self.all += 1;
        if let Some(kind) = kind {
            *self.of_kinds.entry(kind).or_default() += 1;
        }
    }

    /// Returns the part of a time that belongs to a kind.
    fn part(&self, kind: SpentKind, ns: u64) -> u64 {
        let of_kind = self.of_kinds.get(&kind).copied().unwrap_or(0);
        (u128::from(ns) * u128::from(of_kind) / u128::from(self.all.max(1))) as u64
    }
}

/// System calls in which a thread waits, for engines that bypass the C library's functions.
const WAITS: [(SpentKind, &[i64]); 4] = {
    use libc::*;
    [
        (SpentKind::Read, &[SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2]),
        (
            SpentKind::Write,
            &[SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_ftruncate, SYS_fallocate],
        ),
        (SpentKind::Lock, &[SYS_futex, SYS_flock, SYS_fcntl]),
        (SpentKind::Sync, &[SYS_fsync, SYS_fdatasync, SYS_msync, SYS_sync_file_range]),
    ]
};

fn kind_of(number: i64) -> Option<SpentKind> {
    WAITS.into_iter().find(|(_, numbers)| numbers.contains(&number)).map(|(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_divide_the_parts_of_the_time() {
        let mut seen = Seen::default();
        for _ in 0..30 {
            seen.add(Place::Inside, SampledState::Running);
            seen.add(Place::Part, SampledState::Call(libc::SYS_fsync));
            seen.add(Place::Inside, SampledState::Fault);
        }
        for _ in 0..10 {
            seen.add(Place::Read, SampledState::Running);
            seen.add(Place::Read, SampledState::Fault);
            seen.add(Place::Inside, SampledState::Call(libc::SYS_futex));
            seen.add(Place::Inside, SampledState::Call(libc::SYS_epoll_wait));
        }
        seen.calls.insert(SpentKind::Read, 7);
        let parts = TimeParts { user: 300, kernel: 100, sync: 1_000, rest: 600, ..TimeParts::default() };
        let time = |calls, cpu_ns, wait_ns| SpentTime { calls, cpu_ns, wait_ns };
        let spent = [
            (SpentKind::Read, time(Some(7), 100, 100)),
            (SpentKind::Write, time(None, 0, 0)),
            (SpentKind::Lock, time(None, 0, 100)),
            (SpentKind::Fault, time(None, 0, 300)),
        ];
        assert_eq!(seen.spent(parts), BTreeMap::from(spent));
    }

    #[test]
    fn the_cpu_of_a_thread_is_found_behind_any_name() {
        let line = std::fs::read("/proc/thread-self/stat").unwrap();
        let cpu = processor(&line).unwrap();
        assert!(std::path::Path::new(&format!("/sys/devices/system/cpu/cpu{cpu}")).exists(), "{cpu}");
        let fields: Vec<String> = (3..60).map(|field| field.to_string()).collect();
        assert_eq!(processor(format!("7 (a) b) (c) {}", fields.join(" ")).as_bytes()), Some(39));
        assert_eq!(processor(b"7 (short) S 1"), None);
    }

    #[test]
    fn the_state_of_a_thread_is_what_the_kernel_says() {
        let of = |text: &str| {
            let mut file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            state_of(&file)
        };
        assert_eq!(of("running\n"), Some(SampledState::Running));
        assert_eq!(of("-1 0x7ffe 0x7f00\n"), Some(SampledState::Fault));
        assert_eq!(of("202 0x7f 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7f00\n"), Some(SampledState::Call(202)));
        assert_eq!(of(""), None);
    }
}
