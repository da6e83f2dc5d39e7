//! What each thread of the program has: its ring, and how deep it is in SQLite.

use crate::{
    bindings::BoundParameters,
    event::{self, CALL, LONG_CALL},
    exec::ExecRun,
    library::SqliteLibrary,
    ring::{CallRing, EVENT_BYTES},
    statements::StatementState,
    system,
    world::{LossReason, RecorderWorld, lock, world},
};
use dbdyno_recording::{CallNumbers, RecorderKind};
use std::{
    cell::{Cell, RefCell},
    ptr,
    sync::{Arc, atomic::Ordering},
};

/// The part that every call of the program reads.
struct ThreadLocalPart {
    /// Above 0 within SQLite, or within the recorder's own use of it: calls from there are not the program's.
    depth: Cell<u32>,
    /// Whether such a call came since it was last cleared.
    inner_call: Cell<bool>,
    state: Cell<*mut ThreadState>,
}

/// Ends the thread's ring with the thread.
struct ThreadExit;

thread_local! {
    static LOCAL: ThreadLocalPart = const {
        ThreadLocalPart { depth: Cell::new(0), inner_call: Cell::new(false), state: Cell::new(ptr::null_mut()) }
    };
    static EXIT: ThreadExit = const { ThreadExit };
}

impl Drop for ThreadExit {
    fn drop(&mut self) {
        LOCAL.with(|local| {
            let state = local.state.replace(ptr::null_mut());
            if !state.is_null() {
                // SAFETY: the pointer comes from `Box::into_raw`, and no call of this thread is under way.
                drop(unsafe { Box::from_raw(state) });
            }
        });
    }
}

/// Statements that a thread finds without a lock.
const CACHED: usize = 64;
/// One of so many entries of the recorder is timed, for the estimate of its cost.
const COST_SAMPLE: u32 = 64;
/// A part of the recorder's code that takes longer was interrupted. Waiting and the opening of connections are added as
/// they are.
const MOST_COST_NS: u64 = 5_000;
/// How long a thread waits for the writing thread in all, until the next call finds room at once.
const PATIENCE_NS: u64 = 50_000_000;
/// The longest call, and the memory for calls that are too long for a ring.
const LONG_BYTES: usize = 64 << 20;

/// A thread of the program.
pub(crate) struct ThreadState {
    pub(crate) world: &'static RecorderWorld,
    ring: Arc<CallRing>,
    cache: [Cell<Option<&'static StatementState>>; CACHED],
    entries: Cell<u32>,
    /// Whether it waited in vain, and found no room since.
    stalled: Cell<bool>,
    /// The connection whose `sqlite3_exec` runs, or 0.
    pub(crate) exec_connection: Cell<usize>,
    pub(crate) exec_run: RefCell<Option<ExecRun>>,
}

impl Drop for ThreadState {
    fn drop(&mut self) {
        self.ring.close();
    }
}

/// Raises the depth while SQLite, or the recorder's own use of it, runs.
pub(crate) struct DepthGuard;

impl DepthGuard {
    pub(crate) fn new() -> Self {
        LOCAL.with(|local| local.depth.set(local.depth.get() + 1));
        Self
    }
}

impl Drop for DepthGuard {
    fn drop(&mut self) {
        LOCAL.with(|local| local.depth.set(local.depth.get() - 1));
    }
}

/// Returns whether the thread is within SQLite.
pub(crate) fn is_inside() -> bool {
    LOCAL.with(|local| local.depth.get() > 0)
}

/// Returns whether SQLite calls its own functions through the recorder while `work` runs.
pub(crate) fn sees_inner_calls(work: impl FnOnce()) -> bool {
    LOCAL.with(|local| local.inner_call.set(false));
    work();
    LOCAL.with(|local| local.inner_call.get())
}

/// Returns the thread's state if a call is the program's own and is to be recorded. The reference must not outlive the
/// call.
#[inline]
pub(crate) fn recorded<'t>(library: &'static SqliteLibrary, kind: RecorderKind) -> Option<&'t ThreadState> {
    LOCAL.with(|local| {
        if local.depth.get() > 0 {
            local.inner_call.set(true);
            return None;
        }
        thread_of(local, world(library, kind)?)
    })
}

/// Returns the thread's state in a world, from within SQLite too.
pub(crate) fn thread_in<'t>(world: &'static RecorderWorld) -> Option<&'t ThreadState> {
    LOCAL.with(|local| thread_of(local, world))
}

#[inline]
fn thread_of<'t>(local: &ThreadLocalPart, world: &'static RecorderWorld) -> Option<&'t ThreadState> {
    // SAFETY: the state lives until the thread ends, and only this thread uses it.
    match unsafe { local.state.get().as_ref() } {
        Some(state) if ptr::eq(state.world, world) => Some(state),
        _ => Some(begin(local, world)),
    }
}

/// Makes the state of a thread. A forked child leaves its parent's state alone, because the ring belongs to the parent.
#[cold]
fn begin<'t>(local: &ThreadLocalPart, world: &'static RecorderWorld) -> &'t ThreadState {
    system::keeping_errno(|| {
        let ring = Arc::new(CallRing::new(system::thread_id()));
        lock(&world.rings).push(Arc::clone(&ring));
        let state = Box::into_raw(Box::new(ThreadState {
            world,
            ring,
            cache: [const { Cell::new(None) }; CACHED],
            entries: Cell::new(0),
            stalled: Cell::new(false),
            exec_connection: Cell::new(0),
            exec_run: RefCell::new(None),
        }));
        local.state.set(state);
        // Registers the end. After the end of a thread's variables, a last call's state is left.
        let _ = EXIT.try_with(|_| ());
        // SAFETY: just made.
        unsafe { &*state }
    })
}

/// Times a part of the recorder's own code, if it is one of the sample.
pub(crate) struct CostTimer<'t> {
    thread: &'t ThreadState,
    start: u64,
}

impl CostTimer<'_> {
    pub(crate) fn stop(self) {
        if self.start > 0 {
            let cost = (system::monotonic() - self.start).min(MOST_COST_NS) * u64::from(COST_SAMPLE);
            self.thread.world.add_cost(cost);
        }
    }
}

impl ThreadState {
    /// Begins an entry of the recorder. Returns whether its parts are timed.
    pub(crate) fn is_sampled(&self) -> bool {
        let entries = self.entries.get().wrapping_add(1);
        self.entries.set(entries);
        entries.is_multiple_of(COST_SAMPLE)
    }

    pub(crate) fn timer(&self, is_sampled: bool) -> CostTimer<'_> {
        CostTimer { thread: self, start: if is_sampled { system::monotonic() } else { 0 } }
    }

    fn slot(&self, pointer: usize) -> &Cell<Option<&'static StatementState>> {
        // Statements are allocated in steps of 8 or 16 bytes and are hundreds of bytes long.
        &self.cache[(pointer >> 4 ^ pointer >> 10) % CACHED]
    }

    /// Returns the state of a statement that was seen before.
    pub(crate) fn known(&self, pointer: usize) -> Option<&'static StatementState> {
        let slot = self.slot(pointer);
        if let Some(state) = slot.get()
            && state.is_of(pointer)
        {
            return Some(state);
        }
        let state = self.world.statements.find(pointer)?;
        slot.set(Some(state));
        Some(state)
    }

    /// Puts a call into the ring.
    pub(crate) fn push(&self, call: &CallNumbers, parameters: &BoundParameters) {
        if self.world.is_stopped() {
            return self.world.lose(1, LossReason::Limit);
        }
        let length = event::call_bytes(parameters);
        if length > EVENT_BYTES {
            return system::keeping_errno(|| self.push_long(length, call, parameters));
        }
        let is_pushed = self.ring.push(CALL, length, |room| event::encode(room, call, parameters))
            || system::keeping_errno(|| {
                self.wait_until(|| self.ring.push(CALL, length, |room| event::encode(room, call, parameters)))
            });
        self.note(is_pushed);
    }

    fn note(&self, is_pushed: bool) {
        if is_pushed {
            self.stalled.set(false);
            if self.ring.is_half_full() {
                system::keeping_errno(|| self.world.wake());
            }
        } else {
            self.world.lose(1, LossReason::Full);
        }
    }

    /// Waits until `attempt` succeeds, but only for a short time, and not again while the writing thread makes no
    /// progress.
    fn wait_until(&self, attempt: impl Fn() -> bool) -> bool {
        if self.stalled.get() {
            return false;
        }
        let start = system::monotonic();
        let mut now = start;
        let mut succeeds = false;
        while !succeeds && now - start < PATIENCE_NS {
            self.world.wake();
            system::sleep(100_000);
            succeeds = attempt();
            now = system::monotonic();
        }
        self.world.add_cost(now - start);
        self.stalled.set(!succeeds);
        succeeds
    }

    #[cold]
    fn push_long(&self, length: usize, call: &CallNumbers, parameters: &BoundParameters) {
        if length > LONG_BYTES {
            return self.world.lose(1, LossReason::TooLong);
        }
        let held = &self.world.long_bytes;
        let has_room = || held.load(Ordering::Relaxed) + length <= LONG_BYTES;
        if !has_room() && !self.wait_until(has_room) {
            return self.note(false);
        }
        held.fetch_add(length, Ordering::Relaxed);
        let mut bytes = vec![0; length].into_boxed_slice();
        event::encode(&mut bytes, call, parameters);
        let address = Box::into_raw(bytes).cast::<u8>();
        let push = || {
            self.ring.push(LONG_CALL, 16, |room| {
                room[..8].copy_from_slice(&(address.expose_provenance() as u64).to_ne_bytes());
                room[8..].copy_from_slice(&(length as u64).to_ne_bytes());
            })
        };
        let is_pushed = push() || self.wait_until(push);
        if !is_pushed {
            held.fetch_sub(length, Ordering::Relaxed);
            // SAFETY: the ring did not take it.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(address, length)) });
        }
        self.note(is_pushed);
    }
}
