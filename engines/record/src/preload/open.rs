use crate::{
    abi::{DbPointer, ERROR, OK, OPEN_CREATE, OPEN_READWRITE},
    connections::{ConnectionState, OpenArguments, note_closed},
    library::{SqliteLibrary, copied},
    modules::library_of,
    system,
    threads::{DepthGuard, ThreadState, recorded},
    world::lock,
};
use dbdyno_recording::RecorderKind;
use std::ffi::{c_char, c_int, c_void};

/// Flags of a connection that was opened without any.
const DEFAULT_FLAGS: c_int = OPEN_READWRITE | OPEN_CREATE;

fn arguments(path: String) -> OpenArguments {
    OpenArguments { path, flags: DEFAULT_FLAGS.cast_unsigned(), vfs: None }
}

/// Opens a connection with SQLite's function, and notes it.
///
/// # Safety
///
/// `result` is where the function puts the connection.
unsafe fn opened(
    library: &'static SqliteLibrary,
    result: *mut DbPointer,
    arguments: impl FnOnce() -> OpenArguments,
    open: impl FnOnce() -> c_int,
) -> c_int {
    let Some(thread) = recorded(library, RecorderKind::Preload) else { return open() };
    let code = {
        // SQLite may load extensions that run statements.
        let _inside = DepthGuard::new();
        open()
    };
    if code == OK && !result.is_null() {
        system::keeping_errno(|| {
            // SAFETY: the function has put a connection there.
            let db = unsafe { *result };
            ConnectionState::note_open(thread.world, library, db, &arguments());
        });
    }
    code
}

pub(super) unsafe extern "C" fn open(path: *const c_char, result: *mut DbPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.open else { return ERROR };
    // SAFETY: the program's own arguments. SQLite reads the path as a C string, too.
    unsafe { opened(library, result, || arguments(copied(path)), || function(path, result)) }
}

pub(super) unsafe extern "C" fn open_v2(
    path: *const c_char,
    result: *mut DbPointer,
    flags: c_int,
    vfs: *const c_char,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.open_v2 else { return ERROR };
    // SAFETY: as in `open`.
    unsafe {
        let arguments = || OpenArguments {
            path: copied(path),
            flags: flags.cast_unsigned(),
            vfs: Some(copied(vfs)).filter(|vfs| !vfs.is_empty() && !vfs.starts_with("unix")),
        };
        opened(library, result, arguments, || function(path, result, flags, vfs))
    }
}

pub(super) unsafe extern "C" fn open16(path: *const c_void, result: *mut DbPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.open16 else { return ERROR };
    // SAFETY: as in `open`. SQLite knows the path of a database in a file in UTF-8.
    unsafe { opened(library, result, || arguments(String::new()), || function(path, result)) }
}

pub(super) unsafe extern "C" fn close(db: DbPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.close else { return ERROR };
    // SAFETY: the program's own argument.
    closed(library, db, || unsafe { function(db) })
}

pub(super) unsafe extern "C" fn close_v2(db: DbPointer, caller: usize) -> c_int {
    let Some(library) = library_of(caller) else { return ERROR };
    let Some(function) = library.close_v2 else { return ERROR };
    // SAFETY: the program's own argument.
    closed(library, db, || unsafe { function(db) })
}

fn closed(library: &'static SqliteLibrary, db: DbPointer, close: impl FnOnce() -> c_int) -> c_int {
    let Some(thread) = recorded(library, RecorderKind::Preload) else { return close() };
    let connection = lock(&thread.world.connections).remove(db.addr());
    let code = {
        let _inside = DepthGuard::new();
        close()
    };
    if let Some(connection) = connection {
        note(thread, connection, code);
    }
    code
}

fn note(thread: &ThreadState, connection: std::sync::Arc<ConnectionState>, code: c_int) {
    system::keeping_errno(|| {
        if code == OK {
            note_closed(thread.world, connection.id);
        } else {
            lock(&thread.world.connections).restore(connection);
        }
    });
}
