//! LMDB as an ordered store: one named database per tree.

use crate::environment::{LmdbReads, check, counters, create_database, environment, failed, grow, in_force};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree, walk},
};
use dbdyno_lmdb_common::{LmdbSetup, MAIN_FILE};
use heed::{Database, Env, RoTxn, RwTxn, WithTls, types::Bytes};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    rc::Rc,
};

type Databases = Rc<[Database<'static, Bytes, Bytes>]>;

#[derive(Debug)]
pub struct LmdbStore {
    env: Rc<Env>,
    databases: Databases,
    setup: LmdbSetup,
}

impl OrderedStore for LmdbStore {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = LmdbTransaction<RoTxn<'static, WithTls>>;
    type Write = LmdbTransaction<OwnedLmdbWrite>;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let (env, setup) = environment(open, u32::from(trees))?;
        // heed commits the transaction in which a database was created.
        let databases: Databases =
            (0..trees).map(|tree| create_database(&env, Some(&tree.to_string()))).collect::<Result<_, _>>()?;
        Ok(Self { env: Rc::new(env), databases, setup })
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        in_force(&self.env, self.setup)
    }

    fn counters(&self) -> EngineCounters {
        counters(&self.env)
    }

    fn longest_key(&self) -> usize {
        self.env.max_key_size()
    }

    fn read(&self) -> Result<Self::Read, EngineError> {
        let inner = Env::clone(&self.env).static_read_txn().map_err(failed)?;
        Ok(LmdbTransaction { inner, databases: Rc::clone(&self.databases) })
    }

    fn write(&self) -> Result<Self::Write, EngineError> {
        if self.setup.grows {
            grow(&self.env)?;
        }
        let inner = OwnedLmdbWrite { transaction: static_write(&self.env)?, _env: Rc::clone(&self.env) };
        Ok(LmdbTransaction { inner, databases: Rc::clone(&self.databases) })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.databases.iter().try_for_each(|database| check(&self.env, *database))
    }

    fn close(self) -> Result<(), EngineError> {
        let closing = Env::clone(&self.env).prepare_for_closing();
        drop(self);
        closing.wait();
        Ok(())
    }
}

#[expect(unsafe_code, reason = "heed has read transactions that own their environment, but no write transactions")]
fn static_write(env: &Rc<Env>) -> Result<RwTxn<'static>, EngineError> {
    let transaction = env.write_txn().map_err(failed)?;
    // SAFETY: the transaction borrows the environment inside the `Rc`, which does not move; `OwnedLmdbWrite` holds the `Rc`
    // and drops the transaction before it.
    Ok(unsafe { std::mem::transmute::<RwTxn<'_>, RwTxn<'static>>(transaction) })
}

/// A transaction with the databases of its trees.
pub struct LmdbTransaction<T> {
    inner: T,
    databases: Databases,
}

/// A write transaction with the environment that it borrows. Its fields are in the order in which they must be dropped.
pub struct OwnedLmdbWrite {
    transaction: RwTxn<'static>,
    _env: Rc<Env>,
}

impl LmdbReads for OwnedLmdbWrite {
    #[inline]
    fn reads(&self) -> &RoTxn<'_> {
        self.transaction.reads()
    }
}

impl<T: LmdbReads> OrderedRead for LmdbTransaction<T> {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.databases[tree.index()].get(self.inner.reads(), key).map_err(failed)?.map(visit))
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let (database, transaction) = (self.databases[tree.index()], self.inner.reads());
        let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (keys.from, keys.to);
        let show = |row: heed::Result<(&[u8], &[u8])>| row.map(|(key, value)| visit(key, value)).map_err(failed);
        match direction {
            Direction::Up => walk(database.range(transaction, &bounds).map_err(failed)?, show),
            Direction::Down => walk(database.rev_range(transaction, &bounds).map_err(failed)?, show),
        }
    }
}

impl OrderedWrite for LmdbTransaction<OwnedLmdbWrite> {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.databases[tree.index()].put(&mut self.inner.transaction, key, value).map_err(failed)
    }

    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        self.databases[tree.index()].delete(&mut self.inner.transaction, key).map_err(failed)
    }

    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        self.databases[tree.index()].clear(&mut self.inner.transaction).map_err(failed)
    }

    fn commit(self) -> Result<(), EngineError> {
        self.inner.transaction.commit().map_err(failed)
    }
}
