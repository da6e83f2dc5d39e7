//! The smallest interface of a key-value engine: a store that one thread uses, whose changes are kept or undone when a transaction ends.

use crate::{
    EngineError,
    clock::SystemClock,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvSession, KvTransaction, KvWrite},
    suite::KvStatements,
};
use std::collections::BTreeMap;

/// A store to start an engine from. Its reads have no transaction of their own, and it writes in place. A store with snapshots, table
/// handles or prepared statements implements the traits of [`kv`](crate::kv) itself; [`Plain`] implements them for this one.
///
/// ```
/// use dbdyno_engine::{
///     EngineError,
///     engine::Open,
///     kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
///     plain::{Plain, PlainStore},
///     settings::Settings,
///     suite::KvStatements,
/// };
/// use std::{collections::BTreeMap, path::Path};
///
/// /// Rows, and those of the last commit.
/// struct Map(BTreeMap<Vec<u8>, Vec<u8>>, BTreeMap<Vec<u8>, Vec<u8>>);
///
/// impl PlainStore for Map {
///     const MAIN_FILE: &'static str = "none";
///
///     fn open(_: Open<'_>) -> Result<Self, EngineError> {
///         Ok(Self(BTreeMap::new(), BTreeMap::new()))
///     }
///
///     fn commit(&mut self) -> Result<(), EngineError> {
///         self.1 = self.0.clone();
///         Ok(())
///     }
///
///     fn roll_back(&mut self) {
///         self.0 = self.1.clone();
///     }
///
///     fn check(&mut self) -> Result<(), EngineError> {
///         Ok(())
///     }
/// }
///
/// impl KvRead for Map {
///     fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
///         Ok(self.0.get(key).map(|value| visit(value)))
///     }
///
///     fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
///         self.0.range(from.to_owned()..).take(most as usize).for_each(|(key, value)| visit(key, value));
///         Ok(())
///     }
/// }
///
/// impl KvWrite for Map {
///     fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
///         self.0.insert(key.to_owned(), value.to_owned());
///         Ok(())
///     }
///
///     fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
///         Ok(self.0.remove(key).is_some())
///     }
/// }
///
/// // An engine now: transactions that are not committed are undone.
/// let open = Open { folder: Path::new("."), settings: &Settings::default(), schema: &[], data_bytes: 0 };
/// let mut engine = <Plain<Map> as KvEngine>::open(open)?;
/// let statements = KvStatements::default();
/// let mut session = engine.session(&statements)?;
/// let mut write = session.write()?;
/// write.table()?.put(b"a", b"1")?;
/// write.commit()?;
/// session.write()?.table()?.put(b"a", b"2")?;
/// assert_eq!(session.read()?.get(b"a", <[u8]>::to_vec)?, Some(b"1".to_vec()));
/// # Ok::<(), EngineError>(())
/// ```
pub trait PlainStore: KvWrite + Sized {
    /// As [`EngineInstance::MAIN_FILE`].
    const MAIN_FILE: &'static str;

    /// As [`KvEngine::open`].
    fn open(open: Open<'_>) -> Result<Self, EngineError>;

    /// Keeps all writes since the last commit, with the durability that the options ask for.
    fn commit(&mut self) -> Result<(), EngineError>;

    /// Undoes all writes since the last commit.
    fn roll_back(&mut self);

    /// As [`EngineInstance::check`].
    fn check(&mut self) -> Result<(), EngineError>;

    /// As [`EngineInstance::in_force`]. Empty by default, for stores without options.
    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    /// As [`EngineInstance::close`].
    fn close(self) -> Result<(), EngineError> {
        drop(self);
        Ok(())
    }
}

/// A plain store as an engine.
#[derive(Debug)]
pub struct Plain<S>(S);

impl<S: PlainStore> EngineInstance for Plain<S> {
    const MAIN_FILE: &'static str = S::MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.0.in_force()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.0.check()
    }

    fn close(self) -> Result<(), EngineError> {
        self.0.close()
    }
}

impl<S: PlainStore> KvEngine for Plain<S> {
    type Session<'e>
        = PlainSession<'e, S>
    where
        S: 'e;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        S::open(open).map(Self)
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<PlainSession<'e, S>, EngineError> {
        Ok(PlainSession(&mut self.0))
    }
}

/// The state for one test: the store itself.
#[derive(Debug)]
pub struct PlainSession<'e, S>(&'e mut S);

impl<S: PlainStore> KvSession for PlainSession<'_, S> {
    type Read<'s>
        = &'s mut S
    where
        Self: 's;
    type Write<'s>
        = PlainWrite<'s, S>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<&mut S, EngineError> {
        Ok(self.0)
    }

    #[inline]
    fn write(&mut self) -> Result<PlainWrite<'_, S>, EngineError> {
        Ok(PlainWrite { store: self.0, is_committed: false })
    }
}

/// A write transaction.
#[derive(Debug)]
pub struct PlainWrite<'s, S: PlainStore> {
    store: &'s mut S,
    is_committed: bool,
}

impl<S: PlainStore> KvTransaction for PlainWrite<'_, S> {
    type Table<'t>
        = &'t mut S
    where
        Self: 't;

    #[inline]
    fn table(&mut self) -> Result<&mut S, EngineError> {
        Ok(self.store)
    }

    #[inline]
    fn commit(mut self) -> Result<(), EngineError> {
        self.store.commit()?;
        self.is_committed = true;
        Ok(())
    }
}

impl<S: PlainStore> Drop for PlainWrite<'_, S> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_committed {
            self.store.roll_back();
        }
    }
}
