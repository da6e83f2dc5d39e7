//! Keys and values in the main table of an environment.

use crate::{
    environment::Lmdb1Environment,
    lmdb::{Dbi, Lmdb1Read, Lmdb1Reads, Lmdb1Write},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite},
    ordered::{Direction, Keys},
    suite::KvStatements,
};
use dbdyno_lmdb_common::{GreatestKey, MAIN_FILE};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

/// An open environment, whose main table has the rows.
#[derive(Debug)]
pub struct Lmdb1(Lmdb1Environment);

impl EngineInstance for Lmdb1 {
    const MAIN_FILE: &'static str = MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.0.in_force()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.0.check(Dbi::MAIN)
    }
}

impl KvEngine for Lmdb1 {
    type Session<'e> = Lmdb1Session<&'e mut Lmdb1Environment>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        Ok(Self(Lmdb1Environment::open(open, 0)?))
    }

    fn holds_reads(&self) -> bool {
        self.0.setup.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<Self::Session<'e>, EngineError> {
        Ok(Lmdb1Session(&mut self.0))
    }
}

impl KvShared for Lmdb1 {
    type Shared<'e> = Lmdb1Session<&'e Lmdb1Environment>;

    /// Makes the map as large as any test needs, because it can grow only between transactions.
    fn get_ready(&mut self) -> Result<(), EngineError> {
        if !self.0.env.is_plain() {
            // Such an environment must be closed and reopened at times, when no other thread may use it.
            return Err(EngineError::new(
                "an environment with encrypt or checksum on is for one thread: expected both off",
            ));
        }
        if self.0.setup.grows {
            self.0.env.make_room().map_err(EngineError::doing("growing the memory map"))?;
        }
        Ok(())
    }

    fn shared(&self) -> Lmdb1Session<&Lmdb1Environment> {
        Lmdb1Session(&self.0)
    }
}

/// The session of one test: an environment of its own, or one that threads share.
#[derive(Debug)]
pub struct Lmdb1Session<E>(E);

/// An environment in the form that a session holds.
pub trait Environment {
    fn environment(&self) -> &Lmdb1Environment;

    /// Called before each write transaction.
    fn get_ready_to_write(&mut self) -> Result<(), EngineError>;
}

impl Environment for &mut Lmdb1Environment {
    #[inline]
    fn environment(&self) -> &Lmdb1Environment {
        self
    }

    fn get_ready_to_write(&mut self) -> Result<(), EngineError> {
        Lmdb1Environment::get_ready_to_write(self).map(drop)
    }
}

impl Environment for &Lmdb1Environment {
    #[inline]
    fn environment(&self) -> &Lmdb1Environment {
        self
    }

    /// Does nothing: the environment was prepared before the threads began.
    fn get_ready_to_write(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl<E: Environment> KvSession for Lmdb1Session<E> {
    type Read<'s>
        = Lmdb1Table<Lmdb1Read>
    where
        Self: 's;
    type Write<'s>
        = Lmdb1Table<Lmdb1Write>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<Lmdb1Table<Lmdb1Read>, EngineError> {
        Ok(Lmdb1Table { transaction: Lmdb1Read::begin(&self.0.environment().env)?, appends: None })
    }

    fn write(&mut self) -> Result<Lmdb1Table<Lmdb1Write>, EngineError> {
        self.0.get_ready_to_write()?;
        let environment = self.0.environment();
        let appends = environment.setup.append.then(GreatestKey::default);
        Ok(Lmdb1Table { transaction: Lmdb1Write::begin(&environment.env)?, appends })
    }

    fn counters(&mut self) -> EngineCounters {
        self.0.environment().counters()
    }
}

/// The main table inside a transaction.
#[derive(Debug)]
pub struct Lmdb1Table<T> {
    transaction: T,
    /// `Some` if a put of a key greater than all others is an append.
    appends: Option<GreatestKey>,
}

impl KvTransaction for Lmdb1Table<Lmdb1Write> {
    type Table<'t> = Lmdb1Table<&'t mut Lmdb1Write>;

    fn table(&mut self) -> Result<Lmdb1Table<&mut Lmdb1Write>, EngineError> {
        if let Some(greatest) = &mut self.appends {
            self.transaction.reads().range(Dbi::MAIN, Keys::ALL, Direction::Down, |key, _| {
                *greatest = GreatestKey::new(Some(key));
                ControlFlow::Break(())
            })?;
        }
        Ok(Lmdb1Table { transaction: &mut self.transaction, appends: self.appends.clone() })
    }

    fn commit(self) -> Result<(), EngineError> {
        Ok(self.transaction.commit()?)
    }
}

impl<T: Lmdb1Reads> KvRead for Lmdb1Table<T> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.transaction.reads().get(Dbi::MAIN, key, visit)?)
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.transaction.reads().get(Dbi::MAIN, key, |_| ())?.is_some())
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.transaction.reads().range(Dbi::MAIN, Keys::ALL, Direction::Up, |key, value| {
            visit(key, value);
            ControlFlow::Continue(())
        })?;
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let keys = Keys { from: Bound::Included(from), ..Keys::ALL };
        let mut left = most;
        self.transaction.reads().range(Dbi::MAIN, keys, Direction::Up, |key, value| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            visit(key, value);
            ControlFlow::Continue(())
        })?;
        Ok(())
    }
}

impl KvWrite for Lmdb1Table<&mut Lmdb1Write> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let beyond = self.appends.as_mut().is_some_and(|greatest| greatest.grows_to(key));
        let put = if beyond { Lmdb1Write::append } else { Lmdb1Write::put };
        Ok(put(self.transaction, Dbi::MAIN, key, value)?)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.transaction.delete(Dbi::MAIN, key)?)
    }
}
