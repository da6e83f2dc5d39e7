//! Reading: of the database as it is, of a snapshot, and of either with the writes of a batch over it.

use super::{
    api::{Api, DbIterator, DbSnapshot, GetPinned, PinnedSlice, ReadOptions},
    batch::Index,
    database::Database,
};
use dbdyno_engine::EngineError;
use std::{
    ffi::{c_char, c_void},
    ops::Deref,
    slice,
};

/// A value where RocksDB has it.
struct Pinned {
    api: &'static Api,
    raw: *mut PinnedSlice,
}

impl Pinned {
    #[inline]
    #[expect(unsafe_code, reason = "bytes given by C")]
    fn bytes(&self) -> &[u8] {
        // SAFETY: the value is there until it is destroyed.
        unsafe { bytes(|length| (self.api.pinned_value)(self.raw, length)) }
    }
}

impl Drop for Pinned {
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the value is there, or null, which RocksDB ignores.
        unsafe { (self.api.pinned_destroy)(self.raw) };
    }
}

/// Bytes that C has at the address it gives with their length.
///
/// # Safety
/// They are there for as long as `'b`.
#[inline]
#[expect(unsafe_code, reason = "bytes given by C")]
unsafe fn bytes<'b>(give: impl FnOnce(*mut usize) -> *const c_char) -> &'b [u8] {
    let mut length = 0;
    let at = give(&raw mut length);
    // SAFETY: that of this function. No bytes may have the address null.
    if at.is_null() { &[] } else { unsafe { slice::from_raw_parts(at.cast(), length) } }
}

impl Database {
    /// Shows the value of a key; `None` when there is no such key.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn get<R>(
        &self,
        options: *const ReadOptions,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        let api = self.api;
        // SAFETY: database and options are there.
        let raw =
            api.call(|failure| unsafe { (api.get)(self.raw, options, key.as_ptr().cast(), key.len(), failure) })?;
        Ok((!raw.is_null()).then(|| visit(Pinned { api, raw }.bytes())))
    }

    /// Shows the value of a key as it is after the writes of a batch.
    #[inline]
    pub(super) fn get_through<R>(
        &self,
        index: Option<Index<'_>>,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        match (index, self.api.batch_get_pinned) {
            (None, _) => self.get(self.read_options, key, visit),
            (Some(index), Some(get)) => self.get_pinned_through(get, index, key, visit),
            (Some(index), None) => self.get_copy_through(index, key, visit),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn get_pinned_through<R>(
        &self,
        get: GetPinned,
        index: Index<'_>,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        let (api, options) = (self.api, self.read_options);
        // SAFETY: index, database and options are there.
        let raw =
            api.call(|failure| unsafe { get(index.raw, self.raw, options, key.as_ptr().cast(), key.len(), failure) })?;
        Ok((!raw.is_null()).then(|| visit(Pinned { api, raw }.bytes())))
    }

    /// By the function that every version has, which gives a copy.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    fn get_copy_through<R>(
        &self,
        index: Index<'_>,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        let (api, options, mut length) = (self.api, self.read_options, 0);
        // SAFETY: index, database and options are there.
        let copy = api.call(|failure| unsafe {
            (api.batch_get)(index.raw, self.raw, options, key.as_ptr().cast(), key.len(), &raw mut length, failure)
        })?;
        if copy.is_null() {
            return Ok(None);
        }
        // SAFETY: the copy is as long as RocksDB says, and this function's own.
        unsafe {
            let shown = visit(slice::from_raw_parts(copy.cast(), length));
            (api.free)(copy.cast::<c_void>());
            Ok(Some(shown))
        }
    }
}

/// The database as it was at a moment, and the options to read that with. `D` keeps the database open.
pub(super) struct Snapshot<D: Deref<Target = Database>> {
    pub(super) database: D,
    raw: *const DbSnapshot,
    pub(super) options: *mut ReadOptions,
}

impl<D: Deref<Target = Database>> Snapshot<D> {
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn new(database: D) -> Self {
        let api = database.api;
        // SAFETY: the database is open, and the options are there.
        let (raw, options) = unsafe {
            let (raw, options) = ((api.snapshot)(database.raw), (api.read_options)());
            (api.set_snapshot)(options, raw);
            (raw, options)
        };
        Self { database, raw, options }
    }
}

impl<D: Deref<Target = Database>> Drop for Snapshot<D> {
    #[expect(unsafe_code, reason = "calls of C")]
    fn drop(&mut self) {
        let api = self.database.api;
        // SAFETY: both are there; iterators have copies of the options.
        unsafe {
            (api.read_options_destroy)(self.options);
            (api.snapshot_release)(self.database.raw, self.raw);
        }
    }
}

/// Rows in key order, from wherever they are sought. `D` keeps the database open.
pub(super) struct Rows<D: Deref<Target = Database>> {
    database: D,
    raw: *mut DbIterator,
}

impl<D: Deref<Target = Database>> Rows<D> {
    /// Those of the database, or of the snapshot that the options have.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn new(database: D, options: *const ReadOptions) -> Self {
        // SAFETY: database and options are there.
        let raw = unsafe { (database.api.iterator)(database.raw, options) };
        Self { database, raw }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_to_first(&mut self) {
        // SAFETY: the iterator is there.
        unsafe { (self.database.api.seek_to_first)(self.raw) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_to_last(&mut self) {
        // SAFETY: the iterator is there.
        unsafe { (self.database.api.seek_to_last)(self.raw) };
    }

    /// Goes to the first row from this key on.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek(&mut self, key: &[u8]) {
        // SAFETY: the iterator is there.
        unsafe { (self.database.api.seek)(self.raw, key.as_ptr().cast(), key.len()) };
    }

    /// Goes to the last row up to this key.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_back(&mut self, key: &[u8]) {
        // SAFETY: the iterator is there.
        unsafe { (self.database.api.seek_for_prev)(self.raw, key.as_ptr().cast(), key.len()) };
    }

    /// The row it is at, where it is at one.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn row(&self) -> Option<(&[u8], &[u8])> {
        let api = self.database.api;
        // SAFETY: the iterator is there; it is at a row when it is valid, whose bytes stay until it is moved.
        unsafe {
            ((api.is_valid)(self.raw) != 0)
                .then(|| (bytes(|length| (api.key)(self.raw, length)), bytes(|length| (api.value)(self.raw, length))))
        }
    }

    /// Goes to the row behind the one it is at.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn next(&mut self) {
        // SAFETY: the iterator is at a row.
        unsafe { (self.database.api.next)(self.raw) };
    }

    /// Goes to the row before the one it is at.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn prev(&mut self) {
        // SAFETY: the iterator is at a row.
        unsafe { (self.database.api.prev)(self.raw) };
    }

    /// Shows rows from the one it is at up, `most` of them or as many as there are.
    #[inline]
    pub(super) fn show(&mut self, most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for shown in 0..most {
            let Some((key, value)) = self.row() else { break };
            visit(key, value);
            // The row behind the last that is asked for may cost a read.
            if shown + 1 < most {
                self.next();
            }
        }
        self.check()
    }

    /// Whether it came to where it is without an error: one that met an error is at no row.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn check(&self) -> Result<(), EngineError> {
        let api = self.database.api;
        // SAFETY: the iterator is there.
        api.call(|failure| unsafe { (api.iterator_error)(self.raw, failure) })
    }
}

impl<'t> Rows<&'t Database> {
    /// Those of the database as they are after the writes of a batch.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn through(database: &'t Database, index: Option<Index<'t>>) -> Self {
        let mut rows = Self::new(database, database.read_options);
        if let Some(index) = index {
            // SAFETY: both are there; the new iterator owns the one that is given.
            rows.raw = unsafe { (database.api.batch_over)(index.raw, rows.raw) };
        }
        rows
    }
}

impl<D: Deref<Target = Database>> Drop for Rows<D> {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the iterator is there.
        unsafe { (self.database.api.iterator_destroy)(self.raw) };
    }
}
