use crate::{
    abi::{DbPointer, ERROR, ExecCallback, OK, TraceCallback},
    connections::{ConnectionState, ProgramTrace},
    exec::around_exec,
    library::SqliteLibrary,
    modules::library_of,
    threads::recorded,
    trace::around_hidden_exec,
    world::lock,
};
use dbdyno_recording::RecorderKind;
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

/// Runs a function of SQLite that prepares and steps statements itself. Whether the recorder sees these steps depends
/// on how the library was linked. If it does not, a trace callback reports the statements.
fn run(
    library: &'static SqliteLibrary,
    db: DbPointer,
    callback: ExecCallback,
    argument: *mut c_void,
    function: impl FnOnce(ExecCallback, *mut c_void) -> c_int,
) -> c_int {
    let Some(thread) = recorded(library, RecorderKind::Preload).filter(|_| !db.is_null()) else {
        return function(callback, argument);
    };
    if library.calls_itself_through_us() {
        around_exec(thread, db, callback, argument, function)
    } else {
        around_hidden_exec(thread, library, db, callback, argument, function)
    }
}

pub(super) unsafe extern "C" fn exec(
    db: DbPointer,
    sql: *const c_char,
    callback: ExecCallback,
    argument: *mut c_void,
    message: *mut *mut c_char,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.exec else { return ERROR };
    run(library, db, callback, argument, |callback, argument| {
        // SAFETY: the program's own arguments, or a callback that calls the program's.
        unsafe { function(db, sql, callback, argument, message) }
    })
}

pub(super) unsafe extern "C" fn get_table(
    db: DbPointer,
    sql: *const c_char,
    result: *mut *mut *mut c_char,
    rows: *mut c_int,
    columns: *mut c_int,
    message: *mut *mut c_char,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.get_table else { return ERROR };
    // It uses sqlite3_exec with a callback of its own.
    run(library, db, None, ptr::null_mut(), |_, _| {
        // SAFETY: the program's own arguments.
        unsafe { function(db, sql, result, rows, columns, message) }
    })
}

/// Notes what the program asks of the trace slot, which `around_hidden_exec` borrows.
fn note(library: &'static SqliteLibrary, db: DbPointer, trace: ProgramTrace) {
    let Some(thread) = recorded(library, RecorderKind::Preload) else { return };
    if let Some(connection) = ConnectionState::of(thread.world, library, db) {
        *lock(&connection.trace) = trace;
    }
}

pub(super) unsafe extern "C" fn trace_v2(
    db: DbPointer,
    mask: u32,
    callback: TraceCallback,
    context: *mut c_void,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.trace_v2 else { return ERROR };
    // SAFETY: the program's own arguments.
    let code = unsafe { function(db, mask, callback, context) };
    if code == OK {
        note(library, db, ProgramTrace { mask, callback, context, is_legacy: false });
    }
    code
}

fn legacy(callback: *mut c_void) -> ProgramTrace {
    ProgramTrace { mask: 0, callback: None, context: ptr::null_mut(), is_legacy: !callback.is_null() }
}

pub(super) unsafe extern "C" fn trace(
    db: DbPointer,
    callback: *mut c_void,
    argument: *mut c_void,
    caller: usize,
) -> *mut c_void {
    let function = library_of(caller).and_then(|library| Some((library, library.trace?)));
    let Some((library, function)) = function else { return ptr::null_mut() };
    note(library, db, legacy(callback));
    // SAFETY: the program's own arguments.
    unsafe { function(db, callback, argument) }
}

pub(super) unsafe extern "C" fn profile(
    db: DbPointer,
    callback: *mut c_void,
    argument: *mut c_void,
    caller: usize,
) -> *mut c_void {
    let function = library_of(caller).and_then(|library| Some((library, library.profile?)));
    let Some((library, function)) = function else { return ptr::null_mut() };
    note(library, db, legacy(callback));
    // SAFETY: the program's own arguments.
    unsafe { function(db, callback, argument) }
}
