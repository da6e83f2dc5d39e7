//! DuckDB's layout of a store's file: its headers and their checksums, its log, and the lock by which programs exclude each other.

use super::StoreError;
use rustix::fs::FlockOperation;
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Bytes of one header. There are three: the file's own, and two of the database that take turns.
pub(super) const HEADER: usize = 4096;
pub(super) const HEADERS: usize = 3 * HEADER;
/// A chain of links longer than this is a loop.
const MOST_LINKS: usize = 40;

/// Computes DuckDB's checksum of a block (`src/common/checksum.cpp`): the XOR of the products of each 8-byte word with a constant.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(5381, |sum, word| sum ^ u64::from_le_bytes(*word).wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

/// Returns the number of the checkpoint that wrote a header, or `None` if the header's checksum does not match.
fn checkpoint(header: &[u8]) -> Option<u64> {
    let word = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    (word(0)? == checksum(&header[8..])).then(|| word(8)).flatten()
}

/// Returns the header of the last completed checkpoint, or `None` if neither header's checksum matches.
pub(super) fn in_force(headers: &[u8]) -> Option<&[u8]> {
    let all = [1, 2].map(|place| headers.get(place * HEADER..(place + 1) * HEADER));
    all.into_iter().flatten().filter(|header| checkpoint(header).is_some()).max_by_key(|header| checkpoint(header))
}

/// Reports whether a file with the headers `now` is the one that had the headers `before`, with no checkpoint completed since. A
/// checkpoint syncs its blocks, then writes its number into the older of the two headers. A file with a newer number is therefore
/// complete, and is another process's result.
pub(super) fn is_unchanged(before: &[u8], now: &[u8]) -> bool {
    if before.len() != HEADERS || now.len() != HEADERS || before[..HEADER] != now[..HEADER] {
        return false;
    }
    let header = |of: &[u8], place: usize| of[place * HEADER..(place + 1) * HEADER].to_vec();
    let (current, other) =
        if checkpoint(&header(before, 1)) > checkpoint(&header(before, 2)) { (1, 2) } else { (2, 1) };
    let written = header(now, other);
    header(before, current) == header(now, current)
        && (header(before, other) == written || checkpoint(&written).is_none())
}

/// Returns a file's length in bytes and the time of its last change, or `None` if there is no file.
pub(super) fn state(store: &Path) -> io::Result<Option<(u64, SystemTime)>> {
    match fs::metadata(store) {
        Ok(facts) => Ok(Some((facts.len(), facts.modified()?))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates a file, replacing one that a killed program left. It does not write to the old file: another user may have left that one
/// writable for everyone.
pub(super) fn anew(path: &Path) -> io::Result<File> {
    remove_left(path)?;
    File::create_new(path)
}

/// Removes the file that a killed program left, if there is one.
pub(super) fn remove_left(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Locks a file against every other program, including DuckDB in them, until the returned file is closed. This process must not open it a
/// second time meanwhile: closing any descriptor of a file releases the process's lock.
pub(super) fn locked(store: &Path) -> Result<File, StoreError> {
    let failed = |error: io::Error| StoreError::of_io(store, store, &error);
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(store).map_err(failed)?;
    match rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => {
            let message = "another program has it open".to_owned();
            Err(StoreError::Locked { path: store.to_owned(), message })
        }
        Err(error) => Err(failed(error.into())),
    }
}

/// Returns the path of DuckDB's log of a database. DuckDB treats text after a question mark as parameters, and puts the ending before it.
pub(super) fn log(database: &Path) -> PathBuf {
    ended(database, ".wal")
}

/// Returns the paths that DuckDB uses for a database in this file.
pub(super) fn family(database: &Path) -> Vec<PathBuf> {
    ["", ".wal", ".wal.checkpoint", ".wal.recovery"].map(|ending| ended(database, ending)).to_vec()
}

fn ended(database: &Path, ending: &str) -> PathBuf {
    let name = database.as_os_str().as_bytes();
    let (name, parameters) = name.split_at(name.iter().position(|&byte| byte == b'?').unwrap_or(name.len()));
    OsString::from(std::ffi::OsStr::from_bytes(&[name, ending.as_bytes(), parameters].concat())).into()
}

/// Follows symbolic links to their target, whether it exists or not. DuckDB does the same, and all files of a store must be next to its
/// target, whichever link names it.
pub(super) fn resolved(path: PathBuf) -> PathBuf {
    let mut at = path.clone();
    for _ in 0..MOST_LINKS {
        match at.read_link() {
            Ok(to) => at = at.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return at,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use duckdb::Connection;

    fn made() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.duckdb");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t AS SELECT range AS x FROM range(1000)").unwrap();
        connection.close().unwrap();
        let bytes = fs::read(&path).unwrap();
        (folder, path, bytes)
    }

    #[test]
    fn the_checksum_is_that_of_duckdb() {
        let (_folder, _, bytes) = made();
        for (place, length) in [(0, HEADER), (HEADER, HEADER), (2 * HEADER, HEADER), (HEADERS, 256 << 10)] {
            let block = &bytes[place..place + length];
            assert_eq!(block[..8], checksum(&block[8..]).to_le_bytes(), "at {place}");
        }
    }

    #[test]
    fn a_file_with_a_completed_checkpoint_is_no_longer_what_it_was() {
        let (_folder, path, before) = made();
        let before = before[..HEADERS].to_vec();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("INSERT INTO t VALUES (1); CHECKPOINT").unwrap();
        connection.close().unwrap();
        let after = fs::read(&path).unwrap()[..HEADERS].to_vec();
        assert!(is_unchanged(&before, &before) && !is_unchanged(&before, &after));
        // Checkpoints write the older header first.
        let older = if checkpoint(&before[HEADER..2 * HEADER]) > checkpoint(&before[2 * HEADER..]) { 2 } else { 1 };
        let of_older = older * HEADER..(older + 1) * HEADER;
        let mut torn = before.clone();
        torn[of_older.start + 64..of_older.end].fill(0xa5);
        assert!(is_unchanged(&before, &torn), "a header that was cut short is no checkpoint");
        let mut next = before.clone();
        let mut header = before[of_older.clone()].to_vec();
        header[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        let sum = checksum(&header[8..]);
        header[..8].copy_from_slice(&sum.to_le_bytes());
        next[of_older].copy_from_slice(&header);
        assert!(!is_unchanged(&before, &next), "a header that is whole is a checkpoint");
        let mut overwritten = before.clone();
        let current = if older == 1 { 2 } else { 1 };
        overwritten[current * HEADER + 64..(current + 1) * HEADER].fill(0xa5);
        assert!(!is_unchanged(&before, &overwritten), "the header that was in force is gone");
        let mut other = before.clone();
        other[200] ^= 1;
        assert!(!is_unchanged(&before, &other), "another database");
    }

    #[test]
    fn the_log_is_where_duckdb_has_it() {
        assert_eq!(log(Path::new("/a/b.duckdb")), Path::new("/a/b.duckdb.wal"));
        assert_eq!(log(Path::new("/a/what?b.duckdb")), Path::new("/a/what.wal?b.duckdb"));
    }
}
