//! Keys and values in one table.

use crate::database::{Commit, MAIN_FILE, check, failed, open_database};
use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    engine::{Engine, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite, is_held},
    suite::KvStatements,
};
use redb::{
    Database, ReadOnlyTable, ReadableDatabase, ReadableTable, Table as RedbTable, TableDefinition, WriteTransaction,
};
use std::collections::BTreeMap;

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("kv");

/// An open database.
#[derive(Debug)]
pub struct Redb {
    database: Database,
    commit: Commit,
    held: bool,
}

impl Engine for Redb {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = MonotonicClock;

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    /// redb has no call that tells what it was opened with.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&mut self.database)
    }
}

impl KvEngine for Redb {
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (database, commit) = open_database(open)?;
        let created = database.begin_write().map_err(failed)?;
        created.open_table(TABLE).map_err(failed)?;
        created.commit().map_err(failed)?;
        Ok(Self { database, commit, held: is_held(open.settings)? })
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        Ok(Session { database: &self.database, commit: self.commit })
    }
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e> {
    database: &'e Database,
    commit: Commit,
}

impl KvSession for Session<'_> {
    type Read<'s>
        = Read
    where
        Self: 's;
    type Write<'s>
        = Write
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Read, EngineError> {
        let transaction = self.database.begin_read().map_err(failed)?;
        Ok(Rows(transaction.open_table(TABLE).map_err(failed)?))
    }

    fn write(&mut self) -> Result<Write, EngineError> {
        self.commit.begin(self.database).map(Write)
    }
}

/// A read transaction; the table keeps it alive.
pub(crate) type Read = Rows<ReadOnlyTable<&'static [u8], &'static [u8]>>;

pub struct Write(WriteTransaction);

impl KvTransaction for Write {
    type Table<'t> = Table<'t>;

    fn table(&mut self) -> Result<Table<'_>, EngineError> {
        Ok(Rows(self.0.open_table(TABLE).map_err(failed)?))
    }

    fn commit(self) -> Result<(), EngineError> {
        self.0.commit().map_err(failed)
    }
}

/// A table, inside a read transaction or a write transaction.
pub struct Rows<T>(T);

/// The table inside a write transaction.
pub(crate) type Table<'t> = Rows<RedbTable<'t, &'static [u8], &'static [u8]>>;

impl<T: ReadableTable<&'static [u8], &'static [u8]>> KvRead for Rows<T> {
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
}

impl KvWrite for Table<'_> {
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
