//! The writes of a transaction until it is committed.

use super::api::{Api, IndexedBatch, PlainBatch};
use std::{
    ffi::{c_char, c_void},
    marker::PhantomData,
    ptr,
};

/// Writes that take effect all at once or not at all. The first read indexes them: building an index takes about as long as the write
/// itself, and a program that only writes would not need one.
pub(super) struct WriteBatch {
    api: &'static Api,
    plain: *mut PlainBatch,
    /// Null until the first use.
    indexed: *mut IndexedBatch,
    holds: Holds,
}

/// Where the writes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    Plain,
    Indexed,
}

/// A non-empty batch, in the form that is written to the database.
pub(super) enum RawBatch {
    Plain(*mut PlainBatch),
    Indexed(*mut IndexedBatch),
}

/// An index over the writes of a batch. The batch is not written to during `'b`.
#[derive(Clone, Copy)]
pub(super) struct Index<'b> {
    pub(super) raw: *mut IndexedBatch,
    batch: PhantomData<&'b WriteBatch>,
}

// SAFETY: a batch owns its memory and is not tied to a thread.
#[expect(unsafe_code, reason = "handles of C")]
unsafe impl Send for WriteBatch {}

impl WriteBatch {
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn new(api: &'static Api) -> Self {
        // SAFETY: a call without conditions.
        let plain = unsafe { (api.plain_batch)() };
        Self { api, plain, indexed: ptr::null_mut(), holds: Holds::Nothing }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) {
        let (at, length) = (key.as_ptr().cast(), key.len());
        // SAFETY: the bytes are copied before the call returns.
        unsafe {
            if self.holds == Holds::Indexed {
                (self.api.batch_put)(self.indexed, at, length, value.as_ptr().cast(), value.len());
            } else {
                self.holds = Holds::Plain;
                (self.api.plain_put)(self.plain, at, length, value.as_ptr().cast(), value.len());
            }
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn delete(&mut self, key: &[u8]) {
        // SAFETY: the bytes are copied before the call returns.
        unsafe {
            if self.holds == Holds::Indexed {
                (self.api.batch_delete)(self.indexed, key.as_ptr().cast(), key.len());
            } else {
                self.holds = Holds::Plain;
                (self.api.plain_delete)(self.plain, key.as_ptr().cast(), key.len());
            }
        }
    }

    /// Returns the writes to commit, if there are any.
    #[inline]
    pub(super) fn writes(&self) -> Option<RawBatch> {
        match self.holds {
            Holds::Nothing => None,
            Holds::Plain => Some(RawBatch::Plain(self.plain)),
            Holds::Indexed => Some(RawBatch::Indexed(self.indexed)),
        }
    }

    /// Whether it has writes that cannot be read yet.
    #[inline]
    pub(super) fn lacks_index(&self) -> bool {
        self.holds == Holds::Plain
    }

    /// Returns the index that [`Self::make_index`] built; `None` if nothing was written, and then reads need only the database.
    #[inline]
    pub(super) fn index(&self) -> Option<Index<'_>> {
        (self.holds == Holds::Indexed).then_some(Index { raw: self.indexed, batch: PhantomData })
    }

    /// Indexes the writes so far, and later ones.
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn make_index(&mut self) {
        if !self.lacks_index() {
            return;
        }
        if self.indexed.is_null() {
            // SAFETY: a call without conditions. If a key is written twice, the index keeps only its last write: no other kind of index
            // can be read together with the database.
            self.indexed = unsafe { (self.api.batch)(0, 1) };
        }
        self.holds = Holds::Indexed;
        let state: *mut Self = self;
        // SAFETY: both batches exist; the functions receive this batch, and no other part of the program uses it meanwhile.
        unsafe { (self.api.plain_iterate)(self.plain, state.cast(), put_again, delete_again) };
    }

    /// Empties the batch for the next transaction.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn clear(&mut self) {
        let held = std::mem::replace(&mut self.holds, Holds::Nothing);
        // SAFETY: the batches exist; iterators over them borrow this, so none is left.
        unsafe {
            if held != Holds::Nothing {
                (self.api.plain_clear)(self.plain);
            }
            if held == Holds::Indexed {
                (self.api.batch_clear)(self.indexed);
            }
        }
    }
}

/// Copies a write of the plain batch to the indexed batch.
#[expect(unsafe_code, reason = "RocksDB gives back what it was given")]
extern "C" fn put_again(batch: *mut c_void, key: *const c_char, length: usize, value: *const c_char, bytes: usize) {
    // SAFETY: `make_index` gives RocksDB a batch with this function.
    unsafe {
        let batch: *const WriteBatch = batch.cast();
        ((*batch).api.batch_put)((*batch).indexed, key, length, value, bytes);
    }
}

/// As [`put_again`], for a removed key.
#[expect(unsafe_code, reason = "RocksDB gives back what it was given")]
extern "C" fn delete_again(batch: *mut c_void, key: *const c_char, length: usize) {
    // SAFETY: as above.
    unsafe {
        let batch: *const WriteBatch = batch.cast();
        ((*batch).api.batch_delete)((*batch).indexed, key, length);
    }
}

impl Drop for WriteBatch {
    #[expect(unsafe_code, reason = "calls of C")]
    fn drop(&mut self) {
        // SAFETY: the batches exist, and nothing reads them any more.
        unsafe {
            (self.api.plain_destroy)(self.plain);
            if !self.indexed.is_null() {
                (self.api.batch_destroy)(self.indexed);
            }
        }
    }
}
