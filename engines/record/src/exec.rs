//! Statements that SQLite itself prepares and runs for `sqlite3_exec`.

use crate::{
    abi::{DbPointer, ExecCallback, StmtPointer},
    statements::StatementRecord,
    threads::ThreadState,
};
use std::ffi::{c_char, c_int, c_void};

/// The statement that `sqlite3_exec` runs at this moment. SQLite finalizes it without a call that the recorder sees.
pub(crate) struct ExecRun {
    pub(crate) statement: StmtPointer,
    pub(crate) record: StatementRecord,
}

/// What the program's callback gets, and whose call it is.
struct CallbackContext<'t> {
    callback: unsafe extern "C" fn(*mut c_void, c_int, *mut *mut c_char, *mut *mut c_char) -> c_int,
    argument: *mut c_void,
    thread: &'t ThreadState,
}

/// Marks statements of a connection as those of `sqlite3_exec` while `run` runs it. `run` gets the callback and the
/// argument to use.
pub(crate) fn around_exec(
    thread: &ThreadState,
    db: DbPointer,
    callback: ExecCallback,
    argument: *mut c_void,
    run: impl FnOnce(ExecCallback, *mut c_void) -> c_int,
) -> c_int {
    let outer = thread.exec_connection.replace(db.addr());
    let outer_run = thread.exec_run.take();
    let code = match callback {
        None => run(None, argument),
        Some(callback) => {
            let mut context = CallbackContext { callback, argument, thread };
            run(Some(call_back), (&raw mut context).cast())
        }
    };
    end_run(thread, 0);
    thread.exec_connection.set(outer);
    *thread.exec_run.borrow_mut() = outer_run;
    code
}

/// Ends the run of the current statement, and forgets the statement: the next one may have the same address.
pub(crate) fn end_run(thread: &ThreadState, result_code: i32) {
    let run = thread.exec_run.take();
    if let Some(mut run) = run {
        run.record.end_run(thread, result_code);
    }
}

/// Runs the program's callback. Statements that it runs are its own, and not those of `sqlite3_exec`.
unsafe extern "C" fn call_back(
    context: *mut c_void,
    columns: c_int,
    values: *mut *mut c_char,
    names: *mut *mut c_char,
) -> c_int {
    // SAFETY: the context lives while `sqlite3_exec` runs, which calls this function in the same thread.
    let context = unsafe { &*context.cast::<CallbackContext<'_>>() };
    let thread = context.thread;
    let connection = thread.exec_connection.replace(0);
    let run = thread.exec_run.take();
    // SAFETY: the program's own callback, with what SQLite has for it.
    let code = unsafe { (context.callback)(context.argument, columns, values, names) };
    thread.exec_connection.set(connection);
    *thread.exec_run.borrow_mut() = run;
    code
}
