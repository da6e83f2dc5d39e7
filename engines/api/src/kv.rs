//! The traits of an engine that stores ordered keys and values. Static dispatch everywhere: the measured loop is
//! compiled once for each engine.

use crate::{
    EngineError,
    counters::EngineCounters,
    describe::OptionSpec,
    engine::{EngineInstance, Open},
    settings::Settings,
    suite::{KvStatements, SuiteKind},
};

/// Returns the option `read_transaction`, for engines whose reads can share a transaction.
pub fn read_transaction() -> OptionSpec {
    OptionSpec::choice(
        "read_transaction",
        &["each", "held"],
        "each",
        "one read transaction for each read, or one held over all reads of a test",
    )
    .only_for(SuiteKind::Kv)
    .in_program("held", "begin one read transaction, and do all reads in it")
    .risk(
        "held",
        "reads see no commits that came after the transaction began, and no old pages are reused while it is open",
    )
}

/// Whether the option [`read_transaction`] requests one transaction held over all reads of a test.
pub fn is_held(settings: &Settings) -> Result<bool, EngineError> {
    Ok(settings.text("read_transaction")? == "held")
}

/// An engine of key-value suites, with one open database.
pub trait KvEngine: EngineInstance {
    /// The state for one test: prepared statements, table handles.
    type Session<'e>: KvSession
    where
        Self: 'e;

    /// Opens the database in a folder, and creates it if the folder is empty.
    fn open(open: Open<'_>) -> Result<Self, EngineError>;

    /// Whether one read transaction is held over all reads of a test, instead of one for each read.
    fn holds_reads(&self) -> bool {
        false
    }

    /// Makes the database as small as the engine can, with all its content. `open` has the arguments that it was opened with, for engines
    /// that must close it to compact it. Timed. Called only for engines whose [description](crate::describe::Description::compacts) says
    /// that they can compact.
    fn compact(self, open: Open<'_>) -> Result<Self, EngineError> {
        let _ = open;
        Err(EngineError::new("this engine has no way to compact its database"))
    }

    /// Prepares statements and opens tables for one test. Not timed.
    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError>;
}

/// An engine whose database several threads can use at once.
pub trait KvThreads: KvEngine + Sync {
    type Handle<'e>: KvHandle
    where
        Self: 'e;

    /// Prepares the engine before the threads of a test start, while no thread uses the database. Not timed.
    fn get_ready(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Creates the calling thread's own access: a connection, or the database itself where threads share it. Not timed.
    fn handle(&self) -> Result<Self::Handle<'_>, EngineError>;
}

/// A thread's own access to the database.
pub trait KvHandle {
    type Session<'h>: KvSession
    where
        Self: 'h;

    /// Does the same as [`KvEngine::session`], for this thread.
    fn session<'h>(&'h mut self, statements: &'h KvStatements) -> Result<Self::Session<'h>, EngineError>;

    /// Returns readings of the engine's state, by name. Called about once a second while a test is followed; the engine may have to work
    /// for it.
    fn readings(&mut self) -> Result<Vec<(&'static str, u64)>, EngineError> {
        Ok(Vec::new())
    }
}

/// An engine whose threads share the database itself, without a handle for each thread.
pub trait KvShared: KvEngine + Sync {
    /// The state for a test of one of several threads.
    type Shared<'e>: KvSession
    where
        Self: 'e;

    /// Does the same as [`KvThreads::get_ready`].
    fn get_ready(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Does the same as [`KvEngine::session`], for one of several threads.
    fn shared(&self) -> Self::Shared<'_>;
}

impl<E: KvShared> KvThreads for E {
    type Handle<'e>
        = &'e E
    where
        E: 'e;

    fn get_ready(&mut self) -> Result<(), EngineError> {
        KvShared::get_ready(self)
    }

    fn handle(&self) -> Result<&E, EngineError> {
        Ok(self)
    }
}

impl<E: KvShared> KvHandle for &E {
    type Session<'h>
        = E::Shared<'h>
    where
        Self: 'h;

    fn session<'h>(&'h mut self, _: &'h KvStatements) -> Result<E::Shared<'h>, EngineError> {
        Ok(self.shared())
    }
}

/// The state for one test. At most one of its transactions is open at a time.
pub trait KvSession {
    type Read<'s>: KvRead
    where
        Self: 's;
    type Write<'s>: KvTransaction
    where
        Self: 's;

    /// Begins a read transaction, which is a snapshot. Called once for each read, or once a test with [`KvEngine::holds_reads`].
    fn read(&mut self) -> Result<Self::Read<'_>, EngineError>;

    /// Begins a read transaction that is one snapshot for any number of reads, regardless of the options.
    fn snapshot(&mut self) -> Result<Self::Read<'_>, EngineError> {
        self.read()
    }

    /// Begins a write transaction, which sees its own writes.
    fn write(&mut self) -> Result<Self::Write<'_>, EngineError>;

    /// Returns what the engine counted so far, for this session or [for the database](EngineCounters::of_database). Not timed.
    fn counters(&mut self) -> EngineCounters {
        EngineCounters::default()
    }
}

/// A write transaction; dropping it rolls it back.
pub trait KvTransaction {
    type Table<'t>: KvWrite
    where
        Self: 't;

    /// Opens the table, once for all operations of a transaction.
    fn table(&mut self) -> Result<Self::Table<'_>, EngineError>;

    /// Commits with the durability that the options ask for.
    fn commit(self) -> Result<(), EngineError>;
}

/// Reads inside a transaction.
pub trait KvRead {
    /// Passes the value of a key to `visit`. Returns `None` if the key does not exist.
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError>;

    /// Whether the key exists. Engines that can find this out without reading the value do so.
    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.get(key, |_| ())?.is_some())
    }

    /// Passes every row to `visit` in key order.
    #[inline]
    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.range(&[], u64::MAX, visit)
    }

    /// Passes rows to `visit` in key order, starting at a key: `most` of them, or fewer if there are not that many.
    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError>;
}

/// Reads and writes inside a write transaction.
pub trait KvWrite: KvRead {
    /// Writes a value, replacing an existing one.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Removes a key. Returns whether it existed.
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError>;

    /// Removes a key without reporting whether it existed. Engines that write a marker without a lookup override it: the lookup that
    /// `delete` needs can cost more than the removal.
    #[inline]
    fn remove(&mut self, key: &[u8]) -> Result<(), EngineError> {
        self.delete(key).map(drop)
    }
}

impl<T: KvRead> KvRead for &mut T {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        T::get(self, key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        T::exists(self, key)
    }

    #[inline]
    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        T::scan(self, visit)
    }

    #[inline]
    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        T::range(self, from, most, visit)
    }
}

impl<T: KvWrite> KvWrite for &mut T {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        T::put(self, key, value)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        T::delete(self, key)
    }

    #[inline]
    fn remove(&mut self, key: &[u8]) -> Result<(), EngineError> {
        T::remove(self, key)
    }
}
