//! Keys and values in the main database of an environment.

use crate::environment::{LmdbReads, check, counters, create_database, environment, failed, grow, in_force, make_room};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite},
    suite::KvStatements,
};
use dbdyno_lmdb_common::{GreatestKey, LmdbSetup, MAIN_FILE, SyncMode};
use heed::{CompactionOption, Database, Env, PutFlags, RoTxn, RwTxn, WithTls, types::Bytes};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    ops::Bound,
};

#[derive(Debug)]
pub struct Lmdb {
    env: Env,
    database: Database<'static, Bytes, Bytes>,
    setup: LmdbSetup,
}

impl Lmdb {
    /// Returns the environment and its main database, for loops that use the library directly.
    pub fn table(&self) -> (&Env, Database<'static, Bytes, Bytes>) {
        (&self.env, self.database)
    }
}

impl EngineInstance for Lmdb {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        in_force(&self.env, self.setup)
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&self.env, self.database)
    }

    fn close(self) -> Result<(), EngineError> {
        self.env.prepare_for_closing().wait();
        Ok(())
    }
}

impl KvEngine for Lmdb {
    type Session<'e> = LmdbSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (env, setup) = environment(open, 1)?;
        let database = create_database(&env, None)?;
        Ok(Self { env, database, setup })
    }

    fn holds_reads(&self) -> bool {
        self.setup.held
    }

    /// Replaces the database with a copy without free pages, which is LMDB's only compaction.
    fn compact(self, open: Open<'_>) -> Result<Self, EngineError> {
        let main = open.folder.join(MAIN_FILE);
        let copy = open.folder.join("compacted.mdb");
        let file = self.env.copy_to_path(&copy, CompactionOption::Enabled).map_err(failed)?;
        let synced = self.setup.sync != SyncMode::No;
        self.close()?;
        let replaced = || {
            if synced {
                file.sync_all()?;
            }
            fs::rename(&copy, &main)?;
            if synced { File::open(open.folder)?.sync_all() } else { Ok(()) }
        };
        replaced().map_err(EngineError::doing("putting the compacted copy in the database's place"))?;
        Self::open(open)
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<LmdbSession<'e>, EngineError> {
        Ok(LmdbSession { setup: self.setup, ..self.shared() })
    }
}

impl KvShared for Lmdb {
    type Shared<'e> = LmdbSession<'e>;

    /// Makes the map as large as any test needs, because it can grow only between transactions.
    fn get_ready(&mut self) -> Result<(), EngineError> {
        if self.setup.grows { make_room(&self.env) } else { Ok(()) }
    }

    fn shared(&self) -> LmdbSession<'_> {
        let setup = LmdbSetup { grows: false, ..self.setup };
        LmdbSession { env: &self.env, database: self.database, setup }
    }
}

#[derive(Debug)]
pub struct LmdbSession<'e> {
    env: &'e Env,
    database: Database<'static, Bytes, Bytes>,
    setup: LmdbSetup,
}

impl<'e> KvSession for LmdbSession<'e> {
    type Read<'s>
        = LmdbTable<RoTxn<'s, WithTls>>
    where
        Self: 's;
    type Write<'s>
        = LmdbTable<RwTxn<'s>>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Self::Read<'_>, EngineError> {
        let transaction = self.env.read_txn().map_err(failed)?;
        Ok(LmdbTable { transaction, database: self.database, appends: None })
    }

    fn write(&mut self) -> Result<Self::Write<'_>, EngineError> {
        if self.setup.grows {
            grow(self.env)?;
        }
        let transaction = self.env.write_txn().map_err(failed)?;
        let appends = self.setup.append.then(GreatestKey::default);
        Ok(LmdbTable { transaction, database: self.database, appends })
    }

    fn counters(&mut self) -> EngineCounters {
        counters(self.env)
    }
}

/// The table inside a transaction.
pub struct LmdbTable<T> {
    transaction: T,
    database: Database<'static, Bytes, Bytes>,
    /// `Some` if a put of a key greater than all others is an append.
    appends: Option<GreatestKey>,
}

impl<T: LmdbReads> KvRead for LmdbTable<T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.database.get(self.transaction.reads(), key).map_err(failed)?.map(visit))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.database.get(self.transaction.reads(), key).map_err(failed)?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for row in self.database.iter(self.transaction.reads()).map_err(failed)? {
            let (key, value) = row.map_err(failed)?;
            visit(key, value);
        }
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let from = (Bound::Included(from), Bound::Unbounded);
        for row in self.database.range(self.transaction.reads(), &from).map_err(failed)?.take(most as usize) {
            let (key, value) = row.map_err(failed)?;
            visit(key, value);
        }
        Ok(())
    }
}

impl<'s> KvTransaction for LmdbTable<RwTxn<'s>> {
    type Table<'t>
        = LmdbTable<&'t mut RwTxn<'s>>
    where
        Self: 't;

    fn table(&mut self) -> Result<LmdbTable<&mut RwTxn<'s>>, EngineError> {
        let appends = match self.appends {
            Some(_) => {
                let last = self.database.last(&self.transaction).map_err(failed)?;
                Some(GreatestKey::new(last.map(|(key, _)| key)))
            }
            None => None,
        };
        Ok(LmdbTable { transaction: &mut self.transaction, database: self.database, appends })
    }

    fn commit(self) -> Result<(), EngineError> {
        self.transaction.commit().map_err(failed)
    }
}

impl KvWrite for LmdbTable<&mut RwTxn<'_>> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let beyond = self.appends.as_mut().is_some_and(|greatest| greatest.grows_to(key));
        let flags = if beyond { PutFlags::APPEND } else { PutFlags::empty() };
        self.database.put_with_flags(self.transaction, flags, key, value).map_err(failed)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.database.delete(self.transaction, key).map_err(failed)
    }
}
