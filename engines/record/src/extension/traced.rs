//! What the trace callback reports about the connections of an extension.

use super::note_slot_lost;
use crate::{
    abi::{ROW, StmtPointer, TRACE_CLOSE, TRACE_PROFILE, TRACE_ROW, TRACE_STMT},
    attach,
    bindings::BoundParameters,
    connections::{ConnectionState, note_closed},
    library::SqliteLibrary,
    literals::{ParameterPlace, places, read_values},
    statements::text_of,
    system,
    threads::{DepthGuard, ThreadState, thread_in},
    trace::{UNKNOWN, is_of_program},
    world::{LossReason, RecorderWorld, lock, world},
};
use dbdyno_recording::{CallNumbers, RecorderKind};
use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr,
    sync::{Arc, Mutex},
};

/// A statement that runs.
struct TracedRun {
    statement: usize,
    start_ns: u64,
    rows: u64,
    changes_before: i32,
}

/// A statement's text, and what follows from it.
struct TracedText {
    sql: Box<[u8]>,
    template: u32,
    places: Vec<ParameterPlace>,
    parameters: usize,
    attaches: bool,
}

/// A connection with the recorder in its trace slot.
pub(super) struct TracedConnection {
    library: &'static SqliteLibrary,
    /// Whether `connection_ended` is called.
    has_end: bool,
    /// SQLite reports the events of a connection one after another, so no thread waits here. Programs that use a
    /// connection in two threads at the same time, against its rules, lose calls.
    state: Mutex<TracedState>,
}

struct TracedState {
    world: &'static RecorderWorld,
    connection: Arc<ConnectionState>,
    runs: Vec<TracedRun>,
    texts: HashMap<usize, TracedText>,
    values: BoundParameters,
    is_closing: bool,
}

/// Statements whose text is remembered.
const MOST_TEXTS: usize = 1000;

impl TracedState {
    fn new(world: &'static RecorderWorld, connection: Arc<ConnectionState>) -> Self {
        Self {
            world,
            connection,
            runs: Vec::new(),
            texts: HashMap::new(),
            values: BoundParameters::default(),
            is_closing: false,
        }
    }
}

/// The trace callback.
pub(super) unsafe extern "C" fn report(
    event: u32,
    context: *mut c_void,
    subject: *mut c_void,
    detail: *mut c_void,
) -> c_int {
    // SAFETY: the context of `attach_to`.
    let traced = unsafe { &*context.cast::<TracedConnection>() };
    let now = system::monotonic();
    system::keeping_errno(|| {
        if let Some(world) = world(traced.library, RecorderKind::Extension)
            && let Some(thread) = thread_in(world)
        {
            let timer = thread.timer(thread.is_sampled());
            // SAFETY: what SQLite reports.
            unsafe { traced.note(thread, event, subject, detail, now) };
            timer.stop();
        }
    });
    0
}

/// Called when a connection ends. If its end was not reported, something else had the trace slot.
pub(super) unsafe extern "C" fn connection_ended(context: *mut c_void) {
    // SAFETY: the context of `attach_to`, which SQLite uses no more.
    let traced = unsafe { Box::from_raw(context.cast::<TracedConnection>()) };
    let state = lock(&traced.state);
    if !ptr::eq(state.world, crate::world::current().map_or(ptr::null(), ptr::from_ref)) {
        return;
    }
    system::keeping_errno(|| {
        if !state.is_closing {
            note_slot_lost(state.world, state.connection.id);
        }
        lock(&state.world.connections).remove(state.connection.db);
        note_closed(state.world, state.connection.id);
    });
}

impl TracedConnection {
    pub(super) fn new(world: &'static RecorderWorld, connection: Arc<ConnectionState>, has_end: bool) -> Self {
        Self { library: connection.library, has_end, state: Mutex::new(TracedState::new(world, connection)) }
    }

    /// # Safety
    ///
    /// The trace callback got these arguments.
    unsafe fn note(&self, thread: &ThreadState, event: u32, subject: *mut c_void, detail: *const c_void, now: u64) {
        let Ok(mut state) = self.state.try_lock() else {
            if event == TRACE_PROFILE {
                thread.world.lose(1, LossReason::Contended);
            }
            return;
        };
        let state = &mut *state;
        if !ptr::eq(state.world, thread.world) {
            // The process is a forked child with a recording of its own.
            let Some(connection) = ConnectionState::of(thread.world, self.library, state.connection.pointer()) else {
                return;
            };
            *state = TracedState::new(thread.world, connection);
        }
        match event {
            // SAFETY: the caller's promise.
            TRACE_STMT if unsafe { is_of_program(self.library, subject, detail) } => {
                state.begin(subject.addr(), now);
            }
            TRACE_ROW => {
                if let Some(run) = state.runs.iter_mut().rfind(|run| run.statement == subject.addr()) {
                    run.rows += 1;
                }
            }
            // SAFETY: the caller's promise.
            TRACE_PROFILE => unsafe { state.end(thread, self.library, subject, now) },
            TRACE_CLOSE => self.close(state),
            _ => {}
        }
    }

    /// A connection that is still in use may go on after this report. Its end is noted by `connection_ended`, if SQLite
    /// has that.
    fn close(&self, state: &mut TracedState) {
        if !state.is_closing && !self.has_end {
            lock(&state.world.connections).remove(state.connection.db);
            note_closed(state.world, state.connection.id);
            state.texts = HashMap::new();
        }
        state.is_closing = true;
    }
}

impl TracedState {
    fn begin(&mut self, statement: usize, start_ns: u64) {
        // One that SQLite reported no end of.
        self.runs.retain(|run| run.statement != statement);
        let changes_before = self.connection.total_changes();
        self.runs.push(TracedRun { statement, start_ns, rows: 0, changes_before });
    }

    /// # Safety
    ///
    /// `statement` is what the callback got.
    unsafe fn end(&mut self, thread: &ThreadState, library: &'static SqliteLibrary, statement: StmtPointer, now: u64) {
        let Some(at) = self.runs.iter().rposition(|run| run.statement == statement.addr()) else { return };
        let run = self.runs.swap_remove(at);
        // SAFETY: the caller's promise.
        let result_code = unsafe { result_code(library, statement, run.rows) };
        // SAFETY: as above.
        let Some((template, attaches)) = (unsafe { self.read_statement(library, statement) }) else { return };
        let changes = self.connection.total_changes().wrapping_sub(run.changes_before);
        let call = CallNumbers {
            connection: self.connection.id,
            // The ring has it.
            thread: 0,
            start_ns: run.start_ns,
            duration_ns: now.saturating_sub(run.start_ns),
            statement: template,
            rows: run.rows,
            changes: u64::try_from(changes).unwrap_or_default(),
            result_code,
        };
        thread.push(&call, &self.values);
        if attaches {
            let _inside = DepthGuard::new();
            attach::note_attached(self.world, &self.connection);
        }
    }

    /// Finds a statement's template, and reads the values of its parameters. Values that cannot be read stay in the
    /// text, which is then a template of its own. Returns also whether the statement attaches a database.
    ///
    /// # Safety
    ///
    /// `statement` is what the callback got.
    unsafe fn read_statement(&mut self, library: &SqliteLibrary, statement: StmtPointer) -> Option<(u32, bool)> {
        // SAFETY: the caller's promise.
        let sql = unsafe { text_of(library, statement) }?.to_bytes();
        let is_known = self.texts.get(&statement.addr()).is_some_and(|text| *text.sql == *sql);
        if !is_known {
            // SAFETY: as above.
            let text = unsafe { traced_text(self.world, library, statement, sql) };
            if self.texts.len() >= MOST_TEXTS {
                self.texts.clear();
            }
            self.texts.insert(statement.addr(), text);
        }
        let text = self.texts.get(&statement.addr())?;
        self.values.reset(text.parameters);
        if text.parameters == 0 {
            return Some((text.template, text.attaches));
        }
        let limit = self.world.settings.value_bytes;
        // SAFETY: as above.
        let expanded = unsafe { ExpandedText::new(library, statement) }?;
        match read_values(sql, expanded.bytes(), &text.places, &mut self.values, limit) {
            Some(()) => Some((text.template, text.attaches)),
            None => {
                self.values.reset(0);
                Some((self.world.template(expanded.bytes()), text.attaches))
            }
        }
    }
}

/// Returns what is known of a result at its report: SQLite sets the connection's code only afterwards. It reports an
/// answer after its end, or else before the statement is reset or finalized, while it is still busy. One without rows
/// is busy too if it met a lock.
///
/// # Safety
///
/// `statement` is what the callback got.
unsafe fn result_code(library: &SqliteLibrary, statement: StmtPointer, rows: u64) -> c_int {
    // SAFETY: the caller's promise. SQLite's function reads one field and takes no lock.
    let is_busy = library.stmt_busy.is_some_and(|stmt_busy| unsafe { stmt_busy(statement) } != 0);
    if is_busy && rows > 0 { ROW } else { UNKNOWN }
}

/// # Safety
///
/// `statement` is what the callback got, and `sql` its text.
unsafe fn traced_text(
    world: &RecorderWorld,
    library: &SqliteLibrary,
    statement: StmtPointer,
    sql: &[u8],
) -> TracedText {
    let count = library.bind_parameter_count.map_or(0, |count| {
        // SAFETY: the caller's promise.
        unsafe { count(statement) }
    });
    let named = |name: &[u8]| {
        let function = library.bind_parameter_index.zip(CString::new(name).ok());
        let index = function.map_or(0, |(index, name)| {
            // SAFETY: the caller's promise. The name lives until the call returns.
            unsafe { index(statement, name.as_ptr()) }
        });
        usize::try_from(index).unwrap_or_default()
    };
    TracedText {
        sql: sql.into(),
        template: world.template(sql),
        places: places(sql, named),
        parameters: usize::try_from(count).unwrap_or_default(),
        attaches: attach::is_attach(sql),
    }
}

/// A text that SQLite allocated.
struct ExpandedText<'l> {
    text: *mut c_char,
    library: &'l SqliteLibrary,
}

impl<'l> ExpandedText<'l> {
    /// # Safety
    ///
    /// `statement` is what the callback got.
    unsafe fn new(library: &'l SqliteLibrary, statement: StmtPointer) -> Option<Self> {
        // SAFETY: the caller's promise. SQLite allows it in the callback.
        let text = unsafe { library.expanded_sql?(statement) };
        (!text.is_null()).then_some(Self { text, library })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: SQLite's C string lives until it is freed.
        unsafe { CStr::from_ptr(self.text) }.to_bytes()
    }
}

impl Drop for ExpandedText<'_> {
    fn drop(&mut self) {
        if let Some(free) = self.library.free {
            // SAFETY: allocated by SQLite for the caller.
            unsafe { free(self.text.cast()) };
        }
    }
}
