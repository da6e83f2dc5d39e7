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

/// How rows are stored, and the buffers used for it.
#[derive(Debug)]
pub(super) struct RowStore {
    pub(super) rowsum: Rowsum,
    entries: EntryWriter,
    row: Vec<u8>,
    old: Vec<u8>,
}

/// A row of a table cannot be read.
pub(super) fn broken(table: &TableDefinition, rowid: i64, rowsum: Rowsum) -> EngineError {
    let what = if rowsum == Rowsum::Off { "cannot be decoded: the stored bytes have changed" } else { CHANGED };
    EngineError::fatal(format!("the row {rowid} of table `{}` {what}", table.name))
}

/// An index has an entry that it should not have.
pub(super) fn broken_index(table: &TableDefinition, index: &IndexDefinition, what: &str) -> EngineError {
    EngineError::fatal(format!("index `{}` of table `{}`: {what}", index.name, table.name))
}

impl RowStore {
    pub(super) fn new(rowsum: Rowsum, longest_key: usize) -> Self {
        let entries = EntryWriter { rowsum, longest_key, key: Vec::new(), kind: Vec::new() };
        Self { rowsum, entries, row: Vec::new(), old: Vec::new() }
    }

    /// The verified bytes of a row from those that are stored.
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

    /// The verified value of an index's entry.
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

    /// The greatest rowid of a table; 0 where there is no row.
    pub(super) fn last_rowid(&self, read: &impl OrderedRead, table: &TableDefinition) -> Result<i64, EngineError> {
        let mut last = Ok(0);
        read.range(table.tree, Keys::ALL, Direction::Down, |key, stored| {
            let rowid = key::rowid(key).unwrap_or(0);
            last = self.verified(table, rowid, stored).map(|_| rowid);
            ControlFlow::Break(())
        })?;
        last
    }

    /// Inserts a row of as many values as the table has columns under a rowid that is free.
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

    /// Whether there is a row of this rowid.
    pub(super) fn exists(read: &impl OrderedRead, table: &TableDefinition, rowid: i64) -> Result<bool, EngineError> {
        Ok(read.get(table.tree, &key::of_rowid(rowid), |_| ())?.is_some())
    }

    /// Reads a row into `self.old`; whether it is there.
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

    /// Removes a row with its index entries; whether it was there.
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

    /// Changes a row. `change` is shown each column's place and old value, and gives the new value, `None` for the old
    /// one. Whether the row was there.
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

    /// Moves a row to another rowid, which is free.
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

    /// Gives every row that is there an entry in an index; the index is empty.
    pub(super) fn fill_index<W: OrderedWrite>(
        &mut self,
        write: &mut W,
        table: &TableDefinition,
        index: &IndexDefinition,
    ) -> Result<(), EngineError> {
        // Entries are put in their own order: what a tree takes fastest.
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

/// A real number was to be stored in a column of text, or compared with one.
pub(super) fn real_in_text(table: &TableDefinition, column: &ColumnDefinition) -> EngineError {
    EngineError::new(format!(
        "column `{}` of table `{}` holds text: a real number in it is not supported on a key-value engine",
        column.name, table.name
    ))
}

/// The value of a column in the bytes of a row.
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

/// Whether two values are stored alike.
fn same(a: SqlValueRef<'_>, b: SqlValueRef<'_>) -> bool {
    match (a, b) {
        (SqlValueRef::Real(a), SqlValueRef::Real(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// Writes the entries of indexes, with the buffers used for it.
#[derive(Debug)]
struct EntryWriter {
    rowsum: Rowsum,
    /// The longest key that the store takes, bytes.
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
        // With a checksum, nothing that is missing goes unnoticed; without one, no engine reads for that alone.
        let removed = match self.rowsum {
            Rowsum::Off => write.remove(index.tree, &self.key)?,
            _ => write.delete(index.tree, &self.key)?,
        };
        if removed {
            return Ok(());
        }
        Err(broken_index(table, index, &format!("the entry of row {rowid} is missing")))
    }

    /// The value of an entry as it is stored.
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
