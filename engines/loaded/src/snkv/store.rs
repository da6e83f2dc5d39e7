//! An open store: one handle, which one thread uses.

use super::{
    api::{Api, KvStore, KvStoreConfig, OK},
    describe::{LIBRARY, config},
    header,
};
use crate::library::text;
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    describe::Library,
    engine::{EngineInstance, Open},
    kv::{KvEngine, is_held},
    suite::KvStatements,
};
use std::{
    collections::BTreeMap,
    ffi::{CString, c_char, c_int},
    mem,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr,
};

/// Name of the database's file in its folder.
pub(super) const FILE: &str = "snkv.db";

/// An open store.
pub struct Snkv {
    pub(super) api: &'static Api,
    pub(super) store: *mut KvStore,
    file: PathBuf,
    held: bool,
}

impl Snkv {
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn open_in(
        folder: &Path,
        library: &str,
        config: &KvStoreConfig,
        held: bool,
    ) -> Result<Self, EngineError> {
        let api = Api::load(library)?;
        let file = folder.join(FILE);
        let path = CString::new(file.as_os_str().as_bytes()).map_err(|error| EngineError::new(error.to_string()))?;
        let mut snkv = Self { api, store: ptr::null_mut(), file, held };
        // SAFETY: the path ends with a zero, the rest is an out pointer and a configuration that is only read.
        let code = unsafe { (api.open)(path.as_ptr(), &raw mut snkv.store, config) };
        snkv.checked("opening the database", code)?;
        if snkv.store.is_null() {
            return Err(api.error(ptr::null_mut(), "opening the database gave no store", code));
        }
        Ok(snkv)
    }

    pub(super) fn checked(&self, doing: &str, code: c_int) -> Result<(), EngineError> {
        if code == OK { Ok(()) } else { Err(self.api.error(self.store, doing, code)) }
    }

    /// Returns the options that the file header records; `None` if the file is not in SQLite's format.
    pub(super) fn header(&self) -> Option<BTreeMap<String, String>> {
        header::options(&self.file)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn closed(&mut self) -> c_int {
        // SAFETY: the store is open, or null, which SNKV ignores; it is closed once.
        unsafe { (self.api.close)(mem::replace(&mut self.store, ptr::null_mut())) }
    }
}

impl Drop for Snkv {
    fn drop(&mut self) {
        if !self.store.is_null() {
            self.closed();
        }
    }
}

impl EngineInstance for Snkv {
    const MAIN_FILE: &'static str = FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(self.header().unwrap_or_default())
    }

    fn library(&self) -> Option<Library> {
        Some(self.api.library())
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn check(&mut self) -> Result<(), EngineError> {
        let mut wrong: *mut c_char = ptr::null_mut();
        // SAFETY: the store is open; the text is the library's, is copied, and is returned to it.
        let (code, wrong) = unsafe {
            let code = (self.api.integrity_check)(self.store, &raw mut wrong);
            let said = text(wrong);
            (self.api.free)(wrong.cast());
            (code, said)
        };
        match wrong {
            Some(wrong) => Err(EngineError::fatal(format!("kvstore_integrity_check: {wrong}"))),
            None => self.checked("kvstore_integrity_check", code),
        }
    }

    fn close(mut self) -> Result<(), EngineError> {
        let code = self.closed();
        self.checked("closing the database", code)
    }
}

impl KvEngine for Snkv {
    type Session<'e> = &'e mut Self;

    fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let settings = open.settings;
        Self::open_in(open.folder, settings.text(LIBRARY)?, &config(settings)?, is_held(settings)?)
    }

    fn holds_reads(&self) -> bool {
        self.held
    }

    fn session<'e>(&'e mut self, _: &'e KvStatements) -> Result<&'e mut Self, EngineError> {
        Ok(self)
    }
}
