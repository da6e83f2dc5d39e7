//! The tables of an open store, and the transaction in which their rows are read and written.

use super::{
    definition::{TableCatalog, TableDefinition},
    rows::RowStore,
    rowsum::Rowsum,
    work::LayerWork,
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
    sql::TableSchema,
    suite::{IndexSpec, TableSpec},
};
use std::{collections::BTreeMap, ops::ControlFlow, rc::Rc};

/// The current transaction.
#[derive(Debug)]
pub(super) enum StoreTransaction<S: OrderedStore> {
    /// No transaction is open.
    None,
    Read(S::Read),
    Write(S::Write),
}

impl<S: OrderedStore> OrderedRead for StoreTransaction<S> {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        match self {
            Self::None => Err(none()),
            Self::Read(read) => read.get(tree, key, visit),
            Self::Write(write) => write.get(tree, key, visit),
        }
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        if keys.is_empty() {
            return Ok(());
        }
        match self {
            Self::None => Err(none()),
            Self::Read(read) => read.range(tree, keys, direction, visit),
            Self::Write(write) => write.range(tree, keys, direction, visit),
        }
    }
}

fn none() -> EngineError {
    EngineError::new("no transaction is under way")
}

pub(super) struct Tables<S: OrderedStore> {
    pub(super) store: S,
    pub(super) transaction: StoreTransaction<S>,
    pub(super) catalog: TableCatalog,
    pub(super) rows: RowStore,
    pub(super) work: LayerWork,
    trees: u16,
    /// The rowid after the last one, for each table that this transaction has inserted into.
    next_rowids: BTreeMap<Tree, i64>,
    /// Number of rowids that were tried because the greatest possible one is in use.
    drawn: u64,
    /// Whether the transaction lasts until it is committed; otherwise each statement has its own.
    explicit: bool,
    /// Number of open virtual table cursors.
    cursors: usize,
    /// Why the transaction must not be committed: a statement failed halfway.
    spoilt: Option<String>,
}

impl<S: OrderedStore> Tables<S> {
    pub(super) fn open(store: S, rowsum: Rowsum, trees: u16) -> Result<Self, EngineError> {
        let mut catalog = TableCatalog::new(rowsum);
        catalog.load(&store.read()?)?;
        let rows = RowStore::new(rowsum, store.longest_key());
        Ok(Self {
            store,
            transaction: StoreTransaction::None,
            catalog,
            rows,
            work: LayerWork::default(),
            trees,
            next_rowids: BTreeMap::new(),
            drawn: 0,
            explicit: false,
            cursors: 0,
            spoilt: None,
        })
    }

    /// Begins a transaction that lasts until [`Self::commit`]; with `writes` it may write from the start.
    pub(super) fn begin(&mut self, writes: bool) -> Result<(), EngineError> {
        if self.explicit {
            return Err(EngineError::new("a transaction is under way already"));
        }
        self.explicit = true;
        if writes { self.write().map(drop) } else { Ok(()) }
    }

    /// Returns whether a transaction was begun and has not ended.
    pub(super) fn is_explicit(&self) -> bool {
        self.explicit
    }

    pub(super) fn close(self) -> Result<(), EngineError> {
        drop(self.transaction);
        self.store.close()
    }

    /// Counts a cursor that a virtual table opened.
    pub(super) fn open_cursor(&mut self) {
        self.cursors += 1;
    }

    /// Counts a cursor that a virtual table closed. The last one of a statement outside of a transaction ends the read transaction.
    #[inline]
    pub(super) fn close_cursor(&mut self) {
        self.cursors -= 1;
        if self.cursors == 0 && !self.explicit && matches!(self.transaction, StoreTransaction::Read(_)) {
            self.transaction = StoreTransaction::None;
        }
    }

    /// Returns the current transaction, and begins a read transaction if there is none.
    #[inline]
    pub(super) fn read(&mut self) -> Result<&StoreTransaction<S>, EngineError> {
        if matches!(self.transaction, StoreTransaction::None) {
            self.transaction = StoreTransaction::Read(self.store.read()?);
        }
        Ok(&self.transaction)
    }

    /// Returns the write transaction, with the row store and the catalog; replaces a read transaction with a write transaction.
    #[inline]
    pub(super) fn write(&mut self) -> Result<(&mut S::Write, &mut RowStore, &mut TableCatalog), EngineError> {
        if !matches!(self.transaction, StoreTransaction::Write(_)) {
            self.transaction = StoreTransaction::None;
            self.transaction = StoreTransaction::Write(self.store.write()?);
        }
        match &mut self.transaction {
            StoreTransaction::Write(write) => Ok((write, &mut self.rows, &mut self.catalog)),
            StoreTransaction::None | StoreTransaction::Read(_) => Err(none()),
        }
    }

    /// Returns the next free rowid of a table, as SQLite chooses it: one more than the greatest; if that is not possible, any free one.
    #[inline]
    pub(super) fn next_rowid(&mut self, table: &TableDefinition) -> Result<i64, EngineError> {
        let next = match self.next_rowids.get(&table.tree) {
            Some(next) => Some(*next),
            None => self.rows.last_rowid(&self.transaction, table)?.checked_add(1),
        };
        let Some(next) = next else { return self.unused_rowid(table) };
        match next.checked_add(1) {
            Some(behind) => self.next_rowids.insert(table.tree, behind),
            None => self.next_rowids.remove(&table.tree),
        };
        Ok(next)
    }

    /// Returns a rowid from 1 to 2^62 that no row has. SQLite draws a random one; here it is pseudo-random with a fixed sequence, so that
    /// runs are repeatable.
    fn unused_rowid(&mut self, table: &TableDefinition) -> Result<i64, EngineError> {
        loop {
            self.drawn += 1;
            let rowid = (self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 2) as i64 + 1;
            if !RowStore::exists(&self.transaction, table, rowid)? {
                return Ok(rowid);
            }
        }
    }

    /// Forgets the next rowid, because rows were removed or inserted with explicit rowids.
    pub(super) fn forget_rowids(&mut self, table: &TableDefinition) {
        self.next_rowids.remove(&table.tree);
    }

    pub(super) fn create_table(&mut self, spec: &TableSpec) -> Result<(), EngineError> {
        let trees = self.trees;
        let (write, _, catalog) = self.write()?;
        catalog.create_table(write, spec, trees)
    }

    /// Creates an index on the existing rows.
    pub(super) fn create_index(&mut self, spec: &IndexSpec) -> Result<(), EngineError> {
        let trees = self.trees;
        let (write, rows, catalog) = self.write()?;
        let place = catalog.create_index(write, spec, trees)?;
        let table = Rc::clone(catalog.table(&spec.table)?);
        rows.fill_index(write, &table, &table.indexes[place])
    }

    /// Drops a table with its indexes.
    pub(super) fn drop_table(&mut self, name: &str) -> Result<(), EngineError> {
        let table = Rc::clone(self.catalog.table(name)?);
        self.forget_rowids(&table);
        let (write, _, catalog) = self.write()?;
        catalog.drop_table(write, name)
    }

    /// Returns a table from the store's catalog.
    pub(super) fn schema(&self, name: &str) -> Result<Option<TableSchema>, EngineError> {
        let mut stored = TableCatalog::new(self.rows.rowsum);
        match &self.transaction {
            StoreTransaction::None => stored.load(&self.store.read()?)?,
            transaction => stored.load(transaction)?,
        }
        Ok(stored.table(name).ok().map(|table| {
            let names = |column: usize| table.columns.get(column).map_or(String::new(), |column| column.name.clone());
            TableSchema {
                columns: table.columns.iter().map(|column| column.name.clone()).collect(),
                indexes: table.indexes.iter().map(|index| (index.name.clone(), names(index.column))).collect(),
            }
        }))
    }

    /// Records that a statement failed after it may have written: the transaction can only be rolled back.
    pub(super) fn spoil(&mut self, error: &EngineError) {
        if matches!(self.transaction, StoreTransaction::Write(_)) {
            self.spoilt.get_or_insert_with(|| error.message.clone());
        }
    }

    /// Ends the statement's own transaction, if it has one, and commits its writes.
    #[inline]
    pub(super) fn end_statement(&mut self) -> Result<(), EngineError> {
        if self.explicit { Ok(()) } else { self.commit() }
    }

    /// Commits. After an error the whole transaction is rolled back.
    pub(super) fn commit(&mut self) -> Result<(), EngineError> {
        self.explicit = false;
        if let Some(cause) = self.spoilt.take() {
            self.rollback()?;
            let message = format!("the transaction was rolled back, because a statement in it failed: {cause}");
            return Err(EngineError::new(message));
        }
        self.next_rowids.clear();
        match std::mem::replace(&mut self.transaction, StoreTransaction::None) {
            StoreTransaction::Write(write) => write.commit().or_else(|error| {
                // The cached catalog may contain uncommitted changes.
                self.rollback()?;
                Err(error)
            }),
            StoreTransaction::None | StoreTransaction::Read(_) => Ok(()),
        }
    }

    /// Rolls back the current transaction, if there is one.
    pub(super) fn rollback(&mut self) -> Result<(), EngineError> {
        self.explicit = false;
        self.spoilt = None;
        self.next_rowids.clear();
        self.transaction = StoreTransaction::None;
        self.catalog.load(&self.store.read()?)
    }
}
