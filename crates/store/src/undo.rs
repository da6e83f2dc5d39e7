//! What makes a write to the store all or nothing, even when the power goes: DuckDB rewrites its headers and its blocks of metadata in
//! place, and a block that is half written when the power goes has no valid checksum: nothing can be read any more. So these
//! places are copied to a file beside the store before it is opened to write, and put back when it cannot be read afterwards.
//!
//! All other blocks in use are never overwritten before the new header is on disk: that is how DuckDB's checkpoint works, as long as
//! there is only one for each copy (`checkpoint_threshold` sees to that, in [`super::connect`]).

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
    /// Length of the log then; 0 without one.
    log: u64,
}

/// What became of a write that did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settlement {
    /// The store can be read: it is as it was before, or as it was to be once its log is replayed.
    Stands,
    /// The store is as it was before.
    PutBack,
}

/// Whether a write did not come to its end.
pub(super) fn is_there(store: &Path) -> bool {
    // Where that cannot be seen, `settle` says why.
    undo_path(store).try_exists().unwrap_or(true)
}

pub(super) fn undo_path(store: &Path) -> PathBuf {
    beside(store, "undo")
}

impl Undo {
    /// Copies what a write to the store may overwrite. Nobody else may have the store open.
    pub(super) fn make(store: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::of_io(store, &undo_path(store), &error);
        // Before the file is looked at: a change in between is then seen.
        let state = file::state(store).map_err(failed)?;
        let kept = match state {
            None => None,
            Some((0, _)) => Some(Kept { length: 0, pieces: Vec::new() }),
            Some((length, _)) => Some(Kept { length, pieces: pieces(store, length)? }),
        };
        let log = match fs::metadata(file::log(store)) {
            Ok(facts) => Some(Kept { length: facts.len(), pieces: vec![(0, facts.len())] }),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let before = Before { store: kept, log };
        write(store, &before).map_err(failed)?;
        Ok(Self { path: undo_path(store), state, log: before.log.map_or(0, |log| log.length) })
    }

    /// Whether the store is still what was copied. Asked once it is locked by DuckDB, which keeps other programs out.
    pub(super) fn holds(&self, store: &Path) -> bool {
        // What another program has committed meanwhile makes its log longer. What was not there, or empty, is made by being opened.
        log_length(store) <= self.log && self.is_file_same(store)
    }

    fn is_file_same(&self, store: &Path) -> bool {
        self.state.is_none_or(|(length, _)| length == 0) || file::state(store).is_ok_and(|now| now == self.state)
    }

    /// Says that the write is done, or that none was begun. What was written is on disk by then. A copy that cannot be removed
    /// does no harm: the store can be read, and a later checkpoint is none of this copy's.
    pub(super) fn drop_it(self) {
        let _ = remove(&self.path);
    }

    /// Takes a write back of which nothing may stay, a log that DuckDB could not finish included; false where it cannot be.
    pub(super) fn take_back(self, store: &Path) -> Result<bool, StoreError> {
        let (before, bytes) = read(&self.path).map_err(|error| StoreError::of_io(store, &self.path, &error))?;
        let is_as_before = log_length(store) == self.log && self.is_file_same(store);
        let is_taken_back = is_as_before || put_back(store, &before, &bytes, Log::AsBefore)?;
        self.drop_it();
        Ok(is_taken_back)
    }
}

fn log_length(store: &Path) -> u64 {
    fs::metadata(file::log(store)).map_or(0, |facts| facts.len())
}

/// What becomes of the log that is next to a store when its pieces are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Log {
    /// It stays: what was committed to it is replayed.
    Stays,
    AsBefore,
}

/// Ends a write that did not come to its end: what can be read is as it was before or as it was to be, and stays. What is put back is
/// only a file that every reading calls damaged, that nobody has open, and in which no checkpoint was completed since the copy. Any
/// other error, a locked file or a disk that fails, says nothing about the file, which then stays as it is, with its copy. The
/// store's lock has to be held.
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
        // It is damaged too: what is said is what is wrong with the store.
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err(damage),
        read => read.map_err(failed)?,
    };
    if !put_back(store, &before, &bytes, Log::Stays)? {
        return Err(damage);
    }
    let mut settlement = Settlement::Stands;
    if damage::found(store)?.is_some() {
        put_back(store, &before, &bytes, Log::AsBefore)?;
        damage::intact(store)?;
        settlement = Settlement::PutBack;
    }
    remove(&path).map_err(failed)?;
    Ok(settlement)
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
    let pieces = blocks.into_iter().map(|block| (HEADERS as u64 + block * size, size));
    Ok(std::iter::once((0, length.min(HEADERS as u64)))
        .chain(pieces.filter(|(at, size)| at + size <= length))
        .collect())
}

/// Writes the copy beside the store; it is there when it is whole.
fn write(store: &Path, before: &Before) -> io::Result<()> {
    let path = undo_path(store);
    let unfinished = beside(store, NEW_UNDO.ending());
    let mut bytes = MAGIC.to_vec();
    bytes.extend(serde_json::to_vec(before)?);
    bytes.push(b'\n');
    for (kept, file) in [(&before.store, store.to_owned()), (&before.log, file::log(store))] {
        let Some(kept) = kept else { continue };
        let file = File::open(file)?;
        for &(at, length) in &kept.pieces {
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
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, format!("it is damaged too: {what}"));
    let Some((content, check)) = bytes.split_last_chunk::<4>() else { return Err(wrong("it is cut off")) };
    if crc32c::crc32c(content) != u32::from_le_bytes(*check) {
        return Err(wrong("its checksum differs"));
    }
    let content = content.strip_prefix(MAGIC).ok_or_else(|| wrong("its first line differs"))?;
    let end = content.iter().position(|&byte| byte == b'\n').ok_or_else(|| wrong("it has no second line"))?;
    Ok((serde_json::from_slice(&content[..end])?, content[end + 1..].to_vec()))
}

/// Puts back what a store was, while it is locked against every other program; false where the file is another one by now.
fn put_back(store: &Path, before: &Before, bytes: &[u8], log: Log) -> Result<bool, StoreError> {
    let failed = |error: io::Error| StoreError::of_io(store, store, &error);
    // What was not there, or empty, was nobody's: nothing can be said of what is there now.
    let Some(kept) = before.store.as_ref().filter(|kept| kept.length > 0) else { return Ok(false) };
    let file = file::locked(store)?;
    let mut headers = vec![0; HEADERS];
    let length = file.metadata().map_err(failed)?.len();
    if length < kept.length {
        return Ok(false);
    }
    file.read_exact_at(&mut headers, 0).map_err(failed)?;
    if !bytes.get(..HEADERS).is_some_and(|before| file::is_unchanged(before, &headers)) {
        return Ok(false);
    }
    let rest = write_pieces(&file, kept, bytes).map_err(failed)?;
    if log == Log::AsBefore {
        let path = file::log(store);
        let written = match &before.log {
            None => remove(&path),
            Some(kept) => {
                let file = OpenOptions::new().create(true).write(true).truncate(false).open(&path).map_err(failed)?;
                write_pieces(&file, kept, rest).map(drop)
            }
        };
        written.map_err(|error| StoreError::of_io(store, &path, &error))?;
    }
    sync_folder(store).map_err(failed)?;
    Ok(true)
}

/// Writes the pieces of a file; the bytes after those of it.
fn write_pieces<'b>(file: &File, kept: &Kept, mut bytes: &'b [u8]) -> io::Result<&'b [u8]> {
    for &(at, length) in &kept.pieces {
        let (piece, rest) = bytes.split_at_checked(length as usize).ok_or(ErrorKind::UnexpectedEof)?;
        file.write_all_at(piece, at)?;
        bytes = rest;
    }
    // What was added behind the end is led to by nothing.
    file.set_len(kept.length)?;
    file.sync_all()?;
    Ok(bytes)
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
