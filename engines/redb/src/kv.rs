//! Keys and values in one table.

use crate::{
    database::{CommitOptions, MAIN_FILE, RedbBytes, check, failed, open_database},
    file::FileCounts,
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite, is_held},
    suite::KvStatements,
};
use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use std::{collections::BTreeMap, sync::Arc};

/// The table that contains the rows.
pub const TABLE: TableDefinition<'_, RedbBytes, RedbBytes> = TableDefinition::new("kv");

#[derive(Debug)]
pub struct Redb {
    database: Database,
    commit: CommitOptions,
    counts: Arc<FileCounts>,
    held: bool,
}

impl Redb {
    /// Returns the database, for loops that use the library directly.
    pub fn database(&self) -> &Database {
        &self.database
    }
}

impl EngineInstance for Redb {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    /// Returns nothing: redb has no call that reports the options it was opened with.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&mut self.database)
    }
}

impl KvEngine for Redb {
    type Session<'e> = RedbSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (database, commit, counts) = open_database(open)?;
        let created = database.begin_write().map_err(failed)?;
        created.open_table(TABLE).map_err(failed)?;
        created.commit().map_err(failed)?;
        Ok(Self { database, commit, counts, held: is_held(open.settings)? })
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn compact(mut self, _: Open<'_>) -> Result<Self, EngineError> {
        self.database.compact().map_err(failed)?;
        Ok(self)
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<RedbSession<'e>, EngineError> {
        Ok(self.shared())
    }
}

impl KvShared for Redb {
    type Shared<'e> = RedbSession<'e>;

    fn shared(&self) -> RedbSession<'_> {
        RedbSession { database: &self.database, commit: self.commit, counts: &self.counts }
    }
}

#[derive(Debug)]
pub struct RedbSession<'e> {
    database: &'e Database,
    commit: CommitOptions,
    counts: &'e FileCounts,
}

impl KvSession for RedbSession<'_> {
    type Read<'s>
        = RedbTable<ReadOnlyTable<RedbBytes, RedbBytes>>
    where
        Self: 's;
    type Write<'s>
        = RedbWrite
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Self::Read<'_>, EngineError> {
        let transaction = self.database.begin_read().map_err(failed)?;
        Ok(RedbTable(transaction.open_table(TABLE).map_err(failed)?))
    }

    fn write(&mut self) -> Result<RedbWrite, EngineError> {
        self.commit.begin(self.database).map(RedbWrite)
    }

    fn counters(&mut self) -> EngineCounters {
        self.counts.counters()
    }
}

pub struct RedbWrite(WriteTransaction);

impl KvTransaction for RedbWrite {
    type Table<'t> = RedbTable<redb::Table<'t, RedbBytes, RedbBytes>>;

    fn table(&mut self) -> Result<Self::Table<'_>, EngineError> {
        Ok(RedbTable(self.0.open_table(TABLE).map_err(failed)?))
    }

    fn commit(self) -> Result<(), EngineError> {
        self.0.commit().map_err(failed)
    }
}

/// The table inside a transaction; a table of a read transaction keeps that transaction alive.
pub struct RedbTable<T>(T);

impl<T: ReadableTable<RedbBytes, RedbBytes>> KvRead for RedbTable<T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.0.get(key).map_err(failed)?.map(|value| visit(value.value())))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.get(key).map_err(failed)?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.0.iter().map_err(failed)? {
            let (key, value) = row.map_err(failed)?;
            visit(key.value(), value.value());
        }
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.0.range(from..).map_err(failed)?.take(most as usize) {
            let (key, value) = row.map_err(failed)?;
            visit(key.value(), value.value());
        }
        Ok(())
    }
}

impl KvWrite for RedbTable<redb::Table<'_, RedbBytes, RedbBytes>> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.insert(key, value).map_err(failed)?;
        Ok(())
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.remove(key).map_err(failed)?.is_some())
    }
}
