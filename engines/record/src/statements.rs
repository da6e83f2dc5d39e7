//! Prepared statements of the program, by their address.

use crate::{
    abi::{ROW, StmtPointer},
    attach,
    bindings::BoundParameters,
    connections::ConnectionState,
    library::SqliteLibrary,
    threads::ThreadState,
    world::{RecorderWorld, lock},
};
use dbdyno_recording::CallNumbers;
use std::{
    cell::UnsafeCell,
    collections::HashMap,
    ffi::CStr,
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

/// An execution between its first step and its end.
pub(crate) struct StatementRun {
    pub(crate) start_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) rows: u64,
    /// `sqlite3_total_changes` at its start.
    pub(crate) changes_before: i32,
}

/// A statement's properties and its current run. One thread at a time has them.
pub(crate) struct StatementRecord {
    pub(crate) connection: Arc<ConnectionState>,
    pub(crate) template: u32,
    pub(crate) parameters: BoundParameters,
    /// Between two calls of the program, only one whose last step returned a row.
    pub(crate) run: Option<StatementRun>,
    pub(crate) attaches: bool,
}

impl StatementRecord {
    /// Ends the run, if there is one, and records it as a call. `result_code` is SQLite's primary code, with 0 for an
    /// answer that was read to its end, and `ROW` for one that was not.
    pub(crate) fn end_run(&mut self, thread: &ThreadState, result_code: i32) {
        let Some(run) = self.run.take() else { return };
        let changes = self.connection.total_changes().wrapping_sub(run.changes_before);
        let call = CallNumbers {
            connection: self.connection.id,
            // The ring has it.
            thread: 0,
            start_ns: run.start_ns,
            duration_ns: run.duration_ns,
            statement: self.template,
            rows: run.rows,
            changes: u64::try_from(changes).unwrap_or_default(),
            result_code,
        };
        thread.push(&call, &self.parameters);
        if self.attaches && result_code == 0 {
            attach::note_attached(thread.world, &self.connection);
        }
    }
}

/// A place for a statement. Places are never freed, so that a thread may remember one, and are used again for other
/// statements.
pub(crate) struct StatementState {
    /// Address of the statement, or 0.
    pointer: AtomicUsize,
    /// Address of its text, which another statement at the same address would not share.
    text: AtomicUsize,
    /// Rows of the current run, which may be read without the record.
    pub(crate) rows: AtomicU64,
    is_used: AtomicBool,
    record: UnsafeCell<Option<StatementRecord>>,
}

// SAFETY: the record is only used by the thread that set `is_used`.
unsafe impl Sync for StatementState {}
// SAFETY: as above.
unsafe impl Send for StatementState {}

/// The right to use a statement's record.
pub(crate) struct RecordGuard<'s> {
    state: &'s StatementState,
    record: &'s mut StatementRecord,
}

impl Deref for RecordGuard<'_> {
    type Target = StatementRecord;

    fn deref(&self) -> &StatementRecord {
        self.record
    }
}

impl DerefMut for RecordGuard<'_> {
    fn deref_mut(&mut self) -> &mut StatementRecord {
        self.record
    }
}

impl Drop for RecordGuard<'_> {
    fn drop(&mut self) {
        self.state.rows.store(self.record.run.as_ref().map_or(0, |run| run.rows), Ordering::Relaxed);
        self.state.is_used.store(false, Ordering::Release);
    }
}

impl StatementState {
    /// Returns a place that the caller uses.
    fn new() -> Self {
        Self {
            pointer: AtomicUsize::new(0),
            text: AtomicUsize::new(0),
            rows: AtomicU64::new(0),
            is_used: AtomicBool::new(true),
            record: UnsafeCell::new(None),
        }
    }

    pub(crate) fn is_of(&self, pointer: usize) -> bool {
        self.pointer.load(Ordering::Acquire) == pointer
    }

    pub(crate) fn has_text(&self, text: usize) -> bool {
        self.text.load(Ordering::Relaxed) == text
    }

    /// Returns the record, unless another thread uses it at this moment: that one is not waited for.
    pub(crate) fn try_use(&self) -> Option<RecordGuard<'_>> {
        if self.is_used.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: `is_used` was false, so no other thread has the record.
        match unsafe { &mut *self.record.get() } {
            Some(record) => Some(RecordGuard { state: self, record }),
            None => {
                self.is_used.store(false, Ordering::Release);
                None
            }
        }
    }

    /// Has another statement take the place. `is_used` is set, and cleared here.
    fn assign(&self, pointer: usize, text: usize, mut record: StatementRecord) {
        // SAFETY: the caller has set `is_used`.
        let place = unsafe { &mut *self.record.get() };
        if let Some(before) = place.take() {
            // Keeps the memory of its parameters.
            let parameters = record.parameters.len();
            record.parameters = before.parameters;
            record.parameters.reset(parameters);
        }
        *place = Some(record);
        self.rows.store(0, Ordering::Relaxed);
        self.text.store(text, Ordering::Relaxed);
        self.pointer.store(pointer, Ordering::Release);
        self.is_used.store(false, Ordering::Release);
    }

    /// Sets `is_used`, unless a thread that uses a finalized statement, against SQLite's rules, has set it.
    fn try_take(&self) -> bool {
        !self.is_used.swap(true, Ordering::Acquire)
    }
}

/// Parts of the table, so that threads seldom wait for each other.
const SHARDS: usize = 16;

#[derive(Default)]
struct StatementShard {
    states: HashMap<usize, &'static StatementState>,
    free: Vec<&'static StatementState>,
}

/// All statements of a process.
#[derive(Default)]
pub(crate) struct StatementTable {
    shards: [Mutex<StatementShard>; SHARDS],
}

impl StatementTable {
    fn shard(&self, pointer: usize) -> &Mutex<StatementShard> {
        &self.shards[(pointer >> 4 ^ pointer >> 12) % SHARDS]
    }

    pub(crate) fn find(&self, pointer: usize) -> Option<&'static StatementState> {
        lock(self.shard(pointer)).states.get(&pointer).copied()
    }

    fn insert(&self, pointer: usize, text: usize, record: StatementRecord) -> &'static StatementState {
        let mut shard = lock(self.shard(pointer));
        let free = shard.free.pop().filter(|state| state.try_take());
        let state = free.unwrap_or_else(|| Box::leak(Box::new(StatementState::new())));
        state.assign(pointer, text, record);
        if let Some(before) = shard.states.insert(pointer, state) {
            before.pointer.store(0, Ordering::Release);
        }
        state
    }

    /// Forgets a statement that is about to be finalized, and returns its place for the next one. A thread that uses it
    /// against SQLite's rules keeps the place from being used again.
    fn remove(&self, pointer: usize) {
        let mut shard = lock(self.shard(pointer));
        let Some(state) = shard.states.remove(&pointer) else { return };
        state.pointer.store(0, Ordering::Release);
        if !state.is_used.load(Ordering::Acquire) {
            shard.free.push(state);
        }
    }
}

/// Returns a statement's text without its end, or nothing for statements that SQLite makes for itself.
///
/// # Safety
///
/// `statement` is a statement of `library`, and outlives the result.
pub(crate) unsafe fn text_of<'s>(library: &SqliteLibrary, statement: StmtPointer) -> Option<&'s CStr> {
    // SAFETY: the caller's promise.
    let text = unsafe { library.sql?(statement) };
    // SAFETY: SQLite frees its copy of the text with the statement.
    if text.is_null() { None } else { Some(unsafe { CStr::from_ptr(text) }) }
}

/// Makes the record of a statement at its first use.
///
/// # Safety
///
/// `statement` is a statement of `library`.
pub(crate) unsafe fn new_record(
    world: &'static RecorderWorld,
    library: &'static SqliteLibrary,
    statement: StmtPointer,
) -> Option<StatementRecord> {
    // SAFETY: the caller's promise.
    let text = unsafe { text_of(library, statement) }?;
    // SAFETY: as above.
    let db = unsafe { library.db_handle?(statement) };
    let connection = ConnectionState::of(world, library, db)?;
    // SAFETY: as above.
    let count = unsafe { library.bind_parameter_count?(statement) };
    let mut parameters = BoundParameters::default();
    parameters.reset(usize::try_from(count).unwrap_or_default());
    let attaches = attach::is_attach(text.to_bytes());
    Some(StatementRecord { connection, template: world.template(text.to_bytes()), parameters, run: None, attaches })
}

impl ThreadState {
    /// Returns the state of a statement, and makes it at its first use.
    ///
    /// # Safety
    ///
    /// `statement` is a statement of `library`.
    pub(crate) unsafe fn statement(
        &self,
        library: &'static SqliteLibrary,
        statement: StmtPointer,
    ) -> Option<&'static StatementState> {
        if let Some(state) = self.known(statement.addr()) {
            return Some(state);
        }
        // SAFETY: the caller's promise.
        crate::system::keeping_errno(|| unsafe { self.new_statement(library, statement) })
    }

    /// # Safety
    ///
    /// As above.
    #[cold]
    pub(crate) unsafe fn new_statement(
        &self,
        library: &'static SqliteLibrary,
        statement: StmtPointer,
    ) -> Option<&'static StatementState> {
        // SAFETY: the caller's promise.
        let text = unsafe { text_of(library, statement) }?.as_ptr().addr();
        // SAFETY: as above.
        let record = unsafe { new_record(self.world, library, statement) }?;
        Some(self.world.statements.insert(statement.addr(), text, record))
    }

    /// Records what a statement has not ended yet, and forgets it.
    pub(crate) fn forget_statement(&self, statement: StmtPointer) {
        let Some(state) = self.known(statement.addr()) else { return };
        if let Some(mut record) = state.try_use() {
            record.end_run(self, ROW);
        }
        self.world.statements.remove(statement.addr());
    }
}
