//! Statements that SQLite itself prepares and runs for `sqlite3_exec`.

use crate::{
    abi::{DbPointer, ExecCallback, ROW, StmtPointer},
    statements::StatementRecord,
    threads::ThreadState,
};
use std::ffi::{c_char, c_int, c_void};

/// The statement that `sqlite3_exec` runs at this moment. SQLite finalizes it without a call that the recorder sees.
pub(crate) struct ExecRun {
    pub(crate) statement: StmtPointer,
    pub(crate) record: StatementRecord,
}

/// What the program's callback gets, and what surrounds its call.
pub(crate) struct WatchedCallback<'w> {
    callback: ExecCallback,
    argument: *mut c_void,
    /// Called before and after it.
    pub(crate) around: &'w dyn Fn(&mut dyn FnMut() -> c_int) -> c_int,
}

/// Runs `run` with a watched callback, if the program has a callback.
pub(crate) fn with_watched_callback(
    callback: ExecCallback,
    argument: *mut c_void,
    around: &dyn Fn(&mut dyn FnMut() -> c_int) -> c_int,
    run: impl FnOnce(ExecCallback, *mut c_void) -> c_int,
) -> c_int {
    if callback.is_none() {
        return run(None, argument);
    }
    let mut watched = WatchedCallback { callback, argument, around };
    run(Some(call_back), (&raw mut watched).cast())
}

/// Runs the program's callback.
unsafe extern "C" fn call_back(
    context: *mut c_void,
    columns: c_int,
    values: *mut *mut c_char,
    names: *mut *mut c_char,
) -> c_int {
    // SAFETY: the context lives while `sqlite3_exec` runs, which calls this function in the same thread.
    let watched = unsafe { &*context.cast::<WatchedCallback<'_>>() };
    (watched.around)(&mut || {
        // SAFETY: the program's own callback, with what SQLite has for it.
        watched.callback.map_or(0, |callback| unsafe { callback(watched.argument, columns, values, names) })
    })
}

/// Attributes a connection's statements to `sqlite3_exec` while `run` runs it. The program's callback is excepted.
/// `run` gets the callback and the argument to use.
pub(crate) fn around_exec(
    thread: &ThreadState,
    db: DbPointer,
    callback: ExecCallback,
    argument: *mut c_void,
    run: impl FnOnce(ExecCallback, *mut c_void) -> c_int,
) -> c_int {
    let outer = thread.exec_connection.replace(db.addr());
    let outer_run = thread.exec_run.take();
    let around = |call: &mut dyn FnMut() -> c_int| {
        let connection = thread.exec_connection.replace(0);
        let run = thread.exec_run.take();
        let code = call();
        thread.exec_connection.set(connection);
        *thread.exec_run.borrow_mut() = run;
        code
    };
    let code = with_watched_callback(callback, argument, &around, run);
    end_unread(thread);
    thread.exec_connection.set(outer);
    *thread.exec_run.borrow_mut() = outer_run;
    code
}

/// Ends the run of the current statement, and forgets the statement: the next one may have the same address. A run that
/// is left is one of which the program's callback wanted no more rows: others end with their last step.
pub(crate) fn end_unread(thread: &ThreadState) {
    let run = thread.exec_run.take();
    if let Some(mut run) = run {
        run.record.end_run(thread, ROW);
    }
}
