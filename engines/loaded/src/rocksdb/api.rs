//! The functions of RocksDB's C interface that dbdyno uses, looked up in a loaded library.

use crate::library::{ExpectedLibrary, functions, text};
use dbdyno_engine::EngineError;
use std::{
    ffi::{c_char, c_int, c_uchar, c_void},
    ptr,
};

/// RocksDB's `rocksdb_t`: an open database.
#[repr(C)]
pub(super) struct Db(c_void);
/// RocksDB's `rocksdb_options_t`: the options of opening a database.
#[repr(C)]
pub(super) struct DbOptions(c_void);
/// RocksDB's `rocksdb_writeoptions_t`.
#[repr(C)]
pub(super) struct WriteOptions(c_void);
/// RocksDB's `rocksdb_readoptions_t`.
#[repr(C)]
pub(super) struct ReadOptions(c_void);
/// RocksDB's `rocksdb_snapshot_t`.
#[repr(C)]
pub(super) struct DbSnapshot(c_void);
/// RocksDB's `rocksdb_pinnableslice_t`: a value in RocksDB's memory, not copied.
#[repr(C)]
pub(super) struct PinnedSlice(c_void);
/// RocksDB's `rocksdb_writebatch_t`: writes that take effect together.
#[repr(C)]
pub(super) struct PlainBatch(c_void);
/// RocksDB's `rocksdb_writebatch_wi_t`: writes with an index, so that they can be read before the commit.
#[repr(C)]
pub(super) struct IndexedBatch(c_void);
/// RocksDB's `rocksdb_iterator_t`.
#[repr(C)]
pub(super) struct DbIterator(c_void);

/// Out pointer for the error message of a function: a text to free with [`Api::free`], or null.
type Failure = *mut *mut c_char;
/// Callback for each put of a batch: receives the caller's state, then key and value with their lengths.
type PutAgain = extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);
/// Callback for each removed key of a batch.
type DeleteAgain = extern "C" fn(*mut c_void, *const c_char, usize);
/// The type of [`Api::batch_get_pinned`].
pub(super) type GetPinned = unsafe extern "C" fn(
    *mut IndexedBatch,
    *mut Db,
    *const ReadOptions,
    *const c_char,
    usize,
    Failure,
) -> *mut PinnedSlice;

functions! {
    Api of ExpectedLibrary { of: "RocksDB", file: "librocksdb.so; in Debian's package librocksdb7.8 and its successors" };
    open = "rocksdb_open": fn(*const DbOptions, *const c_char, Failure) -> *mut Db;
    close = "rocksdb_close": fn(*mut Db);
    free = "rocksdb_free": fn(*mut c_void);
    compact_range = "rocksdb_compact_range": fn(*mut Db, *const c_char, usize, *const c_char, usize);
    property = "rocksdb_property_value": fn(*mut Db, *const c_char) -> *mut c_char;
    options = "rocksdb_options_create": fn() -> *mut DbOptions;
    options_destroy = "rocksdb_options_destroy": fn(*mut DbOptions);
    options_from_text = "rocksdb_get_options_from_string": fn(*const DbOptions, *const c_char, *mut DbOptions, Failure);
    set_create = "rocksdb_options_set_create_if_missing": fn(*mut DbOptions, c_uchar);
    set_wal_folder = "rocksdb_options_set_wal_dir": fn(*mut DbOptions, *const c_char);
    write_options = "rocksdb_writeoptions_create": fn() -> *mut WriteOptions;
    write_options_destroy = "rocksdb_writeoptions_destroy": fn(*mut WriteOptions);
    set_sync = "rocksdb_writeoptions_set_sync": fn(*mut WriteOptions, c_uchar);
    disable_wal = "rocksdb_writeoptions_disable_WAL": fn(*mut WriteOptions, c_int);
    read_options = "rocksdb_readoptions_create": fn() -> *mut ReadOptions;
    read_options_destroy = "rocksdb_readoptions_destroy": fn(*mut ReadOptions);
    set_snapshot = "rocksdb_readoptions_set_snapshot": fn(*mut ReadOptions, *const DbSnapshot);
    snapshot = "rocksdb_create_snapshot": fn(*mut Db) -> *const DbSnapshot;
    snapshot_release = "rocksdb_release_snapshot": fn(*mut Db, *const DbSnapshot);
    get = "rocksdb_get_pinned": fn(*mut Db, *const ReadOptions, *const c_char, usize, Failure) -> *mut PinnedSlice;
    pinned_value = "rocksdb_pinnableslice_value": fn(*const PinnedSlice, *mut usize) -> *const c_char;
    pinned_destroy = "rocksdb_pinnableslice_destroy": fn(*mut PinnedSlice);
    plain_batch = "rocksdb_writebatch_create": fn() -> *mut PlainBatch;
    plain_destroy = "rocksdb_writebatch_destroy": fn(*mut PlainBatch);
    plain_clear = "rocksdb_writebatch_clear": fn(*mut PlainBatch);
    plain_put = "rocksdb_writebatch_put": fn(*mut PlainBatch, *const c_char, usize, *const c_char, usize);
    plain_delete = "rocksdb_writebatch_delete": fn(*mut PlainBatch, *const c_char, usize);
    plain_iterate = "rocksdb_writebatch_iterate": fn(*mut PlainBatch, *mut c_void, PutAgain, DeleteAgain);
    plain_write = "rocksdb_write": fn(*mut Db, *const WriteOptions, *mut PlainBatch, Failure);
    batch = "rocksdb_writebatch_wi_create": fn(usize, c_uchar) -> *mut IndexedBatch;
    batch_destroy = "rocksdb_writebatch_wi_destroy": fn(*mut IndexedBatch);
    batch_clear = "rocksdb_writebatch_wi_clear": fn(*mut IndexedBatch);
    batch_put = "rocksdb_writebatch_wi_put": fn(*mut IndexedBatch, *const c_char, usize, *const c_char, usize);
    batch_delete = "rocksdb_writebatch_wi_delete": fn(*mut IndexedBatch, *const c_char, usize);
    batch_get = "rocksdb_writebatch_wi_get_from_batch_and_db":
        fn(*mut IndexedBatch, *mut Db, *const ReadOptions, *const c_char, usize, *mut usize, Failure) -> *mut c_char;
    batch_over = "rocksdb_writebatch_wi_create_iterator_with_base":
        fn(*mut IndexedBatch, *mut DbIterator) -> *mut DbIterator;
    batch_write = "rocksdb_write_writebatch_wi": fn(*mut Db, *const WriteOptions, *mut IndexedBatch, Failure);
    iterator = "rocksdb_create_iterator": fn(*mut Db, *const ReadOptions) -> *mut DbIterator;
    iterator_destroy = "rocksdb_iter_destroy": fn(*mut DbIterator);
    is_valid = "rocksdb_iter_valid": fn(*const DbIterator) -> c_uchar;
    seek_to_first = "rocksdb_iter_seek_to_first": fn(*mut DbIterator);
    seek_to_last = "rocksdb_iter_seek_to_last": fn(*mut DbIterator);
    seek = "rocksdb_iter_seek": fn(*mut DbIterator, *const c_char, usize);
    seek_for_prev = "rocksdb_iter_seek_for_prev": fn(*mut DbIterator, *const c_char, usize);
    next = "rocksdb_iter_next": fn(*mut DbIterator);
    prev = "rocksdb_iter_prev": fn(*mut DbIterator);
    key = "rocksdb_iter_key": fn(*const DbIterator, *mut usize) -> *const c_char;
    value = "rocksdb_iter_value": fn(*const DbIterator, *mut usize) -> *const c_char;
    iterator_error = "rocksdb_iter_get_error": fn(*const DbIterator, Failure);
    // Not yet in RocksDB 5.
    ? cancel_background_work = "rocksdb_cancel_all_background_work": fn(*mut Db, c_uchar);
    // Only in recent versions.
    ? batch_get_pinned = "rocksdb_writebatch_wi_get_pinned_from_batch_and_db":
        fn(*mut IndexedBatch, *mut Db, *const ReadOptions, *const c_char, usize, Failure) -> *mut PinnedSlice;
    ? last_sequence_number = "rocksdb_get_latest_sequence_number": fn(*mut Db) -> u64;
    ? verify_checksum = "rocksdb_verify_checksum": fn(*mut Db, Failure);
}

impl Api {
    /// Calls a function that may fail.
    #[inline]
    pub(super) fn call<R>(&self, call: impl FnOnce(Failure) -> R) -> Result<R, EngineError> {
        let mut said = ptr::null_mut();
        let done = call(&raw mut said);
        if said.is_null() { Ok(done) } else { Err(self.failed(said)) }
    }

    /// Builds an error from RocksDB's message, and names the library that it is from.
    #[cold]
    #[expect(unsafe_code, reason = "a text of C")]
    fn failed(&self, said: *mut c_char) -> EngineError {
        // SAFETY: the text is RocksDB's, ends with a zero, and is freed after it was copied.
        let words = unsafe {
            let words = text(said).unwrap_or_default();
            (self.free)(said.cast());
            words
        };
        let message = format!("library {}: {words}", self.path.display());
        match words.split(':').next() {
            Some("Corruption") => EngineError::fatal(message),
            _ => EngineError::new(message),
        }
    }
}
