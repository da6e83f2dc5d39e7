//! The undo file that makes a write to the store all or nothing, even at a power loss. DuckDB rewrites its headers and its blocks of
//! metadata in place. A block that is half written when the power fails has no valid checksum, and then nothing can be read any more. So
//! these places are copied to a file next to the store before it is opened to write, and put back if the store cannot be read afterwards.
//!
//! All other blocks in use are never overwritten before the new header is on disk. DuckDB's checkpoint works like this, provided that
//! there is only one for each copy (`checkpoint_threshold` ensures that, in [`super::connect`]).

use super::{
    OpenMode, StoreError, beside,
    connect::{self, Reach},
    damage,
    error::Doing,
    file::{self, HEADERS},
};
use dbdyno_foundation::base::leftovers::NEW_UNDO;
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

/// The state of a store before it was opened to write.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    /// None: there was no store.
    store: Option<SavedPieces>,
    /// The log that DuckDB keeps between a commit and the next checkpoint; none if there was none.
    log: Option<SavedPieces>,
}

/// The length of a file, and the pieces of it that are saved: offset and length, in the order of their bytes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SavedPieces {
    length: u64,
    pieces: Vec<(u64, u64)>,
}

/// The copy of the places that a write may overwrite. It is on disk until [`Undo::drop_it`] declares the write finished.
#[derive(Debug)]
pub(super) struct Undo {
    path: PathBuf,
    /// Length and time of the store's file when the copy was made.
    state: Option<(u64, SystemTime)>,
    /// Length of the log at that time; 0 without one.
    log: u64,
}

/// The outcome of an interrupted write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settlement {
    /// The store can be read: it is as before the write, or has the write's result once its log is replayed.
    Stands,
    /// The store is as before the write.
    PutBack,
}

/// Whether there is an interrupted write.
pub(super) fn is_there(store: &Path) -> bool {
    // If that cannot be determined, `settle` reports why.
    undo_path(store).try_exists().unwrap_or(true)
}

pub(super) fn undo_path(store: &Path) -> PathBuf {
    beside(store, "undo")
}

impl Undo {
    /// Copies the places that a write to the store may overwrite. No other process may have the store open.
    pub(super) fn make(store: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::of_io(store, &undo_path(store), &error);
        // Before the file is read, so that a change in between is detected.
        let state = file::state(store).map_err(failed)?;
        let saved = match state {
            None => None,
            Some((0, _)) => Some(SavedPieces { length: 0, pieces: Vec::new() }),
            Some((length, _)) => Some(SavedPieces { length, pieces: pieces(store, length)? }),
        };
        let log = match fs::metadata(file::log(store)) {
            Ok(facts) => Some(SavedPieces { length: facts.len(), pieces: vec![(0, facts.len())] }),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let before = Before { store: saved, log };
        write(store, &before).map_err(failed)?;
        Ok(Self { path: undo_path(store), state, log: before.log.map_or(0, |log| log.length) })
    }

    /// Whether the store still matches the copy. Called once DuckDB has locked it, which keeps other programs out.
    pub(super) fn holds(&self, store: &Path) -> bool {
        // A commit of another program makes the log longer. A missing or empty store is created by opening it.
        log_length(store) <= self.log && self.is_file_same(store)
    }

    fn is_file_same(&self, store: &Path) -> bool {
        self.state.is_none_or(|(length, _)| length == 0) || file::state(store).is_ok_and(|now| now == self.state)
    }

    /// Declares that the write is finished, or that none was begun. All data is on disk by then. A copy that cannot be removed does no
    /// harm: the store can be read, and a later checkpoint does not match this copy.
    pub(super) fn drop_it(self) {
        let _ = remove(&self.path);
    }

    /// Takes back a write of which nothing may stay, including a log that DuckDB could not finish. Returns false if that is impossible.
    pub(super) fn take_back(self, store: &Path) -> Result<bool, StoreError> {
        let (before, bytes) = read(&self.path).map_err(|error| StoreError::of_io(store, &self.path, &error))?;
        let is_as_before = log_length(store) == self.log && self.is_file_same(store);
        let is_taken_back = is_as_before || put_back(store, &before, &bytes, LogFate::AsBefore)?;
        self.drop_it();
        Ok(is_taken_back)
    }
}

fn log_length(store: &Path) -> u64 {
    fs::metadata(file::log(store)).map_or(0, |facts| facts.len())
}

/// What happens to the log next to a store when the store's pieces are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogFate {
    /// The log stays, and its commits are replayed.
    Stays,
    AsBefore,
}

/// Ends an interrupted write. A store that can be read is as before the write or has its result, and stays. A file is put back only if
/// every reading finds damage, no process has it open, and no checkpoint was completed since the copy. Any other error, such as a locked
/// file or a failing disk, says nothing about the file, which then stays as it is, with its copy. The caller must hold the store's lock.
pub(super) fn settle(store: &Path) -> Result<Settlement, StoreError> {
    let path = undo_path(store);
    let failed = |error: io::Error| StoreError::of_io(store, &path, &error);
    if !path.try_exists().map_err(failed)? {
        return Ok(Settlement::Stands);
    }
    let Some(damage) = damage::found(store)? else {
        remove(&path).map_err(failed)?;
        return Ok(Settlement::Stands);
    };
    let (before, bytes) = match read(&path) {
        // The copy is damaged too: report the damage of the store.
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err(damage),
        read => read.map_err(failed)?,
    };
    if !put_back(store, &before, &bytes, LogFate::Stays)? {
        return Err(damage);
    }
    let mut settlement = Settlement::Stands;
    if damage::found(store)?.is_some() {
        put_back(store, &before, &bytes, LogFate::AsBefore)?;
        damage::intact(store)?;
        settlement = Settlement::PutBack;
    }
    remove(&path).map_err(failed)?;
    Ok(settlement)
}

/// Returns the places of the store's file that a checkpoint overwrites.
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
    let pieces = blocks.into_iter().map(|block| (HEADERS as u64 + block * size, size));
    Ok(std::iter::once((0, length.min(HEADERS as u64)))
        .chain(pieces.filter(|(at, size)| at + size <= length))
        .collect())
}

/// Writes the copy next to the store; it gets its name once it is complete.
fn write(store: &Path, before: &Before) -> io::Result<()> {
    let path = undo_path(store);
    let unfinished = beside(store, NEW_UNDO.ending());
    let mut bytes = MAGIC.to_vec();
    bytes.extend(serde_json::to_vec(before)?);
    bytes.push(b'\n');
    for (saved, file) in [(&before.store, store.to_owned()), (&before.log, file::log(store))] {
        let Some(saved) = saved else { continue };
        let file = File::open(file)?;
        for &(at, length) in &saved.pieces {
            let begin = bytes.len();
            bytes.resize(begin + length as usize, 0);
            file.read_exact_at(&mut bytes[begin..], at)?;
        }
    }
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    let mut file = file::anew(&unfinished)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, &path)?;
    sync_folder(&path)
}

fn read(path: &Path) -> io::Result<(Before, Vec<u8>)> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, format!("it is also damaged: {what}"));
    let Some((content, check)) = bytes.split_last_chunk::<4>() else { return Err(wrong("it is truncated")) };
    if crc32c::crc32c(content) != u32::from_le_bytes(*check) {
        return Err(wrong("its checksum does not match"));
    }
    let content = content.strip_prefix(MAGIC).ok_or_else(|| wrong("its first line is wrong"))?;
    let end = content.iter().position(|&byte| byte == b'\n').ok_or_else(|| wrong("it has no second line"))?;
    Ok((serde_json::from_slice(&content[..end])?, content[end + 1..].to_vec()))
}

/// Restores the saved state of a store while it is locked against every other program. Returns false if the file is a different one by
/// now.
fn put_back(store: &Path, before: &Before, bytes: &[u8], log: LogFate) -> Result<bool, StoreError> {
    let failed = |error: io::Error| StoreError::of_io(store, store, &error);
    // If the store was missing or empty, nothing was saved, and nothing is known about the file that is there now.
    let Some(saved) = before.store.as_ref().filter(|saved| saved.length > 0) else { return Ok(false) };
    let file = file::locked(store)?;
    let mut headers = vec![0; HEADERS];
    let length = file.metadata().map_err(failed)?.len();
    if length < saved.length {
        return Ok(false);
    }
    file.read_exact_at(&mut headers, 0).map_err(failed)?;
    if !bytes.get(..HEADERS).is_some_and(|before| file::is_unchanged(before, &headers)) {
        return Ok(false);
    }
    let rest = write_pieces(&file, saved, bytes).map_err(failed)?;
    if log == LogFate::AsBefore {
        let path = file::log(store);
        let written = match &before.log {
            None => remove(&path),
            Some(saved) => {
                let file = OpenOptions::new().create(true).write(true).truncate(false).open(&path).map_err(failed)?;
                write_pieces(&file, saved, rest).map(drop)
            }
        };
        written.map_err(|error| StoreError::of_io(store, &path, &error))?;
    }
    sync_folder(store).map_err(failed)?;
    Ok(true)
}

/// Writes the pieces of a file, and returns the remaining bytes.
fn write_pieces<'b>(file: &File, saved: &SavedPieces, mut bytes: &'b [u8]) -> io::Result<&'b [u8]> {
    for &(at, length) in &saved.pieces {
        let (piece, rest) = bytes.split_at_checked(length as usize).ok_or(ErrorKind::UnexpectedEof)?;
        file.write_all_at(piece, at)?;
        bytes = rest;
    }
    // Nothing points to data that was appended after the old end.
    file.set_len(saved.length)?;
    file.sync_all()?;
    Ok(bytes)
}

/// Removes a file durably, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a change of a file's name survive a power loss.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
