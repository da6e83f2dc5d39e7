//! The writes of a transaction until it is committed.

use super::api::{Api, IndexedBatch, PlainBatch};
use std::{
    ffi::{c_char, c_void},
    marker::PhantomData,
    ptr,
};

/// Writes that are made all at once or not at all. They are indexed when they are first read: an index takes about as long as the write
/// itself, and a program that only writes would do without.
pub(super) struct Batch {
    api: &'static Api,
    plain: *mut PlainBatch,
    /// Null until it is first needed.
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

/// A batch as it is written to a database.
pub(super) enum Writes {
    Plain(*mut PlainBatch),
    Indexed(*mut IndexedBatch),
}

/// An index over the writes of a batch, which is not written to for as long as `'b`.
#[derive(Clone, Copy)]
pub(super) struct Index<'b> {
    pub(super) raw: *mut IndexedBatch,
    batch: PhantomData<&'b Batch>,
}

// SAFETY: a batch is memory of its own, which no thread has a special part in.
#[expect(unsafe_code, reason = "handles of C")]
unsafe impl Send for Batch {}

impl Batch {
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

    /// What there is to commit, if there is something.
    #[inline]
    pub(super) fn writes(&self) -> Option<Writes> {
        match self.holds {
            Holds::Nothing => None,
            Holds::Plain => Some(Writes::Plain(self.plain)),
            Holds::Indexed => Some(Writes::Indexed(self.indexed)),
        }
    }

    /// Whether it has writes that cannot be read yet.
    #[inline]
    pub(super) fn lacks_index(&self) -> bool {
        self.holds == Holds::Plain
    }

    /// The index that [`Self::make_index`] has made; none where nothing was written: what is read is the database's alone.
    #[inline]
    pub(super) fn index(&self) -> Option<Index<'_>> {
        (self.holds == Holds::Indexed).then_some(Index { raw: self.indexed, batch: PhantomData })
    }

    /// Has the writes so far indexed, and those to come.
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn make_index(&mut self) {
        if !self.lacks_index() {
            return;
        }
        if self.indexed.is_null() {
            // SAFETY: a call without conditions. A key that is written twice has its last write in the index only: no other kind can
            // be read together with the database.
            self.indexed = unsafe { (self.api.batch)(0, 1) };
        }
        self.holds = Holds::Indexed;
        let state: *mut Self = self;
        // SAFETY: both batches are there; the functions get this batch back, and no other part of the program has it meanwhile.
        unsafe { (self.api.plain_iterate)(self.plain, state.cast(), put_again, delete_again) };
    }

    /// Empties it for another transaction.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn clear(&mut self) {
        let held = std::mem::replace(&mut self.holds, Holds::Nothing);
        // SAFETY: the batches are there; iterators over them borrow this, so that none is left.
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

/// Writes to the index what the plain batch has.
#[expect(unsafe_code, reason = "RocksDB gives back what it was given")]
extern "C" fn put_again(batch: *mut c_void, key: *const c_char, length: usize, value: *const c_char, bytes: usize) {
    // SAFETY: `make_index` gives RocksDB a batch with this function.
    unsafe {
        let batch: *const Batch = batch.cast();
        ((*batch).api.batch_put)((*batch).indexed, key, length, value, bytes);
    }
}

/// As [`put_again`], of a key that is removed.
#[expect(unsafe_code, reason = "RocksDB gives back what it was given")]
extern "C" fn delete_again(batch: *mut c_void, key: *const c_char, length: usize) {
    // SAFETY: as above.
    unsafe {
        let batch: *const Batch = batch.cast();
        ((*batch).api.batch_delete)((*batch).indexed, key, length);
    }
}

impl Drop for Batch {
    #[expect(unsafe_code, reason = "calls of C")]
    fn drop(&mut self) {
        // SAFETY: the batches are there, and nothing reads them any more.
        unsafe {
            (self.api.plain_destroy)(self.plain);
            if !self.indexed.is_null() {
                (self.api.batch_destroy)(self.indexed);
            }
        }
    }
}
