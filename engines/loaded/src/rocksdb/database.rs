//! An open database and how writes reach it.

use super::{
    api::{Api, Db, DbOptions, ReadOptions, WriteOptions},
    batch::{RawBatch, WriteBatch},
    describe::LIBRARY,
    facts::DatabaseFacts,
    options::as_text,
    reads::RowIterator,
};
use crate::library::text;
use dbdyno_engine::{EngineError, describe::Library, engine::Open, settings::Settings};
use std::{
    collections::BTreeMap,
    ffi::{CStr, CString},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    ptr,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// The folder of tables, options and RocksDB's own log. The write-ahead log has a separate folder, so that its size can be reported on its
/// own.
pub(super) const MAIN_FILE: &str = "rocksdb";
const WAL_FOLDER: &str = "wal";

pub(super) struct RocksDatabase {
    pub(super) api: &'static Api,
    pub(super) raw: *mut Db,
    /// The options of reads without a snapshot.
    pub(super) read_options: *mut ReadOptions,
    write_options: *mut WriteOptions,
    folder: PathBuf,
    settings: Settings,
    /// Held exclusively by a transaction from its first read to its end, so that the data it read is still valid when it writes. Other
    /// transactions share the lock while they write, which RocksDB does in groups.
    writers: RwLock<()>,
}

// SAFETY: any number of threads may use a RocksDB database at once; the options do not change after opening.
#[expect(unsafe_code, reason = "a handle of C")]
unsafe impl Send for RocksDatabase {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "a handle of C")]
unsafe impl Sync for RocksDatabase {}

/// The options of a database while it is being opened.
struct DatabaseOptions {
    api: &'static Api,
    raw: *mut DbOptions,
}

impl DatabaseOptions {
    /// RocksDB's own defaults.
    #[expect(unsafe_code, reason = "a call of C")]
    fn defaults(api: &'static Api) -> Self {
        // SAFETY: a call without conditions.
        Self { api, raw: unsafe { (api.options)() } }
    }

    /// Returns RocksDB's options with the values that the settings ask for.
    #[expect(unsafe_code, reason = "a call of C")]
    fn of(api: &'static Api, settings: &Settings) -> Result<Self, EngineError> {
        let (base, opening) = (Self::defaults(api), Self::defaults(api));
        let asked = c_text(as_text(settings)?.as_bytes())?;
        // SAFETY: both options exist, and the text ends with a zero.
        api.call(|failure| unsafe { (api.options_from_text)(base.raw, asked.as_ptr(), opening.raw, failure) })?;
        Ok(opening)
    }
}

impl Drop for DatabaseOptions {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the options exist; a database keeps its own copy.
        unsafe { (self.api.options_destroy)(self.raw) };
    }
}

fn c_text(bytes: &[u8]) -> Result<CString, EngineError> {
    CString::new(bytes).map_err(|error| EngineError::new(error.to_string()))
}

impl RocksDatabase {
    #[expect(unsafe_code, reason = "calls of C")]
    pub(super) fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let Open { folder, settings, .. } = open;
        let api = Api::load(settings.text(LIBRARY)?)?;
        let opening = DatabaseOptions::of(api, settings)?;
        let path = |name: &str| c_text(folder.join(name).as_os_str().as_bytes());
        let (main, wal) = (path(MAIN_FILE)?, path(WAL_FOLDER)?);
        // SAFETY: the options exist, and the paths end with a zero.
        let raw = unsafe {
            (api.set_create)(opening.raw, 1);
            (api.set_wal_folder)(opening.raw, wal.as_ptr());
            api.call(|failure| (api.open)(opening.raw, main.as_ptr(), failure))
                .map_err(EngineError::doing("opening the database"))?
        };
        // SAFETY: calls without conditions.
        let (read_options, write_options) = unsafe { ((api.read_options)(), (api.write_options)()) };
        let (folder, settings) = (folder.join(MAIN_FILE), settings.clone());
        let database = Self { api, raw, read_options, write_options, folder, settings, writers: RwLock::new(()) };
        // SAFETY: the options exist.
        unsafe {
            (api.set_sync)(write_options, u8::from(database.settings.flag("sync")?));
            (api.disable_wal)(write_options, i32::from(!database.settings.flag("wal")?));
        }
        Ok(database)
    }

    /// Waits until no other transaction writes, and keeps others from writing until the guard is dropped.
    #[inline]
    pub(super) fn write_alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.writers.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no transaction holds the lock exclusively, which it does from its first read to its end.
    #[inline]
    pub(super) fn write_together(&self) -> RwLockReadGuard<'_, ()> {
        self.writers.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a batch, with the durability that the options ask for.
    #[inline]
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn write(&self, batch: &WriteBatch) -> Result<(), EngineError> {
        let (api, options) = (self.api, self.write_options);
        // SAFETY: database, options and batch exist.
        api.call(|failure| unsafe {
            match batch.writes() {
                None => {}
                Some(RawBatch::Plain(writes)) => (api.plain_write)(self.raw, options, writes, failure),
                Some(RawBatch::Indexed(writes)) => (api.batch_write)(self.raw, options, writes, failure),
            }
        })
    }

    /// Returns a number that RocksDB reports about itself; `None` if this version does not report it.
    pub(super) fn property(&self, name: &CStr) -> Option<u64> {
        self.told(name)?.parse().ok()
    }

    /// Returns the number of the last write; `None` if this version does not report it.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn last_sequence_number(&self) -> Option<u64> {
        // SAFETY: the database is open.
        self.api.last_sequence_number.map(|last| unsafe { last(self.raw) })
    }

    /// Returns what RocksDB reports about itself; `None` if this version does not report it.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn told(&self, name: &CStr) -> Option<String> {
        // SAFETY: the database is open and the name ends with a zero; the text is freed once it was copied.
        unsafe {
            let told = (self.api.property)(self.raw, name.as_ptr());
            let copied = text(told);
            (self.api.free)(told.cast());
            copied
        }
    }

    /// Reads the files that RocksDB wrote about itself when it opened the database.
    pub(super) fn facts(&self) -> Result<DatabaseFacts, EngineError> {
        DatabaseFacts::read(&self.folder)
    }

    /// Returns the options in force, as RocksDB reports them.
    pub(super) fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        let mut in_force = self.facts()?.options(&self.settings)?;
        let cache = self.property(c"rocksdb.block-cache-capacity");
        in_force.extend(cache.map(|bytes| ("cache_size".to_owned(), bytes.to_string())));
        Ok(in_force)
    }

    /// Returns the library's identity, as RocksDB reports it.
    pub(super) fn library(&self) -> Option<Library> {
        self.facts().ok().map(|facts| facts.library())
    }

    /// Merges all tables, so that removed and replaced rows are gone.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn compact(&self) {
        let all = (ptr::null(), 0);
        // SAFETY: the database is open, and no key is the range of all keys.
        unsafe { (self.api.compact_range)(self.raw, all.0, all.1, all.0, all.1) };
    }

    /// Closes the database. RocksDB writes out its tables in memory only if no log holds their rows.
    pub(super) fn close(self) {
        drop(self);
    }

    /// Reads every row, which verifies the checksum of every block that is not in the cache. Runs RocksDB's own check first, if this
    /// version has one.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn check(&self) -> Result<(), EngineError> {
        if let Some(verify) = self.api.verify_checksum {
            // SAFETY: the database is open.
            self.api.call(|failure| unsafe { verify(self.raw, failure) })?;
        }
        let mut rows = RowIterator::new(self, self.read_options);
        rows.seek_to_first();
        rows.show(u64::MAX, |_, _| {})
    }
}

impl Drop for RocksDatabase {
    #[expect(unsafe_code, reason = "calls of C")]
    fn drop(&mut self) {
        // SAFETY: database and options exist; readers borrow them, so none is left.
        unsafe {
            if let Some(cancel) = self.api.cancel_background_work {
                cancel(self.raw, 1);
            }
            (self.api.close)(self.raw);
            (self.api.read_options_destroy)(self.read_options);
            (self.api.write_options_destroy)(self.write_options);
        }
        self.raw = ptr::null_mut();
    }
}
