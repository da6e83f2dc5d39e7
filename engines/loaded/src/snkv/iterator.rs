//! Rows in key order.

use super::{
    api::{KvIterator, bytes},
    store::Snkv,
    transaction::lengthy,
};
use dbdyno_engine::EngineError;
use std::ptr;

/// A key and its value.
type KeyValue<'r> = (&'r [u8], &'r [u8]);

/// A position among the rows of a store.
pub(super) struct KeyValueIterator<'s> {
    snkv: &'s Snkv,
    iterator: *mut KvIterator,
}

impl<'s> KeyValueIterator<'s> {
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn of(snkv: &'s Snkv) -> Result<Self, EngineError> {
        let mut iterator = ptr::null_mut();
        // SAFETY: the store is open, the other is an out pointer.
        let code = unsafe { (snkv.api.iterator_create)(snkv.store, &raw mut iterator) };
        let rows = Self { snkv, iterator };
        snkv.checked("creating an iterator", code)?;
        Ok(rows)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn first(&mut self) -> Result<(), EngineError> {
        // SAFETY: the iterator is open.
        let code = unsafe { (self.snkv.api.iterator_first)(self.iterator) };
        self.snkv.checked("going to the first row", code)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn next(&mut self) -> Result<(), EngineError> {
        // SAFETY: the iterator is open.
        let code = unsafe { (self.snkv.api.iterator_next)(self.iterator) };
        self.snkv.checked("going to the next row", code)
    }

    /// Goes to the first row whose key is at or after this key. If the library has no seek function, steps there from the first row.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek(&mut self, from: &[u8]) -> Result<(), EngineError> {
        if let Some(seek) = self.snkv.api.iterator_seek {
            let (key, key_length) = lengthy(from)?;
            // SAFETY: the iterator is open; the key is read no further than its length.
            let code = unsafe { seek(self.iterator, key, key_length) };
            return self.snkv.checked("going to a key", code);
        }
        self.first()?;
        while self.here()?.is_some_and(|(key, _)| key < from) {
            self.next()?;
        }
        Ok(())
    }

    /// Returns the row at this position, or `None` past the last row. The row is valid until the position changes.
    #[expect(unsafe_code, reason = "calls of C")]
    #[inline]
    pub(super) fn here(&mut self) -> Result<Option<KeyValue<'_>>, EngineError> {
        let api = self.snkv.api;
        let (mut key, mut key_length) = (ptr::null_mut(), 0);
        let (mut value, mut length) = (ptr::null_mut(), 0);
        // SAFETY: the iterator is open, the rest are out pointers. The bytes are valid until the iterator advances, and the borrow of
        // `self` prevents that.
        unsafe {
            if (api.iterator_eof)(self.iterator) != 0 {
                return Ok(None);
            }
            let code = (api.iterator_key)(self.iterator, &raw mut key, &raw mut key_length);
            self.snkv.checked("reading a key", code)?;
            let code = (api.iterator_value)(self.iterator, &raw mut value, &raw mut length);
            self.snkv.checked("reading a value", code)?;
            Ok(Some((bytes(key, key_length), bytes(value, length))))
        }
    }
}

impl Drop for KeyValueIterator<'_> {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the iterator is open, or null, which SNKV ignores; it is closed once.
        unsafe { (self.snkv.api.iterator_close)(self.iterator) };
    }
}
