//! Copies of databases as the recording first saw them, through SQLite's own backup.

use crate::{
    abi::{
        BUSY, DBCONFIG_NO_CKPT_ON_CLOSE, DONE, DbPointer, LOCKED, OK, OPEN_CREATE, OPEN_PRIVATECACHE, OPEN_READONLY,
        OPEN_READWRITE, ROW, StmtPointer,
    },
    library::{SqliteLibrary, copied},
    system,
    threads::DepthGuard,
    world::RecorderWorld,
};
use dbdyno_recording::{RecordedDatabase, database_file, description_file};
use std::{
    ffi::{CStr, CString, OsStr},
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    ptr,
};

/// What became of a copy.
pub(crate) enum SnapshotOutcome {
    /// The name of the copy, which another connection or process may be writing.
    Taken(String),
    /// There is nothing to copy: the database is private, new or empty.
    Needless,
    Missing(String),
}

/// Pages of one step of the backup: its lock is held no longer.
const STEP_PAGES: i32 = 512;
/// How long a locked database is tried again.
const LOCKED_NS: u64 = 200_000_000;

/// Copies the database at `path` unless the recording has it. `flags` come from the program's connection.
pub(crate) fn take_snapshot(
    world: &RecorderWorld,
    library: &'static SqliteLibrary,
    path: &str,
    flags: u32,
) -> SnapshotOutcome {
    if path.is_empty() || world.is_stopped() {
        return SnapshotOutcome::Needless;
    }
    let _inside = DepthGuard::new();
    system::without_signals(|| attempt(world, library, Path::new(path), flags))
}

fn attempt(world: &RecorderWorld, library: &'static SqliteLibrary, path: &Path, flags: u32) -> SnapshotOutcome {
    // Only its metadata: opening and closing the file here would drop SQLite's locks of it.
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // Paths that are not UTF-8 fail here, too.
        Err(error) => return SnapshotOutcome::Missing(error.to_string()),
    };
    let folder = &world.settings.folder;
    let key = folder.join(key_of(&metadata));
    if let Ok(target) = fs::read_link(&key) {
        return known(&target);
    }
    if !metadata.is_file() {
        return SnapshotOutcome::Needless;
    }
    if metadata.len() == 0 {
        // What it gets later comes from recorded calls.
        let _ = symlink(EMPTY, &key);
        return SnapshotOutcome::Needless;
    }
    if folder_bytes(folder).saturating_add(metadata.len()) > world.settings.recording_bytes {
        return SnapshotOutcome::Missing("the copy would exceed the size limit of the recording".to_owned());
    }
    let number = match reserve(folder) {
        Ok(number) => number,
        Err(error) => return SnapshotOutcome::Missing(format!("{}: {error}", folder.display())),
    };
    if symlink(database_file(number), &key).is_err() {
        // Another process was faster. Its copy is meant, and the number stays unused.
        return fs::read_link(&key).map_or(SnapshotOutcome::Needless, |target| known(&target));
    }
    let copy = SnapshotCopy { world, library, path, folder, number, flags };
    match copy.make() {
        Ok(()) => SnapshotOutcome::Taken(database_file(number)),
        Err(why) => {
            // The next connection may have more luck.
            let _ = fs::remove_file(&key);
            SnapshotOutcome::Missing(why)
        }
    }
}

/// Target of the link of a database that was empty at first.
const EMPTY: &str = "empty";

fn known(target: &Path) -> SnapshotOutcome {
    if target == Path::new(EMPTY) {
        SnapshotOutcome::Needless
    } else {
        SnapshotOutcome::Taken(target.to_string_lossy().into_owned())
    }
}

/// The name of a link from a database's identity to its copy. The time of its creation distinguishes a new file from a
/// deleted one with the same inode.
fn key_of(metadata: &fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let created = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let created = created.map_or(0, |time| time.as_nanos());
    format!("copy-of-{:x}-{:x}-{created:x}", metadata.dev(), metadata.ino())
}

/// Finds a number that no process of the recording has.
fn reserve(folder: &Path) -> std::io::Result<u32> {
    let mut number = 1;
    loop {
        match fs::File::create_new(folder.join(description_file(number) + ".lock")) {
            Ok(_) => return Ok(number),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Returns the bytes of a recording's files.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

struct SnapshotCopy<'c> {
    world: &'c RecorderWorld,
    library: &'static SqliteLibrary,
    path: &'c Path,
    folder: &'c Path,
    number: u32,
    flags: u32,
}

impl SnapshotCopy<'_> {
    /// Makes the copy under another name, so that a file with its own name is always complete.
    fn make(&self) -> Result<(), String> {
        let part = self.folder.join(format!("database-{}.part", self.number));
        let description = self.copy_to(&part).inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })?;
        let written = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        fs::rename(&part, self.folder.join(database_file(self.number))).map_err(written)?;
        let ready = self.folder.join(format!("database-{}.json.part", self.number));
        description.write(&ready).map_err(|error| error.to_string())?;
        fs::rename(ready, self.folder.join(description_file(self.number))).map_err(written)
    }

    fn copy_to(&self, part: &Path) -> Result<RecordedDatabase, String> {
        let is_read_only = self.flags & OPEN_READONLY as u32 != 0;
        let mode = if is_read_only { OPEN_READONLY } else { OPEN_READWRITE };
        let source = OwnConnection::open(self.library, self.path, mode)?;
        if sibling(self.path, "-wal").exists() {
            // Closing would write the log back, which is the program's business.
            source.keep_the_log();
        }
        let description = source.describe(self.path)?;
        let target = OwnConnection::open(self.library, part, OPEN_READWRITE | OPEN_CREATE)?;
        // A copy that is lost with the machine is of no use anyway.
        let _ = target.text(c"PRAGMA synchronous=OFF");
        let _ = target.text(c"PRAGMA journal_mode=OFF");
        self.back_up(&source, &target)?;
        Ok(description)
    }

    fn back_up(&self, source: &OwnConnection, target: &OwnConnection) -> Result<(), String> {
        let lacks = || "this SQLite has no backup".to_owned();
        let library = self.library;
        let (init, step, finish) = library
            .backup_init
            .zip(library.backup_step)
            .zip(library.backup_finish)
            .map(|((init, step), finish)| (init, step, finish))
            .ok_or_else(lacks)?;
        // SAFETY: both connections are open and the recorder's own.
        let backup = unsafe { init(target.db, c"main".as_ptr(), source.db, c"main".as_ptr()) };
        if backup.is_null() {
            return Err(target.message());
        }
        let start = system::monotonic();
        let mut locked_since = None;
        let result = loop {
            // SAFETY: the backup is not finished.
            let code = unsafe { step(backup, STEP_PAGES) };
            let now = system::monotonic();
            match code {
                DONE => break Ok(()),
                OK => locked_since = None,
                BUSY | LOCKED if now - *locked_since.get_or_insert(now) < LOCKED_NS => system::sleep(5_000_000),
                BUSY | LOCKED => break Err("the database is locked".to_owned()),
                other => break Err(format!("the backup failed with code {other}")),
            }
            if now - start > self.world.settings.copy_ms.saturating_mul(1_000_000) {
                break Err(format!("the copy took longer than {} ms", self.world.settings.copy_ms));
            }
        };
        // SAFETY: as above, and it is not used afterwards.
        unsafe { finish(backup) };
        result
    }
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(OsStr::from_bytes(ending.as_bytes()));
    PathBuf::from(name)
}

/// A connection of the recorder.
struct OwnConnection {
    library: &'static SqliteLibrary,
    db: DbPointer,
}

impl Drop for OwnConnection {
    fn drop(&mut self) {
        if let Some(close) = self.library.close {
            // SAFETY: the connection is the recorder's own, without statements.
            unsafe { close(self.db) };
        }
    }
}

impl OwnConnection {
    fn open(library: &'static SqliteLibrary, path: &Path, mode: i32) -> Result<Self, String> {
        let open = library.open_v2.ok_or("this SQLite cannot be used")?;
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let mut db = ptr::null_mut();
        // SAFETY: the name lives until the call returns.
        let code = unsafe { open(name.as_ptr(), &raw mut db, mode | OPEN_PRIVATECACHE, ptr::null()) };
        let connection = Self { library, db };
        if code == OK { Ok(connection) } else { Err(connection.message()) }
    }

    fn message(&self) -> String {
        // SAFETY: SQLite accepts null here, and returns a C string.
        self.library.errmsg.map_or_else(String::new, |errmsg| unsafe { copied(errmsg(self.db)) })
    }

    fn keep_the_log(&self) {
        if let Some(db_config) = self.library.db_config {
            // SAFETY: this option takes a number and a pointer that may be null. Versions without it return an error.
            unsafe { db_config(self.db, DBCONFIG_NO_CKPT_ON_CLOSE, 1, ptr::null_mut::<i32>()) };
        }
    }

    fn describe(&self, path: &Path) -> Result<RecordedDatabase, String> {
        let number = |sql| self.text(sql).map(|text| text.parse::<i64>().unwrap_or_default());
        Ok(RecordedDatabase {
            path: path.to_string_lossy().into_owned(),
            taken_at_ns: system::realtime(),
            pages: number(c"PRAGMA page_count")?.cast_unsigned(),
            page_size: u32::try_from(number(c"PRAGMA page_size")?).unwrap_or_default(),
            journal_mode: self.text(c"PRAGMA journal_mode")?,
            user_version: number(c"PRAGMA user_version")?,
            application_id: number(c"PRAGMA application_id")?,
        })
    }

    /// Runs a statement, and returns the first value of its first row.
    fn text(&self, sql: &CStr) -> Result<String, String> {
        let library = self.library;
        let functions = library.prepare_v2.zip(library.step).zip(library.column_text).zip(library.finalize);
        let (((prepare, step), column_text), finalize) = functions.ok_or("this SQLite cannot be used")?;
        let mut statement: StmtPointer = ptr::null_mut();
        // SAFETY: the text and the connection live until the call returns.
        let code = unsafe { prepare(self.db, sql.as_ptr(), -1, &raw mut statement, ptr::null_mut()) };
        if code != OK {
            return Err(self.message());
        }
        let start = system::monotonic();
        let result = loop {
            // SAFETY: the statement is the recorder's own.
            match unsafe { step(statement) } {
                // SAFETY: there is a row. Its text is copied before the next call.
                ROW => break Ok(unsafe { copied(column_text(statement, 0)) }),
                DONE => break Ok(String::new()),
                BUSY | LOCKED if system::monotonic() - start < LOCKED_NS => system::sleep(5_000_000),
                _ => break Err(self.message()),
            }
        };
        // SAFETY: as above, and it is not used afterwards.
        unsafe { finalize(statement) };
        result
    }
}
