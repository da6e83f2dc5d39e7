//! A toy engine that stores its database in one file.

use crate::program;
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::{Description, OptionSpec},
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvShared, KvTransaction, KvWrite},
    serve::Program,
    suite::{KvStatements, SuiteKind},
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

pub(super) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// A database in one file, which each commit replaces with a new file. A transaction that conflicts with another is refused as busy.
pub(super) struct Toy {
    folder: PathBuf,
    sync: bool,
    rows: Mutex<Rows>,
}

pub(super) fn rows_of(bytes: &[u8]) -> Result<Rows, EngineError> {
    let rows: Vec<(Vec<u8>, Vec<u8>)> =
        serde_json::from_slice(bytes).map_err(EngineError::doing("reading the rows"))?;
    Ok(rows.into_iter().collect())
}

impl EngineInstance for Toy {
    const MAIN_FILE: &'static str = "rows";
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn check(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl KvEngine for Toy {
    type Session<'e> = &'e Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let sync = open.settings.flag("sync")?;
        let rows = fs::read(open.folder.join("rows")).map_or_else(|_| Ok(Rows::new()), |bytes| rows_of(&bytes))?;
        Ok(Self { folder: open.folder.to_owned(), sync, rows: Mutex::new(rows) })
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e Self, EngineError> {
        Ok(self)
    }
}

impl KvShared for Toy {
    type Shared<'e> = &'e Self;

    fn shared(&self) -> &Self {
        self
    }
}

impl KvSession for &Toy {
    type Read<'s>
        = ToyTable<'s>
    where
        Self: 's;
    type Write<'s>
        = ToyTable<'s>
    where
        Self: 's;

    fn read(&mut self) -> Result<ToyTable<'_>, EngineError> {
        let rows = self.rows.try_lock().map_err(|_| EngineError::busy("another is in the way"))?;
        Ok(ToyTable { toy: self, rows })
    }

    fn write(&mut self) -> Result<ToyTable<'_>, EngineError> {
        self.read()
    }
}

pub(super) struct ToyTable<'t> {
    toy: &'t Toy,
    rows: MutexGuard<'t, Rows>,
}

impl KvTransaction for ToyTable<'_> {
    type Table<'t>
        = &'t mut Self
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Self, EngineError> {
        Ok(self)
    }

    fn commit(self) -> Result<(), EngineError> {
        let Toy { folder, sync, .. } = self.toy;
        let rows: Vec<_> = self.rows.iter().collect();
        let mut file = File::create(folder.join("new"))?;
        file.write_all(&serde_json::to_vec(&rows).unwrap())?;
        if *sync {
            file.sync_all()?;
        }
        fs::rename(folder.join("new"), folder.join("rows"))?;
        if *sync {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

impl KvRead for ToyTable<'_> {
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.rows.get(key).map(|value| visit(value)))
    }

    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.rows.contains_key(key))
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.rows.iter().for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.rows.range(from.to_vec()..).take(most as usize).for_each(|(key, value)| visit(key, value));
        Ok(())
    }
}

impl KvWrite for ToyTable<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.rows.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        Ok(self.rows.remove(key).is_some())
    }
}

pub(super) static PROGRAM: Program = program::kv_with_threads::<Toy>(describe);

pub(super) fn describe() -> Description {
    let options = vec![OptionSpec::bool("sync", "on", "whether a commit waits for the disk")];
    Description { options, ..Description::new("toy", "a file", "1", &[SuiteKind::Kv]) }
}
