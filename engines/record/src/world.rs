//! What the threads of a process share. A forked child has a world of its own, and never touches its parent's:
//! its locks may be held by threads that the child lacks.

use crate::{
    connections::ConnectionTable,
    library::SqliteLibrary,
    ring::CallRing,
    settings::{RecorderSettings, settings},
    statements::StatementTable,
    system,
    templates::TemplateTable,
    writing,
};
use dbdyno_recording::{DurationSource, RecordedLine, RecorderKind, StatementTemplate};
use std::{
    ptr,
    sync::{
        Arc, Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};

/// Why a call is missing in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossReason {
    /// The writing thread did not keep up.
    Full,
    /// The call's parameters are longer than what a recorder keeps.
    TooLong,
    /// Two threads used one statement at the same time.
    Contended,
    /// The program traces through an old function, so that the trace callback was not free.
    NoSlot,
    /// The recording reached its limit of bytes.
    Limit,
    /// A file of the recording could not be written.
    Unwritable,
}

impl LossReason {
    pub(crate) const ALL: [Self; 6] =
        [Self::Full, Self::TooLong, Self::Contended, Self::NoSlot, Self::Limit, Self::Unwritable];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Full => "the recorder did not keep up",
            Self::TooLong => "the parameters are longer than 64 MiB",
            Self::Contended => "two threads used a statement at the same time",
            Self::NoSlot => "the program uses sqlite3_trace or sqlite3_profile",
            Self::Limit => "the recording reached its size limit",
            Self::Unwritable => "the recording could not be written",
        }
    }
}

/// What the writing thread was asked for.
#[derive(Default)]
pub(crate) struct WriterRequests {
    /// Counts requests to write everything so far.
    pub(crate) flush: AtomicU32,
    /// The last one that was met.
    pub(crate) flushed: AtomicU32,
    pub(crate) finish: AtomicBool,
    /// 1 while the writing thread sleeps, and what it waits for.
    pub(crate) asleep: AtomicU32,
}

/// The recorder in a process.
pub(crate) struct RecorderWorld {
    pub(crate) pid: u32,
    pub(crate) settings: &'static RecorderSettings,
    pub(crate) library: &'static SqliteLibrary,
    pub(crate) kind: RecorderKind,
    pub(crate) statements: StatementTable,
    pub(crate) connections: Mutex<ConnectionTable>,
    templates: Mutex<TemplateTable>,
    /// Lines that must come before the calls which refer to them.
    pub(crate) lines: Mutex<Vec<RecordedLine>>,
    /// Lines that must come after the calls before them.
    pub(crate) last_lines: Mutex<Vec<RecordedLine>>,
    pub(crate) rings: Mutex<Vec<Arc<CallRing>>>,
    /// Bytes of calls that are too long for a ring and that the writing thread has not written yet.
    pub(crate) long_bytes: AtomicUsize,
    pub(crate) requests: WriterRequests,
    /// Whether nothing more is recorded.
    pub(crate) stopped: AtomicBool,
    lost: [AtomicU64; LossReason::ALL.len()],
    /// Estimated nanoseconds of the recorder's code in the program's threads.
    pub(crate) cost_ns: AtomicU64,
}

static WORLD: AtomicPtr<RecorderWorld> = AtomicPtr::new(ptr::null_mut());
/// Whether this process could not begin to record.
static FAILED: AtomicBool = AtomicBool::new(false);
/// Whether a thread begins the recording at this moment.
static BEGINS: AtomicBool = AtomicBool::new(false);
/// How long the others wait for it. The beginning writes one line.
const BEGIN_NS: u64 = 1_000_000_000;
static AT_FORK: Once = Once::new();

/// Locks a mutex. No code of the recorder panics while it holds one.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the world if the process is recorded already.
pub(crate) fn current() -> Option<&'static RecorderWorld> {
    // SAFETY: a world is never freed.
    unsafe { WORLD.load(Ordering::Acquire).as_ref() }
}

/// Returns the world, and begins it if the process is to be recorded.
#[inline]
pub(crate) fn world(library: &'static SqliteLibrary, kind: RecorderKind) -> Option<&'static RecorderWorld> {
    current().or_else(|| begin(library, kind))
}

#[cold]
fn begin(library: &'static SqliteLibrary, kind: RecorderKind) -> Option<&'static RecorderWorld> {
    if FAILED.load(Ordering::Relaxed) {
        return None;
    }
    let settings = settings()?;
    system::keeping_errno(|| {
        AT_FORK.call_once(|| {
            // SAFETY: the function stays loaded, and only stores to atomics.
            unsafe { libc::pthread_atfork(None, None, Some(forget_the_parent)) };
        });
        let deadline = system::monotonic() + BEGIN_NS;
        while BEGINS.swap(true, Ordering::AcqRel) {
            if system::monotonic() > deadline {
                return None;
            }
            system::sleep(100_000);
        }
        let world = current().or_else(|| {
            let world: &'static RecorderWorld = Box::leak(Box::new(RecorderWorld::new(settings, library, kind)));
            if writing::begin(world).is_none() {
                FAILED.store(true, Ordering::Relaxed);
                return None;
            }
            WORLD.store(ptr::from_ref(world).cast_mut(), Ordering::Release);
            Some(world)
        });
        BEGINS.store(false, Ordering::Release);
        world
    })
}

/// In a forked child: it begins its own recording with its first call.
unsafe extern "C" fn forget_the_parent() {
    WORLD.store(ptr::null_mut(), Ordering::Release);
    FAILED.store(false, Ordering::Relaxed);
    // The thread that had begun is not in the child.
    BEGINS.store(false, Ordering::Release);
}

impl RecorderWorld {
    fn new(settings: &'static RecorderSettings, library: &'static SqliteLibrary, kind: RecorderKind) -> Self {
        Self {
            pid: system::process_id(),
            settings,
            library,
            kind,
            statements: StatementTable::default(),
            connections: Mutex::default(),
            templates: Mutex::default(),
            lines: Mutex::default(),
            last_lines: Mutex::default(),
            rings: Mutex::default(),
            long_bytes: AtomicUsize::new(0),
            requests: WriterRequests::default(),
            stopped: AtomicBool::new(false),
            lost: Default::default(),
            cost_ns: AtomicU64::new(0),
        }
    }

    pub(crate) fn durations(&self) -> DurationSource {
        match self.kind {
            RecorderKind::Preload => DurationSource::Steps,
            RecorderKind::Extension => DurationSource::Trace,
            RecorderKind::Import => DurationSource::Import,
        }
    }

    /// Returns the identifier of a statement's text. The writer gets new texts, in the order of their identifiers.
    pub(crate) fn template(&self, sql: &[u8]) -> u32 {
        let mut templates = lock(&self.templates);
        let (id, is_new) = templates.id(sql);
        if is_new {
            let sql = String::from_utf8_lossy(sql).into_owned();
            lock(&self.lines).push(RecordedLine::Statement(StatementTemplate { id, sql }));
        }
        id
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Counts calls that are not recorded.
    pub(crate) fn lose(&self, calls: u64, reason: LossReason) {
        self.lost[reason as usize].fetch_add(calls, Ordering::Relaxed);
    }

    pub(crate) fn lost(&self, reason: LossReason) -> u64 {
        self.lost[reason as usize].load(Ordering::Relaxed)
    }

    /// Adds to the estimated cost of the recorder in the program's threads.
    pub(crate) fn add_cost(&self, ns: u64) {
        self.cost_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Wakes the writing thread if it sleeps.
    pub(crate) fn wake(&self) {
        if self.requests.asleep.swap(0, Ordering::AcqRel) == 1 {
            system::wake(&self.requests.asleep);
        }
    }

    /// Has everything written that was recorded so far, and waits for it, for so many nanoseconds at most.
    pub(crate) fn flush(&self, ns: u64) {
        let asked = self.requests.flush.fetch_add(1, Ordering::AcqRel) + 1;
        let deadline = system::monotonic() + ns;
        loop {
            self.wake();
            let flushed = self.requests.flushed.load(Ordering::Acquire);
            let now = system::monotonic();
            // The counters may have passed their maximum, so that only their distance counts.
            if flushed.wrapping_sub(asked).cast_signed() >= 0 || now >= deadline {
                return;
            }
            system::wait(&self.requests.flushed, flushed, (deadline - now).min(50_000_000));
        }
    }
}
