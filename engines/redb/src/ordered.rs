//! redb as an ordered store: one table per tree.

use crate::{
    database::{CommitOptions, MAIN_FILE, RedbBytes, check, failed, open_database},
    file::FileCounts,
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    WriteTransaction,
};
use std::{
    cell::OnceCell,
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    rc::Rc,
    sync::Arc,
};

#[derive(Debug)]
pub struct RedbStore {
    database: Database,
    commit: CommitOptions,
    counts: Arc<FileCounts>,
    names: Rc<[String]>,
}

fn definition(name: &str) -> TableDefinition<'_, RedbBytes, RedbBytes> {
    TableDefinition::new(name)
}

impl OrderedStore for RedbStore {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = RedbTransaction<ReadTransaction>;
    type Write = RedbTransaction<Rc<WriteTransaction>>;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let (database, commit, counts) = open_database(open)?;
        let names: Rc<[String]> = (0..trees).map(|tree| tree.to_string()).collect();
        let created = database.begin_write().map_err(failed)?;
        for name in names.iter() {
            created.open_table(definition(name)).map_err(failed)?;
        }
        created.commit().map_err(failed)?;
        Ok(Self { database, commit, counts, names })
    }

    /// Returns nothing: redb has no call that reports the options it was opened with.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn counters(&self) -> EngineCounters {
        self.counts.counters()
    }

    fn longest_key(&self) -> usize {
        usize::MAX
    }

    fn read(&self) -> Result<Self::Read, EngineError> {
        Ok(RedbTransaction::new(self.database.begin_read().map_err(failed)?, &self.names))
    }

    fn write(&self) -> Result<Self::Write, EngineError> {
        Ok(RedbTransaction::new(Rc::new(self.commit.begin(&self.database)?), &self.names))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&mut self.database)
    }

    fn close(self) -> Result<(), EngineError> {
        drop(self.database);
        Ok(())
    }
}

/// A transaction that can open tables.
pub trait OpensTables {
    type Table: ReadableTable<RedbBytes, RedbBytes>;

    /// Opens the table of this name, which was created when the database was opened.
    fn open(&self, name: &str) -> Result<Self::Table, TableError>;
}

impl OpensTables for ReadTransaction {
    type Table = ReadOnlyTable<RedbBytes, RedbBytes>;

    fn open(&self, name: &str) -> Result<Self::Table, TableError> {
        self.open_table(definition(name))
    }
}

impl OpensTables for Rc<WriteTransaction> {
    type Table = redb::Table<'static, RedbBytes, RedbBytes>;

    #[expect(unsafe_code, reason = "redb's tables borrow their transaction, which has to be kept beside them")]
    fn open(&self, name: &str) -> Result<Self::Table, TableError> {
        // SAFETY: the transaction is inside the `Rc` and does not move; `RedbTransaction` holds the `Rc`, and drops its tables first.
        let transaction: &'static WriteTransaction = unsafe { &*Rc::as_ptr(self) };
        transaction.open_table(definition(name))
    }
}

/// A transaction with its tables. Its fields are in the order in which they must be dropped.
pub struct RedbTransaction<T: OpensTables> {
    /// Opened on first use, because opening one takes longer than reading a row.
    tables: Vec<OnceCell<T::Table>>,
    inner: T,
    names: Rc<[String]>,
}

impl<T: OpensTables> RedbTransaction<T> {
    fn new(inner: T, names: &Rc<[String]>) -> Self {
        Self { tables: names.iter().map(|_| OnceCell::new()).collect(), inner, names: Rc::clone(names) }
    }

    #[inline]
    fn table(&self, tree: Tree) -> Result<&T::Table, EngineError> {
        let cell = &self.tables[tree.index()];
        match cell.get() {
            Some(table) => Ok(table),
            None => {
                let opened = self.inner.open(&self.names[tree.index()]).map_err(failed)?;
                Ok(cell.get_or_init(|| opened))
            }
        }
    }

    #[inline]
    fn table_mut(&mut self, tree: Tree) -> Result<&mut T::Table, EngineError> {
        self.table(tree)?;
        self.tables[tree.index()].get_mut().ok_or_else(|| EngineError::new("the table was opened and is not there"))
    }
}

impl<T: OpensTables> OrderedRead for RedbTransaction<T> {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.table(tree)?.get(key).map_err(failed)?.map(|value| visit(value.value())))
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (keys.from, keys.to);
        direction.walk(self.table(tree)?.range::<&[u8]>(bounds).map_err(failed)?, |row| {
            let (key, value) = row.map_err(failed)?;
            Ok(visit(key.value(), value.value()))
        })
    }
}

impl OrderedWrite for RedbTransaction<Rc<WriteTransaction>> {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.table_mut(tree)?.insert(key, value).map_err(failed)?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.table_mut(tree)?.remove(key).map_err(failed)?.is_some())
    }

    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        let name = &self.names[tree.index()];
        // An open table cannot be deleted. It is recreated, because readers need it.
        drop(self.tables[tree.index()].take());
        self.inner.delete_table(definition(name)).map_err(failed)?;
        self.table(tree).map(drop)
    }

    fn commit(self) -> Result<(), EngineError> {
        let Self { tables, inner, .. } = self;
        drop(tables);
        match Rc::try_unwrap(inner) {
            Ok(transaction) => transaction.commit().map_err(failed),
            Err(_) => Err(EngineError::new("the transaction cannot be committed: a table still holds it")),
        }
    }
}
