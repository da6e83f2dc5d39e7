//! Keys and values. A write transaction is a batch; its first read indexes it, so that it sees its own writes. Its commit is atomic. A
//! transaction that reads before it writes keeps other writers out from its first read on. Transactions that only write run concurrently,
//! and RocksDB groups their writes.

use super::{
    batch::{Index, WriteBatch},
    database::{MAIN_FILE, RocksDatabase},
    reads::{RowIterator, Snapshot},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    describe::Library,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite, is_held},
    suite::KvStatements,
};
use std::{collections::BTreeMap, fmt, sync::RwLockWriteGuard};

pub struct Rocks {
    database: RocksDatabase,
    held: bool,
}

impl fmt::Debug for Rocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rocks").field("held", &self.held).finish_non_exhaustive()
    }
}

impl EngineInstance for Rocks {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.database.in_force()
    }

    fn library(&self) -> Option<Library> {
        self.database.library()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.database.check()
    }

    fn close(self) -> Result<(), EngineError> {
        self.database.close();
        Ok(())
    }
}

impl KvEngine for Rocks {
    type Session<'e> = RocksSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let held = is_held(open.settings)?;
        Ok(Self { database: RocksDatabase::open(open)?, held })
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    /// Compacts; RocksDB first writes out its tables in memory.
    fn compact(self, _: Open<'_>) -> Result<Self, EngineError> {
        self.database.compact();
        Ok(self)
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<RocksSession<'e>, EngineError> {
        Ok(self.shared())
    }
}

impl KvShared for Rocks {
    type Shared<'e> = RocksSession<'e>;

    fn shared(&self) -> RocksSession<'_> {
        let database = &self.database;
        RocksSession { database, batch: WriteBatch::new(database.api), held: self.held }
    }
}

pub struct RocksSession<'e> {
    database: &'e RocksDatabase,
    /// Shared by all transactions, which run one at a time.
    batch: WriteBatch,
    held: bool,
}

impl<'e> KvSession for RocksSession<'e> {
    type Read<'s>
        = RocksRead<'e>
    where
        Self: 's;
    type Write<'s>
        = RocksWrite<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<RocksRead<'e>, EngineError> {
        if self.held { self.snapshot() } else { Ok(RocksRead { database: self.database, snapshot: None }) }
    }

    fn snapshot(&mut self) -> Result<RocksRead<'e>, EngineError> {
        Ok(RocksRead { database: self.database, snapshot: Some(Snapshot::new(self.database)) })
    }

    #[inline]
    fn write(&mut self) -> Result<RocksWrite<'_>, EngineError> {
        Ok(RocksWrite { database: self.database, batch: &mut self.batch, alone: None })
    }

    fn counters(&mut self) -> EngineCounters {
        self.database.counters()
    }
}

/// A read transaction, which sees the current database, or a snapshot.
pub struct RocksRead<'e> {
    database: &'e RocksDatabase,
    snapshot: Option<Snapshot<&'e RocksDatabase>>,
}

impl<'e> RocksRead<'e> {
    #[inline]
    fn options(&self) -> *const super::api::ReadOptions {
        self.snapshot.as_ref().map_or(self.database.read_options, |snapshot| snapshot.options)
    }

    #[inline]
    fn rows(&self) -> RowIterator<&'e RocksDatabase> {
        RowIterator::new(self.database, self.options())
    }
}

impl KvRead for RocksRead<'_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.database.get(self.options(), key, visit)
    }

    /// Reads the value without copying it: RocksDB has no other reliable way.
    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.get(key, |_| ())?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        scan(self.rows(), visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        range(self.rows(), from, most, visit)
    }
}

fn scan(mut rows: RowIterator<&RocksDatabase>, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
    rows.seek_to_first();
    rows.show(u64::MAX, visit)
}

fn range(
    mut rows: RowIterator<&RocksDatabase>,
    from: &[u8],
    most: u64,
    visit: impl FnMut(&[u8], &[u8]),
) -> Result<(), EngineError> {
    rows.seek(from);
    rows.show(most, visit)
}

pub struct RocksWrite<'s> {
    database: &'s RocksDatabase,
    /// Empty between transactions.
    batch: &'s mut WriteBatch,
    /// The lock that keeps other writers out; `Some` after the first read.
    alone: Option<RwLockWriteGuard<'s, ()>>,
}

impl RocksWrite<'_> {
    /// Returns the index of this transaction's writes, to read through. Data that it reads from now on cannot change until it ends.
    #[inline]
    fn read(&mut self) -> Option<Index<'_>> {
        if self.alone.is_none() {
            self.alone = Some(self.database.write_alone());
        }
        self.batch.make_index();
        self.batch.index()
    }
}

impl Drop for RocksWrite<'_> {
    fn drop(&mut self) {
        self.batch.clear();
    }
}

impl<'s> KvTransaction for RocksWrite<'s> {
    type Table<'t>
        = &'t mut RocksWrite<'s>
    where
        Self: 't;

    #[inline]
    fn table(&mut self) -> Result<&mut RocksWrite<'s>, EngineError> {
        Ok(self)
    }

    #[inline]
    fn commit(self) -> Result<(), EngineError> {
        if self.batch.writes().is_none() {
            return Ok(());
        }
        let _together = self.alone.is_none().then(|| self.database.write_together());
        self.database.write(self.batch)
    }
}

impl KvRead for RocksWrite<'_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.database.get_through(self.read(), key, visit)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.get(key, |_| ())?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        scan(RowIterator::through(self.database, self.read()), visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        range(RowIterator::through(self.database, self.read()), from, most, visit)
    }
}

impl KvWrite for RocksWrite<'_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.batch.put(key, value);
        Ok(())
    }

    /// Reads the key first, because RocksDB does not report whether a deleted key existed.
    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let there = self.exists(key)?;
        if there {
            self.batch.delete(key);
        }
        Ok(there)
    }

    #[inline]
    fn remove(&mut self, key: &[u8]) -> Result<(), EngineError> {
        self.batch.delete(key);
        Ok(())
    }
}
