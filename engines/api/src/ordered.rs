//! Ordered key-value stores that can hold tables: the interface that the table layer needs from an engine.
//!
//! A store holds a fixed number of numbered trees, all created when it is opened. Tables and indexes take a free tree, and return it
//! empty. So a tree can be assigned inside a transaction, even by engines that create trees only outside one.
//!
//! Transactions are owned values that do not borrow the store, because SQLite's virtual tables use one transaction across many calls. One
//! statement begins it, others read and write in it, and a last one commits it. An engine whose transaction borrows its environment also
//! keeps a shared handle to that environment. At most one transaction of a store is alive at a time, and all use the same thread.

use crate::{EngineError, counters::EngineCounters, describe::Library, engine::Open};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

/// The number of a tree, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tree(pub u16);

impl Tree {
    /// Returns the number as an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The order in which a range is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the least key up.
    Up,
    /// From the greatest key down.
    Down,
}

impl Direction {
    /// Walks rows in this direction until `show` breaks. The rows are given in ascending key order.
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

/// Walks rows in the given order until `show` breaks.
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

/// Keys from one bound to another, compared as bytes. If the lower bound is above the upper one, the range is empty and not an error.
#[derive(Debug, Clone, Copy)]
pub struct Keys<'k> {
    /// The lower end, in both directions.
    pub from: Bound<&'k [u8]>,
    pub to: Bound<&'k [u8]>,
}

impl Keys<'_> {
    pub const ALL: Self = Self { from: Bound::Unbounded, to: Bound::Unbounded };

    /// Whether the bounds leave no room for a key. Several libraries panic or fail on such a range.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match (self.from, self.to) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) => from >= to,
        }
    }
}

/// An open store. Its [`Open`] has the folder, options and size hint as for a key-value engine; its `schema` is empty.
pub trait OrderedStore: Sized + 'static {
    /// Name of the main file in the database's folder; every other file there is a side file.
    const MAIN_FILE: &'static str;
    type Read: OrderedRead + 'static;
    type Write: OrderedWrite + 'static;

    /// Opens the store in a folder. If the folder is empty, creates it with `trees` empty trees. An existing store has as many trees as
    /// it was created with; the caller passes the same number.
    fn open(open: Open<'_>, trees: u16) -> Result<Self, EngineError>;

    /// Returns every option that can be read back, with the value in force.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError>;

    /// Returns the library if it is known only while it is running.
    fn library(&self) -> Option<Library> {
        None
    }

    /// Returns what the store counted so far, without a transaction: one may be alive. Not timed.
    fn counters(&self) -> EngineCounters {
        EngineCounters::default()
    }

    /// Returns the length of the longest key that the store accepts, bytes.
    fn longest_key(&self) -> usize;

    /// Begins a read transaction, which is a snapshot.
    fn read(&self) -> Result<Self::Read, EngineError>;

    /// Begins a write transaction. Not called while another transaction is alive.
    fn write(&self) -> Result<Self::Write, EngineError>;

    /// Runs the engine's own check that the database is sound. No transaction is alive.
    fn check(&mut self) -> Result<(), EngineError>;

    /// Closes the store, so that the same process can open it again. No transaction is alive.
    fn close(self) -> Result<(), EngineError>;
}

/// Reads inside a transaction. A visitor receives the bytes, because engines differ in what keeps them alive.
pub trait OrderedRead {
    /// Passes the value of a key to `visit`. Returns `None` if the key does not exist.
    fn get<R>(&self, tree: Tree, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError>;

    /// Passes keys with their values to `visit` in order, until it breaks or the range ends.
    ///
    /// No part of the walk outlives the call. A cursor of the table layer copies some rows, and continues later with the last key as an
    /// excluded bound. So it never holds an iterator across a write of its own statement.
    fn range(
        &self,
        tree: Tree,
        keys: Keys<'_>,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), EngineError>;
}

/// A write transaction, which sees its own writes. Dropping it rolls it back.
pub trait OrderedWrite: OrderedRead {
    /// Writes a value, replacing an existing one.
    fn put(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Removes a key. Returns whether it existed.
    fn delete(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError>;

    /// Removes a key that must exist. Returns false if the engine sees that the key is missing. An engine that would have to read the key
    /// to see this does not check.
    #[inline]
    fn remove(&mut self, tree: Tree, key: &[u8]) -> Result<bool, EngineError> {
        self.delete(tree, key)
    }

    /// Removes every key of a tree, in the engine's fastest way that a rollback can undo.
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
