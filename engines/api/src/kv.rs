//! The traits of an engine that stores ordered keys and values. Static dispatch everywhere: the measured loop is
//! compiled once for each engine.

use crate::{
    EngineError,
    describe::OptionSpec,
    engine::{Engine, Open},
    settings::Settings,
    suite::{KvStatements, SuiteKind},
};

/// The option `read_transaction`, of engines whose reads can share a transaction.
pub fn read_transaction() -> OptionSpec {
    OptionSpec::choice(
        "read_transaction",
        &["each", "held"],
        "each",
        "one read transaction for each read, or one held over all reads of a test",
    )
    .only_for(SuiteKind::Kv)
}

/// Whether the option [`read_transaction`] asks for one held over all reads of a test.
pub fn is_held(settings: &Settings) -> Result<bool, EngineError> {
    Ok(settings.text("read_transaction")? == "held")
}

/// An engine of key-value suites, with one open database.
pub trait KvEngine: Engine {
    /// What one test works with: prepared statements, table handles.
    type Session<'e>: KvSession
    where
        Self: 'e;

    /// Opens the database in a folder, creating it when the folder is empty.
    fn open(open: Open<'_>) -> Result<Self, EngineError>;

    /// Whether one read transaction is held over all reads of a test, instead of one a read.
    fn holds_reads(&self) -> bool {
        false
    }

    /// Makes the database as small as the engine can, with all that is in it. `open`: what it was opened with, for engines that have to
    /// close it for that. Timed. Asked of engines only whose [description](crate::describe::Description::compacts) says that they can.
    fn compact(self, open: Open<'_>) -> Result<Self, EngineError> {
        let _ = open;
        Err(EngineError::new("this engine has no way to compact its database"))
    }

    /// Gets ready for one test: prepares statements, opens tables. Not timed.
    fn session<'e>(&'e mut self, statements: &'e KvStatements) -> Result<Self::Session<'e>, EngineError>;
}

/// An engine whose database several threads work with at once.
pub trait KvThreads: KvEngine + Sync {
    type Handle<'e>: KvHandle
    where
        Self: 'e;

    /// Called before the threads of a test begin, while nobody works with the database. Not timed.
    fn get_ready(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// What a thread has of its own: a connection, or the database itself where threads share it. Made in that thread, not timed.
    fn handle(&self) -> Result<Self::Handle<'_>, EngineError>;
}

/// A thread's own way to the database.
pub trait KvHandle {
    type Session<'h>: KvSession
    where
        Self: 'h;

    /// As [`KvEngine::session`], for this thread.
    fn session<'h>(&'h mut self, statements: &'h KvStatements) -> Result<Self::Session<'h>, EngineError>;

    /// What the engine tells of its state, by name. Asked about once a second while a test is followed, and may be work for the
    /// engine.
    fn readings(&mut self) -> Result<Vec<(&'static str, u64)>, EngineError> {
        Ok(Vec::new())
    }
}

/// An engine whose threads share the database as it is.
pub trait KvShared: KvEngine + Sync {
    /// What one of several threads works with.
    type Shared<'e>: KvSession
    where
        Self: 'e;

    /// As [`KvThreads::get_ready`].
    fn get_ready(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// As [`KvEngine::session`], of one of several threads.
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

/// What one test works with. At most one transaction of it is under way.
pub trait KvSession {
    type Read<'s>: KvRead
    where
        Self: 's;
    type Write<'s>: KvTransaction
    where
        Self: 's;

    /// Begins a read transaction: a snapshot. Called once a read, or once a test with [`KvEngine::holds_reads`].
    fn read(&mut self) -> Result<Self::Read<'_>, EngineError>;

    /// Begins a read transaction that is one snapshot however many reads it has, whatever the options.
    fn snapshot(&mut self) -> Result<Self::Read<'_>, EngineError> {
        self.read()
    }

    /// Begins a write transaction, which sees its own writes.
    fn write(&mut self) -> Result<Self::Write<'_>, EngineError>;
}

/// A write transaction; dropping it rolls it back.
pub trait KvTransaction {
    type Table<'t>: KvWrite
    where
        Self: 't;

    /// The table; opened once for all the operations of a transaction.
    fn table(&mut self) -> Result<Self::Table<'_>, EngineError>;

    /// Commits with the durability that the options ask for.
    fn commit(self) -> Result<(), EngineError>;
}

/// Reads inside a transaction.
pub trait KvRead {
    /// Shows the value of a key to `visit`; `None` when there is no such key.
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError>;

    /// Whether there is such a key, found without reading its value where the engine can.
    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.get(key, |_| ())?.is_some())
    }

    /// Shows every row to `visit` in key order.
    #[inline]
    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.range(&[], u64::MAX, visit)
    }

    /// Shows the rows from a key on to `visit` in key order, `most` of them or as many as there are.
    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError>;
}

/// Reads and writes inside a write transaction.
pub trait KvWrite: KvRead {
    /// Writes a value, in place of one that is there.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Removes a key; whether it was there.
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError>;

    /// Removes a key without reporting whether it was there. Engines that write a marker instead of looking override it: the lookup
    /// that `delete` needs can cost more than the removal.
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
