//! fjall as an ordered store: one keyspace per tree, all in one transaction.

use super::{
    counted,
    describe::{keyspace_options, persist},
    kv::{Reader, failed, in_force, open_database, read_every_block},
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use fjall::{
    Guard, PersistMode, Readable, SingleWriterTxDatabase, SingleWriterTxKeyspace, SingleWriterWriteTx, Snapshot,
};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    rc::Rc,
};

type Keyspaces = Rc<[SingleWriterTxKeyspace]>;

pub struct FjallStore {
    database: Rc<SingleWriterTxDatabase>,
    keyspaces: Keyspaces,
    persist: Option<PersistMode>,
}

impl OrderedStore for FjallStore {
    const MAIN_FILE: &'static str = super::kv::TABLES;
    type Read = FjallTransaction<Snapshot>;
    type Write = FjallTransaction<OwnedFjallWrite>;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let persist = persist(open.settings)?;
        let database = open_database(open)?;
        let options = keyspace_options(open.settings)?;
        let keyspace = |tree: u16| database.keyspace(&tree.to_string(), || options.clone());
        let keyspaces: Keyspaces =
            (0..trees).map(keyspace).collect::<Result<_, _>>().map_err(EngineError::doing("opening a keyspace"))?;
        keyspaces.iter().try_for_each(forget_removed).map_err(EngineError::doing("emptying a keyspace"))?;
        Ok(Self { database: Rc::new(database), keyspaces, persist })
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(self.keyspaces.first().map_or_else(BTreeMap::new, |keyspace| in_force(&self.database, keyspace)))
    }

    fn counters(&self) -> EngineCounters {
        counted::counters(&self.database, &self.keyspaces)
    }

    fn longest_key(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn read(&self) -> Result<Self::Read, EngineError> {
        Ok(FjallTransaction { inner: self.database.read_tx(), keyspaces: Rc::clone(&self.keyspaces) })
    }

    fn write(&self) -> Result<Self::Write, EngineError> {
        let transaction = static_write(&self.database).durability(self.persist);
        let inner = OwnedFjallWrite { transaction, _database: Rc::clone(&self.database) };
        Ok(FjallTransaction { inner, keyspaces: Rc::clone(&self.keyspaces) })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.keyspaces.iter().try_for_each(|keyspace| read_every_block(&self.database, keyspace))
    }

    fn close(self) -> Result<(), EngineError> {
        self.database.persist(PersistMode::Buffer).map_err(failed)
    }
}

/// Clears a keyspace in which every key was removed. Until fjall compacts, each removed key leaves a tombstone that reads have to skip.
/// Clearing cannot be part of a transaction, so it happens when the database is opened.
fn forget_removed(keyspace: &SingleWriterTxKeyspace) -> fjall::Result<()> {
    let keyspace = keyspace.inner();
    if keyspace.approximate_len() > 0 && keyspace.is_empty()? { keyspace.clear() } else { Ok(()) }
}

#[expect(unsafe_code, reason = "fjall's single writer has no transactions that own their database")]
fn static_write(database: &Rc<SingleWriterTxDatabase>) -> SingleWriterWriteTx<'static> {
    // SAFETY: the transaction borrows the database inside the `Rc`, which does not move; `OwnedFjallWrite` holds the `Rc`
    // and drops the transaction before it.
    unsafe { std::mem::transmute::<SingleWriterWriteTx<'_>, SingleWriterWriteTx<'static>>(database.write_tx()) }
}

/// A transaction with the keyspaces of its trees.
pub struct FjallTransaction<T> {
    inner: T,
    keyspaces: Keyspaces,
}

/// A write transaction with the database that it borrows. Its fields are in the order in which they must be dropped.
pub struct OwnedFjallWrite {
    transaction: SingleWriterWriteTx<'static>,
    _database: Rc<SingleWriterTxDatabase>,
}

impl Reader for OwnedFjallWrite {
    type Readable = SingleWriterWriteTx<'static>;

    #[inline]
    fn readable(&self) -> &SingleWriterWriteTx<'static> {
        &self.transaction
    }
}

impl<T: Reader> OrderedRead for FjallTransaction<T> {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        let value = self.inner.readable().get(&self.keyspaces[tree.index()], key).map_err(failed)?;
        Ok(value.map(|value| visit(&value)))
    }

    #[inline]
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        if keys.is_empty() {
            return Ok(());
        }
        let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (keys.from, keys.to);
        direction.walk(self.inner.readable().range::<&[u8], _>(&self.keyspaces[tree.index()], bounds), |row| {
            let (key, value) = row.into_inner().map_err(failed)?;
            Ok(visit(&key, &value))
        })
    }
}

impl OrderedWrite for FjallTransaction<OwnedFjallWrite> {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let Self { inner: OwnedFjallWrite { transaction, .. }, keyspaces } = self;
        transaction.insert(&keyspaces[tree.index()], key, value);
        Ok(())
    }

    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        // fjall does not report whether a removed key existed, so this reads it first.
        let Self { inner: OwnedFjallWrite { transaction, .. }, keyspaces } = self;
        let keyspace = &keyspaces[tree.index()];
        let there = transaction.contains_key(keyspace, key).map_err(failed)?;
        if there {
            transaction.remove(keyspace, key);
        }
        Ok(there)
    }

    #[inline]
    fn remove(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        let Self { inner: OwnedFjallWrite { transaction, .. }, keyspaces } = self;
        transaction.remove(&keyspaces[tree.index()], key);
        Ok(true)
    }

    /// Removes key by key, because fjall's own way to empty a keyspace is not part of a transaction.
    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        let Self { inner: OwnedFjallWrite { transaction, .. }, keyspaces } = self;
        let keyspace = &keyspaces[tree.index()];
        let keys: Vec<_> = transaction.iter(keyspace).map(Guard::key).collect::<Result<_, _>>().map_err(failed)?;
        keys.into_iter().for_each(|key| transaction.remove(keyspace, key));
        Ok(())
    }

    fn commit(self) -> Result<(), EngineError> {
        self.inner.transaction.commit().map_err(failed)
    }
}
