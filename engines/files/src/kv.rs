//! Keys and values in files, for one or more threads.

use crate::{
    FOLDERS,
    folder::Buffer,
    store::{FileStore, ROWS, TransactionWrites},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite},
    suite::KvStatements,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// An open store. The lock provides what files lack: a writing transaction runs alone, and reading transactions run together.
#[derive(Debug)]
pub struct Files {
    store: RwLock<FileStore>,
    /// Transactions wait for the store in turn here. Otherwise a thread that reads repeatedly would keep writers waiting forever.
    turn: Mutex<()>,
}

impl EngineInstance for Files {
    const MAIN_FILE: &'static str = ROWS;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::from([(FOLDERS.to_owned(), self.store().folders().to_string())]))
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.store().check()
    }
}

impl Files {
    #[inline]
    fn store(&self) -> RwLockReadGuard<'_, FileStore> {
        let _turn = self.turn();
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn store_alone(&self) -> RwLockWriteGuard<'_, FileStore> {
        let _turn = self.turn();
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KvEngine for Files {
    type Session<'e> = FilesSession<'e>;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        Ok(Self { store: RwLock::new(FileStore::open(open)?), turn: Mutex::new(()) })
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<FilesSession<'e>, EngineError> {
        Ok(self.shared())
    }
}

impl KvShared for Files {
    type Shared<'e> = FilesSession<'e>;

    fn shared(&self) -> FilesSession<'_> {
        FilesSession { files: self, buffer: Buffer::default() }
    }
}

/// A session of one thread.
#[derive(Debug)]
pub struct FilesSession<'e> {
    files: &'e Files,
    buffer: Buffer,
}

impl KvSession for FilesSession<'_> {
    type Read<'s>
        = FilesRead<'s>
    where
        Self: 's;
    type Write<'s>
        = FilesWrite<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<FilesRead<'_>, EngineError> {
        Ok(FilesRead { store: self.files.store(), buffer: &mut self.buffer })
    }

    fn write(&mut self) -> Result<FilesWrite<'_>, EngineError> {
        Ok(FilesWrite { store: self.files.store_alone(), buffer: &mut self.buffer, writes: TransactionWrites::new() })
    }
}

/// A read transaction.
#[derive(Debug)]
pub struct FilesRead<'s> {
    store: RwLockReadGuard<'s, FileStore>,
    buffer: &'s mut Buffer,
}

impl KvRead for FilesRead<'_> {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.store.read(key, self.buffer)?.then(|| visit(self.buffer.bytes())))
    }

    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.store.contains(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.range(&[], u64::MAX, visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let keys = self.store.keys()?;
        read_each(self, &keys, (from, most), visit)
    }
}

/// A write transaction. Its writes stay in memory until it commits.
#[derive(Debug)]
pub struct FilesWrite<'s> {
    store: RwLockWriteGuard<'s, FileStore>,
    buffer: &'s mut Buffer,
    writes: TransactionWrites,
}

impl KvTransaction for FilesWrite<'_> {
    type Table<'t>
        = &'t mut Self
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Self, EngineError> {
        Ok(self)
    }

    fn commit(self) -> Result<(), EngineError> {
        self.store.commit(&self.writes)
    }
}

impl KvRead for FilesWrite<'_> {
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        match self.writes.get(key) {
            Some(written) => Ok(written.as_deref().map(visit)),
            None => Ok(self.store.read(key, self.buffer)?.then(|| visit(self.buffer.bytes()))),
        }
    }

    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        match self.writes.get(key) {
            Some(written) => Ok(written.is_some()),
            None => self.store.contains(key),
        }
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.range(&[], u64::MAX, visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let mut keys = self.store.keys()?;
        for (key, value) in &self.writes {
            match value {
                Some(_) => keys.insert(key.clone()),
                None => keys.remove(key),
            };
        }
        read_each(self, &keys, (from, most), visit)
    }
}

impl KvWrite for FilesWrite<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        crate::name::of(key)?;
        self.writes.insert(key.to_owned(), Some(value.to_owned()));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let found = self.exists(key)?;
        if found {
            self.writes.insert(key.to_owned(), None);
        }
        Ok(found)
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), EngineError> {
        crate::name::of(key)?;
        self.writes.insert(key.to_owned(), None);
        Ok(())
    }
}

/// Visits the rows in the order of these keys.
fn read_each(
    rows: &mut impl KvRead,
    keys: &BTreeSet<Vec<u8>>,
    (from, most): (&[u8], u64),
    mut visit: impl FnMut(&[u8], &[u8]),
) -> Result<(), EngineError> {
    for key in keys.range(from.to_owned()..).take(usize::try_from(most).unwrap_or(usize::MAX)) {
        rows.get(key, |value| visit(key, value))?;
    }
    Ok(())
}
