//! Detection of a damaged store file, as opposed to one that is in use, out of reach or on a failing disk.

use super::{
    OpenMode, StoreError, blocks,
    connect::{self, Reach},
    error::Doing,
    file::{self, HEADERS},
    schema::identifier,
};
use duckdb::Connection;
use std::path::Path;

/// Number of readings that must find damage before it is believed.
const READINGS: usize = 3;

/// Returns what is wrong with the store if all readings find damage, or an error if the store cannot be read.
pub(super) fn found(store: &Path) -> Result<Option<StoreError>, StoreError> {
    damage_by(|| intact(store))
}

/// Does the same with the results of `read`.
fn damage_by(mut read: impl FnMut() -> Result<(), StoreError>) -> Result<Option<StoreError>, StoreError> {
    let mut damage = None;
    for _ in 0..READINGS {
        match read() {
            Ok(()) => return Ok(None),
            Err(error) if error.is_damage() => damage = Some(error),
            Err(error) => return Err(error),
        }
    }
    Ok(damage)
}

/// Checks that all structures that lead to the store's rows can be read, and that the file has all of its blocks. The rows themselves are
/// written to free blocks and are on disk before anything points to them. This process must not have the store open meanwhile: closing
/// any descriptor of a file releases the process's locks on it.
pub(super) fn intact(store: &Path) -> Result<(), StoreError> {
    intact_and(store, |_| Ok(()))
}

/// Does the same, and runs `ask` with the connection that the check needs.
pub(super) fn intact_and(
    store: &Path,
    ask: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    match file::state(store) {
        // A missing or empty store has yet to be created.
        Ok(None | Some((0, _))) => return Ok(()),
        Ok(Some(_)) => {}
        Err(error) => return Err(StoreError::of_io(store, store, &error)),
    }
    let ends = ends_and(store, ask)?;
    match file::state(store).map_err(|error| StoreError::of_io(store, store, &error))? {
        Some((length, _)) if ends.are_behind(length) => Err(StoreError::Damaged {
            path: store.to_owned(),
            message: format!("the file was cut off at {length} bytes"),
        }),
        _ => Ok(()),
    }
}

/// Reads all structures that lead to the rows of an existing store, even if the file is too short to have all rows.
pub(super) fn ends(store: &Path) -> Result<FileEnds, StoreError> {
    ends_and(store, |_| Ok(()))
}

fn ends_and(store: &Path, ask: impl FnOnce(&Connection) -> Result<(), StoreError>) -> Result<FileEnds, StoreError> {
    let connection = connect::store(store, OpenMode::Read, &Reach::Nothing)?;
    let looked = ask(&connection).and_then(|()| look_through(&connection).doing(store));
    let closed = connection.close().map_err(|(_, error)| error).doing(store);
    let ends = closed.and(looked)?;
    Ok(FileEnds { used: blocks::end_of_use(store), ..ends })
}

/// Possible ends of a store's file, bytes.
#[derive(Debug)]
pub(super) struct FileEnds {
    block_size: u64,
    /// The end of the last block with rows.
    rows: u64,
    /// The end of the last block in use, be it of rows, metadata or an index; none if unknown.
    used: Option<u64>,
    /// The end of the last block that the header counts. An intact file may end before it, at the end of a block: the blocks after that
    /// are free.
    counted: u64,
}

impl FileEnds {
    /// Whether a file of this length is too short.
    fn are_behind(&self, length: u64) -> bool {
        let is_torn = !length.saturating_sub(HEADERS as u64).is_multiple_of(self.block_size.max(1));
        let is_behind_counted = length < self.counted && is_torn;
        length < self.rows || self.used.map_or(is_behind_counted, |used| length < used)
    }
}

/// Reads all structures that lead to rows.
fn look_through(connection: &Connection) -> duckdb::Result<FileEnds> {
    let sql = "SELECT block_size::UBIGINT, total_blocks::UBIGINT FROM pragma_database_size() WHERE database_name = ?";
    let catalog = connect::catalog(connection)?;
    let (block_size, blocks): (u64, u64) =
        connection.query_row(sql, [catalog], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let end = |blocks: u64| HEADERS as u64 + blocks * block_size;
    let mut ends = FileEnds { block_size, rows: end(0), used: None, counted: end(blocks) };
    let tables: Vec<String> = connection
        .prepare(
            "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND schema_name = 'main'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<duckdb::Result<_>>()?;
    // One statement: DuckDB takes longer to parse one than to run it.
    let blocks_of = |table: &String| {
        let name = identifier(table).replace('\'', "''");
        format!("SELECT block_id FROM pragma_storage_info('{name}')")
    };
    if !tables.is_empty() {
        let all = tables.iter().map(blocks_of).collect::<Vec<_>>().join(" UNION ALL ");
        let sql = format!("SELECT coalesce(max(block_id) + 1, 0)::UBIGINT FROM ({all})");
        ends.rows = end(connection.query_row(&sql, [], |row| row.get(0))?);
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    type Made = fn(PathBuf, String) -> StoreError;

    const DAMAGE: [Made; 2] = [
        |path, message| StoreError::Damaged { path, message },
        |path, message| StoreError::NotDuckDb { path, message },
    ];

    /// Errors that say nothing about the file.
    const OTHERS: [Made; 13] = [
        |path, message| StoreError::Locked { path, message },
        |path, message| StoreError::Unwritable { path, message },
        |path, message| StoreError::Full { path, message },
        |path, _| StoreError::Newer { path, found: 99, known: 1 },
        |path, message| StoreError::Older { path, found: 1, known: 99, message },
        |path, _| StoreError::Foreign { path },
        |path, what| StoreError::Altered { path, what },
        |path, message| StoreError::Unreachable { path, message },
        |_, message| StoreError::Query { message },
        |path, message| StoreError::Journal { path, message },
        |path, message| StoreError::Unclear { path, message },
        |path, message| StoreError::Unrepaired { path, message },
        |path, message| StoreError::Other { path, message },
    ];

    /// Returns the result of these readings, repeating the last one.
    fn damage_of(readings: &[Option<Made>]) -> Result<Option<StoreError>, StoreError> {
        let mut read = 0;
        damage_by(|| {
            let made = readings[read.min(readings.len() - 1)];
            read += 1;
            made.map_or(Ok(()), |made| Err(made(PathBuf::from("s"), "why".to_owned())))
        })
    }

    #[test]
    fn only_what_every_reading_calls_damaged_is() {
        for damage in DAMAGE {
            assert!(damage_of(&[Some(damage)]).unwrap().unwrap().is_damage());
            assert!(damage_of(&[Some(damage), Some(damage), None]).unwrap().is_none(), "the last one reads it");
            for other in OTHERS {
                for readings in
                    [&[Some(other)][..], &[Some(damage), Some(other)], &[Some(damage), Some(damage), Some(other)]]
                {
                    let error = damage_of(readings).unwrap_err();
                    assert!(!error.is_damage(), "{error}");
                }
            }
        }
        assert!(damage_of(&[None]).unwrap().is_none());
    }
}
