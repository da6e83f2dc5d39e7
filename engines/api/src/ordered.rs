//! An ordered key-value store as tables are kept in: what the table layer asks of an engine.
//!
//! A store holds a fixed number of numbered trees, all made when it is opened; tables and indexes take a free one and give
//! it back empty. So a tree can be handed out inside a transaction even by engines that create trees only outside of one.
//!
//! Transactions are owned values without a borrow of the store, because SQLite's virtual tables meet one across many
//! calls: begun by one statement, read and written by others, committed by a last one. An engine whose transaction
//! borrows its environment keeps a shared handle of that beside it. At most one transaction of a store is alive at a
//! time, all on one thread.

use crate::{EngineError, describe::Library, engine::Open};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

/// The number of a tree, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tree(pub u16);

impl Tree {
    /// The number as an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Which way a range is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the least key up.
    Up,
    /// From the greatest key down.
    Down,
}

impl Direction {
    /// Walks rows that are given from the least key up, until `show` breaks.
    #[inline]
    pub fn walk<R, E>(
        self,
        rows: impl DoubleEndedIterator<Item = R>,
        show: impl FnMut(R) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        match self {
            Self::Up => walk(rows, show),
            Self::Down => walk(rows.rev(), show),
        }
    }
}

/// Walks rows in the order they come, until `show` breaks.
#[inline]
pub fn walk<R, E>(
    rows: impl IntoIterator<Item = R>,
    mut show: impl FnMut(R) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    for row in rows {
        if show(row)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Keys from one bound to another, compared as bytes. A range whose lower bound lies above its upper one is empty, and no
/// error.
#[derive(Debug, Clone, Copy)]
pub struct Keys<'k> {
    /// The lower end, whichever way the range is walked.
    pub from: Bound<&'k [u8]>,
    pub to: Bound<&'k [u8]>,
}

impl Keys<'_> {
    pub const ALL: Self = Self { from: Bound::Unbounded, to: Bound::Unbounded };

    /// Whether no key can lie between the bounds. Several libraries panic or fail when they are asked for such a range.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match (self.from, self.to) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) => from >= to,
        }
    }
}

/// An open store. The folder, options and size hint of [`Open`] are those of a key-value engine; its `schema` is empty.
pub trait OrderedStore: Sized + 'static {
    /// Name of the main file in the database's folder; every other file there is a side file.
    const MAIN_FILE: &'static str;
    type Read: OrderedRead + 'static;
    type Write: OrderedWrite + 'static;

    /// Opens the store in a folder, creating it with `trees` empty trees when the folder is empty. A store that is there
    /// has as many trees as it was created with; the same number is given.
    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError>;

    /// Every option that can be read back, with the value in force.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError>;

    /// The library, where it is known only once it is running.
    fn library(&self) -> Option<Library> {
        None
    }

    /// The longest key taken, bytes.
    fn longest_key(&self) -> usize;

    /// Begins a read transaction: a snapshot.
    fn read(&self) -> Result<Self::Read, EngineError>;

    /// Begins a write transaction. Not called while another transaction is alive.
    fn write(&self) -> Result<Self::Write, EngineError>;

    /// The engine's own check that the database is sound. No transaction is alive.
    fn check(&mut self) -> Result<(), EngineError>;

    /// Closes the store, so that it can be opened again by the same process. No transaction is alive.
    fn close(self) -> Result<(), EngineError>;
}

/// Reads inside a transaction. Bytes are shown to a visitor, because engines differ in what keeps them alive.
pub trait OrderedRead {
    /// Shows the value of a key to `visit`; `None` when there is no such key.
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError>;

    /// Shows keys with their values in order, until `visit` breaks or the range ends.
    ///
    /// Nothing of the walk outlives the call. A cursor of the table layer copies some rows, and comes back for more with
    /// the last key as an excluded bound; so it never holds an iterator across a write of its own statement.
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError>;
}

/// A write transaction, which reads what it wrote; dropping it rolls it back.
pub trait OrderedWrite: OrderedRead {
    /// Writes a value, in place of one that is there.
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Removes a key; whether it was there.
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError>;

    /// Removes a key that has to be there; false where the engine sees that it is not. One that would have to read it to see that
    /// does not look.
    #[inline]
    fn remove(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        self.delete(tree, key)
    }

    /// Removes every key of a tree, by the engine's fastest way that a rollback undoes.
    fn clear(&mut self, tree: Tree) -> Result<(), EngineError>;

    /// Commits with the durability that the options ask for.
    fn commit(self) -> Result<(), EngineError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use Bound::{Excluded, Included, Unbounded};

    #[test]
    fn a_range_without_room_between_its_bounds_is_empty() {
        let (low, high): (&[u8], &[u8]) = (b"a", b"b");
        let empty = |from, to| Keys { from, to }.is_empty();
        assert!(empty(Included(high), Included(low)));
        assert!(empty(Included(low), Excluded(low)));
        assert!(empty(Excluded(low), Included(low)));
        assert!(!empty(Included(low), Included(low)));
        assert!(!empty(Excluded(low), Excluded(high)), "bytes can lie between");
        assert!(!empty(Unbounded, Excluded(low)) && !Keys::ALL.is_empty());
    }
}
