//! A cursor over the rows of a table that copies some rows at a time and seeks again behind the last key, so that
//! nothing of it lives in the store between two calls: rows may be written while it is open.

use super::{
    definition::TableDefinition,
    key,
    range::KeyRange,
    row,
    rows::{broken, broken_index},
    tables::Tables,
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, OrderedRead, OrderedStore},
    sql::SqlValueRef,
};
use std::{
    ops::{Bound, ControlFlow, Range},
    rc::Rc,
};

/// Rows copied the first time: few, because many statements want one only.
const FIRST_BATCH: usize = 16;
/// Rows copied at most.
const LARGEST_BATCH: usize = 256;
/// Bytes of rows above which no further row is copied.
const ENOUGH_BYTES: usize = 1 << 18;

/// Which rows a cursor visits, and how.
#[derive(Debug, Clone)]
pub(super) struct CursorPath {
    /// The place of the index whose entries are walked; the table's own tree where there is none.
    pub(super) index: Option<usize>,
    /// Whether the index's column and the rowid are all that is wanted, so that rows are not read.
    pub(super) covering: bool,
    /// Keys of that tree.
    pub(super) range: KeyRange,
    pub(super) direction: Direction,
}

#[derive(Debug)]
pub(super) struct BatchCursor {
    table: Rc<TableDefinition>,
    path: CursorPath,
    /// The rows copied: rowid and place in `bytes`.
    rows: Vec<(i64, Range<usize>)>,
    bytes: Vec<u8>,
    at: usize,
    batch: usize,
    /// Whether the store has no further rows.
    exhausted: bool,
}

impl BatchCursor {
    /// A cursor on its first row.
    pub(super) fn open<S: OrderedStore>(
        tables: &mut Tables<S>,
        table: Rc<TableDefinition>,
        path: CursorPath,
    ) -> Result<Self, EngineError> {
        let mut cursor =
            Self { table, path, rows: Vec::new(), bytes: Vec::new(), at: 0, batch: FIRST_BATCH, exhausted: false };
        cursor.fill(tables)?;
        Ok(cursor)
    }

    /// Whether it is behind the last row.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.at == self.rows.len()
    }

    /// The rowid of the row it is on.
    #[inline]
    pub(super) fn rowid(&self) -> Option<i64> {
        self.rows.get(self.at).map(|(rowid, _)| *rowid)
    }

    /// A column's value in the row it is on.
    #[inline]
    pub(super) fn column(&self, column: usize) -> Result<SqlValueRef<'_>, EngineError> {
        let (rowid, place) = self.rows.get(self.at).ok_or_else(|| EngineError::new("the cursor is on no row"))?;
        row::column(&self.bytes[place.clone()], column)
            .ok_or_else(|| broken(&self.table, *rowid, super::rowsum::Rowsum::Off))
    }

    #[inline]
    pub(super) fn advance<S: OrderedStore>(&mut self, tables: &mut Tables<S>) -> Result<(), EngineError> {
        self.at += 1;
        if self.at < self.rows.len() || self.exhausted {
            return Ok(());
        }
        self.batch = (self.batch * 4).min(LARGEST_BATCH);
        self.fill(tables)
    }

    fn fill<S: OrderedStore>(&mut self, tables: &mut Tables<S>) -> Result<(), EngineError> {
        self.rows.clear();
        self.bytes.clear();
        self.at = 0;
        tables.read()?;
        match self.path.index {
            None => self.copy_rows(tables),
            Some(place) if self.path.covering => self.copy_entries(tables, place),
            Some(place) => {
                self.find_rows(tables, place)?;
                self.copy_found(tables)
            }
        }
    }

    /// Copies rows in the order of their rowids.
    fn copy_rows<S: OrderedStore>(&mut self, tables: &Tables<S>) -> Result<(), EngineError> {
        let (table, rowsum) = (Rc::clone(&self.table), tables.rows.rowsum);
        self.walk(tables, None, |cursor, key, stored| {
            let rowid = key::rowid(key).ok_or_else(|| broken(&table, 0, rowsum))?;
            let row = tables.rows.verified(&table, rowid, stored)?;
            cursor.push(rowid, |bytes| bytes.extend_from_slice(row));
            Ok(())
        })
    }

    /// Makes rows of which only one column is there from the entries of an index.
    fn copy_entries<S: OrderedStore>(&mut self, tables: &Tables<S>, place: usize) -> Result<(), EngineError> {
        let table = Rc::clone(&self.table);
        let index = &table.indexes[place];
        self.walk(tables, Some(place), |cursor, key, kind| {
            let wrong = || broken_index(&table, index, "an entry cannot be decoded");
            let kind = tables.rows.verified_entry(&table, index, key, kind)?;
            let rowid = key::rowid(key).ok_or_else(wrong)?;
            key::with_value(key, kind, |value| {
                cursor.push(rowid, |bytes| {
                    (0..index.column).for_each(|_| row::push(bytes, SqlValueRef::Null));
                    row::push(bytes, value);
                });
            })
            .ok_or_else(wrong)
        })
    }

    /// Notes the rowids of an index's entries.
    fn find_rows<S: OrderedStore>(&mut self, tables: &Tables<S>, place: usize) -> Result<(), EngineError> {
        let table = Rc::clone(&self.table);
        let index = &table.indexes[place];
        self.walk(tables, Some(place), |cursor, key, kind| {
            let wrong = || broken_index(&table, index, "an entry cannot be decoded");
            tables.rows.verified_entry(&table, index, key, kind)?;
            cursor.push(key::rowid(key).ok_or_else(wrong)?, |_| ());
            Ok(())
        })
    }

    /// Copies the rows whose rowids were noted.
    fn copy_found<S: OrderedStore>(&mut self, tables: &Tables<S>) -> Result<(), EngineError> {
        for (rowid, place) in &mut self.rows {
            let bytes = &mut self.bytes;
            let start = bytes.len();
            tables
                .transaction
                .get(self.table.tree, &key::of_rowid(*rowid), |stored| {
                    tables.rows.verified(&self.table, *rowid, stored).map(|row| bytes.extend_from_slice(row))
                })?
                .ok_or_else(|| {
                    let index = &self.table.indexes[self.path.index.unwrap_or(0)];
                    broken_index(&self.table, index, &format!("there is no row {rowid} to its entry"))
                })??;
            *place = start..self.bytes.len();
        }
        Ok(())
    }

    fn push(&mut self, rowid: i64, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.rows.push((rowid, start..self.bytes.len()));
    }

    /// Shows keys and values of the path's tree until the batch is full, and moves the path's range behind the last.
    fn walk<S: OrderedStore>(
        &mut self,
        tables: &Tables<S>,
        index: Option<usize>,
        mut take: impl FnMut(&mut Self, &[u8], &[u8]) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let tree = index.map_or(self.table.tree, |place| self.table.indexes[place].tree);
        let (range, direction) = (self.path.range.clone(), self.path.direction);
        let mut failed = None;
        self.exhausted = true;
        tables.transaction.range(tree, range.keys(), direction, |key, value| {
            if let Err(error) = take(self, key, value) {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            if self.rows.len() < self.batch && self.bytes.len() < ENOUGH_BYTES {
                return ControlFlow::Continue(());
            }
            self.exhausted = false;
            let behind = Bound::Excluded(key.to_vec());
            match direction {
                Direction::Up => self.path.range.from = behind,
                Direction::Down => self.path.range.to = behind,
            }
            ControlFlow::Break(())
        })?;
        failed.map_or(Ok(()), Err)
    }
}
