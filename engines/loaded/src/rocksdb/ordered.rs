//! RocksDB as an ordered store: each key begins with the number of its tree, most significant byte first. All trees share tables in memory
//! and on disk, as in a database on RocksDB that keeps its tables and indexes there.

use super::{
    api::ReadOptions,
    batch::WriteBatch,
    database::{MAIN_FILE, RocksDatabase},
    reads::{RowIterator, Snapshot},
};
use dbdyno_engine::{
    EngineError,
    counters::EngineCounters,
    describe::Library,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::{Bound, ControlFlow, Deref},
    rc::Rc,
};

pub struct RocksStore {
    database: Rc<RocksDatabase>,
    /// Shared by all transactions, which run one at a time.
    batch: Rc<RefCell<WriteBatch>>,
}

impl OrderedStore for RocksStore {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Read = RocksSnapshot;
    type Write = RocksBatch;

    fn open(open: Open<'_>, _: u16) -> Result<Self, EngineError> {
        let database = Rc::new(RocksDatabase::open(open)?);
        let batch = Rc::new(RefCell::new(WriteBatch::new(database.api)));
        Ok(Self { database, batch })
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.database.in_force()
    }

    fn library(&self) -> Option<Library> {
        self.database.library()
    }

    fn counters(&self) -> EngineCounters {
        self.database.counters()
    }

    /// RocksDB's own limit is 4 GiB.
    fn longest_key(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn read(&self) -> Result<RocksSnapshot, EngineError> {
        let snapshot = Snapshot::new(Rc::clone(&self.database));
        Ok(RocksSnapshot { rows: Cell::new(None), snapshot, key: RefCell::default() })
    }

    fn write(&self) -> Result<RocksBatch, EngineError> {
        let (batch, database) = (Rc::clone(&self.batch), Rc::clone(&self.database));
        Ok(RocksBatch { batch, database, key: RefCell::default() })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.database.check()
    }

    fn close(self) -> Result<(), EngineError> {
        Rc::try_unwrap(self.database)
            .map(RocksDatabase::close)
            .map_err(|_| EngineError::new("the database cannot be closed: a transaction still holds it"))
    }
}

/// Writes a key with its tree's number in front into the buffer, replacing the previous content.
#[inline]
fn with_tree<'k>(buffer: &'k mut Vec<u8>, tree: Tree, key: &[u8]) -> &'k [u8] {
    buffer.clear();
    buffer.extend_from_slice(&tree.0.to_be_bytes());
    buffer.extend_from_slice(key);
    buffer
}

/// A read transaction. Its fields are in the order in which they must be dropped.
pub struct RocksSnapshot {
    /// Created by the first range, and reused by later ones.
    rows: Cell<Option<RowIterator<Rc<RocksDatabase>>>>,
    snapshot: Snapshot<Rc<RocksDatabase>>,
    key: RefCell<Vec<u8>>,
}

impl OrderedRead for RocksSnapshot {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        let mut key_buffer = self.key.take();
        let options: *const ReadOptions = self.snapshot.options;
        let found = self.snapshot.database.get(options, with_tree(&mut key_buffer, tree, key), visit);
        self.key.replace(key_buffer);
        found
    }

    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let new = || RowIterator::new(Rc::clone(&self.snapshot.database), self.snapshot.options);
        // A caller that walks another range during this one gets its own iterator.
        let mut rows = self.rows.take().unwrap_or_else(new);
        let mut key_buffer = self.key.take();
        walk(&mut rows, &mut key_buffer, (tree, keys), direction, visit)?;
        self.key.replace(key_buffer);
        self.rows.set(Some(rows));
        Ok(())
    }
}

/// A write transaction.
pub struct RocksBatch {
    /// Empty between transactions.
    batch: Rc<RefCell<WriteBatch>>,
    database: Rc<RocksDatabase>,
    key: RefCell<Vec<u8>>,
}

impl Drop for RocksBatch {
    fn drop(&mut self) {
        self.batch.borrow_mut().clear();
    }
}

impl RocksBatch {
    /// Indexes the writes so far, so that they can be read.
    #[inline]
    fn make_index(&self) {
        if self.batch.borrow().lacks_index() {
            self.batch.borrow_mut().make_index();
        }
    }
}

impl OrderedRead for RocksBatch {
    #[inline]
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        let mut key_buffer = self.key.take();
        self.make_index();
        let batch = self.batch.borrow();
        let found = self.database.get_through(batch.index(), with_tree(&mut key_buffer, tree, key), visit);
        self.key.replace(key_buffer);
        found
    }

    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.make_index();
        let batch = self.batch.borrow();
        let mut rows = RowIterator::through(&self.database, batch.index());
        let mut key_buffer = self.key.take();
        let walked = walk(&mut rows, &mut key_buffer, (tree, keys), direction, visit);
        self.key.replace(key_buffer);
        walked
    }
}

impl OrderedWrite for RocksBatch {
    #[inline]
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.batch.borrow_mut().put(with_tree(self.key.get_mut(), tree, key), value);
        Ok(())
    }

    /// Reads the key first, because RocksDB does not report whether a deleted key existed.
    #[inline]
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        let there = self.get(tree, key, |_| ())?.is_some();
        if there { self.remove(tree, key) } else { Ok(false) }
    }

    #[inline]
    fn remove(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        self.batch.borrow_mut().delete(with_tree(self.key.get_mut(), tree, key));
        Ok(true)
    }

    /// Removes key by key, because an indexed batch accepts no range deletions.
    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        let mut keys = Vec::new();
        self.range(tree, Keys::ALL, Direction::Up, |key, _| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        keys.iter().try_for_each(|key| self.remove(tree, key).map(drop))
    }

    fn commit(self) -> Result<(), EngineError> {
        self.database.write(&self.batch.borrow())
    }
}

/// Passes the rows of a range of a tree to `visit`, until it breaks.
#[inline]
fn walk<D: Deref<Target = RocksDatabase>>(
    rows: &mut RowIterator<D>,
    key_buffer: &mut Vec<u8>,
    (tree, keys): (Tree, Keys<'_>),
    direction: Direction,
    mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    if keys.is_empty() {
        return Ok(());
    }
    match direction {
        Direction::Up => seek_least(rows, key_buffer, tree, keys.from),
        Direction::Down => seek_greatest(rows, key_buffer, tree, keys.to),
    }
    while let Some((key, value)) = rows.row() {
        let Some(key) = key.strip_prefix(&tree.0.to_be_bytes()) else { break };
        if !contains(keys, key, direction) || visit(key, value).is_break() {
            break;
        }
        match direction {
            Direction::Up => rows.next(),
            Direction::Down => rows.prev(),
        }
    }
    rows.check()
}

/// Returns whether a key is within the end of a range that is walked in this direction.
#[inline]
fn contains(keys: Keys<'_>, key: &[u8], direction: Direction) -> bool {
    match (direction, keys.from, keys.to) {
        (Direction::Up, _, Bound::Unbounded) | (Direction::Down, Bound::Unbounded, _) => true,
        (Direction::Up, _, Bound::Included(to)) => key <= to,
        (Direction::Up, _, Bound::Excluded(to)) => key < to,
        (Direction::Down, Bound::Included(from), _) => key >= from,
        (Direction::Down, Bound::Excluded(from), _) => key > from,
    }
}

/// Goes to the first row of a tree that a lower bound allows.
#[inline]
fn seek_least<D: Deref<Target = RocksDatabase>>(
    rows: &mut RowIterator<D>,
    key_buffer: &mut Vec<u8>,
    tree: Tree,
    from: Bound<&[u8]>,
) {
    let (Bound::Included(key) | Bound::Excluded(key)) = from else {
        return rows.seek(with_tree(key_buffer, tree, &[]));
    };
    rows.seek(with_tree(key_buffer, tree, key));
    if matches!(from, Bound::Excluded(_)) && rows.row().is_some_and(|(found, _)| found == key_buffer.as_slice()) {
        rows.next();
    }
}

/// Goes to the last row of a tree that an upper bound allows.
#[inline]
fn seek_greatest<D: Deref<Target = RocksDatabase>>(
    rows: &mut RowIterator<D>,
    key_buffer: &mut Vec<u8>,
    tree: Tree,
    to: Bound<&[u8]>,
) {
    // Without a bound: the last row before the next tree.
    let is_excluded = !matches!(to, Bound::Included(_));
    match to {
        Bound::Included(key) | Bound::Excluded(key) => rows.seek_back(with_tree(key_buffer, tree, key)),
        Bound::Unbounded => match tree.0.checked_add(1) {
            Some(behind) => rows.seek_back(with_tree(key_buffer, Tree(behind), &[])),
            None => return rows.seek_to_last(),
        },
    }
    if is_excluded && rows.row().is_some_and(|(found, _)| found == key_buffer.as_slice()) {
        rows.prev();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_compared_with_the_end_that_a_walk_comes_to() {
        let keys = Keys { from: Bound::Excluded(b"b"), to: Bound::Included(b"d") };
        let held = |key: &[u8]| (contains(keys, key, Direction::Up), contains(keys, key, Direction::Down));
        assert_eq!(held(b"b"), (true, false));
        assert_eq!(held(b"c"), (true, true));
        assert_eq!(held(b"d\0"), (false, true));
    }
}
