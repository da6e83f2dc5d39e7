//! What makes a write to the store all or nothing, even when the power goes: DuckDB rewrites its headers and its blocks of metadata in
//! place, and a block that is half written when the power goes has no valid checksum: nothing can be read any more. So these
//! places are copied to a file beside the store before it is opened to write, and put back when it cannot be read afterwards.
//!
//! All other blocks in use are never overwritten before the new header is on disk: that is how DuckDB's checkpoint works, as long as
//! there is only one for each copy (`checkpoint_threshold` sees to that, in [`super::connect`]).

use super::{
    OpenMode, StoreError, beside,
    connect::{self, Reach},
    error::Doing,
    schema::identifier,
};
use duckdb::Connection;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The first line of the file.
const MAGIC: &[u8] = b"dbdyno undo 1\n";
/// DuckDB's three headers.
const HEADERS: u64 = 3 * 4096;

/// What a store was before it was opened to write.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    /// None: there was no store.
    store: Option<Kept>,
    /// The log that DuckDB keeps between a commit and the next checkpoint; none where there was none.
    log: Option<Kept>,
}

/// The length of a file, and the pieces of it that are kept: offset and length, in the order of their bytes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    length: u64,
    pieces: Vec<(u64, u64)>,
}

/// The copy of what a write may overwrite; on disk, until [`Undo::drop_it`] says that the write is done.
#[derive(Debug)]
pub(super) struct Undo {
    path: PathBuf,
    /// Length and time of the store's file when the copy was made.
    state: Option<(u64, SystemTime)>,
}

/// Whether a write did not come to its end.
pub(super) fn is_there(store: &Path) -> bool {
    undo_path(store).exists()
}

pub(super) fn undo_path(store: &Path) -> PathBuf {
    beside(store, "undo")
}

fn log_path(store: &Path) -> PathBuf {
    beside(store, "wal")
}

impl Undo {
    /// Copies what a write to the store may overwrite. Nobody else may have the store open.
    pub(super) fn make(store: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::of_io(store, &undo_path(store), &error);
        // Before the file is looked at: a change in between is then seen.
        let state = state(store).map_err(failed)?;
        let kept = match state {
            None => None,
            Some((0, _)) => Some(Kept { length: 0, pieces: Vec::new() }),
            Some((length, _)) => Some(Kept { length, pieces: pieces(store, length)? }),
        };
        let log = match fs::metadata(log_path(store)) {
            Ok(facts) => Some(Kept { length: facts.len(), pieces: vec![(0, facts.len())] }),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let before = Before { store: kept, log };
        write(store, &before).map_err(failed)?;
        Ok(Self { path: undo_path(store), state })
    }

    /// Whether the store is still what was copied. Asked once it is locked by DuckDB, which keeps other programs out.
    pub(super) fn holds(&self, store: &Path) -> bool {
        // What was not there, or empty, is made by being opened.
        self.state.is_none_or(|(length, _)| length == 0) || state(store).is_ok_and(|now| now == self.state)
    }

    /// Says that the write is done, or that none was begun. What was written is on disk by then.
    pub(super) fn drop_it(self, store: &Path) -> Result<(), StoreError> {
        remove(&self.path).map_err(|error| StoreError::of_io(store, &self.path, &error))
    }
}

/// Ends a write that did not come to its end: what can be read is as it was before or as it was to be, and stays; what cannot be
/// read is put back. Nobody else may have the store open.
pub(super) fn settle(store: &Path) -> Result<(), StoreError> {
    let path = undo_path(store);
    let failed = |error: io::Error| StoreError::of_io(store, &path, &error);
    if !path.exists() {
        return Ok(());
    }
    if intact(store).is_err() {
        let (before, bytes) = read(&path).map_err(failed)?;
        put_back(store, &before, &bytes).map_err(failed)?;
        intact(store)?;
    }
    remove(&path).map_err(failed)
}

/// Whether everything by which the store's rows are found can be read. The rows themselves are written to free blocks and are on
/// disk before anything leads to them.
pub(super) fn intact(store: &Path) -> Result<(), StoreError> {
    match state(store) {
        // A store that is not there, or empty, is one that is still to be made.
        Ok(None | Some((0, _))) => return Ok(()),
        Ok(Some(_)) => {}
        Err(error) => return Err(StoreError::of_io(store, store, &error)),
    }
    let connection = connect::store(store, OpenMode::Read, &Reach::Nothing)?;
    let looked = look_through(&connection).doing(store);
    let closed = connection.close().map_err(|(_, error)| error).doing(store);
    looked.and(closed)
}

fn look_through(connection: &Connection) -> duckdb::Result<()> {
    let tables: Vec<String> = connection
        .prepare(
            "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND schema_name = 'main'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<duckdb::Result<_>>()?;
    for table in tables {
        connection.query_row("SELECT count(*) FROM pragma_storage_info(?)", [identifier(&table)], |row| {
            row.get::<_, i64>(0)
        })?;
    }
    Ok(())
}

/// The places of the store's file that a checkpoint overwrites.
fn pieces(store: &Path, length: u64) -> Result<Vec<(u64, u64)>, StoreError> {
    let connection = connect::store(store, OpenMode::Read, &Reach::Nothing)?;
    let look = || -> duckdb::Result<(Vec<u64>, u64)> {
        let catalog = connect::catalog(&connection)?;
        let blocks = "SELECT DISTINCT block_id::UBIGINT FROM pragma_metadata_info(?) ORDER BY 1";
        let mut blocks = connection.prepare(blocks)?;
        let blocks = blocks.query_map([&catalog], |row| row.get(0))?.collect::<duckdb::Result<_>>()?;
        let size = "SELECT block_size::UBIGINT FROM pragma_database_size() WHERE database_name = ?";
        Ok((blocks, connection.query_row(size, [&catalog], |row| row.get(0))?))
    };
    let found = look().doing(store);
    let closed = connection.close().map_err(|(_, error)| error).doing(store);
    let (blocks, size) = closed.and(found)?;
    let pieces = blocks.into_iter().map(|block| (HEADERS + block * size, size));
    Ok(std::iter::once((0, HEADERS.min(length))).chain(pieces.filter(|(at, size)| at + size <= length)).collect())
}

fn state(store: &Path) -> io::Result<Option<(u64, SystemTime)>> {
    match fs::metadata(store) {
        Ok(facts) => Ok(Some((facts.len(), facts.modified()?))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the copy beside the store; it is there when it is whole.
fn write(store: &Path, before: &Before) -> io::Result<()> {
    let path = undo_path(store);
    let unfinished = beside(store, "undo.new");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(serde_json::to_vec(before)?);
    bytes.push(b'\n');
    for (kept, file) in [(&before.store, store.to_owned()), (&before.log, log_path(store))] {
        let Some(kept) = kept else { continue };
        let file = File::open(file)?;
        for &(at, length) in &kept.pieces {
            let begin = bytes.len();
            bytes.resize(begin + length as usize, 0);
            file.read_exact_at(&mut bytes[begin..], at)?;
        }
    }
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    let mut file = File::create(&unfinished)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, &path)?;
    sync_folder(&path)
}

fn read(path: &Path) -> io::Result<(Before, Vec<u8>)> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, format!("it is damaged too: {what}"));
    let Some((content, check)) = bytes.split_last_chunk::<4>() else { return Err(wrong("it is cut off")) };
    if crc32c::crc32c(content) != u32::from_le_bytes(*check) {
        return Err(wrong("its checksum differs"));
    }
    let content = content.strip_prefix(MAGIC).ok_or_else(|| wrong("its first line differs"))?;
    let end = content.iter().position(|&byte| byte == b'\n').ok_or_else(|| wrong("it has no second line"))?;
    Ok((serde_json::from_slice(&content[..end])?, content[end + 1..].to_vec()))
}

fn put_back(store: &Path, before: &Before, mut bytes: &[u8]) -> io::Result<()> {
    for (kept, path) in [(&before.store, store.to_owned()), (&before.log, log_path(store))] {
        let Some(kept) = kept else {
            remove(&path)?;
            continue;
        };
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(&path)?;
        for &(at, length) in &kept.pieces {
            let (piece, rest) = bytes.split_at_checked(length as usize).ok_or(ErrorKind::UnexpectedEof)?;
            file.write_all_at(piece, at)?;
            bytes = rest;
        }
        // What was added behind the end is led to by nothing.
        file.set_len(kept.length)?;
        file.sync_all()?;
    }
    sync_folder(store)
}

/// Removes a file, if it is there, for good.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes what became of a file's name survive a power loss.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
