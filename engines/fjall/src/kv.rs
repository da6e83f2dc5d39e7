//! Keys and values in one keyspace of a transactional database with a single writer. Reads use a snapshot, a write transaction sees its
//! own writes, and its commit is atomic.

use super::{
    counted,
    describe::{compression_word, keyspace_options, persist},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite, is_held},
    suite::KvStatements,
};
use fjall::{PersistMode, Readable, SingleWriterTxDatabase, SingleWriterTxKeyspace, SingleWriterWriteTx, Snapshot};
use std::{collections::BTreeMap, fmt, slice};

pub struct Fjall {
    database: SingleWriterTxDatabase,
    keyspace: SingleWriterTxKeyspace,
    persist: Option<PersistMode>,
    held: bool,
}

impl fmt::Debug for Fjall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fjall").field("persist", &self.persist).field("held", &self.held).finish_non_exhaustive()
    }
}

/// The folder of tables. All other files are journal, lock and version.
pub(crate) const TABLES: &str = "keyspaces";

pub(crate) fn failed(error: fjall::Error) -> EngineError {
    match error {
        // After a failed journal write fjall itself accepts no more writes.
        fjall::Error::Poisoned | fjall::Error::Unrecoverable => EngineError::fatal(error.to_string()),
        other => EngineError::new(other.to_string()),
    }
}

pub(crate) fn open_database(open: Open<'_>) -> Result<SingleWriterTxDatabase, EngineError> {
    let settings = open.settings;
    SingleWriterTxDatabase::builder(open.folder)
        .cache_size(settings.integer("cache_size")? as u64)
        .max_journaling_size(settings.integer("journal_size")? as u64)
        .worker_threads(settings.integer("worker_threads")? as usize)
        .manual_journal_persist(persist(settings)?.is_none())
        .open()
        .map_err(EngineError::doing("opening the database"))
}

/// Returns the options that fjall reports.
pub(crate) fn in_force(
    database: &SingleWriterTxDatabase,
    keyspace: &SingleWriterTxKeyspace,
) -> BTreeMap<String, String> {
    let config = &keyspace.inner().config;
    let block_size = config.data_block_size_policy.first().copied().unwrap_or_default();
    let separation = config.kv_separation_opts.as_ref();
    let separate_values =
        separation.map_or_else(|| "off".to_owned(), |options| options.separation_threshold.to_string());
    BTreeMap::from([
        ("cache_size".to_owned(), database.inner().cache_capacity().to_string()),
        ("block_size".to_owned(), block_size.to_string()),
        ("compression".to_owned(), compression_word(&config.data_block_compression_policy).to_owned()),
        ("separate_values".to_owned(), separate_values),
    ])
}

/// Reads every row, which verifies every block's checksum, because fjall has no check of its own.
pub(crate) fn read_every_block(
    database: &SingleWriterTxDatabase,
    keyspace: &SingleWriterTxKeyspace,
) -> Result<(), EngineError> {
    FjallTable { transaction: database.read_tx(), keyspace }.scan(|_, _| {})
}

impl Fjall {
    /// Returns the database and the keyspace with the rows, for loops that use the library directly.
    pub fn table(&self) -> (&SingleWriterTxDatabase, &SingleWriterTxKeyspace) {
        (&self.database, &self.keyspace)
    }
}

impl EngineInstance for Fjall {
    const MAIN_FILE: &'static str = TABLES;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(in_force(&self.database, &self.keyspace))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        read_every_block(&self.database, &self.keyspace)
    }

    fn close(self) -> Result<(), EngineError> {
        // Writes the contents of the program's buffer, as any orderly exit of a program does.
        self.database.persist(PersistMode::Buffer).map_err(failed)
    }
}

impl KvEngine for Fjall {
    type Session<'e> = FjallSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        let persist = persist(settings)?;
        let database = open_database(open)?;
        let options = keyspace_options(settings)?;
        let keyspace = database.keyspace("kv", || options).map_err(EngineError::doing("opening the keyspace"))?;
        Ok(Self { database, keyspace, persist, held: is_held(settings)? })
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<FjallSession<'e>, EngineError> {
        Ok(self.shared())
    }
}

impl KvShared for Fjall {
    type Shared<'e> = FjallSession<'e>;

    fn shared(&self) -> FjallSession<'_> {
        FjallSession { database: &self.database, keyspace: &self.keyspace, persist: self.persist }
    }
}

pub struct FjallSession<'e> {
    database: &'e SingleWriterTxDatabase,
    keyspace: &'e SingleWriterTxKeyspace,
    persist: Option<PersistMode>,
}

impl<'e> KvSession for FjallSession<'e> {
    type Read<'s>
        = FjallTable<'e, Snapshot>
    where
        Self: 's;
    type Write<'s>
        = FjallWrite<'e>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<FjallTable<'e, Snapshot>, EngineError> {
        Ok(FjallTable { transaction: self.database.read_tx(), keyspace: self.keyspace })
    }

    fn write(&mut self) -> Result<FjallWrite<'e>, EngineError> {
        let transaction = self.database.write_tx().durability(self.persist);
        Ok(FjallWrite { transaction, keyspace: self.keyspace })
    }

    fn counters(&mut self) -> EngineCounters {
        counted::counters(self.database, slice::from_ref(self.keyspace))
    }
}

pub struct FjallWrite<'e> {
    transaction: SingleWriterWriteTx<'e>,
    keyspace: &'e SingleWriterTxKeyspace,
}

impl<'e> KvTransaction for FjallWrite<'e> {
    type Table<'t>
        = FjallTable<'t, &'t mut SingleWriterWriteTx<'e>>
    where
        Self: 't;

    fn table(&mut self) -> Result<FjallTable<'_, &mut SingleWriterWriteTx<'e>>, EngineError> {
        Ok(FjallTable { transaction: &mut self.transaction, keyspace: self.keyspace })
    }

    fn commit(self) -> Result<(), EngineError> {
        self.transaction.commit().map_err(failed)
    }
}

/// The table in the view of a snapshot or a write transaction.
pub struct FjallTable<'k, T> {
    transaction: T,
    keyspace: &'k SingleWriterTxKeyspace,
}

/// A transaction or snapshot that can read rows.
pub trait Reader {
    type Readable: Readable;

    fn readable(&self) -> &Self::Readable;
}

impl Reader for Snapshot {
    type Readable = Self;

    #[inline]
    fn readable(&self) -> &Self {
        self
    }
}

impl Reader for SingleWriterWriteTx<'_> {
    type Readable = Self;

    #[inline]
    fn readable(&self) -> &Self {
        self
    }
}

impl<'e> Reader for &mut SingleWriterWriteTx<'e> {
    type Readable = SingleWriterWriteTx<'e>;

    #[inline]
    fn readable(&self) -> &SingleWriterWriteTx<'e> {
        self
    }
}

impl<T: Reader> KvRead for FjallTable<'_, T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        let value = self.transaction.readable().get(self.keyspace, key).map_err(failed)?;
        Ok(value.map(|value| visit(&value)))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.transaction.readable().contains_key(self.keyspace, key).map_err(failed)
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.transaction.readable().iter(self.keyspace) {
            let (key, value) = row.into_inner().map_err(failed)?;
            visit(&key, &value);
        }
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.transaction.readable().range(self.keyspace, from..).take(most as usize) {
            let (key, value) = row.into_inner().map_err(failed)?;
            visit(&key, &value);
        }
        Ok(())
    }
}

impl KvWrite for FjallTable<'_, &mut SingleWriterWriteTx<'_>> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.transaction.insert(self.keyspace, key, value);
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        // fjall does not report whether a removed key existed, so this reads it first.
        let there = self.exists(key)?;
        if there {
            self.transaction.remove(self.keyspace, key);
        }
        Ok(there)
    }

    #[inline]
    fn remove(&mut self, key: &[u8]) -> Result<(), EngineError> {
        self.transaction.remove(self.keyspace, key);
        Ok(())
    }
}
