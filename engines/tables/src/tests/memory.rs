//! An ordered store in memory whose bytes a test can change.

use dbdyno_engine::{
    EngineError,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::{Bound, ControlFlow},
    path::PathBuf,
    rc::Rc,
};

type Trees = Vec<BTreeMap<Vec<u8>, Vec<u8>>>;

thread_local! {
    /// The contents of the stores, by folder.
    static CONTENTS: RefCell<HashMap<PathBuf, Rc<RefCell<Trees>>>> = RefCell::default();
}

/// The store; a commit replaces all trees.
pub(super) struct MemoryStore(Rc<RefCell<Trees>>);

/// Changes the committed bytes of a store.
pub(super) fn tamper(folder: &std::path::Path, change: impl FnOnce(&mut Trees)) {
    let contents = CONTENTS.with_borrow(|contents| Rc::clone(&contents[folder]));
    change(&mut contents.borrow_mut());
}

/// The longest key that it accepts, the same as LMDB's.
pub(super) const LONGEST_KEY: usize = 511;

impl OrderedStore for MemoryStore {
    const MAIN_FILE: &'static str = "memory";
    type Read = MemoryRead;
    type Write = MemoryWrite;

    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError> {
        let empty = || Rc::new(RefCell::new(vec![BTreeMap::new(); usize::from(trees)]));
        Ok(Self(
            CONTENTS
                .with_borrow_mut(|contents| Rc::clone(contents.entry(open.folder.to_owned()).or_insert_with(empty))),
        ))
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn longest_key(&self) -> usize {
        LONGEST_KEY
    }

    fn read(&self) -> Result<MemoryRead, EngineError> {
        Ok(MemoryRead(self.0.borrow().clone()))
    }

    fn write(&self) -> Result<MemoryWrite, EngineError> {
        Ok(MemoryWrite { trees: self.0.borrow().clone(), store: Rc::clone(&self.0) })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(self) -> Result<(), EngineError> {
        Ok(())
    }
}

pub(super) struct MemoryRead(Trees);

pub(super) struct MemoryWrite {
    trees: Trees,
    store: Rc<RefCell<Trees>>,
}

fn get<R>(trees: &Trees, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Option<R> {
    trees[tree.index()].get(key).map(|value| visit(value))
}

fn range(
    trees: &Trees,
    tree: Tree,
    keys: Keys<'_>,
    direction: Direction,
    mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) {
    let owned = |bound: Bound<&[u8]>| bound.map(<[u8]>::to_vec);
    let rows = trees[tree.index()].range((owned(keys.from), owned(keys.to)));
    let mut visit = |(key, value): (&Vec<u8>, &Vec<u8>)| {
        assert!(key.len() <= LONGEST_KEY, "a key of {} bytes was stored", key.len());
        visit(key, value)
    };
    let _ = match direction {
        Direction::Up => rows.into_iter().try_for_each(&mut visit),
        Direction::Down => rows.rev().try_for_each(&mut visit),
    };
}

impl OrderedRead for MemoryRead {
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(get(&self.0, tree, key, visit))
    }

    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(&self.0, tree, keys, direction, visit);
        Ok(())
    }
}

impl OrderedRead for MemoryWrite {
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(get(&self.trees, tree, key, visit))
    }

    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        range(&self.trees, tree, keys, direction, visit);
        Ok(())
    }
}

impl OrderedWrite for MemoryWrite {
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.trees[tree.index()].insert(key.to_vec(), value.to_vec());
        Ok(())
    }

    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.trees[tree.index()].remove(key).is_some())
    }

    fn clear(&mut self, tree: Tree) -> Result<(), EngineError> {
        self.trees[tree.index()].clear();
        Ok(())
    }

    fn commit(self) -> Result<(), EngineError> {
        *self.store.borrow_mut() = self.trees;
        Ok(())
    }
}
