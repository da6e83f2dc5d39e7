//! redb as an ordered store: a table a tree.

use crate::database::{Commit, MAIN_FILE, check, failed, open_database};
use dbdyno_engine::{
    EngineError,
    kv::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use redb::{
    AccessGuard, Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, Table, TableDefinition,
    TableError, WriteTransaction,
};
use std::{
    cell::OnceCell,
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    rc::Rc,
};

type Bytes = &'static [u8];
type ReadTable = ReadOnlyTable<Bytes, Bytes>;
type WriteTable = Table<'static, Bytes, Bytes>;

/// An open database.
#[derive(Debug)]
pub struct RedbStore {
    database: Database,
    commit: Commit,
    names: Rc<[String]>,
}

fn definition(name: &str) -> TableDefinition<'_, Bytes, Bytes> {
    TableDefinition::new(name)
}

impl OrderedStore for RedbStore {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = Read;
    type Write = Write;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let (database, commit) = open_database(open)?;
        let names: Rc<[String]> = (0..trees).map(|tree| tree.to_string()).collect();
        let created = database.begin_write().map_err(failed)?;
        for name in names.iter() {
            created.open_table(definition(name)).map_err(failed)?;
        }
        created.commit().map_err(failed)?;
        Ok(Self { database, commit, names })
    }

    /// redb has no call that tells what it was opened with.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn longest_key(&self) -> usize {
        usize::MAX
    }

    fn read(&self) -> Result<Read, EngineError> {
        let transaction = self.database.begin_read().map_err(failed)?;
        Ok(Read { tables: Tables::new(&self.names), transaction, names: Rc::clone(&self.names) })
    }

    fn write(&self) -> Result<Write, EngineError> {
        let transaction = Rc::new(self.commit.begin(&self.database)?);
        Ok(Write { tables: Tables::new(&self.names), transaction, names: Rc::clone(&self.names) })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&mut self.database)
    }

    fn close(self) -> Result<(), EngineError> {
        drop(self.database);
        Ok(())
    }
}

/// The tables of a transaction, each opened when it is first used: that takes longer than to read a row.
struct Tables<T>(Vec<OnceCell<T>>);

impl<T> Tables<T> {
    fn new(names: &[String]) -> Self {
        Self(names.iter().map(|_| OnceCell::new()).collect())
    }

    #[inline]
    fn get(&self, tree: Tree, open: impl FnOnce() -> Result<T, TableError>) -> Result<&T, EngineError> {
        let cell = &self.0[tree.index()];
        match cell.get() {
            Some(table) => Ok(table),
            None => {
                let opened = open().map_err(failed)?;
                Ok(cell.get_or_init(|| opened))
            }
        }
    }
}

/// A read transaction.
pub struct Read {
    tables: Tables<ReadTable>,
    transaction: ReadTransaction,
    names: Rc<[String]>,
}

/// A write transaction. The order of the fields is that in which they are dropped.
pub struct Write {
    tables: Tables<WriteTable>,
    transaction: Rc<WriteTransaction>,
    names: Rc<[String]>,
}

impl Read {
    #[inline]
    fn table(&self, tree: Tree) -> Result<&ReadTable, EngineError> {
        self.tables.get(tree, || self.transaction.open_table(definition(&self.names[tree.index()])))
    }
}

impl Write {
    #[inline]
    fn table(&self, tree: Tree) -> Result<&WriteTable, EngineError> {
        self.tables.get(tree, || static_table(&self.transaction, &self.names[tree.index()]))
    }

    #[inline]
    fn table_mut(&mut self, tree: Tree) -> Result<&mut WriteTable, EngineError> {
        self.table(tree)?;
        self.tables.0[tree.index()].get_mut().ok_or_else(|| EngineError::new("the table was opened and is not there"))
    }
}

#[expect(unsafe_code, reason = "redb's tables borrow their transaction, which has to be kept beside them")]
fn static_table(transaction: &Rc<WriteTransaction>, name: &str) -> Result<WriteTable, TableError> {
    // SAFETY: the transaction is inside the `Rc` and does not move; `Write` holds the `Rc`, and drops its tables first.
    let transaction: &'static WriteTransaction = unsafe { &*Rc::as_ptr(transaction) };
    transaction.open_table(definition(name))
}

#[inline]
fn range(
    table: &impl ReadableTable<Bytes, Bytes>,
    keys: Keys<'_>,
    direction: Direction,
    visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (keys.from, keys.to);
    let rows = table.range::<&[u8]>(bounds).map_err(failed)?;
    match direction {
        Direction::Up => walk(rows, visit),
        Direction::Down => walk(rows.rev(), visit),
    }
}

type Row<'r> = Result<(AccessGuard<'r, Bytes>, AccessGuard<'r, Bytes>), redb::StorageError>;

#[inline]
fn walk<'r>(
    rows: impl Iterator<Item = Row<'r>>,
    mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    for row in rows {
        let (key, value) = row.map_err(failed)?;
        if visit(key.value(), value.value()).is_break() {
            break;
        }
    }
    Ok(())
}

impl OrderedRead for Read {
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
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(self.table(tree)?, keys, direction, visit)
    }
}

impl OrderedRead for Write {
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
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(self.table(tree)?, keys, direction, visit)
    }
}

impl OrderedWrite for Write {
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
        // A table that is open cannot be deleted. It has to be there again for readers.
        drop(self.tables.0[tree.index()].take());
        self.transaction.delete_table(definition(name)).map_err(failed)?;
        self.table(tree).map(drop)
    }

    fn commit(self) -> Result<(), EngineError> {
        let Self { tables, transaction, .. } = self;
        drop(tables);
        match Rc::try_unwrap(transaction) {
            Ok(transaction) => transaction.commit().map_err(failed),
            Err(_) => Err(EngineError::new("the transaction cannot be committed: a table still holds it")),
        }
    }
}
