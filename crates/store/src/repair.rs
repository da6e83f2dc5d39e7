//! The check of a store, and the repair of a damaged one.
//!
//! A power loss can tear the block of metadata that DuckDB was rewriting in place (another program's write: dbdyno's own are undone, see
//! [`super::undo`]). The block's checksum is then wrong, and DuckDB opens nothing. But the metadata that the older of the two headers
//! points to is still in the block, because new metadata goes to free parts of it. So a copy is made readable by writing the checksum
//! that matches the block's contents, and every row that can be read is copied to a new store. Blocks of rows are never made readable
//! like this: a block whose checksum does not match is not copied.
//!
//! A store is replaced only if two readings find damage: one of the file, and one of a copy that is made while every other program is
//! kept out. A file that is locked, or that the disk cannot read, does not count as damaged. The new store and the old one exchange their
//! names, so there is no moment without a store.

use super::{
    OpenMode, SCHEMA_VERSION, Store, StoreError,
    connect::{self, Reach},
    damage,
    error::Doing,
    file::{self, HEADER, HEADERS, checksum},
    import::INCOMING,
    schema::{self, FileSchema, identifier},
    undo,
};
use dbdyno_foundation::base::{
    leftovers::{self, LeftoverFolder, REPAIR},
    scratch::Scratch,
    units::counted,
};
use duckdb::Connection;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt, MetadataExt, chown},
    path::{Path, PathBuf},
};

/// Bytes of a block.
const BLOCK: usize = 256 << 10;
/// More torn blocks of metadata than a power loss can cause.
const MOST_TORN: usize = 64;
/// Rows that are read together when some cannot be read: the size of one of DuckDB's vectors.
const LEAST_ROWS: u64 = 2048;

/// A finding about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFinding {
    /// Whether it is as it should be.
    pub sound: bool,
    pub what: String,
}

/// The result of repairing a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The new path of the damaged file.
    pub damaged: PathBuf,
    /// For each table, the number of rows that were saved, and of those that could not be read.
    pub rows: BTreeMap<String, (u64, u64)>,
    /// Tables and columns that the damaged store lacked, one sentence each: their contents are lost.
    pub missing: Vec<String>,
}

impl Store {
    /// Reads the whole store, and reports for each part whether it is sound. Changes nothing.
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
            false => say(true, "no results are waiting in a journal".to_owned()),
        }
        match self.reading(|connection| inspect(connection, self.path())) {
            Err(error) => say(false, error.to_string()),
            Ok(parts) => {
                // The tables may not use all of the file: indexes are elsewhere.
                if let Err(error) = self.patiently(|| damage::intact(self.path())) {
                    say(false, error.cause());
                }
                for (part, read) in parts {
                    match read {
                        Ok(rows) => say(true, format!("{part}: {} read", counted(rows, "row"))),
                        Err(error) => say(false, format!("{part}: {}", error.cause())),
                    }
                }
            }
        }
        all
    }

    /// Copies what can be read of a damaged store to a new one, which takes its place; the damaged file stays next to it. Returns `None`
    /// if the store is sound, and leaves it unchanged.
    ///
    /// # Errors
    /// The store is in use, cannot be read for another reason than damage, or has nothing that can be read; or the disk has no room for
    /// another store. The store then stays as it is.
    pub fn repair(&self) -> Result<Option<Repaired>, StoreError> {
        let path = self.path();
        drop(self.left_open().opened.take());
        let _lock = self.lock(OpenMode::Write)?;
        match self.patiently(|| undo::settle(path)) {
            Err(error) if !error.is_damage() => return Err(error),
            _ => {}
        }
        if !self.patiently(|| is_damaged(path))? {
            return Ok(None);
        }
        let file = self.patiently(|| file::locked(path))?;
        let scratch = scratch(path).map_err(|error| StoreError::of_io(path, path, &error))?;
        self.replace(&file, scratch.path()).map_err(|error| unrepaired(path, scratch.path(), error))
    }

    /// Replaces a store whose file is locked. Returns `None` if the copy is sound.
    fn replace(&self, locked: &File, scratch: &Path) -> Result<Option<Repaired>, StoreError> {
        let path = self.path();
        let failed = |error: io::Error| StoreError::of_io(path, path, &error);
        let (copy, new) = (scratch.join("copy.duckdb"), Self::new(scratch.join("new.duckdb")));
        copy_files(locked, path, &copy).map_err(failed)?;
        if !is_damaged(&copy)? {
            return Ok(None);
        }
        make_readable(&copy)?;
        new.prepare()?;
        let missing = of_version(&copy)?;
        let rows = new.writing_reaching(&Reach::database(&copy), |connection| save(connection, &copy, new.path()))?;
        if file::log(new.path()).try_exists().map_err(failed)? {
            // The rows are in the log, whose name would not match the store's new name.
            new.writing(|_| Ok::<_, StoreError>(()))?;
        }
        if file::log(new.path()).try_exists().map_err(failed)? {
            return Err(failed(io::Error::other("the new store could not be written completely")));
        }
        let facts = locked.metadata().map_err(failed)?;
        fs::set_permissions(new.path(), facts.permissions()).map_err(failed)?;
        let made = fs::metadata(new.path()).map_err(failed)?;
        if (made.uid(), made.gid()) != (facts.uid(), facts.gid()) {
            chown(new.path(), Some(facts.uid()), Some(facts.gid())).map_err(failed)?;
        }
        let damaged = exchange(path, new.path()).map_err(failed)?;
        Ok(Some(Repaired { damaged, rows, missing }))
    }
}

/// Creates a folder for the copy and the new store, on the store's own disk.
fn scratch(path: &Path) -> io::Result<Scratch> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    leftovers::sweep(above, LeftoverFolder::Target);
    Scratch::create(above, &REPAIR)
}

/// Converts an error of a repair so that it names no file of the scratch folder, which is gone by the time users read the error.
fn unrepaired(path: &Path, scratch: &Path, error: StoreError) -> StoreError {
    let (path, message) = (path.to_owned(), error.cause());
    let copy = scratch.join("copy.duckdb");
    let message = message.replace(&*copy.to_string_lossy(), &path.to_string_lossy());
    match error {
        StoreError::NotDuckDb { message, .. } => StoreError::NotDuckDb { path, message },
        StoreError::Foreign { .. } => StoreError::Foreign { path },
        _ => StoreError::Unrepaired { path, message },
    }
}

/// Puts a new store in the place of a damaged one, and returns the damaged store's new path.
fn exchange(path: &Path, new: &Path) -> io::Result<PathBuf> {
    let damaged = free_name(path);
    // The log of the damaged file belongs to it, so the file has its log next to it from the first moment under its new name.
    let (log, its_log) = (file::log(path), file::log(&damaged));
    let has_log = log.try_exists()?;
    if has_log {
        fs::copy(&log, &its_log)?;
        File::open(&its_log)?.sync_all()?;
    }
    renameat_with(CWD, new, CWD, &damaged, RenameFlags::NOREPLACE)?;
    if let Err(error) = renameat_with(CWD, &damaged, CWD, path, RenameFlags::EXCHANGE) {
        fs::rename(&damaged, new)?;
        return Err(error.into());
    }
    if has_log {
        fs::remove_file(&log)?;
    }
    // The undo copy was made of the damaged file.
    let _ = fs::remove_file(undo::undo_path(path));
    undo::sync_folder(path)?;
    Ok(damaged)
}

/// A part of a store with its number of rows, or why it cannot be read.
type StorePart = (String, Result<u64, StoreError>);

/// Reads everything that commands read: every table, and whether it has the columns of this version.
fn inspect(connection: &Connection, path: &Path) -> Result<Vec<StorePart>, StoreError> {
    let (_, gone) = schema_of(connection).doing(path)?;
    let exists = |table: &str| !gone.contains(&schema::is_missing(table));
    let damaged = |message| StoreError::Damaged { path: path.to_owned(), message };
    let tables = schema::names()
        .filter(|table| exists(table))
        .map(|table| (format!("table {table}"), read_all(connection, table).doing(path)));
    let tables: Vec<StorePart> = tables.collect();
    Ok(tables.into_iter().chain(gone.iter().map(|what| ("schema".to_owned(), Err(damaged(what.clone()))))).collect())
}

/// Whether a store is damaged. An error if it cannot be read for another reason.
fn is_damaged(path: &Path) -> Result<bool, StoreError> {
    let read = || -> Result<(), StoreError> {
        damage::intact(path)?;
        let connection = connect::store(path, OpenMode::Read, &Reach::Nothing)?;
        let parts = inspect(&connection, path);
        connection.close().map_err(|(_, error)| error).doing(path)?;
        parts?.into_iter().try_for_each(|(_, read)| read.map(drop))
    };
    match read() {
        Ok(()) => Ok(false),
        Err(error) if error.is_damage() => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns the tables and columns that a readable copy lacks.
fn of_version(copy: &Path) -> Result<Vec<String>, StoreError> {
    let connection = connect::store(copy, OpenMode::Read, &Reach::Nothing)?;
    let found = schema_of(&connection).doing(copy);
    connection.close().map_err(|(_, error)| error).doing(copy)?;
    match found? {
        (FileSchema::Foreign | FileSchema::Empty, _) => Err(StoreError::Foreign { path: copy.to_owned() }),
        (_, missing) => Ok(missing),
    }
}

/// Returns the schema of a store, and what it lacks compared with this version's. A store of another version is not compared.
fn schema_of(connection: &Connection) -> duckdb::Result<(FileSchema, Vec<String>)> {
    let found = schema::found(connection, &connect::catalog(connection)?)?;
    let missing = match found {
        FileSchema::Version(SCHEMA_VERSION) => schema::missing(connection)?,
        _ => Vec::new(),
    };
    Ok((found, missing))
}

/// Reads every value of a table, and returns its number of rows.
fn read_all(connection: &Connection, table: &str) -> duckdb::Result<u64> {
    connection.query_row(&format!("SELECT count(*)::UBIGINT, bit_xor(hash(t)) FROM {table} t"), [], |row| row.get(0))
}

fn copy_files(mut locked: &File, from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut locked, &mut File::create(to)?)?;
    let log = file::log(from);
    if log.try_exists()? {
        fs::copy(log, file::log(to))?;
    }
    Ok(())
}

/// Returns `results.duckdb.damaged`, with a number if that name is taken.
fn free_name(path: &Path) -> PathBuf {
    let name = |ending: String| super::beside(path, &ending);
    let numbered = (2..).map(|number| name(format!("damaged-{number}")));
    let mut all = std::iter::once(name("damaged".to_owned())).chain(numbered);
    all.find(|path| !path.exists()).unwrap_or_else(|| name("damaged".to_owned()))
}

/// Tries changes that may make a copy readable, the smallest change first.
fn make_readable(copy: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::of_io(copy, copy, &error);
    let Err(first) = opens(copy) else { return Ok(()) };
    let original = fs::read(copy).map_err(failed)?;
    let log = file::log(copy);
    for header in [None, Some(HEADER as u64), Some(2 * HEADER as u64)] {
        fs::write(copy, &original).map_err(failed)?;
        if let Some(kept) = header {
            keep_header(copy, kept).map_err(failed)?;
        }
        if mend_checksums(copy)? {
            return Ok(());
        }
        // A log that cannot be replayed may be the obstacle.
        if log.exists() {
            fs::rename(&log, aside(copy)).map_err(failed)?;
            if mend_checksums(copy)? {
                return Ok(());
            }
            fs::rename(aside(copy), &log).map_err(failed)?;
        }
    }
    Err(first)
}

/// Returns the path to which the log of a copy is moved.
fn aside(copy: &Path) -> PathBuf {
    super::beside(copy, "wal-aside")
}

fn opens(copy: &Path) -> Result<(), StoreError> {
    // A truncated copy is read as far as it goes.
    damage::ends(copy)?;
    let connection = connect::store(copy, OpenMode::Read, &Reach::Nothing)?;
    let found = connection.query_row("SELECT count(*) FROM schema_version", [], |row| row.get::<_, i64>(0)).doing(copy);
    connection.close().map_err(|(_, error)| error).doing(copy)?;
    found.map(drop)
}

/// Overwrites one of the two headers with the other.
fn keep_header(copy: &Path, kept: u64) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(copy)?;
    let mut header = vec![0; HEADER];
    file.read_exact_at(&mut header, kept)?;
    file.write_all_at(&header, HEADERS as u64 - kept)
}

/// Writes matching checksums into the torn blocks that DuckDB needs to open the file, and returns whether it then opens.
fn mend_checksums(copy: &Path) -> Result<bool, StoreError> {
    for _ in 0..MOST_TORN {
        let Err(error) = opens(copy) else { return Ok(true) };
        let place = error.to_string().split("block at location ").nth(1).and_then(|text| {
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..digits].parse::<u64>().ok()
        });
        // A torn header points to no block: the other header is tried.
        let Some(place) = place.filter(|place| *place >= HEADERS as u64) else { return Ok(false) };
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

/// Copies every row that can be read to the store that the connection has open. Returns rows saved and rows lost, by table.
fn save(connection: &Connection, copy: &Path, new: &Path) -> Result<BTreeMap<String, (u64, u64)>, StoreError> {
    connection.execute(&format!("ATTACH ? AS {INCOMING} (READ_ONLY)"), [copy.to_string_lossy()]).doing(new)?;
    let mut all = BTreeMap::new();
    for table in schema::names().filter(|table| *table != "schema_version") {
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

/// Copies the rows of a range: all at once, or if that fails each half separately.
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

/// Returns the columns that a table has in both stores.
fn common_columns(connection: &Connection, table: &str) -> duckdb::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND schema_name = 'main'
         GROUP BY column_name HAVING count(*) = 2",
    )?;
    statement.query_map([table], |row| row.get(0))?.collect()
}
