//! The blocks of a database file that are in use, according to its header and its list of free blocks (DuckDB's
//! `single_file_block_manager.cpp` and `metadata_manager.cpp`). DuckDB has functions for the blocks of rows and of metadata only, not for
//! those of indexes.

use super::file::{self, HEADERS};
use std::{collections::BTreeSet, fs::File, os::unix::fs::FileExt, path::Path};

/// Bytes of the checksum that a block begins with.
const CHECKSUM: u64 = 8;
/// Pieces of metadata in a block.
const PIECES: u64 = 64;
/// The null pointer: it leads to no piece.
const NONE: u64 = u64::MAX;
/// Positions of fields in a header, bytes: the pointer to the list of free blocks, the number of blocks, and the length of a block.
const FREE_LIST: usize = 24;
const COUNT: usize = 32;
const LENGTH: usize = 40;

/// Returns where the last block in use ends, bytes: an intact file is at least this long. Returns `None` if its header or list cannot be
/// read. Opens and closes the file, which releases the locks that this process has on it.
pub(super) fn end_of_use(database: &Path) -> Option<u64> {
    let file = File::open(database).ok()?;
    let mut headers = vec![0; HEADERS];
    file.read_exact_at(&mut headers, 0).ok()?;
    let header = file::in_force(&headers)?;
    let [list, count, length] = [FREE_LIST, COUNT, LENGTH].map(|at| word(header, at));
    let (list, count, length) = (list?, count?, length?);
    let free = Metadata { file, length, most: count.checked_mul(PIECES)? }.free_blocks(list)?;
    let used = (0..count).rev().find(|block| !free.contains(block)).map_or(0, |block| block + 1);
    used.checked_mul(length)?.checked_add(HEADERS as u64)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Metadata of a database: pieces of blocks, each of which begins with a pointer to the next.
struct Metadata {
    file: File,
    /// Bytes of a block.
    length: u64,
    /// Upper limit of the number of pieces.
    most: u64,
}

impl Metadata {
    /// Reads the list of free blocks: their count, then the number of each.
    fn free_blocks(&self, mut at: u64) -> Option<BTreeSet<u64>> {
        let (mut bytes, mut read) = (Vec::new(), 0);
        while at != NONE {
            let piece = self.piece(at)?;
            at = word(&piece, 0)?;
            bytes.extend_from_slice(&piece[8..]);
            read += 1;
            let count = word(&bytes, 0)?;
            if bytes.len() as u64 / 8 > count {
                return (1..=count as usize).map(|place| word(&bytes, place * 8)).collect();
            }
            // More pieces than there can be: the list leads back to itself.
            (read <= self.most).then_some(())?;
        }
        bytes.is_empty().then(BTreeSet::new)
    }

    /// Reads a piece. A pointer holds the number of the piece's block, and above that its place in the block.
    fn piece(&self, at: u64) -> Option<Vec<u8>> {
        let (block, place) = (at & (NONE >> 8), at >> 56);
        let length = self.length.checked_sub(CHECKSUM)? / PIECES / 8 * 8;
        let begin = block.checked_mul(self.length)?.checked_add(HEADERS as u64 + CHECKSUM + place * length)?;
        let mut piece = vec![0; usize::try_from(length).ok()?];
        self.file.read_exact_at(&mut piece, begin).ok()?;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duckdb::Connection;
    use std::fs;

    /// Creates a file with free blocks in its middle, whose last blocks are an index's.
    fn made() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.duckdb");
        let connection = Connection::open(&path).unwrap();
        let rows = "SELECT uuid() AS id, range AS x FROM range(20000)";
        connection
            .execute_batch(&format!(
                "CREATE TABLE t (id UUID PRIMARY KEY, x INTEGER); INSERT INTO t {rows}; CHECKPOINT;
                 CREATE TABLE gone AS {rows}; CHECKPOINT; INSERT INTO t {rows}; DROP TABLE gone; CHECKPOINT"
            ))
            .unwrap();
        connection.close().unwrap();
        (folder, path)
    }

    #[test]
    fn a_sound_file_ends_with_its_last_block_in_use_or_later() {
        let (_folder, path) = made();
        let length = fs::metadata(&path).unwrap().len();
        assert_eq!(end_of_use(&path), Some(length));
        let connection = Connection::open(&path).unwrap();
        let free: u64 = connection
            .query_row("SELECT free_blocks::UBIGINT FROM pragma_database_size()", [], |row| row.get(0))
            .unwrap();
        assert!(free > 0, "there is a list to read");
        connection.execute_batch("DROP TABLE t; CHECKPOINT").unwrap();
        connection.close().unwrap();
        let end = end_of_use(&path).unwrap();
        assert!(end < length && end <= fs::metadata(&path).unwrap().len());
    }

    #[test]
    fn a_list_that_cannot_be_read_says_nothing() {
        let (_folder, path) = made();
        let bytes = fs::read(&path).unwrap();
        for (kept, what) in [(HEADERS, "no block"), (100, "no headers")] {
            fs::write(&path, &bytes[..kept]).unwrap();
            assert_eq!(end_of_use(&path), None, "{what}");
        }
        let mut torn = bytes;
        for place in [1, 2] {
            torn[place * file::HEADER + 16] ^= 1;
        }
        fs::write(&path, &torn).unwrap();
        assert_eq!(end_of_use(&path), None, "neither header has its checksum");
        assert_eq!(end_of_use(Path::new("/dev/null")), None);
        // Pieces that point to themselves, in a list that is never complete.
        let mut piece = vec![0; 512];
        piece[8..16].copy_from_slice(&1_000_000_u64.to_le_bytes());
        let mut blocks = vec![0; HEADERS + 8];
        blocks.extend([piece, vec![0; 64 * 512]].concat());
        fs::write(&path, &blocks).unwrap();
        let metadata = Metadata { file: File::open(&path).unwrap(), length: 8 + 64 * 512, most: 64 };
        assert_eq!(metadata.free_blocks(0), None);
        assert_eq!(metadata.free_blocks(NONE), Some(BTreeSet::new()), "no list is one of nothing");
    }
}
