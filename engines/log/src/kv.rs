//! Keys and values in a map, restored from the records of the file.

use crate::file::{self, LogRecord, changes, records};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    engine::{EngineInstance, Open},
    kv::{KvEngine, KvRead, KvSession, KvTransaction, KvWrite},
    suite::KvStatements,
};
use std::{collections::BTreeMap, fs::File, ops::Bound, path::PathBuf};

type LogRows = BTreeMap<Vec<u8>, Vec<u8>>;

/// An open store.
#[derive(Debug)]
pub struct Log {
    folder: PathBuf,
    file: File,
    sync: bool,
    rows: LogRows,
}

fn replayed(bytes: &[u8]) -> LogRows {
    let mut rows = LogRows::new();
    for (key, value) in records(bytes).flat_map(changes) {
        match value {
            Some(value) => rows.insert(key.to_owned(), value.to_owned()),
            None => rows.remove(key),
        };
    }
    rows
}

impl EngineInstance for Log {
    const MAIN_FILE: &'static str = file::NAME;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::from([("sync".to_owned(), if self.sync { "on" } else { "off" }.to_owned())]))
    }

    /// Checks that the file holds the same rows as the map.
    fn check(&mut self) -> Result<(), EngineError> {
        let bytes = std::fs::read(self.folder.join(file::NAME)).map_err(EngineError::doing("reading the file"))?;
        let same = replayed(&bytes) == self.rows;
        if same { Ok(()) } else { Err(EngineError::fatal("the file does not hold what was committed")) }
    }
}

impl KvEngine for Log {
    type Session<'e> = &'e mut Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let (file, bytes) = file::open(open.folder)?;
        Ok(Self { folder: open.folder.to_owned(), file, sync: open.settings.flag("sync")?, rows: replayed(&bytes) })
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e mut Self, EngineError> {
        Ok(self)
    }
}

impl KvSession for &mut Log {
    type Read<'s>
        = &'s mut Log
    where
        Self: 's;
    type Write<'s>
        = LogWrite<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<&mut Log, EngineError> {
        Ok(self)
    }

    fn write(&mut self) -> Result<LogWrite<'_>, EngineError> {
        Ok(LogWrite { log: self, record: LogRecord::new(), undo: Vec::new() })
    }
}

/// A write transaction: its record so far, and the previous values of the changed keys.
#[derive(Debug)]
pub struct LogWrite<'s> {
    log: &'s mut Log,
    record: LogRecord,
    undo: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl KvTransaction for LogWrite<'_> {
    type Table<'t>
        = &'t mut Self
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Self, EngineError> {
        Ok(self)
    }

    fn commit(mut self) -> Result<(), EngineError> {
        let record = std::mem::replace(&mut self.record, LogRecord::new());
        record.append(&self.log.file, self.log.sync)?;
        self.undo.clear();
        Ok(())
    }
}

impl Drop for LogWrite<'_> {
    fn drop(&mut self) {
        while let Some((key, before)) = self.undo.pop() {
            match before {
                Some(value) => self.log.rows.insert(key, value),
                None => self.log.rows.remove(&key),
            };
        }
    }
}

impl KvRead for Log {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        Ok(self.rows.get(key).map(|value| visit(value)))
    }

    #[inline]
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

impl KvRead for LogWrite<'_> {
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        self.log.get(key, visit)
    }

    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        self.log.exists(key)
    }

    fn scan(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.log.scan(visit)
    }

    fn range(&mut self, from: &[u8], most: u64, visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        self.log.range(from, most, visit)
    }
}

impl KvWrite for LogWrite<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.record.add((key, Some(value)));
        let before = self.log.rows.insert(key.to_owned(), value.to_owned());
        self.undo.push((key.to_owned(), before));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let Some(before) = self.log.rows.remove(key) else { return Ok(false) };
        self.record.add((key, None));
        self.undo.push((key.to_owned(), Some(before)));
        Ok(true)
    }
}
