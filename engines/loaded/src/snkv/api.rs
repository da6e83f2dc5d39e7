//! The functions of SNKV that are used, looked up in a loaded library.

use crate::{
    identity,
    library::{ExpectedLibrary, functions, text},
};
use dbdyno_engine::{EngineError, describe};
use std::{
    ffi::{c_char, c_int, c_void},
    slice,
};

/// SNKV's `KVStore`: an open database.
#[repr(C)]
pub(super) struct KvStore(c_void);
/// SNKV's `KVIterator`: a position in the order of keys.
#[repr(C)]
pub(super) struct KvIterator(c_void);

/// SNKV's `KVStoreConfig`. A version reads as many of its fields as it knows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KvStoreConfig {
    /// 0: a rollback journal that is deleted; 1: a write-ahead log.
    pub(super) journal_mode: c_int,
    /// 0: off; 1: normal; 2: full.
    pub(super) sync_level: c_int,
    /// Pages.
    pub(super) cache_size: c_int,
    /// Bytes.
    pub(super) page_size: c_int,
    pub(super) read_only: c_int,
    /// Milliseconds.
    pub(super) busy_timeout: c_int,
    /// Commits between two passive checkpoints; 0: there are none.
    pub(super) wal_size_limit: c_int,
    pub(super) allow_encrypted: c_int,
    pub(super) full_mutex: c_int,
    /// Room for fields of later versions, which must treat zero as the earlier behaviour.
    pub(super) later: [c_int; 7],
}

pub(super) const OK: c_int = 0;
const BUSY: c_int = 5;
const LOCKED: c_int = 6;
const CORRUPT: c_int = 11;
pub(super) const NOT_FOUND: c_int = 12;
const NOT_A_DATABASE: c_int = 26;

const SNKV: ExpectedLibrary = ExpectedLibrary { of: "SNKV", file: "libsnkv.so" };

functions! {
    Api of SNKV;
    open = "kvstore_open_v2": fn(*const c_char, *mut *mut KvStore, *const KvStoreConfig) -> c_int;
    close = "kvstore_close": fn(*mut KvStore) -> c_int;
    errmsg = "kvstore_errmsg": fn(*mut KvStore) -> *const c_char;
    put = "kvstore_put": fn(*mut KvStore, *const c_void, c_int, *const c_void, c_int) -> c_int;
    get = "kvstore_get": fn(*mut KvStore, *const c_void, c_int, *mut *mut c_void, *mut c_int) -> c_int;
    exists = "kvstore_exists": fn(*mut KvStore, *const c_void, c_int, *mut c_int) -> c_int;
    delete = "kvstore_delete": fn(*mut KvStore, *const c_void, c_int) -> c_int;
    begin = "kvstore_begin": fn(*mut KvStore, c_int) -> c_int;
    commit = "kvstore_commit": fn(*mut KvStore) -> c_int;
    rollback = "kvstore_rollback": fn(*mut KvStore) -> c_int;
    iterator_create = "kvstore_iterator_create": fn(*mut KvStore, *mut *mut KvIterator) -> c_int;
    iterator_first = "kvstore_iterator_first": fn(*mut KvIterator) -> c_int;
    iterator_next = "kvstore_iterator_next": fn(*mut KvIterator) -> c_int;
    iterator_eof = "kvstore_iterator_eof": fn(*mut KvIterator) -> c_int;
    iterator_key = "kvstore_iterator_key": fn(*mut KvIterator, *mut *mut c_void, *mut c_int) -> c_int;
    iterator_value = "kvstore_iterator_value": fn(*mut KvIterator, *mut *mut c_void, *mut c_int) -> c_int;
    iterator_close = "kvstore_iterator_close": fn(*mut KvIterator);
    integrity_check = "kvstore_integrity_check": fn(*mut KvStore, *mut *mut c_char) -> c_int;
    // Values belong to the allocator of the same library.
    free = "sqlite3_free": fn(*mut c_void);
    // Since version 0.5.
    ? iterator_seek = "kvstore_iterator_seek": fn(*mut KvIterator, *const c_void, c_int) -> c_int;
}

impl Api {
    /// Returns the library's identity. SNKV reports no version, so the digest of its file takes that place and distinguishes builds.
    pub(super) fn library(&self) -> describe::Library {
        let version = identity::digest(self.open as *const c_void).unwrap_or_else(|| "unknown".to_owned());
        describe::Library { version, build: Vec::new(), source: None }
    }

    /// Returns the error of a call on a store, in SNKV's words if it has any. The store is null if none is open.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn error(&self, store: *mut KvStore, doing: &str, code: c_int) -> EngineError {
        // SAFETY: the store is open, or null, for which SNKV has a text too; the text is copied at once.
        let said = unsafe { text((self.errmsg)(store)) }.filter(|said| said != "no error");
        let said = said.unwrap_or_else(|| meaning(code).to_owned());
        let message = format!("library {}: {doing}: {said} (code {code})", self.path.display());
        match code {
            BUSY | LOCKED => EngineError::busy(message),
            CORRUPT | NOT_A_DATABASE => EngineError::fatal(message),
            _ => EngineError::new(message),
        }
    }
}

/// Returns the meaning of a code, from the headers of SNKV and SQLite: SNKV has no message for most failures.
fn meaning(code: c_int) -> &'static str {
    match code {
        BUSY => "the database is locked",
        LOCKED => "the database is locked by this connection",
        7 => "out of memory",
        8 => "the database is read-only",
        10 => "reading or writing a file failed",
        CORRUPT => "the database is damaged",
        NOT_FOUND => "not found",
        13 => "the disk is full, or the store is encrypted",
        14 => "the file cannot be opened",
        15 => "the lock protocol of the log failed",
        NOT_A_DATABASE => "the file is not a database",
        _ => "it failed",
    }
}

/// Bytes that the library allocated; dropping this frees them.
pub(super) struct Owned {
    api: &'static Api,
    at: *mut c_void,
    length: c_int,
}

impl Owned {
    /// Takes over the values that a call of the library put into its out pointers.
    pub(super) fn of(api: &'static Api, at: *mut c_void, length: c_int) -> Self {
        Self { api, at, length }
    }

    #[expect(unsafe_code, reason = "memory of C")]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the library gave both together, and the allocation is freed when this is dropped.
        unsafe { bytes(self.at, self.length) }
    }
}

impl Drop for Owned {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the allocation is the same library's, and is freed once; the library ignores null.
        unsafe { (self.api.free)(self.at) };
    }
}

/// Returns bytes that the library lends; empty if its pointer is null.
///
/// # Safety
/// The library gave the pointer together with the number of bytes behind it, and does not change them while they are read.
#[expect(unsafe_code, reason = "memory of C")]
pub(super) unsafe fn bytes<'b>(at: *mut c_void, length: c_int) -> &'b [u8] {
    match usize::try_from(length) {
        // SAFETY: see this function's requirement.
        Ok(length) if !at.is_null() => unsafe { slice::from_raw_parts(at.cast(), length) },
        _ => &[],
    }
}
