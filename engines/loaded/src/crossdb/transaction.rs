//! Keys and values.

use super::store::{CrossDb, MOST_KEY, MOST_VALUE};
use dbdyno_engine::{
    EngineError,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
};

/// A write transaction; dropping it rolls it back.
pub struct CrossDbWrite<'s> {
    store: &'s mut CrossDb,
    under_way: bool,
}

/// Reads without a transaction: each read takes a lock of its own, and CrossDB has no snapshots, so a transaction would do nothing.
impl KvSession for &mut CrossDb {
    type Read<'s>
        = &'s mut CrossDb
    where
        Self: 's;
    type Write<'s>
        = CrossDbWrite<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<&mut CrossDb, EngineError> {
        Ok(self)
    }

    fn write(&mut self) -> Result<CrossDbWrite<'_>, EngineError> {
        let link = self.link();
        link.transact("beginning a transaction", link.api.begin)?;
        Ok(CrossDbWrite { store: self, under_way: true })
    }
}

impl KvTransaction for CrossDbWrite<'_> {
    type Table<'t>
        = &'t mut CrossDb
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut CrossDb, EngineError> {
        Ok(self.store)
    }

    fn commit(mut self) -> Result<(), EngineError> {
        let link = self.store.link();
        link.transact("committing", link.api.commit)?;
        self.under_way = false;
        Ok(())
    }
}

impl Drop for CrossDbWrite<'_> {
    fn drop(&mut self) {
        if self.under_way {
            let link = self.store.link();
            // If the rollback fails, the next call reports the error.
            let _ = link.transact("rolling back", link.api.rollback);
        }
    }
}

/// Checks that the table accepts a key. If a key is empty, CrossDB looks for its length in the bytes after it.
#[inline]
fn fits(key: &[u8]) -> Result<(), EngineError> {
    if (1..=MOST_KEY).contains(&key.len()) {
        return Ok(());
    }
    let message = format!("a key of {} bytes: expected 1 to {MOST_KEY}, the limits of CrossDB's table here", key.len());
    Err(EngineError::new(message))
}

impl KvRead for CrossDb {
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        fits(key)?;
        let mut answer = self.statements.get.run(&[key])?;
        Ok(answer.next().map(|row| visit(row.bytes(0))))
    }

    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        fits(key)?;
        Ok(self.statements.exists.run(&[key])?.next().is_some())
    }

    /// Reads all rows and sorts them, because the table has no order. Only checks use this, no measurement.
    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let mut answer = self.statements.rows.run(&[])?;
        let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        while let Some(row) = answer.next() {
            rows.push((row.bytes(0).to_owned(), row.bytes(1).to_owned()));
        }
        rows.sort_unstable();
        rows.iter().for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn range(&mut self, _: &[u8], _: u64, _: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        Err(EngineError::new("CrossDB keeps keys by their hash: it has no ranges"))
    }
}

impl KvWrite for CrossDb {
    /// Runs REPLACE, then UPDATE if REPLACE changed nothing: with a VARBINARY key, 0.14 does not replace an existing row and reports no
    /// error.
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        fits(key)?;
        if value.len() > MOST_VALUE {
            let length = value.len();
            let message = format!("a value of {length} bytes: CrossDB's table takes at most {MOST_VALUE} here");
            return Err(EngineError::new(message));
        }
        if self.statements.replace.run(&[key, value])?.affected() > 0
            || self.statements.update.run(&[value, key])?.affected() > 0
        {
            return Ok(());
        }
        Err(EngineError::new("CrossDB changed no row, neither by REPLACE nor by UPDATE, and reports no error"))
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        fits(key)?;
        Ok(self.statements.delete.run(&[key])?.affected() > 0)
    }
}
