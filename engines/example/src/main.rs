//! An engine to start from: a map in memory.

use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::Description,
    durability::{Tier, TierRule},
    engine::{Engine, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    serve,
    suite::{KvStatements, SuiteKind},
};
use std::{
    collections::BTreeMap,
    ops::Bound,
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

fn main() -> ExitCode {
    serve::main(&dbdyno_workload::program::kv_only::<Example>(describe))
}

fn describe() -> Description {
    Description {
        tiers: vec![TierRule::new(&[], Tier::Unsafe, "nothing is written: the rows are gone with the program")],
        ..Description::new("example", "a map in memory, to start from", env!("CARGO_PKG_VERSION"), &[SuiteKind::Kv])
    }
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Databases that are closed, by their folders: a run opens them again. Your store has them on the disk.
static CLOSED: Mutex<BTreeMap<PathBuf, Rows>> = Mutex::new(BTreeMap::new());

/// The rows, and what the transaction under way has changed: keys with what was there before.
struct Example {
    folder: PathBuf,
    rows: Rows,
    undo: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Engine for Example {
    const MAIN_FILE: &'static str = "none";
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

    fn close(self) -> Result<(), EngineError> {
        CLOSED.lock().unwrap_or_else(PoisonError::into_inner).insert(self.folder, self.rows);
        Ok(())
    }
}

impl KvEngine for Example {
    type Session<'e> = &'e mut Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let rows = CLOSED.lock().unwrap_or_else(PoisonError::into_inner).remove(open.folder).unwrap_or_default();
        Ok(Self { folder: open.folder.to_owned(), rows, undo: Vec::new() })
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e mut Self, EngineError> {
        Ok(self)
    }
}

impl KvSession for &mut Example {
    type Read<'s>
        = &'s mut Example
    where
        Self: 's;
    type Write<'s>
        = ExampleWrite<'s>
    where
        Self: 's;

    fn read(&mut self) -> Result<&mut Example, EngineError> {
        Ok(self)
    }

    fn write(&mut self) -> Result<ExampleWrite<'_>, EngineError> {
        Ok(ExampleWrite(self))
    }
}

struct ExampleWrite<'s>(&'s mut Example);

impl KvTransaction for ExampleWrite<'_> {
    type Table<'t>
        = &'t mut Example
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Example, EngineError> {
        Ok(self.0)
    }

    fn commit(self) -> Result<(), EngineError> {
        self.0.undo.clear();
        Ok(())
    }
}

impl Drop for ExampleWrite<'_> {
    fn drop(&mut self) {
        while let Some((key, before)) = self.0.undo.pop() {
            match before {
                Some(value) => self.0.rows.insert(key, value),
                None => self.0.rows.remove(&key),
            };
        }
    }
}

impl KvRead for Example {
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
        let rows = self.rows.range::<[u8], _>((Bound::Included(from), Bound::Unbounded));
        rows.take(most as usize).for_each(|(key, value)| visit(key, value));
        Ok(())
    }
}

impl KvWrite for Example {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let before = self.rows.insert(key.to_owned(), value.to_owned());
        self.undo.push((key.to_owned(), before));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let before = self.rows.remove(key);
        let there = before.is_some();
        self.undo.extend(before.map(|value| (key.to_owned(), Some(value))));
        Ok(there)
    }
}
