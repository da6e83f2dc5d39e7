//! Keys and values in the main table of an environment.

use crate::{
    database::Database,
    lmdb::{Read, Reads, Table, Write},
};
use dbdyno_engine::{
    EngineError,
    clock::MonotonicClock,
    engine::{Engine, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    ordered::{Direction, Keys},
    suite::KvStatements,
};
use dbdyno_lmdb_common::MAIN_FILE;
use std::{collections::BTreeMap, ops::ControlFlow};

/// An open environment, whose main table has the rows.
#[derive(Debug)]
pub struct Lmdb1(Database);

impl Engine for Lmdb1 {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = MonotonicClock;

    fn clock(&self) -> MonotonicClock {
        MonotonicClock
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.0.in_force()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.0.check(Table::MAIN)
    }
}

impl KvEngine for Lmdb1 {
    type Session<'e> = Session<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        Ok(Self(Database::open(open, 0)?))
    }

    fn holds_reads(&self) -> bool {
        self.0.setup.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Session<'e>, EngineError> {
        Ok(Session(&mut self.0))
    }
}

/// A test's session.
#[derive(Debug)]
pub struct Session<'e>(&'e mut Database);

impl KvSession for Session<'_> {
    type Read<'s>
        = Rows<Read>
    where
        Self: 's;
    type Write<'s>
        = Rows<Write>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Rows<Read>, EngineError> {
        Ok(Rows(Read::begin(&self.0.env)?))
    }

    fn write(&mut self) -> Result<Rows<Write>, EngineError> {
        self.0.get_ready_to_write()?;
        Ok(Rows(Write::begin(&self.0.env)?))
    }
}

/// The main table inside a transaction.
#[derive(Debug)]
pub struct Rows<T>(T);

impl KvTransaction for Rows<Write> {
    type Table<'t> = Rows<&'t mut Write>;

    fn table(&mut self) -> Result<Rows<&mut Write>, EngineError> {
        Ok(Rows(&mut self.0))
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(self.0.commit()?)
    }
}

impl<T: Reads> KvRead for Rows<T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.0.reads().get(Table::MAIN, key, visit)?)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.reads().get(Table::MAIN, key, |_| ())?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.0.reads().range(Table::MAIN, Keys::ALL, Direction::Up, |key, value| {
            visit(key, value);
            ControlFlow::Continue(())
        })?;
        Ok(())
    }
}

impl KvWrite for Rows<&mut Write> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        Ok(self.0.put(Table::MAIN, key, value)?)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.0.delete(Table::MAIN, key)?)
    }
}
