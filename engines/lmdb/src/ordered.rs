//! LMDB as an ordered store: a named database a tree.

use crate::environment::{check, create_database, environment, failed, grow, in_force};
use dbdyno_engine::{
    EngineError,
    kv::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use dbdyno_lmdb_common::{MAIN_FILE, Setup};
use heed::{Database, Env, RoTxn, RwTxn, WithTls, types::Bytes};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    rc::Rc,
};

type Databases = Rc<[Database<'static, Bytes, Bytes>]>;

/// An open environment.
#[derive(Debug)]
pub struct LmdbStore {
    env: Rc<Env>,
    databases: Databases,
    setup: Setup,
}

impl OrderedStore for LmdbStore {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = Read;
    type Write = Write;

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

    fn longest_key(&self) -> usize {
        self.env.max_key_size()
    }

    fn read(&self) -> Result<Read, EngineError> {
        let transaction = Env::clone(&self.env).static_read_txn().map_err(failed)?;
        Ok(Read { transaction, databases: Rc::clone(&self.databases) })
    }

    fn write(&self) -> Result<Write, EngineError> {
        if self.setup.grows {
            grow(&self.env)?;
        }
        let env = Rc::clone(&self.env);
        let transaction = static_write(&env)?;
        Ok(Write { transaction, _env: env, databases: Rc::clone(&self.databases) })
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
    // SAFETY: the transaction borrows the environment inside the `Rc`, which does not move; `Write` holds the `Rc` and
    // drops the transaction before it.
    Ok(unsafe { std::mem::transmute::<RwTxn<'_>, RwTxn<'static>>(transaction) })
}

/// A read transaction.
pub struct Read {
    transaction: RoTxn<'static, WithTls>,
    databases: Databases,
}

/// A write transaction. The order of the fields is that in which they are dropped.
pub struct Write {
    transaction: RwTxn<'static>,
    _env: Rc<Env>,
    databases: Databases,
}

#[inline]
fn get<R>(
    databases: &Databases,
    transaction: &RoTxn<'_>,
    tree: Tree,
    key: &[u8],
    visit: impl FnOnce(&[u8]) -> R,
) -> Result<Option<R>, EngineError> {
    Ok(databases[tree.index()].get(transaction, key).map_err(failed)?.map(visit))
}

#[inline]
fn range(
    databases: &Databases,
    transaction: &RoTxn<'_>,
    tree: Tree,
    keys: Keys<'_>,
    direction: Direction,
    visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let database = databases[tree.index()];
    let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (keys.from, keys.to);
    match direction {
        Direction::Up => walk(database.range(transaction, &bounds).map_err(failed)?, visit),
        Direction::Down => walk(database.rev_range(transaction, &bounds).map_err(failed)?, visit),
    }
}

#[inline]
fn walk<'t>(
    rows: impl Iterator<Item = heed::Result<(&'t [u8], &'t [u8])>>,
    mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    for row in rows {
        let (key, value) = row.map_err(failed)?;
        if visit(key, value).is_break() {
            break;
        }
    }
    Ok(())
}

impl OrderedRead for Read {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        get(&self.databases, &self.transaction, tree, key, visit)
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(&self.databases, &self.transaction, tree, keys, direction, visit)
    }
}

impl OrderedRead for Write {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        get(&self.databases, &self.transaction, tree, key, visit)
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(&self.databases, &self.transaction, tree, keys, direction, visit)
    }
}

impl OrderedWrite for Write {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.databases[tree.index()].put(&mut self.transaction, key, value).map_err(failed)
    }

    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        self.databases[tree.index()].delete(&mut self.transaction, key).map_err(failed)
    }

    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        self.databases[tree.index()].clear(&mut self.transaction).map_err(failed)
    }

    fn commit(self) -> Result<(), EngineError> {
        self.transaction.commit().map_err(failed)
    }
}
