//! The kind of call that a measured thread is in, for the sampler.

use super::{copied::StackCopy, sampler};
use std::{
    cell::Cell,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicU8, AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
    },
};

/// Whether this process explains its tests.
static EXPLAINING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static THREAD: Cell<Option<&'static MeasuredThread>> = const { Cell::new(None) };
}

/// What a measured thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Place {
    /// Not in a window of the recorder: its time is not the test's.
    Outside,
    /// In a window, and in none of the calls below.
    Inside,
    Read,
    Write,
    Lock,
    /// In a sync or a pause, whose time is a part already.
    Part,
}

impl Place {
    /// All places, in the order of their numbers.
    pub(super) const ALL: [Self; 6] = [Self::Outside, Self::Inside, Self::Read, Self::Write, Self::Lock, Self::Part];

    pub(super) fn of(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Outside)
    }
}

/// A thread that is sampled. It is never freed, because the sampler may be late; another measured thread reuses it.
#[derive(Debug)]
pub(super) struct MeasuredThread {
    pub(super) id: AtomicI32,
    place: AtomicU8,
    /// Calls in each place.
    calls: [AtomicU64; Place::ALL.len()],
    pub(super) stack: StackCopy,
}

impl MeasuredThread {
    pub(super) fn new() -> Self {
        Self { id: AtomicI32::new(0), place: AtomicU8::new(0), calls: Default::default(), stack: StackCopy::new() }
    }

    pub(super) fn place(&self) -> Place {
        Place::of(self.place.load(Acquire))
    }

    fn go_to(&self, place: Place) {
        self.place.store(place as u8, Release);
    }

    /// Returns the calls in a place so far, and begins again at 0.
    pub(super) fn take_calls(&self, place: Place) -> u64 {
        self.calls[place as usize].swap(0, Relaxed)
    }

    /// Makes this the calling thread's.
    fn take_over(&'static self) {
        self.go_to(Place::Outside);
        self.calls.iter().for_each(|calls| calls.store(0, Relaxed));
        self.stack.take_over();
        self.id.store(rustix::thread::gettid().as_raw_nonzero().get(), Release);
        THREAD.set(Some(self));
    }
}

/// Begins to explain tests.
pub(super) fn explain() {
    EXPLAINING.store(true, Relaxed);
}

/// Whether tests are explained.
pub(super) fn is_explaining() -> bool {
    EXPLAINING.load(Relaxed)
}

/// Returns the calling thread's record, if it is measured.
pub(super) fn own() -> Option<&'static MeasuredThread> {
    // A thread that is ending may no longer have this variable.
    THREAD.try_with(Cell::get).ok().flatten()
}

/// Lets the sampler look at the calling thread.
pub(crate) fn register() {
    if is_explaining() && own().is_none() {
        sampler::watch(MeasuredThread::take_over);
    }
}

/// Opens a window: from now on the time is the test's.
#[inline]
pub(crate) fn enter() {
    if is_explaining() {
        own().inspect(|thread| thread.go_to(Place::Inside));
    }
}

/// Closes the window.
#[inline]
pub(crate) fn leave() {
    if is_explaining() {
        own().inspect(|thread| thread.go_to(Place::Outside));
    }
}

/// Makes a call, during which the thread is in a place.
#[inline]
pub(crate) fn within<R>(place: Place, call: impl FnOnce() -> R) -> R {
    if is_explaining() { looked_at(place, call) } else { call() }
}

#[cold]
fn looked_at<R>(place: Place, call: impl FnOnce() -> R) -> R {
    let Some(thread) = own().filter(|thread| thread.place() == Place::Inside) else { return call() };
    thread.calls[place as usize].fetch_add(1, Relaxed);
    thread.go_to(place);
    let result = call();
    thread.go_to(Place::Inside);
    result
}
