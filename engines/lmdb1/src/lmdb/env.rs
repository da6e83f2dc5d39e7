//! An environment: one folder with one database file.

use super::{
    error::{LmdbError, check},
    meta::{self, MetaPages},
};
use crate::{checksum, cipher, cipher::Cipher, long};
use dbdyno_engine::counters::EngineCounters;
use dbdyno_lmdb_common::{EnvironmentInfo, LmdbSetup, MAIN_FILE, ROOM, SyncMode, grown};
use lmdb_master3_sys::{
    MDB_ENCRYPT, MDB_MAPASYNC, MDB_NOMETASYNC, MDB_NORDAHEAD, MDB_NOSYNC, MDB_REMAP_CHUNKS, MDB_WRITEMAP, MDB_env,
    MDB_envinfo, MDB_stat, MDB_val, mdb_dbi_open, mdb_env_close, mdb_env_create, mdb_env_get_flags,
    mdb_env_get_maxkeysize, mdb_env_info, mdb_env_open, mdb_env_set_checksum, mdb_env_set_encrypt, mdb_env_set_mapsize,
    mdb_env_set_maxdbs, mdb_env_set_pagesize, mdb_env_stat, mdb_txn_begin, mdb_txn_commit,
};
use std::{
    ffi::{CString, OsStr, c_int, c_uint},
    fs::File,
    io::ErrorKind,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

/// The protection of the pages. Both kinds at once do not work: LMDB puts checksum and tag at the same place of a page.
#[derive(Debug)]
pub enum Protection {
    Plain,
    Checksum,
    /// Each page encrypted and authenticated.
    Encrypted(Cipher),
}

impl Protection {
    /// Returns the number of bytes at the end of a page that LMDB does not use.
    #[inline]
    fn trailer(&self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Checksum => checksum::BYTES,
            Self::Encrypted(_) => cipher::SEAL_BYTES,
        }
    }
}

/// The options of opening an environment.
#[derive(Debug)]
pub struct EnvOptions {
    /// The options that every LMDB has.
    pub setup: LmdbSetup,
    pub protection: Protection,
    /// Bytes of a page; for an existing database, the page size with which it was created.
    pub page_size: usize,
    /// Maximum number of named tables.
    pub tables: u32,
}

#[derive(Debug)]
pub struct Env {
    /// Null if reopening has failed; then `transactions` is [`CLOSED`] for good.
    raw: *mut MDB_env,
    path: CString,
    config: EnvOptions,
    /// None without protection.
    meta: Option<MetaPages>,
    /// Number of open transactions, or [`CLOSED`].
    transactions: AtomicUsize,
}

/// No transaction can begin.
const CLOSED: usize = usize::MAX;

#[expect(unsafe_code, reason = "LMDB's documentation allows an environment to be used by all threads")]
// SAFETY: as the reason states; `transactions` guards the calls that may not run during a transaction.
unsafe impl Send for Env {}
#[expect(unsafe_code, reason = "LMDB's documentation allows an environment to be used by all threads")]
// SAFETY: as above.
unsafe impl Sync for Env {}

impl Env {
    /// Opens the environment in a folder, and creates it if it does not exist.
    pub fn open(folder: &Path, config: EnvOptions) -> Result<Arc<Self>, LmdbError> {
        let path = CString::new(folder.as_os_str().as_bytes()).map_err(|_| LmdbError::Code(libc::EINVAL))?;
        // LMDB keeps the address of the cipher, so the cipher must already be at its final place.
        let mut env =
            Arc::new(Self { raw: ptr::null_mut(), path, config, meta: None, transactions: AtomicUsize::new(CLOSED) });
        if let Some(env) = Arc::get_mut(&mut env) {
            env.open_raw()?;
        }
        Ok(env)
    }

    /// Closes and reopens the environment, with an empty cache of pages. Handles of named tables become invalid.
    pub fn renew(&mut self) -> Result<(), LmdbError> {
        self.close_raw();
        self.open_raw()
    }

    /// [Renews](Self::renew) an environment that is [stale](Self::is_stale) and has no open transaction; returns whether it did.
    pub fn renew_if_stale(env: &mut Arc<Self>) -> Result<bool, LmdbError> {
        if !env.is_stale() {
            return Ok(false);
        }
        Arc::get_mut(env).ok_or(LmdbError::Stale)?.renew()?;
        Ok(true)
    }

    /// Returns the longest possible key, in bytes.
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn longest_key(&self) -> usize {
        // SAFETY: the environment is open.
        unsafe { mdb_env_get_maxkeysize(self.raw) }.unsigned_abs() as usize
    }

    #[expect(unsafe_code, reason = "calls of C")]
    fn open_raw(&mut self) -> Result<(), LmdbError> {
        let EnvOptions { setup, protection, page_size, tables } = &self.config;
        self.meta = self.verified_meta()?;
        // SAFETY: an out pointer.
        check(unsafe { mdb_env_create(&raw mut self.raw) })?;
        let mut flags = flags(*setup);
        if !matches!(protection, Protection::Plain) {
            // LMDB verifies checksums and decrypts pages only if it maps pages in chunks.
            flags |= MDB_REMAP_CHUNKS;
        }
        // SAFETY: the environment is created and not yet open, as these calls require. The callbacks keep to LMDB's contract, and the
        // cipher stays in place, inside an `Arc`, until the environment is closed.
        unsafe {
            check(mdb_env_set_pagesize(self.raw, *page_size as c_int))?;
            check(mdb_env_set_mapsize(self.raw, setup.map_size))?;
            check(mdb_env_set_maxdbs(self.raw, *tables))?;
            match protection {
                Protection::Plain => {}
                Protection::Checksum => {
                    let bytes = protection.trailer() as c_uint;
                    check(mdb_env_set_checksum(self.raw, Some(checksum::checksum), bytes))?;
                }
                Protection::Encrypted(cipher) => {
                    cipher.chunks.renew();
                    let mut address = cipher::address(cipher);
                    let key = MDB_val { mv_size: address.len(), mv_data: address.as_mut_ptr().cast() };
                    let bytes = protection.trailer() as c_uint;
                    check(mdb_env_set_encrypt(self.raw, Some(cipher::encrypt), &raw const key, bytes))?;
                }
            }
            check(mdb_env_open(self.raw, self.path.as_ptr(), flags, 0o600))?;
            if self.meta.is_none()
                && let Some(file) = self.guarded_file()?
            {
                self.meta = Some(MetaPages::seal(&file, *page_size, protection)?);
            }
            // A transaction can use the main table without opening it, and then LMDB would have no comparison function to call.
            let (mut transaction, mut table) = (ptr::null_mut(), 0);
            check(mdb_txn_begin(self.raw, ptr::null_mut(), 0, &raw mut transaction))?;
            let opened = check(mdb_dbi_open(transaction, ptr::null(), 0, &raw mut table));
            check(mdb_txn_commit(transaction)).and(opened)?;
        }
        *self.transactions.get_mut() = 0;
        Ok(())
    }

    /// Opens the file, if its pages have tags or checksums.
    fn guarded_file(&self) -> Result<Option<File>, LmdbError> {
        if matches!(self.config.protection, Protection::Plain) {
            return Ok(None);
        }
        let path = Path::new(OsStr::from_bytes(self.path.to_bytes())).join(MAIN_FILE);
        match File::options().read(true).write(true).open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LmdbError::Code(error.raw_os_error().unwrap_or(libc::EIO))),
        }
    }

    /// Verifies the meta pages of an existing database.
    fn verified_meta(&self) -> Result<Option<MetaPages>, LmdbError> {
        let Some(file) = self.guarded_file()? else { return Ok(None) };
        MetaPages::verified(&file, self.config.page_size, &self.config.protection).map(Some)
    }

    /// Runs a commit, which seals its meta page if meta pages have seals.
    pub(super) fn sealing<R>(&self, commit: impl FnOnce() -> R) -> R {
        match &self.meta {
            Some(pages) => meta::sealing(pages, &self.config.protection, commit),
            None => commit(),
        }
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn close_raw(&mut self) {
        *self.transactions.get_mut() = CLOSED;
        let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
        if !raw.is_null() {
            // SAFETY: every transaction holds the environment, so a mutable borrow of it means that none is left.
            unsafe { mdb_env_close(raw) };
        }
    }

    /// Returns the cipher in force, according to LMDB's flags.
    pub fn cipher(&self) -> Result<Option<&Cipher>, LmdbError> {
        let encrypts = self.flags()? & MDB_ENCRYPT != 0;
        Ok(self.own_cipher().filter(|_| encrypts))
    }

    fn own_cipher(&self) -> Option<&Cipher> {
        match &self.config.protection {
            Protection::Encrypted(cipher) => Some(cipher),
            Protection::Plain | Protection::Checksum => None,
        }
    }

    /// Returns whether LMDB may return old pages after the next write: then nothing can be written until [`Env::renew`].
    pub fn is_stale(&self) -> bool {
        self.own_cipher().is_some_and(|cipher| cipher.chunks.are_beyond())
    }

    /// Returns whether its pages have neither encryption nor checksums.
    pub fn is_plain(&self) -> bool {
        matches!(self.config.protection, Protection::Plain)
    }

    /// Makes the map larger than its content by enough that it need not grow.
    pub fn make_room(&self) -> Result<(), LmdbError> {
        let info = self.info()?;
        let needed = (info.me_last_pgno + 1).saturating_mul(self.page_size()?).saturating_add(ROOM);
        if info.me_mapsize >= needed { Ok(()) } else { self.resize(needed) }
    }

    /// Returns what LMDB counted, and what its pages were protected with. It looks at the environment, and begins no transaction.
    pub fn counters(&self) -> Result<EngineCounters, LmdbError> {
        let info = self.info()?;
        let (last_transaction, last_page, map_size) = (info.me_last_txnid, info.me_last_pgno, info.me_mapsize);
        let mut counters = EnvironmentInfo { last_transaction, last_page, map_size }.counters();
        let of_pages = match &self.config.protection {
            Protection::Plain => EngineCounters::default(),
            Protection::Checksum => checksum::counters(),
            Protection::Encrypted(cipher) => cipher.counters(),
        };
        counters.add(&of_pages);
        Ok(counters)
    }

    /// Returns the setup in force.
    pub fn in_force(&self) -> Result<LmdbSetup, LmdbError> {
        let flags = self.flags()?;
        let has = |flag: c_uint| flags & flag != 0;
        let sync = SyncMode::from_flags(has(MDB_NOSYNC), has(MDB_MAPASYNC), has(MDB_NOMETASYNC));
        let map_size = self.info()?.me_mapsize;
        let (writemap, readahead) = (has(MDB_WRITEMAP), !has(MDB_NORDAHEAD));
        Ok(LmdbSetup { sync, writemap, readahead, map_size, ..self.config.setup })
    }

    /// Returns the bytes of a page.
    #[expect(unsafe_code, reason = "a call of C")]
    pub fn page_size(&self) -> Result<usize, LmdbError> {
        // SAFETY: plain numbers, for which zero is a value.
        let mut stat = unsafe { std::mem::zeroed::<MDB_stat>() };
        // SAFETY: the environment is open.
        check(unsafe { mdb_env_stat(self.raw, &raw mut stat) })?;
        Ok(stat.ms_psize as usize)
    }

    /// Grows the map before a transaction needs it.
    pub fn grow_if_half_full(&self) -> Result<(), LmdbError> {
        let info = self.info()?;
        let used = (info.me_last_pgno + 1).saturating_mul(self.page_size()?);
        grown(info.me_mapsize, used).map_or(Ok(()), |bytes| self.resize(bytes))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn resize(&self, bytes: usize) -> Result<(), LmdbError> {
        if self.transactions.compare_exchange(0, CLOSED, SeqCst, SeqCst).is_err() {
            return Err(LmdbError::Code(libc::EBUSY));
        }
        // SAFETY: no transaction is open in this process, and none can begin.
        let resized = check(unsafe { mdb_env_set_mapsize(self.raw, bytes) });
        self.transactions.store(0, SeqCst);
        resized
    }

    /// Counts a transaction that begins; none may begin while the map grows or the environment is closed.
    pub(super) fn enter(&self) -> Result<(), LmdbError> {
        let mut count = self.transactions.load(SeqCst);
        while count != CLOSED {
            match self.transactions.compare_exchange_weak(count, count + 1, SeqCst, SeqCst) {
                Ok(_) => return Ok(()),
                Err(now) => count = now,
            }
        }
        Err(LmdbError::Code(libc::EBUSY))
    }

    /// Counts a transaction that has ended.
    pub(super) fn leave(&self) {
        if self.transactions.fetch_sub(1, SeqCst) == 1
            && let Some(cipher) = self.own_cipher()
        {
            cipher.chunks.forget();
        }
    }

    pub(super) fn page_bytes(&self) -> usize {
        self.config.page_size
    }

    /// Returns whether the tag or checksum would cover the end of a value.
    #[inline]
    pub(super) fn covers_end(&self, length: usize) -> bool {
        long::covers(self.config.protection.trailer(), length, self.config.page_size)
    }

    pub(super) fn raw(&self) -> *mut MDB_env {
        self.raw
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn flags(&self) -> Result<c_uint, LmdbError> {
        let mut flags = 0;
        // SAFETY: the environment is open.
        check(unsafe { mdb_env_get_flags(self.raw, &raw mut flags) })?;
        Ok(flags)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn info(&self) -> Result<MDB_envinfo, LmdbError> {
        // SAFETY: numbers and a pointer that is not used, for which zero is a value.
        let mut info = unsafe { std::mem::zeroed::<MDB_envinfo>() };
        // SAFETY: the environment is open.
        check(unsafe { mdb_env_info(self.raw, &raw mut info) })?;
        Ok(info)
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        self.close_raw();
    }
}

fn flags(setup: LmdbSetup) -> c_uint {
    let set = |on: bool, flag: c_uint| if on { flag } else { 0 };
    let sync = match setup.sync {
        SyncMode::Full => 0,
        SyncMode::NoMeta => MDB_NOMETASYNC,
        SyncMode::MapAsync => MDB_MAPASYNC,
        SyncMode::No => MDB_NOSYNC,
    };
    sync | set(setup.writemap, MDB_WRITEMAP) | set(!setup.readahead, MDB_NORDAHEAD)
}
