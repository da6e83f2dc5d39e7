//! Functions of an environment for every kind of suite: opens it with its options, reads them back, checks it.

use crate::describe::{expect_own, version};
use dbdyno_engine::{EngineError, counters::EngineCounters, engine::Open};
use dbdyno_lmdb_common::{EnvironmentInfo, LmdbSetup, ROOM, SyncMode, bad_size, grown, judge, map_full};
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithTls, types::Bytes};
use std::{collections::BTreeMap, path::Path};

pub(crate) fn failed(error: heed::Error) -> EngineError {
    match error {
        heed::Error::Mdb(heed::MdbError::MapFull) => map_full(),
        heed::Error::Mdb(error @ heed::MdbError::BadValSize) => bad_size(&error.to_string()),
        other => EngineError::new(other.to_string()),
    }
}

fn flags(setup: LmdbSetup) -> EnvFlags {
    let mut flags = match setup.sync {
        SyncMode::Full => EnvFlags::empty(),
        SyncMode::NoMeta => EnvFlags::NO_META_SYNC,
        SyncMode::MapAsync => EnvFlags::MAP_ASYNC,
        SyncMode::No => EnvFlags::NO_SYNC,
    };
    flags.set(EnvFlags::WRITE_MAP, setup.writemap);
    flags.set(EnvFlags::NO_READ_AHEAD, !setup.readahead);
    flags
}

/// A transaction that can read rows.
pub trait LmdbReads {
    /// Returns the transaction as a read transaction.
    fn reads(&self) -> &RoTxn<'_>;
}

impl LmdbReads for RoTxn<'_, WithTls> {
    #[inline]
    fn reads(&self) -> &RoTxn<'_> {
        self
    }
}

impl LmdbReads for RwTxn<'_> {
    #[inline]
    fn reads(&self) -> &RoTxn<'_> {
        self
    }
}

impl<T: LmdbReads> LmdbReads for &mut T {
    #[inline]
    fn reads(&self) -> &RoTxn<'_> {
        T::reads(self)
    }
}

/// Opens the environment in a folder, with room for this number of named databases.
pub(crate) fn environment(open: Open<'_>, databases: u32) -> Result<(Env, LmdbSetup), EngineError> {
    expect_own(version())?;
    let setup = LmdbSetup::new(open.settings, open.data_bytes)?;
    let mut options = EnvOpenOptions::new();
    options.map_size(setup.map_size).max_dbs(databases);
    Ok((open_env(&mut options, flags(setup), open.folder)?, setup))
}

/// Returns the options in force, from the environment.
pub(crate) fn in_force(env: &Env, setup: LmdbSetup) -> Result<BTreeMap<String, String>, EngineError> {
    let flags = EnvFlags::from_bits_retain(env.get_flags().map_err(failed)?);
    let has = |flag| flags.contains(flag);
    let in_force = LmdbSetup {
        sync: SyncMode::from_flags(has(EnvFlags::NO_SYNC), has(EnvFlags::MAP_ASYNC), has(EnvFlags::NO_META_SYNC)),
        writemap: has(EnvFlags::WRITE_MAP),
        readahead: !has(EnvFlags::NO_READ_AHEAD),
        map_size: env.info().map_size,
        ..setup
    };
    Ok(in_force.in_force())
}

#[expect(unsafe_code, reason = "heed marks memory maps and their flags unsafe")]
fn open_env(options: &mut EnvOpenOptions, flags: EnvFlags, folder: &Path) -> Result<Env, EngineError> {
    // SAFETY: the folder belongs to this run, so no other process changes the mapped file. The flags trade durability only, which is the
    // subject of the measurement.
    unsafe { options.flags(flags).open(folder) }.map_err(EngineError::doing("opening the environment"))
}

pub(crate) fn create_database(env: &Env, name: Option<&str>) -> Result<Database<'static, Bytes, Bytes>, EngineError> {
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

/// Reads every row, which visits every page, because LMDB has no check of its own.
pub(crate) fn check(env: &Env, database: Database<'static, Bytes, Bytes>) -> Result<(), EngineError> {
    let transaction = env.read_txn().map_err(failed)?;
    let counted = database.len(&transaction).map_err(failed)?;
    let mut seen = 0;
    for row in database.iter(&transaction).map_err(failed)? {
        row.map_err(failed)?;
        seen += 1;
    }
    judge(counted, seen)
}

/// Returns what LMDB counted. It looks at the environment, and begins no transaction.
pub(crate) fn counters(env: &Env) -> EngineCounters {
    let info = env.info();
    let (last_transaction, last_page) = (info.last_txn_id, info.last_page_number);
    EnvironmentInfo { last_transaction, last_page, map_size: info.map_size }.counters()
}

/// Grows the map before a transaction needs it.
pub(crate) fn grow(env: &Env) -> Result<(), EngineError> {
    let info = env.info();
    // Pages are at least 4 KiB; a larger page makes this an underestimate that MDB_MAP_FULL reports.
    let used = info.last_page_number.saturating_mul(4096);
    grown(info.map_size, used).map_or(Ok(()), |bytes| resize(env, bytes))
}

/// Makes the map larger than its content by enough that it need not grow.
pub(crate) fn make_room(env: &Env) -> Result<(), EngineError> {
    let info = env.info();
    let needed = info.last_page_number.saturating_mul(4096).saturating_add(ROOM);
    if info.map_size >= needed { Ok(()) } else { resize(env, needed) }
}

#[expect(unsafe_code, reason = "heed marks resizing unsafe")]
fn resize(env: &Env, bytes: usize) -> Result<(), EngineError> {
    // SAFETY: called between transactions, when only this thread uses the environment.
    unsafe { env.resize(bytes) }.map_err(EngineError::doing("growing the memory map"))
}
