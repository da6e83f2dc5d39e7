//! Statements that only `sqlite3_trace_v2` reports.

use crate::{
    abi::{
        DbPointer, ERROR, ExecCallback, OK, PRIMARY, ROW, StmtPointer, TRACE_PROFILE, TRACE_ROW, TRACE_STMT,
        TraceCallback,
    },
    connections::{ConnectionState, ProgramTrace},
    exec::with_watched_callback,
    library::SqliteLibrary,
    statements::{StatementRecord, StatementRun, new_record, text_of},
    system,
    threads::{DepthGuard, ThreadState, thread_in},
    world::{LossReason, RecorderWorld, lock},
};
use std::{
    cell::{Cell, RefCell},
    ffi::{c_int, c_void},
};

/// Returns whether a report of a statement's start is about one of the program. Others are of triggers and of what
/// SQLite runs for itself: their text is a comment that SQLite invented.
///
/// # Safety
///
/// `statement` and `text` are what the callback got.
pub(crate) unsafe fn is_of_program(library: &SqliteLibrary, statement: StmtPointer, text: *const c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe { text_of(library, statement) }.is_some_and(|sql| sql.as_ptr().addr() == text.addr())
}

/// What a recording has where a result is unknown.
pub(crate) const UNKNOWN: c_int = -1;

/// A statement that `sqlite3_exec` runs within a library whose calls of itself are hidden.
struct HiddenRun {
    statement: StmtPointer,
    record: StatementRecord,
    is_ended: bool,
}

/// What the callback gets while a hidden `sqlite3_exec` runs.
struct HiddenExec {
    world: &'static RecorderWorld,
    library: &'static SqliteLibrary,
    /// Only reports of this thread are about the `sqlite3_exec`.
    thread: u32,
    program: ProgramTrace,
    run: RefCell<Option<HiddenRun>>,
    /// Whether the program's callback runs: its statements are its own.
    is_in_callback: Cell<bool>,
    /// Whether the callback has ended the `sqlite3_exec`.
    is_aborted: Cell<bool>,
}

/// Runs `sqlite3_exec` with the trace slot. What the program asked of the slot is passed on, and gets the slot back
/// afterwards.
pub(crate) fn around_hidden_exec(
    thread: &ThreadState,
    library: &'static SqliteLibrary,
    db: DbPointer,
    callback: ExecCallback,
    argument: *mut c_void,
    run: impl FnOnce(ExecCallback, *mut c_void) -> c_int,
) -> c_int {
    let connection = ConnectionState::of(thread.world, library, db);
    let Some((connection, trace_v2)) = connection.zip(library.trace_v2) else { return run(callback, argument) };
    let program = *lock(&connection.trace);
    if program.is_legacy {
        thread.world.lose(1, LossReason::NoSlot);
        return run(callback, argument);
    }
    let hidden = HiddenExec {
        world: thread.world,
        library,
        thread: system::thread_id(),
        program,
        run: RefCell::new(None),
        is_in_callback: Cell::new(false),
        is_aborted: Cell::new(false),
    };
    let mask = TRACE_STMT | TRACE_ROW | TRACE_PROFILE | program.mask;
    let slot = ProgramTrace { mask, callback: Some(report), context: (&raw const hidden).cast_mut().cast(), ..program };
    // An `sqlite3_exec` of a callback of this one finds it here, and gives the slot back to it.
    let outer = connection.borrowed.replace(Some(slot));
    // SAFETY: the connection is the program's argument, and the context lives until the slot is given back.
    unsafe { trace_v2(db, slot.mask, slot.callback, slot.context) };
    let around = |call: &mut dyn FnMut() -> c_int| {
        hidden.is_in_callback.set(true);
        let code = call();
        hidden.is_in_callback.set(false);
        hidden.is_aborted.set(code != 0);
        code
    };
    let code = with_watched_callback(callback, argument, &around, run);
    connection.borrowed.replace(outer);
    give_back(&connection, outer, &program, trace_v2);
    hidden.end(hidden.result(code));
    code
}

type TraceFunction = unsafe extern "C" fn(DbPointer, u32, TraceCallback, *mut c_void) -> c_int;

/// Gives the slot back to the `sqlite3_exec` around this one, or to the program. If a callback of the program has taken
/// the slot meanwhile, it keeps it.
fn give_back(
    connection: &ConnectionState,
    outer: Option<ProgramTrace>,
    program: &ProgramTrace,
    trace_v2: TraceFunction,
) {
    let now = *lock(&connection.trace);
    let same = |one: &ProgramTrace| (one.mask, one.callback.map(|callback| callback as usize), one.context);
    if same(&now) == same(program) && !now.is_legacy {
        let to = outer.unwrap_or(now);
        // SAFETY: what had the slot before. An outer `sqlite3_exec` still runs.
        unsafe { trace_v2(connection.pointer(), to.mask, to.callback, to.context) };
    }
}

/// The trace callback while `sqlite3_exec` runs.
unsafe extern "C" fn report(event: u32, context: *mut c_void, subject: *mut c_void, detail: *mut c_void) -> c_int {
    // SAFETY: the context of `around_hidden_exec`, which gives the slot back before it ends.
    let hidden = unsafe { &*context.cast::<HiddenExec>() };
    if system::thread_id() == hidden.thread && !hidden.is_in_callback.get() {
        // SAFETY: what SQLite reports.
        system::keeping_errno(|| unsafe { hidden.note(event, subject, detail) });
    }
    match hidden.program.callback {
        // SAFETY: what SQLite would have called without the recorder.
        Some(callback) if event & hidden.program.mask != 0 => unsafe {
            callback(event, hidden.program.context, subject, detail)
        },
        _ => 0,
    }
}

impl HiddenExec {
    /// # Safety
    ///
    /// The callback got these arguments.
    unsafe fn note(&self, event: u32, statement: StmtPointer, detail: *const c_void) {
        let is_current = self.run.borrow().as_ref().is_some_and(|run| run.statement == statement && !run.is_ended);
        match event {
            // SAFETY: the caller's promise.
            TRACE_STMT if unsafe { is_of_program(self.library, statement, detail) } => {
                // It goes on to the next statement only after a success.
                self.end(OK);
                // SAFETY: as above.
                *self.run.borrow_mut() = unsafe { self.begin(statement) };
            }
            TRACE_ROW if is_current => self.change(|run| run.rows += 1),
            TRACE_PROFILE if is_current => {
                let now = system::monotonic();
                self.change(|run| run.duration_ns = now - run.start_ns);
                if let Some(run) = self.run.borrow_mut().as_mut() {
                    run.is_ended = true;
                }
            }
            _ => {}
        }
    }

    /// Derives the result of the last statement from the result of `sqlite3_exec`.
    fn result(&self, code: c_int) -> c_int {
        match code & PRIMARY {
            // The callback wanted no more rows.
            _ if self.is_aborted.get() => ROW,
            // Most likely the next statement could not be prepared.
            ERROR => UNKNOWN,
            code => code,
        }
    }

    fn change(&self, change: impl FnOnce(&mut StatementRun)) {
        if let Some(run) = self.run.borrow_mut().as_mut().and_then(|run| run.record.run.as_mut()) {
            change(run);
        }
    }

    /// # Safety
    ///
    /// `statement` is what the callback got.
    unsafe fn begin(&self, statement: StmtPointer) -> Option<HiddenRun> {
        let _inside = DepthGuard::new();
        // SAFETY: the caller's promise.
        let mut record = unsafe { new_record(self.world, self.library, statement) }?;
        record.run = Some(StatementRun {
            start_ns: system::monotonic(),
            duration_ns: 0,
            rows: 0,
            changes_before: record.connection.total_changes(),
        });
        Some(HiddenRun { statement, record, is_ended: false })
    }

    fn end(&self, code: c_int) {
        let run = self.run.take();
        if let Some((mut run, thread)) = run.zip(thread_in(self.world)) {
            run.record.end_run(thread, code);
        }
    }
}
