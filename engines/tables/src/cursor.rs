//! A cursor over the rows of a table. It copies some rows at a time, and seeks again after the last key. Between two calls nothing of it
//! stays in the store, so rows may be written while it is open.

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

/// Number of rows copied the first time: few, because many statements need only one.
const FIRST_BATCH: usize = 16;
/// Maximum number of rows copied at a time.
const LARGEST_BATCH: usize = 256;
/// Number of bytes of rows after which no further row is copied.
const ENOUGH_BYTES: usize = 1 << 18;

/// The rows that a cursor visits, and how it reaches them.
#[derive(Debug, Clone)]
pub(super) struct CursorPath {
    /// The position of the index whose entries are walked; `None` for the table's own tree.
    pub(super) index: Option<usize>,
    /// Whether the index's column and the rowid are all that is needed, so that rows are not read.
    pub(super) covering: bool,
    /// The keys of that tree.
    pub(super) range: KeyRange,
    pub(super) direction: Direction,
}

#[derive(Debug)]
pub(super) struct BatchCursor {
    table: Rc<TableDefinition>,
    path: CursorPath,
    /// The copied rows: rowid and position in `bytes`.
    rows: Vec<(i64, Range<usize>)>,
    bytes: Vec<u8>,
    at: usize,
    batch: usize,
    /// Whether the store has no further rows.
    exhausted: bool,
}

impl BatchCursor {
    /// Opens a cursor on its first row.
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

    /// Returns whether it is past the last row.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.at == self.rows.len()
    }

    /// Returns the rowid of the current row.
    #[inline]
    pub(super) fn rowid(&self) -> Option<i64> {
        self.rows.get(self.at).map(|(rowid, _)| *rowid)
    }

    /// Returns a column's value in the current row.
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
            None => self.copy_rows(tables)?,
            Some(place) if self.path.covering => self.copy_entries(tables, place)?,
            Some(place) => {
                self.find_rows(tables, place)?;
                tables.work.visit(self.rows.len() as u64);
                self.copy_found(tables)?;
            }
        }
        tables.work.visit(self.rows.len() as u64);
        Ok(())
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

    /// Builds rows that have only one column from the entries of an index.
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

    /// Records the rowids of an index's entries.
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

    /// Copies the rows with the recorded rowids.
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
                    broken_index(&self.table, index, &format!("there is no row {rowid} for its entry"))
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

    /// Passes keys and values of the path's tree to the callback until the batch is full, and moves the path's range past the last one.
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
