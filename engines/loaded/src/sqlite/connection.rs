//! A connection through a loaded library.

use super::{
    api::{self, Api, Sqlite3, Sqlite3Stmt},
    backend,
    describe::LIBRARY,
    key::Passphrase,
    statement::LoadedStatement,
};
use dbdyno_engine::{
    EngineError,
    describe::{Library, Probed},
    prepared::PreparedStatement,
    settings::Settings,
    sql::{SqlRow, SqlValue},
};
use dbdyno_sqlite::{BusyHandler, Driver};
use std::{
    collections::BTreeMap,
    ffi::{CStr, CString, c_int, c_void},
    iter,
    ops::ControlFlow,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

pub struct Loaded {
    pub(super) api: &'static Api,
    pub(super) handle: *mut Sqlite3,
    /// A digest that distinguishes its passphrase, if it has one.
    passphrase: Option<String>,
}

// SAFETY: one thread at a time uses a connection, which every build of SQLite with threads supports. A build without threads is rejected
// before a second thread starts.
#[expect(unsafe_code, reason = "a handle of C")]
unsafe impl Send for Loaded {}

/// Returns the identity of the library that the settings name, and how it handles the options.
pub(super) fn probe(settings: &Settings) -> Result<Probed, EngineError> {
    let api = Api::load(settings.text(LIBRARY)?)?;
    let library = api.library();
    if !library.version.starts_with("3.") {
        let message = format!("library {} is SQLite {}, expected 3.x", api.path.display(), library.version);
        return Err(EngineError::new(message));
    }
    let folder = tempfile::Builder::new().prefix("dbdyno-probe-").tempdir();
    let folder = folder.map_err(EngineError::doing("creating a scratch folder to try the library in"))?;
    dbdyno_sqlite::examine::<Loaded>(folder.path(), settings, library)
}

impl Loaded {
    /// Returns the error of a call, in SQLite's words and with the library that it is from.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn error(&self, code: c_int) -> EngineError {
        // SAFETY: the connection is open, or null, for which SQLite has a text too; the text is copied at once.
        let text = unsafe { CStr::from_ptr((self.api.errmsg)(self.handle)) };
        let message = format!("library {}: {} (code {code})", self.api.path.display(), text.to_string_lossy());
        // The lowest byte of an extended code is its primary code.
        match code & 0xff {
            api::BUSY | api::LOCKED => EngineError::busy(message),
            _ => EngineError::new(message),
        }
    }

    pub(super) fn check(&self, code: c_int) -> Result<(), EngineError> {
        if code == api::OK { Ok(()) } else { Err(self.error(code)) }
    }

    /// Prepares the first statement of a text, and returns it with the text after it.
    #[expect(unsafe_code, reason = "a call of C")]
    pub(super) fn compile<'s>(&self, sql: &'s str) -> Result<(*mut Sqlite3Stmt, &'s str), EngineError> {
        let (mut compiled, mut rest) = (ptr::null_mut(), ptr::null());
        let length = c_int::try_from(sql.len()).map_err(|_| EngineError::new("a statement is longer than 2 GiB"))?;
        // SAFETY: the connection is open; the text is read no further than its length.
        let code =
            unsafe { (self.api.prepare)(self.handle, sql.as_ptr().cast(), length, &raw mut compiled, &raw mut rest) };
        self.check(code)?;
        let read = rest.addr().saturating_sub(sql.as_ptr().addr());
        Ok((compiled, sql.get(read..).unwrap_or_default()))
    }

    /// Passes the passphrase from the settings' file to the cipher, before any page of the database is read.
    fn unlock(&mut self, settings: &Settings) -> Result<(), EngineError> {
        let Some(passphrase) = Passphrase::of(settings)? else { return Ok(()) };
        if self.first_value("PRAGMA cipher_version")? == SqlValue::Null {
            let path = self.api.path.display();
            let message = format!(
                "option `key`: library {path} has no cipher, expected SQLCipher; for this library leave `key` empty"
            );
            return Err(EngineError::new(message));
        }
        // No error may show the statement, because it contains the passphrase.
        let given = LoadedStatement::prepare(self, &passphrase.statement())
            .and_then(|mut statement| statement.query(iter::empty(), |_| ControlFlow::Continue(())));
        given.map_err(|_| EngineError::new(format!("library {}: PRAGMA key fails", self.api.path.display())))?;
        self.passphrase = Some(passphrase.digest());
        // The page size is in the encrypted part of the file, so the cipher needs it before it can read any page.
        self.first_value(&format!("PRAGMA cipher_page_size = {}", settings.text("page_size")?)).map(drop)
    }
}

/// The first SQLite version in which a negative cache_size is a number of KiB: 3.7.10.
const CACHE_IN_KIB: c_int = 3_007_010;

impl Driver for Loaded {
    type Statement<'c> = LoadedStatement<'c>;

    #[expect(unsafe_code, reason = "a call of C")]
    fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError> {
        let api = Api::load(settings.text(LIBRARY)?)?;
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|error| EngineError::new(error.to_string()))?;
        let mutex = if mutex { api::OPEN_FULLMUTEX } else { api::OPEN_NOMUTEX };
        let flags = api::OPEN_READWRITE | api::OPEN_CREATE | mutex;
        let mut connection = Self { api, handle: ptr::null_mut(), passphrase: None };
        // SAFETY: the path ends with a zero, the rest is an out pointer and "the default file system".
        let code = unsafe { (api.open)(path.as_ptr(), &raw mut connection.handle, flags, ptr::null()) };
        connection.check(code).map_err(EngineError::doing("opening the database"))?;
        // A function, because the pragma came with SQLite 3.7.15. Every value of the option fits an int.
        let timeout_ms = settings.integer("busy_timeout")? as c_int;
        // SAFETY: the connection is open.
        connection.check(unsafe { (api.busy_timeout)(connection.handle, timeout_ms) })?;
        connection.unlock(settings)?;
        Ok(connection)
    }

    fn library(&self) -> Option<Library> {
        Some(self.api.library())
    }

    fn in_force(&self) -> BTreeMap<String, String> {
        let mut in_force = backend::options(self);
        in_force.extend(self.passphrase.iter().map(|digest| ("key_digest".to_owned(), digest.clone())));
        in_force
    }

    fn backend(&self) -> Option<String> {
        backend::name(self)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn has_cache_in_kib(&self) -> bool {
        // SAFETY: a call without conditions.
        unsafe { (self.api.libversion_number)() >= CACHE_IN_KIB }
    }

    fn batch(&self, sql: &str) -> Result<(), EngineError> {
        let mut rest = sql;
        while !rest.trim().is_empty() {
            let run = || -> Result<&str, EngineError> {
                let (mut statement, after) = LoadedStatement::first_of(self, rest)?;
                statement.query(iter::empty(), |_| ControlFlow::Continue(()))?;
                Ok(after)
            };
            rest = run().map_err(EngineError::doing(sql))?;
        }
        Ok(())
    }

    fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError> {
        let run = || -> Result<SqlValue, EngineError> {
            let mut first = None;
            let mut statement = LoadedStatement::prepare(self, sql)?;
            statement.query(iter::empty(), |row| {
                first = first.take().or_else(|| Some(row.value(0).to_value()));
                ControlFlow::Continue(())
            })?;
            Ok(first.unwrap_or_default())
        };
        run().map_err(EngineError::doing(sql))
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn set_busy_handler(&mut self, handler: BusyHandler) -> Result<(), EngineError> {
        // SAFETY: the connection is open; the handler is a function, which stays valid.
        let code = unsafe { (self.api.busy_handler)(self.handle, Some(call), handler as *mut c_void) };
        self.check(code)
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn is_autocommit(&self) -> bool {
        // SAFETY: the connection is open.
        unsafe { (self.api.get_autocommit)(self.handle) != 0 }
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn has_mutex(&self) -> bool {
        // SAFETY: the connection is open; the mutex is only compared with null.
        unsafe { !(self.api.db_mutex)(self.handle).is_null() }
    }

    #[expect(unsafe_code, reason = "a call of C")]
    fn close(mut self) -> Result<(), EngineError> {
        // SAFETY: the connection is open; statements borrow it, so none is left.
        let code = unsafe { (self.api.close)(self.handle) };
        self.check(code)?;
        self.handle = ptr::null_mut();
        Ok(())
    }
}

/// Calls the busy handler that was registered with SQLite.
#[expect(unsafe_code, reason = "SQLite gives back what it was given")]
extern "C" fn call(handler: *mut c_void, tries: c_int) -> c_int {
    // SAFETY: set_busy_handler registers a function of this type together with this callback.
    let handler: BusyHandler = unsafe { std::mem::transmute(handler) };
    c_int::from(handler(tries))
}

impl Drop for Loaded {
    #[expect(unsafe_code, reason = "a call of C")]
    fn drop(&mut self) {
        // SAFETY: the connection is open, or null, which SQLite ignores.
        unsafe { (self.api.close)(self.handle) };
    }
}
