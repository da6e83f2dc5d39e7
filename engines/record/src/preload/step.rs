use crate::{
    abi::{DONE, ERROR, OK, PRIMARY, ROW, StmtPointer},
    exec::{self, ExecRun},
    library::SqliteLibrary,
    modules::library_of,
    statements::{StatementRecord, StatementRun, StatementState, new_record, text_of},
    system,
    threads::{DepthGuard, ThreadState, recorded},
    world::LossReason,
};
use dbdyno_recording::RecorderKind;
use std::{ffi::c_int, sync::atomic::Ordering};

/// Steps of a call that are all timed. Of later ones each eighth is, and counts eight times: the clock would take a
/// good part of short steps.
const TIMED_STEPS: u64 = 64;
const TIMED_EACH: u64 = 8;

/// A step of the program: how long it took, and what it returned.
struct TimedStep {
    start_ns: u64,
    duration_ns: u64,
    changes_before: i32,
    code: c_int,
}

pub(super) unsafe extern "C" fn step(statement: StmtPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.step else { return ERROR };
    let Some(thread) = recorded(library, RecorderKind::Preload).filter(|_| !statement.is_null()) else {
        // SAFETY: the program's own argument.
        return unsafe { function(statement) };
    };
    let is_sampled = thread.is_sampled();
    let timer = thread.timer(is_sampled);
    // SAFETY: the program's own statement.
    let db = library.db_handle.map_or(0, |db_handle| unsafe { db_handle(statement) }.addr());
    let is_exec = db != 0 && db == thread.exec_connection.get();
    // SAFETY: as above.
    let state = if is_exec { None } else { unsafe { found(thread, library, statement) } };
    let rows = state.map_or(0, |state| state.rows.load(Ordering::Relaxed));
    let weight = weight(rows);
    let changes_before = match library.total_changes {
        // SAFETY: the statement's connection is open.
        Some(total_changes) if rows == 0 => unsafe { total_changes(std::ptr::without_provenance_mut(db)) },
        _ => 0,
    };
    timer.stop();
    let start_ns = if weight > 0 { system::monotonic() } else { 0 };
    let code = {
        let _inside = DepthGuard::new();
        // SAFETY: the program's own argument.
        unsafe { function(statement) }
    };
    let end_ns = if weight > 0 { system::monotonic() } else { 0 };
    let timer = thread.timer(is_sampled);
    let step = TimedStep { start_ns, duration_ns: (end_ns - start_ns) * weight, changes_before, code };
    if is_exec {
        // SAFETY: as above.
        system::keeping_errno(|| unsafe { note_exec(thread, library, statement, &step) });
    } else if let Some(state) = state {
        note(thread, state, &step);
    }
    timer.stop();
    code
}

/// How many steps a step represents. 0: it is not timed.
fn weight(rows: u64) -> u64 {
    match rows {
        0..TIMED_STEPS => 1,
        _ if rows.is_multiple_of(TIMED_EACH) => TIMED_EACH,
        _ => 0,
    }
}

/// Returns the state of a statement. At the start of a run it is checked that the statement is still the one that was
/// first seen: SQLite may have finalized that one without a call that the recorder sees.
///
/// # Safety
///
/// `statement` is a statement of `library`.
#[inline]
unsafe fn found(
    thread: &ThreadState,
    library: &'static SqliteLibrary,
    statement: StmtPointer,
) -> Option<&'static StatementState> {
    // SAFETY: the caller's promise.
    let state = unsafe { thread.statement(library, statement) }?;
    if state.rows.load(Ordering::Relaxed) > 0 {
        return Some(state);
    }
    // SAFETY: as above.
    let text = unsafe { library.sql?(statement) };
    if state.has_text(text.addr()) {
        return Some(state);
    }
    // SAFETY: as above.
    system::keeping_errno(|| unsafe { thread.new_statement(library, statement) })
}

/// Adds a step to a run, and ends the run after its last step.
fn add(thread: &ThreadState, record: &mut StatementRecord, step: &TimedStep) {
    let run = record.run.get_or_insert(StatementRun {
        start_ns: step.start_ns,
        duration_ns: 0,
        rows: 0,
        changes_before: step.changes_before,
    });
    run.duration_ns += step.duration_ns;
    match step.code {
        ROW => run.rows += 1,
        DONE => record.end_run(thread, OK),
        code => record.end_run(thread, code & PRIMARY),
    }
}

fn note(thread: &ThreadState, state: &'static StatementState, step: &TimedStep) {
    match state.try_use() {
        Some(mut record) => add(thread, &mut record, step),
        None if step.code != ROW => thread.world.lose(1, LossReason::Contended),
        None => {}
    }
}

/// Notes a step of `sqlite3_exec`, which ran the statement just prepared.
///
/// # Safety
///
/// `statement` is a statement of `library`.
unsafe fn note_exec(thread: &ThreadState, library: &'static SqliteLibrary, statement: StmtPointer, step: &TimedStep) {
    let is_current = thread.exec_run.borrow().as_ref().is_some_and(|run| run.statement == statement);
    if !is_current {
        exec::end_unread(thread);
        // SAFETY: the caller's promise.
        if unsafe { text_of(library, statement) }.is_none() {
            return;
        }
        // SAFETY: as above.
        let Some(record) = (unsafe { new_record(thread.world, library, statement) }) else { return };
        *thread.exec_run.borrow_mut() = Some(ExecRun { statement, record });
    }
    let mut place = thread.exec_run.borrow_mut();
    let Some(run) = place.as_mut() else { return };
    add(thread, &mut run.record, step);
    if run.record.run.is_none() {
        *place = None;
    }
}

pub(super) unsafe extern "C" fn reset(statement: StmtPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.reset else { return ERROR };
    let Some(thread) = recorded(library, RecorderKind::Preload).filter(|_| !statement.is_null()) else {
        // SAFETY: the program's own argument.
        return unsafe { function(statement) };
    };
    let code = {
        let _inside = DepthGuard::new();
        // SAFETY: the program's own argument.
        unsafe { function(statement) }
    };
    let timer = thread.timer(thread.is_sampled());
    if let Some(mut record) = thread.known(statement.addr()).and_then(StatementState::try_use) {
        // The reset itself fails where it commits what a statement with RETURNING has written.
        record.end_run(thread, if code == OK { ROW } else { code & PRIMARY });
    }
    timer.stop();
    code
}

pub(super) unsafe extern "C" fn finalize(statement: StmtPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.finalize else { return ERROR };
    let thread = recorded(library, RecorderKind::Preload).filter(|_| !statement.is_null());
    if let Some(thread) = thread {
        let timer = thread.timer(thread.is_sampled());
        // Before: afterwards another thread may get the same address.
        system::keeping_errno(|| thread.forget_statement(statement));
        timer.stop();
    }
    let _inside = thread.map(|_| DepthGuard::new());
    // SAFETY: the program's own argument.
    unsafe { function(statement) }
}
