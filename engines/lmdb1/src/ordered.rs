//! The environment as an ordered store: one named table per tree.

use crate::{
    environment::Lmdb1Environment,
    lmdb::{Dbi, Lmdb1Read, Lmdb1Reads, Lmdb1Write},
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use dbdyno_lmdb_common::MAIN_FILE;
use std::{
    cell::{RefCell, RefMut},
    collections::BTreeMap,
    ffi::CString,
    ops::ControlFlow,
    rc::Rc,
};

#[derive(Debug)]
pub struct Lmdb1Store(RefCell<OpenTrees>);

#[derive(Debug)]
struct OpenTrees {
    database: Lmdb1Environment,
    tables: Rc<[Dbi]>,
}

impl OpenTrees {
    /// Opens the named tables, and creates those that do not exist.
    fn open_tables(database: &Lmdb1Environment, trees: u16) -> Result<Rc<[Dbi]>, EngineError> {
        let mut create = Lmdb1Write::begin(&database.env)?;
        let mut table = |tree: u16| -> Result<Dbi, EngineError> {
            let name = CString::new(tree.to_string()).map_err(|error| EngineError::new(error.to_string()))?;
            Ok(create.table(&name)?)
        };
        let tables = (0..trees).map(&mut table).collect::<Result<_, _>>()?;
        create.commit()?;
        Ok(tables)
    }
}

impl OrderedStore for Lmdb1Store {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = Lmdb1Transaction<Lmdb1Read>;
    type Write = Lmdb1Transaction<Lmdb1Write>;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let database = Lmdb1Environment::open(open, u32::from(trees))?;
        let tables = OpenTrees::open_tables(&database, trees)?;
        Ok(Self(RefCell::new(OpenTrees { database, tables })))
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.0.borrow().database.in_force()
    }

    fn counters(&self) -> EngineCounters {
        self.0.borrow().database.counters()
    }

    fn longest_key(&self) -> usize {
        self.0.borrow().database.env.longest_key()
    }

    fn read(&self) -> Result<Lmdb1Transaction<Lmdb1Read>, EngineError> {
        let OpenTrees { database, tables } = &*self.0.borrow();
        Ok(Lmdb1Transaction { inner: RefCell::new(Lmdb1Read::begin(&database.env)?), tables: Rc::clone(tables) })
    }

    fn write(&self) -> Result<Lmdb1Transaction<Lmdb1Write>, EngineError> {
        let OpenTrees { database, tables } = &mut *self.0.borrow_mut();
        if database.get_ready_to_write()? {
            *tables = OpenTrees::open_tables(database, tables.len() as u16)?;
        }
        Ok(Lmdb1Transaction { inner: RefCell::new(Lmdb1Write::begin(&database.env)?), tables: Rc::clone(tables) })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        let OpenTrees { database, tables } = self.0.get_mut();
        tables.iter().try_for_each(|table| database.check(*table))
    }

    fn close(self) -> Result<(), EngineError> {
        drop(self);
        Ok(())
    }
}

/// A transaction. LMDB may unmap a lent value as soon as another one is requested. The cell makes such a request from a visitor fail.
#[derive(Debug)]
pub struct Lmdb1Transaction<T> {
    inner: RefCell<T>,
    tables: Rc<[Dbi]>,
}

impl<T> Lmdb1Transaction<T> {
    #[inline]
    fn inner(&self) -> Result<RefMut<'_, T>, EngineError> {
        self.inner.try_borrow_mut().map_err(|_| EngineError::new("a visitor of rows asked for more of them"))
    }
}

impl<T: Lmdb1Reads> OrderedRead for Lmdb1Transaction<T> {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.inner()?.reads().get(self.tables[tree.index()], key, visit)?)
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        Ok(self.inner()?.reads().range(self.tables[tree.index()], keys, direction, visit)?)
    }
}

impl OrderedWrite for Lmdb1Transaction<Lmdb1Write> {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        Ok(self.inner.get_mut().put(self.tables[tree.index()], key, value)?)
    }

    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.inner.get_mut().delete(self.tables[tree.index()], key)?)
    }

    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        Ok(self.inner.get_mut().clear(self.tables[tree.index()])?)
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(self.inner.into_inner().commit()?)
    }
}
