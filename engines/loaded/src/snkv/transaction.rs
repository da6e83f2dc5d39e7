//! Keys and values inside a transaction.

use super::{
    api::{NOT_FOUND, Owned},
    iterator::KeyValueIterator,
    store::Snkv,
};
use dbdyno_engine::{
    EngineError,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
};
use std::{
    ffi::{c_int, c_void},
    ptr,
};

/// A read or write transaction; dropping it ends it and discards its changes.
pub struct SnkvTransaction<'s> {
    snkv: &'s mut Snkv,
    under_way: bool,
}

impl KvSession for &mut Snkv {
    type Read<'s>
        = SnkvTransaction<'s>
    where
        Self: 's;
    type Write<'s>
        = SnkvTransaction<'s>
    where
        Self: 's;

    #[inline]
    fn read(&mut self) -> Result<SnkvTransaction<'_>, EngineError> {
        SnkvTransaction::begin(self, false)
    }

    fn write(&mut self) -> Result<SnkvTransaction<'_>, EngineError> {
        SnkvTransaction::begin(self, true)
    }
}

impl<'s> SnkvTransaction<'s> {
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn begin(snkv: &'s mut Snkv, writes: bool) -> Result<Self, EngineError> {
        // SAFETY: the store is open.
        let code = unsafe { (snkv.api.begin)(snkv.store, c_int::from(writes)) };
        snkv.checked("beginning a transaction", code)?;
        Ok(Self { snkv, under_way: true })
    }
}

impl Drop for SnkvTransaction<'_> {
    /// Ends read transactions with a rollback too: SNKV counts every commit, even of a read transaction, towards the next checkpoint.
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn drop(&mut self) {
        if self.under_way {
            // SAFETY: the store is open. If the rollback fails, the next call reports the error.
            unsafe { (self.snkv.api.rollback)(self.snkv.store) };
        }
    }
}

impl KvTransaction for SnkvTransaction<'_> {
    type Table<'t>
        = &'t mut Self
    where
        Self: 't;

    fn table(&mut self) -> Result<&mut Self, EngineError> {
        Ok(self)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn commit(mut self) -> Result<(), EngineError> {
        // SAFETY: the store is open.
        let code = unsafe { (self.snkv.api.commit)(self.snkv.store) };
        self.snkv.checked("committing", code)?;
        self.under_way = false;
        Ok(())
    }
}

/// Returns the pointer and the length of a key or value, as the library's functions take them.
#[inline]
pub(super) fn lengthy(bytes: &[u8]) -> Result<(*const c_void, c_int), EngineError> {
    let length = c_int::try_from(bytes.len()).map_err(|_| EngineError::new("a key or value is longer than 2 GiB"))?;
    Ok((bytes.as_ptr().cast(), length))
}

impl KvRead for SnkvTransaction<'_> {
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn get<R>(&mut self, key: &[u8], visit: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, EngineError> {
        let (key, key_length) = lengthy(key)?;
        let (mut value, mut length) = (ptr::null_mut(), 0);
        let api = self.snkv.api;
        // SAFETY: the store is open, the key is read no further than its length, the rest are out pointers.
        let code = unsafe { (api.get)(self.snkv.store, key, key_length, &raw mut value, &raw mut length) };
        let value = Owned::of(api, value, length);
        if code == NOT_FOUND {
            return Ok(None);
        }
        self.snkv.checked("getting a value", code)?;
        Ok(Some(visit(value.bytes())))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn exists(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let (key, key_length) = lengthy(key)?;
        let mut exists = 0;
        // SAFETY: as in `get`.
        let code = unsafe { (self.snkv.api.exists)(self.snkv.store, key, key_length, &raw mut exists) };
        self.snkv.checked("looking for a key", code)?;
        Ok(exists != 0)
    }

    fn scan(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let mut rows = KeyValueIterator::of(self.snkv)?;
        rows.first()?;
        while let Some((key, value)) = rows.here()? {
            visit(key, value);
            rows.next()?;
        }
        Ok(())
    }

    fn range(&mut self, from: &[u8], most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        let mut rows = KeyValueIterator::of(self.snkv)?;
        rows.seek(from)?;
        for _ in 0..most {
            let Some((key, value)) = rows.here()? else { break };
            visit(key, value);
            rows.next()?;
        }
        Ok(())
    }
}

impl KvWrite for SnkvTransaction<'_> {
    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let ((key, key_length), (value, length)) = (lengthy(key)?, lengthy(value)?);
        // SAFETY: the store is open; key and value are read no further than their lengths.
        let code = unsafe { (self.snkv.api.put)(self.snkv.store, key, key_length, value, length) };
        self.snkv.checked("putting a value", code)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let (key, key_length) = lengthy(key)?;
        // SAFETY: as in `put`.
        let code = unsafe { (self.snkv.api.delete)(self.snkv.store, key, key_length) };
        if code == NOT_FOUND {
            return Ok(false);
        }
        self.snkv.checked("removing a key", code)?;
        Ok(true)
    }
}
