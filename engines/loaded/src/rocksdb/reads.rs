//! Reads: from the current database, from a snapshot, or from either merged with the writes of a batch.

use super::{
    api::{Api, DbIterator, DbSnapshot, GetPinned, PinnedSlice, ReadOptions},
    batch::Index,
    database::RocksDatabase,
};
use dbdyno_engine::EngineError;
use std::{
    ffi::{c_char, c_void},
    ops::Deref,
    slice,
};

/// A value in RocksDB's memory, not copied.
struct Pinned {
    api: &'static Api,
    raw: *mut PinnedSlice,
}

impl Pinned {
    #[inline]
    #[expect(unsafe_code, reason = "bytes given by C")]
    fn bytes(&self) -> &[u8] {
        // SAFETY: the value is valid until it is destroyed.
        unsafe { bytes(|length| (self.api.pinned_value)(self.raw, length)) }
    }
}

impl Drop for Pinned {
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the value exists, or is null, which RocksDB ignores.
        unsafe { (self.api.pinned_destroy)(self.raw) };
    }
}

/// Returns bytes that a C function lends: their address is its result, their length an out parameter.
///
/// # Safety
/// They are valid during `'b`.
#[inline]
#[expect(unsafe_code, reason = "bytes given by C")]
unsafe fn bytes<'b>(give: impl FnOnce(*mut usize) -> *const c_char) -> &'b [u8] {
    let mut length = 0;
    let at = give(&raw mut length);
    // SAFETY: see this function's requirement. An empty value may have the address null.
    if at.is_null() { &[] } else { unsafe { slice::from_raw_parts(at.cast(), length) } }
}

impl RocksDatabase {
    /// Passes the value of a key to `visit`; returns `None` if the key does not exist.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn get<R>(
        &self,
        options: *const ReadOptions,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        let api = self.api;
        // SAFETY: database and options exist.
        let raw =
            api.call(|failure| unsafe { (api.get)(self.raw, options, key.as_ptr().cast(), key.len(), failure) })?;
        Ok((!raw.is_null()).then(|| visit(Pinned { api, raw }.bytes())))
    }

    /// Passes the value of a key to `visit`, as it is after the writes of a batch.
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
        // SAFETY: index, database and options exist.
        let raw =
            api.call(|failure| unsafe { get(index.raw, self.raw, options, key.as_ptr().cast(), key.len(), failure) })?;
        Ok((!raw.is_null()).then(|| visit(Pinned { api, raw }.bytes())))
    }

    /// As [`Self::get_through`], with the function that every version has, which returns a copy.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    fn get_copy_through<R>(
        &self,
        index: Index<'_>,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, EngineError> {
        let (api, options, mut length) = (self.api, self.read_options, 0);
        // SAFETY: index, database and options exist.
        let copy = api.call(|failure| unsafe {
            (api.batch_get)(index.raw, self.raw, options, key.as_ptr().cast(), key.len(), &raw mut length, failure)
        })?;
        if copy.is_null() {
            return Ok(None);
        }
        // SAFETY: RocksDB reports the length of the copy, which this function owns.
        unsafe {
            let shown = visit(slice::from_raw_parts(copy.cast(), length));
            (api.free)(copy.cast::<c_void>());
            Ok(Some(shown))
        }
    }
}

/// The database as it was at one moment, and the options that read it. `D` keeps the database open.
pub(super) struct Snapshot<D: Deref<Target = RocksDatabase>> {
    pub(super) database: D,
    raw: *const DbSnapshot,
    pub(super) options: *mut ReadOptions,
}

impl<D: Deref<Target = RocksDatabase>> Snapshot<D> {
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn new(database: D) -> Self {
        let api = database.api;
        // SAFETY: the database is open, and the options exist.
        let (raw, options) = unsafe {
            let (raw, options) = ((api.snapshot)(database.raw), (api.read_options)());
            (api.set_snapshot)(options, raw);
            (raw, options)
        };
        Self { database, raw, options }
    }
}

impl<D: Deref<Target = RocksDatabase>> Drop for Snapshot<D> {
    #[expect(unsafe_code, reason = "calls of C")]
    fn drop(&mut self) {
        let api = self.database.api;
        // SAFETY: both exist; iterators have copies of the options.
        unsafe {
            (api.read_options_destroy)(self.options);
            (api.snapshot_release)(self.database.raw, self.raw);
        }
    }
}

/// An iterator over rows in key order, from any key that it seeks. `D` keeps the database open.
pub(super) struct RowIterator<D: Deref<Target = RocksDatabase>> {
    database: D,
    raw: *mut DbIterator,
}

impl<D: Deref<Target = RocksDatabase>> RowIterator<D> {
    /// Creates an iterator over the database, or over the snapshot that the options name.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn new(database: D, options: *const ReadOptions) -> Self {
        // SAFETY: database and options exist.
        let raw = unsafe { (database.api.iterator)(database.raw, options) };
        Self { database, raw }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_to_first(&mut self) {
        // SAFETY: the iterator exists.
        unsafe { (self.database.api.seek_to_first)(self.raw) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_to_last(&mut self) {
        // SAFETY: the iterator exists.
        unsafe { (self.database.api.seek_to_last)(self.raw) };
    }

    /// Goes to the first row whose key is at or after this key.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek(&mut self, key: &[u8]) {
        // SAFETY: the iterator exists.
        unsafe { (self.database.api.seek)(self.raw, key.as_ptr().cast(), key.len()) };
    }

    /// Goes to the last row whose key is at or before this key.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn seek_back(&mut self, key: &[u8]) {
        // SAFETY: the iterator exists.
        unsafe { (self.database.api.seek_for_prev)(self.raw, key.as_ptr().cast(), key.len()) };
    }

    /// Returns the current row, if the iterator is at one.
    #[inline]
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn row(&self) -> Option<(&[u8], &[u8])> {
        let api = self.database.api;
        // SAFETY: the iterator exists; it is at a row if it is valid, and the row's bytes stay until the iterator moves.
        unsafe {
            ((api.is_valid)(self.raw) != 0)
                .then(|| (bytes(|length| (api.key)(self.raw, length)), bytes(|length| (api.value)(self.raw, length))))
        }
    }

    /// Goes to the row after the current one.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn next(&mut self) {
        // SAFETY: the iterator is at a row.
        unsafe { (self.database.api.next)(self.raw) };
    }

    /// Goes to the row before the current one.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn prev(&mut self) {
        // SAFETY: the iterator is at a row.
        unsafe { (self.database.api.prev)(self.raw) };
    }

    /// Passes up to `most` rows to `visit`, in ascending order from the current one.
    #[inline]
    pub(super) fn show(&mut self, most: u64, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), EngineError> {
        for shown in 0..most {
            let Some((key, value)) = self.row() else { break };
            visit(key, value);
            // Does not step past the last requested row, because that may cost a read.
            if shown + 1 < most {
                self.next();
            }
        }
        self.check()
    }

    /// Returns the error of the last move, if it failed: after an error the iterator is at no row.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn check(&self) -> Result<(), EngineError> {
        let api = self.database.api;
        // SAFETY: the iterator exists.
        api.call(|failure| unsafe { (api.iterator_error)(self.raw, failure) })
    }
}

impl<'t> RowIterator<&'t RocksDatabase> {
    /// Creates an iterator over the database as it is after the writes of a batch.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn through(database: &'t RocksDatabase, index: Option<Index<'t>>) -> Self {
        let mut rows = Self::new(database, database.read_options);
        if let Some(index) = index {
            // SAFETY: both exist; the new iterator owns the given one.
            rows.raw = unsafe { (database.api.batch_over)(index.raw, rows.raw) };
        }
        rows
    }
}

impl<D: Deref<Target = RocksDatabase>> Drop for RowIterator<D> {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the iterator exists.
        unsafe { (self.database.api.iterator_destroy)(self.raw) };
    }
}
