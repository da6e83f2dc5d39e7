//! Rows of a table with their index entries.

use super::{
    affinity::RealInText,
    definition::{ColumnDefinition, IndexDefinition, TableDefinition},
    key,
    row::{self, RowValues},
    rowsum::Rowsum,
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, Keys, OrderedRead, OrderedWrite},
    sql::{SqlValue, SqlValueRef},
};
use std::ops::ControlFlow;

/// How rows are stored, and the buffers used for it.
#[derive(Debug)]
pub(super) struct RowStore {
    pub(super) rowsum: Rowsum,
    /// The longest key that the store takes, bytes.
    longest_key: usize,
    key: Vec<u8>,
    row: Vec<u8>,
    old: Vec<u8>,
}

/// A row of a table cannot be read.
pub(super) fn broken(table: &TableDefinition, rowid: i64, rowsum: Rowsum) -> EngineError {
    let what = if rowsum == Rowsum::Off { "cannot be decoded" } else { "does not match its checksum" };
    EngineError::fatal(format!("the row {rowid} of table `{}` {what}: the stored bytes have changed", table.name))
}

/// An index has an entry that it should not have.
pub(super) fn broken_index(table: &TableDefinition, index: &IndexDefinition, what: &str) -> EngineError {
    EngineError::fatal(format!("index `{}` of table `{}`: {what}", index.name, table.name))
}

impl RowStore {
    pub(super) fn new(rowsum: Rowsum, longest_key: usize) -> Self {
        Self { rowsum, longest_key, key: Vec::new(), row: Vec::new(), old: Vec::new() }
    }

    /// The verified bytes of a row from those that are stored.
    #[inline]
    pub(super) fn verified<'r>(
        &self,
        table: &TableDefinition,
        rowid: i64,
        stored: &'r [u8],
    ) -> Result<&'r [u8], EngineError> {
        self.rowsum.open(&key::of_rowid(rowid), stored).ok_or_else(|| broken(table, rowid, self.rowsum))
    }

    /// The greatest rowid of a table; 0 where there is no row.
    pub(super) fn last_rowid(read: &impl OrderedRead, table: &TableDefinition) -> Result<i64, EngineError> {
        let mut last = 0;
        read.range(table.tree, Keys::ALL, Direction::Down, |key, _| {
            last = key::rowid(key).unwrap_or(0);
            ControlFlow::Break(())
        })?;
        Ok(last)
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
            add_entry(write, table, index, &mut self.key, self.longest_key, value, rowid)?;
        }
        self.put(write, table, rowid)
    }

    /// Writes the row in `self.row`.
    #[inline]
    fn put(&mut self, write: &mut impl OrderedWrite, table: &TableDefinition, rowid: i64) -> Result<(), EngineError> {
        let key = key::of_rowid(rowid);
        self.rowsum.seal(&key, &mut self.row);
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
        let found = read.get(table.tree, &key, |stored| match rowsum.open(&key, stored) {
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
        if !table.indexes.is_empty() || self.rowsum != Rowsum::Off {
            if !self.fetch(write, table, rowid)? {
                return Ok(false);
            }
            for index in &table.indexes {
                let value = value(table, rowid, &self.old, index.column, self.rowsum)?;
                remove_entry(write, table, index, &mut self.key, value, rowid)?;
            }
        }
        write.delete(table.tree, &key::of_rowid(rowid))
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
                remove_entry(write, table, index, &mut self.key, old, rowid)?;
                add_entry(write, table, index, &mut self.key, self.longest_key, new, rowid)?;
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
                check_length(table, index, &key, self.longest_key)?;
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
        entries.iter().try_for_each(|(key, kind)| write.put(index.tree, key, kind))
    }
}

/// A value as a column stores it.
enum StoredValue<'v> {
    Same(SqlValueRef<'v>),
    Changed(SqlValue),
}

impl StoredValue<'_> {
    #[inline]
    fn borrowed(&self) -> SqlValueRef<'_> {
        match self {
            Self::Same(value) => *value,
            Self::Changed(value) => value.as_ref(),
        }
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
        Err(RealInText) => Err(EngineError::new(format!(
            "column `{}` of table `{}` holds text: a real number in it is not supported on a key-value engine",
            column.name, table.name
        ))),
    }
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

#[inline]
fn add_entry(
    write: &mut impl OrderedWrite,
    table: &TableDefinition,
    index: &IndexDefinition,
    key: &mut Vec<u8>,
    longest: usize,
    value: SqlValueRef<'_>,
    rowid: i64,
) -> Result<(), EngineError> {
    let kind = key::entry(key, value, rowid);
    check_length(table, index, key, longest)?;
    write.put(index.tree, key, kind)
}

#[inline]
fn remove_entry(
    write: &mut impl OrderedWrite,
    table: &TableDefinition,
    index: &IndexDefinition,
    key: &mut Vec<u8>,
    value: SqlValueRef<'_>,
    rowid: i64,
) -> Result<(), EngineError> {
    key::entry(key, value, rowid);
    if write.delete(index.tree, key)? {
        return Ok(());
    }
    Err(broken_index(table, index, &format!("the entry of row {rowid} is missing")))
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
