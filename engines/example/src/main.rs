//! An example engine to start from: a map in memory.

use dbdyno_engine::{
    EngineError,
    describe::Description,
    durability::{Tier, TierRule},
    engine::Open,
    kv::{KvRead, KvWrite},
    plain::{Plain, PlainStore},
    serve,
    suite::SuiteKind,
};
use std::{collections::BTreeMap, mem::take, path::PathBuf, process::ExitCode, sync::Mutex};

fn main() -> ExitCode {
    serve::main(&dbdyno_workload::program::kv_only::<Plain<Example>>(describe))
}

fn describe() -> Description {
    Description {
        tiers: vec![TierRule::new(&[], Tier::Unsafe, "nothing is written: the rows are lost when the program ends")],
        ..Description::new("example", "a map in memory, to start from", env!("CARGO_PKG_VERSION"), &[SuiteKind::Kv])
            .licensed("MIT OR Apache-2.0", &["rust"])
    }
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Closed databases, by folder, because a run reopens them. A real store has them on disk.
static CLOSED: Mutex<BTreeMap<PathBuf, Rows>> = Mutex::new(BTreeMap::new());

struct Example {
    folder: PathBuf,
    rows: Rows,
    /// The changes of the current transaction: keys with their previous values.
    undo: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl PlainStore for Example {
    const MAIN_FILE: &'static str = "none";

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let rows = CLOSED.lock().ok().and_then(|mut closed| closed.remove(open.folder)).unwrap_or_default();
        Ok(Self { folder: open.folder.to_owned(), rows, undo: Vec::new() })
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        self.undo.clear();
        Ok(())
    }

    fn roll_back(&mut self) {
        for (key, before) in take(&mut self.undo).into_iter().rev() {
            match before {
                Some(value) => self.rows.insert(key, value),
                None => self.rows.remove(&key),
            };
        }
    }

    fn check(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(self) -> Result<(), EngineError> {
        let mut closed = CLOSED.lock().map_err(|error| EngineError::new(error.to_string()))?;
        closed.insert(self.folder, self.rows);
        Ok(())
    }
}

impl KvRead for Example {
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.rows.get(key).map(|value| visit(value)))
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let rows = self.rows.range(from.to_owned()..).take(most as usize);
        rows.for_each(|(key, value)| visit(key, value));
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
        let was_there = before.is_some();
        self.undo.extend(before.map(|value| (key.to_owned(), Some(value))));
        Ok(was_there)
    }
}
