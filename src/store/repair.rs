//! Whether a store is sound, and what can be saved of one that is not.
//!
//! A power loss can tear the block of metadata that DuckDB was rewriting in place (another program's write: dbdyno's own are undone, see
//! [`super::undo`]). Its checksum is wrong then, and DuckDB opens nothing; but what the older of its two headers leads to is still in
//! the block, because new metadata goes to free parts of it. So a copy is made readable, by the checksum that belongs to what is
//! there, and every row that can be read is copied to a new store. Blocks of rows are never made readable like this: what does not
//! have its checksum is not taken.

use super::{
    OpenMode, Store, StoreError,
    connect::{self, Reach},
    error::Doing,
    import::INCOMING,
    lock::StoreLock,
    schema::identifier,
    tables::TABLES,
    undo,
};
use crate::base::units::counted;
use duckdb::Connection;
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Bytes of one of DuckDB's headers, of which the second and third take turns.
const HEADER: u64 = 4096;
/// Bytes of a block.
const BLOCK: usize = 256 << 10;
/// More torn blocks of metadata than this are no power loss.
const MOST_TORN: usize = 64;
/// Rows that are looked at together where some cannot be read; as many are in one of DuckDB's vectors.
const LEAST_ROWS: u64 = 2048;

/// A finding about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFinding {
    /// Whether it is as it should be.
    pub sound: bool,
    pub what: String,
}

/// What was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Where the damaged file is now.
    pub damaged: PathBuf,
    /// Rows by table that were saved, and how many could not be read.
    pub rows: BTreeMap<String, (u64, u64)>,
}

impl Store {
    /// Reads all of the store, and says of each part whether it is sound. Nothing is changed.
    pub fn check(&self) -> Vec<StoreFinding> {
        let mut all = Vec::new();
        let mut say = |sound: bool, what: String| all.push(StoreFinding { sound, what });
        if undo::is_there(self.path()) {
            say(true, "a write was interrupted: the next command completes or undoes it".to_owned());
        }
        match self.has_journals() {
            true => {
                say(true, format!("{} holds results that are not in the store yet", self.journal_folder().display()))
            }
            false => say(true, "nothing waits in a journal".to_owned()),
        }
        let read = self.reading(|connection| {
            Ok(TABLES.iter().map(|table| (table.name, read_all(connection, table.name))).collect::<Vec<_>>())
        });
        match read {
            Err(error) => say(false, error.to_string()),
            Ok(tables) => {
                for (table, read) in tables {
                    match read {
                        Ok(rows) => say(true, format!("table {table}: {} read", counted(rows, "row"))),
                        Err(error) => say(false, format!("table {table}: {error}")),
                    }
                }
            }
        }
        all
    }

    /// Copies what can be read of a damaged store to a new one, which takes its place; the damaged file is kept beside it. None:
    /// the store is sound, and stays as it is.
    ///
    /// # Errors
    /// Nothing can be read of the store, or there is no room for another beside it.
    pub fn repair(&self) -> Result<Option<Repaired>, StoreError> {
        if self.check().iter().all(|finding| finding.sound) {
            return Ok(None);
        }
        let path = self.path();
        let failed = |error: io::Error| StoreError::of_io(path, path, &error);
        drop(self.left_open().take());
        let _lock = StoreLock::take(path, OpenMode::Write, self.patience())?;
        let folder = tempfile::Builder::new()
            .prefix(".dbdyno-repair-")
            .tempdir_in(path.parent().unwrap_or(Path::new(".")))
            .map_err(failed)?;
        let (copy, new) = (folder.path().join("copy.duckdb"), Self::new(folder.path().join("new.duckdb")));
        copy_files(path, &copy).map_err(failed)?;
        make_readable(&copy)?;
        new.prepare()?;
        let rows = new.writing_reaching(&Reach::database(&copy), |connection| save(connection, &copy, new.path()))?;
        let damaged = free_name(path);
        fs::rename(path, &damaged).map_err(failed)?;
        // The log of the damaged file belongs to it.
        let log = |of: &Path| super::beside(of, "wal");
        if log(path).exists() {
            fs::rename(log(path), log(&damaged)).map_err(failed)?;
        }
        fs::rename(new.path(), path).map_err(failed)?;
        undo::sync_folder(path).map_err(failed)?;
        Ok(Some(Repaired { damaged, rows }))
    }
}

/// Reads every value of a table; how many rows it has.
fn read_all(connection: &Connection, table: &str) -> duckdb::Result<u64> {
    connection.query_row(&format!("SELECT count(*)::UBIGINT, bit_xor(hash(t)) FROM {table} t"), [], |row| row.get(0))
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let log = super::beside(from, "wal");
    if log.exists() {
        fs::copy(log, super::beside(to, "wal"))?;
    }
    Ok(())
}

/// `results.duckdb.damaged`, or with a number where that is there.
fn free_name(path: &Path) -> PathBuf {
    let name = |ending: String| super::beside(path, &ending);
    let numbered = (2..).map(|number| name(format!("damaged-{number}")));
    let mut all = std::iter::once(name("damaged".to_owned())).chain(numbered);
    all.find(|path| !path.exists()).unwrap_or_else(|| name("damaged".to_owned()))
}

/// Tries what may make a copy readable, the least change first.
fn make_readable(copy: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::of_io(copy, copy, &error);
    let Err(first) = opens(copy) else { return Ok(()) };
    let original = fs::read(copy).map_err(failed)?;
    let log = super::beside(copy, "wal");
    for header in [None, Some(HEADER), Some(2 * HEADER)] {
        fs::write(copy, &original).map_err(failed)?;
        if let Some(kept) = header {
            keep_header(copy, kept).map_err(failed)?;
        }
        if mend_checksums(copy)? {
            return Ok(());
        }
        // A log that cannot be replayed may be what is in the way.
        if log.exists() {
            fs::rename(&log, super::beside(copy, "wal-aside")).map_err(failed)?;
            if mend_checksums(copy)? {
                return Ok(());
            }
            fs::rename(super::beside(copy, "wal-aside"), &log).map_err(failed)?;
        }
    }
    Err(first)
}

fn opens(copy: &Path) -> Result<(), StoreError> {
    undo::intact(copy)?;
    let connection = connect::store(copy, OpenMode::Read, &Reach::Nothing)?;
    let found = connection.query_row("SELECT count(*) FROM schema_version", [], |row| row.get::<_, i64>(0)).doing(copy);
    connection.close().map_err(|(_, error)| error).doing(copy)?;
    found.map(drop)
}

/// Puts one of the two headers in the place of the other.
fn keep_header(copy: &Path, kept: u64) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(copy)?;
    let mut header = vec![0; HEADER as usize];
    file.read_exact_at(&mut header, kept)?;
    file.write_all_at(&header, 3 * HEADER - kept)
}

/// Gives the blocks that DuckDB needs to open the file, and that are torn, the checksum of what is in them; whether it opens.
fn mend_checksums(copy: &Path) -> Result<bool, StoreError> {
    for _ in 0..MOST_TORN {
        let Err(error) = opens(copy) else { return Ok(true) };
        let place = error.to_string().split("block at location ").nth(1).and_then(|text| {
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..digits].parse::<u64>().ok()
        });
        // A header that is torn leads nowhere: the other one is tried.
        let Some(place) = place.filter(|place| *place >= 3 * HEADER) else { return Ok(false) };
        mend_checksum(copy, place).map_err(|error| StoreError::of_io(copy, copy, &error))?;
    }
    Ok(false)
}

fn mend_checksum(copy: &Path, place: u64) -> io::Result<()> {
    let file: File = OpenOptions::new().read(true).write(true).open(copy)?;
    let mut block = vec![0; BLOCK];
    file.read_exact_at(&mut block, place)?;
    file.write_all_at(&checksum(&block[8..]).to_le_bytes(), place)
}

/// DuckDB's checksum of a block (`src/common/checksum.cpp`): of each word of 8 bytes the product with a constant, XORed.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(5381, |sum, word| sum ^ u64::from_le_bytes(*word).wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

/// Copies every row that can be read to the store that the connection has open; rows saved and rows lost, by table.
fn save(connection: &Connection, copy: &Path, new: &Path) -> Result<BTreeMap<String, (u64, u64)>, StoreError> {
    connection.execute(&format!("ATTACH ? AS {INCOMING} (READ_ONLY)"), [copy.to_string_lossy()]).doing(new)?;
    let mut all = BTreeMap::new();
    for table in TABLES.iter().map(|table| table.name).chain(["journal"]) {
        let Ok(columns) = common_columns(connection, table) else { continue };
        let columns = columns.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ");
        if columns.is_empty() {
            continue;
        }
        let take = |from: u64, to: u64| -> duckdb::Result<usize> {
            let sql = format!(
                "INSERT OR IGNORE INTO {table} ({columns})
                 SELECT {columns} FROM {INCOMING}.main.{table} WHERE rowid >= {from} AND rowid < {to}"
            );
            connection.execute(&sql, [])
        };
        let sql =
            format!("SELECT count(*)::UBIGINT, (coalesce(max(rowid), -1) + 1)::UBIGINT FROM {INCOMING}.main.{table}");
        let (rows, end): (u64, u64) =
            connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).doing(new)?;
        let saved = take_all(&take, 0, end);
        all.insert(table.to_owned(), (saved, rows.saturating_sub(saved)));
    }
    connection.execute_batch(&format!("DETACH {INCOMING}")).doing(new)?;
    Ok(all)
}

/// Takes the rows of a range: all at once, or where that fails each half by itself.
fn take_all(take: &impl Fn(u64, u64) -> duckdb::Result<usize>, from: u64, to: u64) -> u64 {
    if from >= to {
        return 0;
    }
    match take(from, to) {
        Ok(rows) => rows as u64,
        Err(_) if to - from <= LEAST_ROWS => 0,
        Err(_) => {
            let middle = from + (to - from) / 2;
            take_all(take, from, middle) + take_all(take, middle, to)
        }
    }
}

/// Columns that a table has in both stores.
fn common_columns(connection: &Connection, table: &str) -> duckdb::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND schema_name = 'main'
         GROUP BY column_name HAVING count(*) = 2",
    )?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_duckdb() {
        // The first header of any file that DuckDB makes: its checksum is in its first eight bytes.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.duckdb");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t AS SELECT range AS x FROM range(1000)").unwrap();
        connection.close().unwrap();
        let bytes = fs::read(&path).unwrap();
        for (place, length) in [(0, 4096), (4096, 4096), (8192, 4096), (12288, BLOCK)] {
            let block = &bytes[place..place + length];
            assert_eq!(block[..8], checksum(&block[8..]).to_le_bytes(), "at {place}");
        }
    }
}
