//! Rows of a table with their index entries.

use super::{
    affinity::{RealInText, StoredValue},
    definition::{ColumnDefinition, IndexDefinition, TableDefinition},
    key,
    row::{self, RowValues},
    rowsum::{CHANGED, Rowsum},
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, Keys, OrderedRead, OrderedWrite},
    sql::SqlValueRef,
};
use std::ops::ControlFlow;

/// The storage of rows, with its buffers.
#[derive(Debug)]
pub(super) struct RowStore {
    pub(super) rowsum: Rowsum,
    entries: EntryWriter,
    row: Vec<u8>,
    old: Vec<u8>,
}

/// Returns the error for a row that cannot be read.
pub(super) fn broken(table: &TableDefinition, rowid: i64, rowsum: Rowsum) -> EngineError {
    let what = if rowsum == Rowsum::Off { "cannot be decoded: the stored bytes have changed" } else { CHANGED };
    EngineError::fatal(format!("the row {rowid} of table `{}` {what}", table.name))
}

/// Returns the error for an index entry that should not exist.
pub(super) fn broken_index(table: &TableDefinition, index: &IndexDefinition, what: &str) -> EngineError {
    EngineError::fatal(format!("index `{}` of table `{}`: {what}", index.name, table.name))
}

impl RowStore {
    pub(super) fn new(rowsum: Rowsum, longest_key: usize) -> Self {
        let entries = EntryWriter { rowsum, longest_key, key: Vec::new(), kind: Vec::new() };
        Self { rowsum, entries, row: Vec::new(), old: Vec::new() }
    }

    /// Verifies the stored bytes of a row, and returns the row.
    #[inline]
    pub(super) fn verified<'r>(
        &self,
        table: &TableDefinition,
        rowid: i64,
        stored: &'r [u8],
    ) -> Result<&'r [u8], EngineError> {
        self.rowsum
            .open(table.sealed_as.as_bytes(), &key::of_rowid(rowid), stored)
            .ok_or_else(|| broken(table, rowid, self.rowsum))
    }

    /// Verifies the value of an index's entry, and returns it.
    #[inline]
    pub(super) fn verified_entry<'r>(
        &self,
        table: &TableDefinition,
        index: &IndexDefinition,
        key: &[u8],
        stored: &'r [u8],
    ) -> Result<&'r [u8], EngineError> {
        let found = self.rowsum.open(index.sealed_as.as_bytes(), key, stored);
        found.ok_or_else(|| broken_index(table, index, &format!("an entry {CHANGED}")))
    }

    /// Returns the greatest rowid of a table; 0 if it has no rows.
    pub(super) fn last_rowid(&self, read: &impl OrderedRead, table: &TableDefinition) -> Result<i64, EngineError> {
        let mut last = Ok(0);
        read.range(table.tree, Keys::ALL, Direction::Down, |key, stored| {
            let rowid = key::rowid(key).unwrap_or(0);
            last = self.verified(table, rowid, stored).map(|_| rowid);
            ControlFlow::Break(())
        })?;
        last
    }

    /// Inserts a row under a free rowid; the row has as many values as the table has columns.
    #[inline]
    pub(super) fn insert<'v>(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        rowid: i64,
        values: impl Iterator<Item = SqlValueRef<'v>>,
    ) -> Result<(), EngineError> {
        self.row.clear();
        for (column, value) in table.columns.iter().zip(values) {
            row::push(&mut self.row, stored(table, column, value)?.borrowed());
        }
        for index in &table.indexes {
            let value = value(table, rowid, &self.row, index.column, self.rowsum)?;
            self.entries.add(write, table, index, value, rowid)?;
        }
        self.put(write, table, rowid)
    }

    /// Writes the row in `self.row`.
    #[inline]
    fn put(&mut self, write: &mut impl OrderedWrite, table: &TableDefinition, rowid: i64) -> Result<(), EngineError> {
        let key = key::of_rowid(rowid);
        self.rowsum.seal(table.sealed_as.as_bytes(), &key, &mut self.row);
        write.put(table.tree, &key, &self.row)
    }

    /// Returns whether a row with this rowid exists.
    pub(super) fn exists(read: &impl OrderedRead, table: &TableDefinition, rowid: i64) -> Result<bool, EngineError> {
        Ok(read.get(table.tree, &key::of_rowid(rowid), |_| ())?.is_some())
    }

    /// Reads a row into `self.old`, and returns whether it exists.
    #[inline]
    fn fetch(&mut self, read: &impl OrderedRead, table: &TableDefinition, rowid: i64) -> Result<bool, EngineError> {
        let key = key::of_rowid(rowid);
        let (rowsum, old) = (self.rowsum, &mut self.old);
        old.clear();
        let found =
            read.get(table.tree, &key, |stored| match rowsum.open(table.sealed_as.as_bytes(), &key, stored) {
                Some(row) => {
                    old.extend_from_slice(row);
                    true
                }
                None => false,
            })?;
        match found {
            None => Ok(false),
            Some(true) => Ok(true),
            Some(false) => Err(broken(table, rowid, rowsum)),
        }
    }

    /// Removes a row with its index entries, and returns whether it existed.
    #[inline]
    pub(super) fn delete(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        rowid: i64,
    ) -> Result<bool, EngineError> {
        if table.indexes.is_empty() && self.rowsum == Rowsum::Off {
            return write.delete(table.tree, &key::of_rowid(rowid));
        }
        if !self.fetch(write, table, rowid)? {
            return Ok(false);
        }
        for index in &table.indexes {
            let value = value(table, rowid, &self.old, index.column, self.rowsum)?;
            self.entries.remove(write, table, index, value, rowid)?;
        }
        write.remove(table.tree, &key::of_rowid(rowid))
    }

    /// Changes a row, and returns whether it existed. `change` receives each column's position and old value, and returns the new value,
    /// or `None` to keep the old one.
    #[inline]
    pub(super) fn update<'v>(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        rowid: i64,
        mut change: impl FnMut(usize, SqlValueRef<'_>) -> Option<SqlValueRef<'v>>,
    ) -> Result<bool, EngineError> {
        if !self.fetch(write, table, rowid)? {
            return Ok(false);
        }
        self.row.clear();
        let mut columns = RowValues(&self.old);
        for (place, column) in table.columns.iter().enumerate() {
            let old = columns.next().flatten().ok_or_else(|| broken(table, rowid, self.rowsum))?;
            match change(place, old) {
                None => row::push(&mut self.row, old),
                Some(new) => row::push(&mut self.row, stored(table, column, new)?.borrowed()),
            }
        }
        for index in &table.indexes {
            let old = value(table, rowid, &self.old, index.column, self.rowsum)?;
            let new = value(table, rowid, &self.row, index.column, self.rowsum)?;
            if !same(old, new) {
                self.entries.remove(write, table, index, old, rowid)?;
                self.entries.add(write, table, index, new, rowid)?;
            }
        }
        self.put(write, table, rowid)?;
        Ok(true)
    }

    /// Moves a row to another, free rowid.
    pub(super) fn renumber(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        old: i64,
        new: i64,
    ) -> Result<(), EngineError> {
        if !self.fetch(write, table, old)? {
            return Ok(());
        }
        let row = std::mem::take(&mut self.old);
        self.delete(write, table, old)?;
        self.insert(write, table, new, RowValues(&row).map(|value| value.unwrap_or(SqlValueRef::Null)))
    }

    /// Adds an entry for every existing row to an empty index.
    pub(super) fn fill_index<W: OrderedWrite>(
        &mut self,
        write: &mut W,
        table: &TableDefinition,
        index: &IndexDefinition,
    ) -> Result<(), EngineError> {
        // Entries are inserted in their own order, which is fastest for a tree.
        let mut entries: Vec<(Vec<u8>, &'static [u8])> = Vec::new();
        let mut wrong = None;
        write.range(table.tree, Keys::ALL, Direction::Up, |key, bytes| {
            let rowid = key::rowid(key).unwrap_or(0);
            let made = self.verified(table, rowid, bytes).and_then(|row| {
                let value = value(table, rowid, row, index.column, self.rowsum)?;
                let mut key = Vec::with_capacity(24);
                let kind = key::entry(&mut key, value, rowid);
                check_length(table, index, &key, self.entries.longest_key)?;
                entries.push((key, kind));
                Ok(())
            });
            match made {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    wrong = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(error) = wrong {
            return Err(error);
        }
        entries.sort_unstable();
        entries.iter().try_for_each(|(key, kind)| write.put(index.tree, key, self.entries.sealed(index, key, kind)))
    }
}

#[inline]
fn stored<'v>(
    table: &TableDefinition,
    column: &ColumnDefinition,
    value: SqlValueRef<'v>,
) -> Result<StoredValue<'v>, EngineError> {
    match column.affinity.change(value) {
        Ok(None) => Ok(StoredValue::Same(value)),
        Ok(Some(changed)) => Ok(StoredValue::Changed(changed)),
        Err(RealInText) => Err(real_in_text(table, column)),
    }
}

/// Returns the error for a real number that would be stored in a text column, or compared with one.
pub(super) fn real_in_text(table: &TableDefinition, column: &ColumnDefinition) -> EngineError {
    EngineError::new(format!(
        "column `{}` of table `{}` holds text: a real number in it is not supported on a key-value engine",
        column.name, table.name
    ))
}

/// Returns the value of a column from the bytes of a row.
#[inline]
pub(super) fn value<'r>(
    table: &TableDefinition,
    rowid: i64,
    row: &'r [u8],
    column: usize,
    rowsum: Rowsum,
) -> Result<SqlValueRef<'r>, EngineError> {
    row::column(row, column).ok_or_else(|| broken(table, rowid, rowsum))
}

/// Returns whether two values have the same stored form.
fn same(a: SqlValueRef<'_>, b: SqlValueRef<'_>) -> bool {
    match (a, b) {
        (SqlValueRef::Real(a), SqlValueRef::Real(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// Writes the entries of indexes, with its buffers.
#[derive(Debug)]
struct EntryWriter {
    rowsum: Rowsum,
    /// The longest key that the store accepts, in bytes.
    longest_key: usize,
    key: Vec<u8>,
    kind: Vec<u8>,
}

impl EntryWriter {
    #[inline]
    fn add(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        index: &IndexDefinition,
        value: SqlValueRef<'_>,
        rowid: i64,
    ) -> Result<(), EngineError> {
        let mut key = std::mem::take(&mut self.key);
        let kind = key::entry(&mut key, value, rowid);
        let done = check_length(table, index, &key, self.longest_key)
            .and_then(|()| write.put(index.tree, &key, self.sealed(index, &key, kind)));
        self.key = key;
        done
    }

    #[inline]
    fn remove(
        &mut self,
        write: &mut impl OrderedWrite,
        table: &TableDefinition,
        index: &IndexDefinition,
        value: SqlValueRef<'_>,
        rowid: i64,
    ) -> Result<(), EngineError> {
        key::entry(&mut self.key, value, rowid);
        // With a checksum, a missing entry must be detected; without one, no engine should need a read for that alone.
        let removed = match self.rowsum {
            Rowsum::Off => write.remove(index.tree, &self.key)?,
            _ => write.delete(index.tree, &self.key)?,
        };
        if removed {
            return Ok(());
        }
        Err(broken_index(table, index, &format!("the entry of row {rowid} is missing")))
    }

    /// Returns the value of an entry in its stored form.
    #[inline]
    fn sealed(&mut self, index: &IndexDefinition, key: &[u8], kind: &[u8]) -> &[u8] {
        self.kind.clear();
        self.kind.extend_from_slice(kind);
        self.rowsum.seal(index.sealed_as.as_bytes(), key, &mut self.kind);
        &self.kind
    }
}

fn check_length(
    table: &TableDefinition,
    index: &IndexDefinition,
    key: &[u8],
    longest: usize,
) -> Result<(), EngineError> {
    if key.len() <= longest {
        return Ok(());
    }
    Err(EngineError::new(format!(
        "index `{}` of table `{}`: an entry of {} bytes; the engine takes keys of {longest} at most",
        index.name,
        table.name,
        key.len()
    )))
}
