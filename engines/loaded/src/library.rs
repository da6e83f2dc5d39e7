//! Finds and loads a library at run time, and looks up its functions. Only a worker loads it, and it stays loaded while the process lives.

use crate::calls;
use dbdyno_engine::EngineError;
use libloading::os::unix;
use std::{
    ffi::{CStr, c_char},
    fs,
    path::PathBuf,
    sync::OnceLock,
};

/// The expected library, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedLibrary {
    /// The product: `SQLite`.
    pub(crate) of: &'static str,
    /// The usual name of its file: `libsqlite3.so`.
    pub(crate) file: &'static str,
}

pub(crate) struct LoadedLibrary {
    /// The name or path in the option.
    named: PathBuf,
    /// The path or name under which it was found.
    pub(crate) path: PathBuf,
    kind: ExpectedLibrary,
    library: unix::Library,
}

/// The library of this process: two libraries with common symbols would run each other's code.
static LOADED: OnceLock<PathBuf> = OnceLock::new();

impl LoadedLibrary {
    /// Loads the library at a path, or of a name that the system's loader finds. If no library has exactly this name (`librocksdb.so`),
    /// loads the newest one with a version after the name (`librocksdb.so.7.8`). The library uses its own symbols, even if this program
    /// has symbols of the same names. Its sync calls are counted like this program's own.
    ///
    /// # Errors
    /// There is none, or another one is already loaded.
    pub(crate) fn load(path: &str, kind: ExpectedLibrary) -> Result<Self, EngineError> {
        if path.is_empty() {
            let ExpectedLibrary { of, file } = kind;
            let message = format!("option `library` is empty: expected the path of a build of {of} ({file})");
            return Err(EngineError::new(message));
        }
        let named = PathBuf::from(path);
        if let Some(other) = LOADED.get().filter(|other| **other != named) {
            let (named, other) = (named.display(), other.display());
            return Err(EngineError::new(format!("library {named}: {other} is already loaded")));
        }
        let (path, library) = open(path).map_err(|error| {
            let (reason, of, file) = (reason(&error), kind.of, kind.file);
            let help = format!("install {of}, or give option `library` the path of a build of it ({file})");
            EngineError::new(format!("library {path} cannot be loaded: {reason}: {help}"))
        })?;
        Ok(Self { named, path, kind, library })
    }

    /// Returns the address of a function, as the type that the caller names.
    ///
    /// # Errors
    /// The library has no such function: it is not the expected one.
    ///
    /// # Safety
    /// `F` is the type of the function pointer that the library's documentation gives.
    #[expect(unsafe_code, reason = "the type of a function is not in the library")]
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, EngineError> {
        // SAFETY: see this function's requirement.
        unsafe { self.library.get::<F>(name.as_bytes()) }.map(|found| *found).map_err(|_| {
            let (path, of) = (self.path.display(), self.kind.of);
            EngineError::new(format!("library {path} is not a build of {of}: it has no function {name}"))
        })
    }

    /// Starts counting and recording its calls that change files, and leaves it loaded for good.
    #[expect(unsafe_code, reason = "the tables of a loaded library are changed")]
    pub(crate) fn keep(self) -> PathBuf {
        LOADED.get_or_init(|| self.named);
        // SAFETY: the library is loaded and is never unloaded; so far, functions were only looked up in it.
        unsafe { calls::redirect(self.library.into_raw()) };
        self.path
    }
}

/// Loads the library of a path or name, and returns the path or name under which it was found. An error refers to the name as it was
/// given.
#[expect(unsafe_code, reason = "loading a library runs its code")]
fn open(named: &str) -> Result<(PathBuf, unix::Library), libloading::Error> {
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    let load = |path: PathBuf| {
        // SAFETY: the user chose to run this library, and this process does nothing else.
        unsafe { unix::Library::open(Some(&path), flags) }.map(|library| (path, library))
    };
    load(PathBuf::from(named)).or_else(|error| {
        let newest =
            (!named.contains('/')).then(|| newest(named, &fs::read(LOADERS_CACHE).unwrap_or_default())).flatten();
        newest.and_then(|newest| load(PathBuf::from(newest)).ok()).ok_or(error)
    })
}

/// The file in which the system's loader keeps the names of the libraries that it finds.
const LOADERS_CACHE: &str = "/etc/ld.so.cache";

/// Returns the newest version of a library in the loader's cache, which consists of zero-terminated names and paths.
fn newest(name: &str, cache: &[u8]) -> Option<String> {
    let version = |text: &[u8]| -> Option<Vec<u32>> {
        let file = std::str::from_utf8(text.rsplit(|byte| *byte == b'/').next()?).ok()?;
        let numbers = file.strip_prefix(name)?.strip_prefix('.')?;
        numbers.split('.').map(|number| number.parse().ok()).collect()
    };
    let newest = cache.split(|byte| *byte == 0).filter_map(version).max()?;
    Some(newest.iter().fold(name.to_owned(), |name, number| format!("{name}.{number}")))
}

/// Returns the loader's message, which libloading hides behind the name of the call.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns a copy of a text that a library owns; `None` for null.
///
/// # Safety
/// `at` is null, or a text that ends with a zero and stays valid during the call.
#[expect(unsafe_code, reason = "a text of C")]
pub(crate) unsafe fn text(at: *const c_char) -> Option<String> {
    // SAFETY: see this function's requirement.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// Defines a struct with the functions of a library that an engine uses, looked up once: `functions! { Api of KIND; open = "store_open":
/// fn(*const c_char) -> c_int; ? check = "store_check": fn(*mut Store); }`. Functions with a question mark come last, and are `None` if
/// this version of the library does not have them. Its `load` returns the functions of the library at a path.
macro_rules! functions {
    (
        $api:ident of $kind:expr;
        $($field:ident = $name:literal: fn($($of:ty),* $(,)?) $(-> $result:ty)?;)*
        $(? $maybe:ident = $called:literal: fn($($with:ty),* $(,)?) $(-> $gives:ty)?;)*
    ) => {
        /// The functions. They stay, because the library is never unloaded.
        pub(super) struct $api {
            /// Where the library is from, for errors.
            pub(super) path: std::path::PathBuf,
            $(pub(super) $field: unsafe extern "C" fn($($of),*) $(-> $result)?,)*
            $(pub(super) $maybe: Option<unsafe extern "C" fn($($with),*) $(-> $gives)?>,)*
        }

        impl $api {
            /// Loads the functions of the library at a path, once per process.
            #[expect(unsafe_code, reason = "the types of the documented interface are given to its functions")]
            pub(super) fn load(path: &str) -> Result<&'static Self, dbdyno_engine::EngineError> {
                static FOUND: std::sync::OnceLock<$api> = std::sync::OnceLock::new();
                let library = $crate::library::LoadedLibrary::load(path, $kind)?;
                if let Some(found) = FOUND.get() {
                    return Ok(found);
                }
                // SAFETY: the types are from the documented interface of the library.
                $(let $field = unsafe {
                    library.function::<unsafe extern "C" fn($($of),*) $(-> $result)?>($name)
                }?;)*
                // SAFETY: as above.
                $(let $maybe = unsafe {
                    library.function::<unsafe extern "C" fn($($with),*) $(-> $gives)?>($called)
                }.ok();)*
                Ok(FOUND.get_or_init(|| Self { path: library.keep(), $($field,)* $($maybe,)* }))
            }
        }
    };
}
pub(crate) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_versions_the_newest_is_found_whatever_it_is_called() {
        let cache =
            b"glibc-ld.so.cache1.1\0libx.so.9\0/usr/lib/libx.so.9\0libx.so.10.2\0libx.so.1a\0libxy.so.99\0libx.so";
        assert_eq!(newest("libx.so", cache), Some("libx.so.10.2".to_owned()));
        assert_eq!(newest("libz.so", cache), None);
        assert_eq!(newest("libx.so", b""), None);
    }
}
