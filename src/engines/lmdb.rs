//! LMDB 0.9 through heed.

mod ordered;

pub use ordered::LmdbStore;

use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    describe::Description,
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite, Open},
    lmdb::{self, Setup, Sync},
    protocol::PROTOCOL,
    suite::{KvStatements, SuiteKind},
};
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithTls, types::Bytes};
use std::collections::BTreeMap;

/// The engine's description.
pub fn describe() -> Description {
    Description {
        protocol: PROTOCOL,
        name: "lmdb".to_owned(),
        about: "LMDB, the memory-mapped copy-on-write B+tree, through heed".to_owned(),
        version: in_words(version()),
        build: Vec::new(),
        suites: vec![SuiteKind::Kv, SuiteKind::Sql],
        options: [lmdb::options(), dbdyno_tables::options()].concat(),
        tiers: lmdb::tiers(),
        conflicts: lmdb::conflicts(),
    }
}

/// Major, minor and patch version of the linked library.
fn version() -> (i32, i32, i32) {
    let version = heed::lmdb_version();
    (version.major, version.minor, version.patch)
}

fn in_words((major, minor, patch): (i32, i32, i32)) -> String {
    format!("{major}.{minor}.{patch}")
}

/// LMDB's 0.9 line and its 1.0 line (which calls itself 0.9.90 until it is released) have the same symbol names; a
/// program that links both silently gets one of them. Whoever gets the wrong one must not run.
fn expect_own(version: (i32, i32, i32)) -> Result<(), EngineError> {
    match version {
        (0, 9, ..90) => Ok(()),
        other => {
            let message = format!("the linked LMDB is {}, expected 0.9.x below 0.9.90", in_words(other));
            Err(EngineError::fatal(message))
        }
    }
}

/// An open environment.
#[derive(Debug)]
pub struct Lmdb {
    env: Env,
    database: Database<'static, Bytes, Bytes>,
    setup: Setup,
}

fn failed(error: heed::Error) -> EngineError {
    match error {
        heed::Error::Mdb(heed::MdbError::MapFull) => {
            EngineError::new("MDB_MAP_FULL: the memory map is full; give a larger map_size")
        }
        other => EngineError::new(other.to_string()),
    }
}

fn flags(setup: Setup) -> EnvFlags {
    let mut flags = match setup.sync {
        Sync::Full => EnvFlags::empty(),
        Sync::NoMeta => EnvFlags::NO_META_SYNC,
        Sync::MapAsync => EnvFlags::MAP_ASYNC,
        Sync::No => EnvFlags::NO_SYNC,
    };
    flags.set(EnvFlags::WRITE_MAP, setup.writemap);
    flags.set(EnvFlags::NO_READ_AHEAD, !setup.readahead);
    flags
}

impl KvEngine for Lmdb {
    const MAIN_FILE: &'static str = lmdb::MAIN_FILE;
    type Clock = MonotonicClock;
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (env, setup) = environment(open, 1)?;
        let database = create_database(&env, None)?;
        Ok(Self { env, database, setup })
    }

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        in_force(&self.env, self.setup)
    }

    fn holds_reads(&self) -> bool {
        self.setup.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        Ok(Session { env: &self.env, database: self.database, grows: self.setup.grows })
    }

    fn check(&mut self) -> Result<(), EngineError> {
        check(&self.env, self.database)
    }

    fn close(self) -> Result<(), EngineError> {
        self.env.prepare_for_closing().wait();
        Ok(())
    }
}

/// The environment in a folder, with room for a number of named databases.
fn environment(open: Open<'_>, databases: u32) -> Result<(Env, Setup), EngineError> {
    expect_own(version())?;
    let setup = Setup::new(open.settings, open.data_bytes)?;
    let mut options = EnvOpenOptions::new();
    options.map_size(setup.map_size).max_dbs(databases);
    Ok((open_env(&mut options, flags(setup), open.folder)?, setup))
}

/// The options as the environment has them.
fn in_force(env: &Env, setup: Setup) -> Result<BTreeMap<String, String>, EngineError> {
    let flags = EnvFlags::from_bits_retain(env.get_flags().map_err(failed)?);
    let sync = if flags.contains(EnvFlags::NO_SYNC) {
        Sync::No
    } else if flags.contains(EnvFlags::MAP_ASYNC) {
        Sync::MapAsync
    } else if flags.contains(EnvFlags::NO_META_SYNC) {
        Sync::NoMeta
    } else {
        Sync::Full
    };
    let in_force = Setup {
        sync,
        writemap: flags.contains(EnvFlags::WRITE_MAP),
        readahead: !flags.contains(EnvFlags::NO_READ_AHEAD),
        map_size: env.info().map_size,
        ..setup
    };
    Ok(in_force.in_force())
}

#[expect(unsafe_code, reason = "heed marks memory maps and their flags unsafe")]
fn open_env(options: &mut EnvOpenOptions, flags: EnvFlags, folder: &std::path::Path) -> Result<Env, EngineError> {
    // SAFETY: the folder is this run's own, so no other process changes the mapped file; the flags trade durability
    // only, which is what is being measured.
    unsafe { options.flags(flags).open(folder) }.map_err(EngineError::doing("opening the environment"))
}

fn create_database(env: &Env, name: Option<&str>) -> Result<Database<'static, Bytes, Bytes>, EngineError> {
    let transaction = env.write_txn().map_err(failed)?;
    let created = env
        .create_databases_and_commit(transaction, |opener, transaction| {
            opener.create_database(transaction, name).map(CommitOrAbort::<_, ()>::Commit)
        })
        .map_err(failed)?;
    match created {
        CommitOrAbort::Commit(database) => Ok(database),
        CommitOrAbort::Abort(()) => Err(EngineError::new("creating the database was rolled back")),
    }
}

/// LMDB has no check of its own: every page is visited by reading every row.
fn check(env: &Env, database: Database<'static, Bytes, Bytes>) -> Result<(), EngineError> {
    let transaction = env.read_txn().map_err(failed)?;
    let counted = database.len(&transaction).map_err(failed)?;
    let mut seen = 0;
    for row in database.iter(&transaction).map_err(failed)? {
        row.map_err(failed)?;
        seen += 1;
    }
    if seen == counted {
        return Ok(());
    }
    Err(EngineError::fatal(format!("the tree says {counted} rows and has {seen}")))
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e> {
    env: &'e Env,
    database: Database<'static, Bytes, Bytes>,
    grows: bool,
}

/// Doubles the map when less than half of it is free, which is more than one transaction of a suite takes.
fn grow(env: &Env) -> Result<(), EngineError> {
    let info = env.info();
    // Pages are at least 4 KiB; a larger page makes this an underestimate that MDB_MAP_FULL reports.
    let used = info.last_page_number.saturating_mul(4096);
    if used > info.map_size / 2 {
        resize(env, info.map_size.saturating_mul(2))?;
    }
    Ok(())
}

#[expect(unsafe_code, reason = "heed marks resizing unsafe")]
fn resize(env: &Env, bytes: usize) -> Result<(), EngineError> {
    // SAFETY: called between transactions of the only thread that uses the environment.
    unsafe { env.resize(bytes) }.map_err(EngineError::doing("growing the memory map"))
}

impl<'e> KvSession for Session<'e> {
    type Read<'s>
        = Read<'s>
    where
        Self: 's;
    type Write<'s>
        = Write<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Read<'_>, EngineError> {
        let transaction = self.env.read_txn().map_err(failed)?;
        Ok(Read { transaction, database: self.database })
    }

    fn write(&mut self) -> Result<Write<'_>, EngineError> {
        if self.grows {
            grow(self.env)?;
        }
        let transaction = self.env.write_txn().map_err(failed)?;
        Ok(Write { transaction, database: self.database })
    }
}

/// A read transaction.
pub struct Read<'s> {
    transaction: RoTxn<'s, WithTls>,
    database: Database<'static, Bytes, Bytes>,
}

impl KvRead for Read<'_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.database.get(&self.transaction, key).map_err(failed)?.map(visit))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.database.get(&self.transaction, key).map_err(failed)?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        scan(&self.database, &self.transaction, visit)
    }
}

fn scan(
    database: &Database<'static, Bytes, Bytes>,
    transaction: &RoTxn<'_>,
    mut visit: impl FnMut(&[u8], &[u8]),
) -> Result<(), EngineError> {
    for row in database.iter(transaction).map_err(failed)? {
        let (key, value) = row.map_err(failed)?;
        visit(key, value);
    }
    Ok(())
}

/// A write transaction.
pub struct Write<'s> {
    transaction: RwTxn<'s>,
    database: Database<'static, Bytes, Bytes>,
}

impl<'s> KvTransaction for Write<'s> {
    type Table<'t>
        = Table<'t, 's>
    where
        Self: 't;

    fn table(&mut self) -> Result<Table<'_, 's>, EngineError> {
        Ok(Table { transaction: &mut self.transaction, database: self.database })
    }

    fn commit(self) -> Result<(), EngineError> {
        self.transaction.commit().map_err(failed)
    }
}

/// The table inside a write transaction.
pub struct Table<'t, 's> {
    transaction: &'t mut RwTxn<'s>,
    database: Database<'static, Bytes, Bytes>,
}

impl KvRead for Table<'_, '_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.database.get(self.transaction, key).map_err(failed)?.map(visit))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.database.get(self.transaction, key).map_err(failed)?.is_some())
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        scan(&self.database, self.transaction, visit)
    }
}

impl KvWrite for Table<'_, '_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.database.put(self.transaction, key, value).map_err(failed)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.database.delete(self.transaction, key).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_line_of_lmdb_is_refused() {
        assert_eq!(expect_own(version()), Ok(()));
        assert_eq!(expect_own((0, 9, 33)), Ok(()));
        for (wrong, words) in [((0, 9, 90), "0.9.90"), ((1, 0, 0), "1.0.0")] {
            let error = expect_own(wrong).unwrap_err();
            assert_eq!(error.message, format!("the linked LMDB is {words}, expected 0.9.x below 0.9.90"));
        }
    }
}
