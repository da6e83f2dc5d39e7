//! Connections of the program, by their address.

use crate::{
    abi::{DbPointer, TraceCallback},
    library::{SqliteLibrary, copied},
    snapshot::{SnapshotOutcome, take_snapshot},
    system,
    world::{RecorderWorld, lock},
};
use dbdyno_recording::{ClosedConnection, MissingSnapshot, OpenedConnection, RecordedLine};
use std::{
    collections::HashMap,
    ffi::c_void,
    sync::{Arc, Mutex},
};

/// What the program asked of `sqlite3_trace_v2`.
#[derive(Clone, Copy)]
pub(crate) struct ProgramTrace {
    pub(crate) mask: u32,
    pub(crate) callback: TraceCallback,
    pub(crate) context: *mut c_void,
    /// Whether it uses one of the older functions, which share the slot.
    pub(crate) is_legacy: bool,
}

// SAFETY: the context is only passed back to the program.
unsafe impl Send for ProgramTrace {}

/// What the program gave to open a connection, as far as it is known.
#[derive(Default)]
pub(crate) struct OpenArguments {
    pub(crate) path: String,
    pub(crate) flags: u32,
    /// The name of a VFS that is not SQLite's own: another connection might not read through it what the program does.
    pub(crate) vfs: Option<String>,
}

/// What has the slot at this moment, if that is the recorder.
#[derive(Default)]
pub(crate) struct SlotCell(Mutex<Option<ProgramTrace>>);

impl SlotCell {
    pub(crate) fn replace(&self, slot: Option<ProgramTrace>) -> Option<ProgramTrace> {
        std::mem::replace(&mut *lock(&self.0), slot)
    }
}

/// A connection, from its opening on.
pub(crate) struct ConnectionState {
    /// Its number in the recording.
    pub(crate) id: u32,
    pub(crate) db: usize,
    pub(crate) library: &'static SqliteLibrary,
    pub(crate) trace: Mutex<ProgramTrace>,
    /// The recorder's own use of the slot, while `sqlite3_exec` runs.
    pub(crate) borrowed: SlotCell,
    /// Schemas and paths of attached databases that were noted.
    pub(crate) attached: Mutex<Vec<(String, String)>>,
}

impl ConnectionState {
    pub(crate) fn pointer(&self) -> DbPointer {
        std::ptr::without_provenance_mut(self.db)
    }

    /// `sqlite3_total_changes`, which reads one number and takes no lock.
    pub(crate) fn total_changes(&self) -> i32 {
        // SAFETY: the connection is open while the program runs a statement of it.
        self.library.total_changes.map_or(0, |function| unsafe { function(self.pointer()) })
    }

    /// Returns the state of a connection. One that was opened before the recording began is noted now.
    pub(crate) fn of(
        world: &'static RecorderWorld,
        library: &'static SqliteLibrary,
        db: DbPointer,
    ) -> Option<Arc<Self>> {
        if db.is_null() {
            return None;
        }
        if let Some(connection) = lock(&world.connections).find(db.addr()) {
            return Some(connection);
        }
        Some(Self::note_open(world, library, db, &OpenArguments::default()))
    }

    /// Notes a connection that was just opened: its line comes before its calls. The database is copied before.
    pub(crate) fn note_open(
        world: &'static RecorderWorld,
        library: &'static SqliteLibrary,
        db: DbPointer,
        arguments: &OpenArguments,
    ) -> Arc<Self> {
        let start = system::monotonic();
        let flags = arguments.flags;
        let path = file_of(library, db, c"main");
        let snapshot = match &arguments.vfs {
            Some(vfs) => SnapshotOutcome::Missing(format!("the program reads it through {vfs}")),
            None => take_snapshot(world, library, &path, flags),
        };
        let path = if path.is_empty() { arguments.path.clone() } else { path };
        let mut connections = lock(&world.connections);
        let connection = connections.insert(library, db);
        let id = connection.id;
        let (database, missing) = match snapshot {
            SnapshotOutcome::Taken(name) => (Some(name), None),
            SnapshotOutcome::Needless => (None, None),
            SnapshotOutcome::Missing(why) => (None, Some(why)),
        };
        let mut lines = lock(&world.lines);
        let at = system::monotonic();
        lines.push(RecordedLine::Open(OpenedConnection { connection: id, path, flags, database, at }));
        lines.extend(missing.map(|why| RecordedLine::NoSnapshot(MissingSnapshot { connection: id, why })));
        world.add_cost(at - start);
        connection
    }
}

/// Returns the path of one of a connection's databases, or "" for a private one.
pub(crate) fn file_of(library: &SqliteLibrary, db: DbPointer, schema: &std::ffi::CStr) -> String {
    let Some(db_filename) = library.db_filename else { return String::new() };
    // SAFETY: the connection is open, and frees the name at its end. SQLite returns null or a C string.
    unsafe { copied(db_filename(db, schema.as_ptr())) }
}

/// All open connections of a process.
#[derive(Default)]
pub(crate) struct ConnectionTable {
    open: HashMap<usize, Arc<ConnectionState>>,
    last: u32,
}

impl ConnectionTable {
    pub(crate) fn find(&self, db: usize) -> Option<Arc<ConnectionState>> {
        self.open.get(&db).cloned()
    }

    fn insert(&mut self, library: &'static SqliteLibrary, db: DbPointer) -> Arc<ConnectionState> {
        self.last += 1;
        let no_trace = ProgramTrace { mask: 0, callback: None, context: std::ptr::null_mut(), is_legacy: false };
        let connection = Arc::new(ConnectionState {
            id: self.last,
            db: db.addr(),
            library,
            trace: Mutex::new(no_trace),
            borrowed: SlotCell::default(),
            attached: Mutex::default(),
        });
        self.open.insert(db.addr(), Arc::clone(&connection));
        connection
    }

    /// Takes out a connection that is about to be closed: afterwards another thread may get the same address.
    pub(crate) fn remove(&mut self, db: usize) -> Option<Arc<ConnectionState>> {
        self.open.remove(&db)
    }

    /// Puts one back that SQLite did not close.
    pub(crate) fn restore(&mut self, connection: Arc<ConnectionState>) {
        self.open.entry(connection.db).or_insert(connection);
    }
}

/// Writes the line of a closed connection, after its calls.
pub(crate) fn note_closed(world: &RecorderWorld, connection: u32) {
    let at = system::monotonic();
    lock(&world.last_lines).push(RecordedLine::Close(ClosedConnection { connection, at }));
}
