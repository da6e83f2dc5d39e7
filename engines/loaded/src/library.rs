//! A library found at run time: how it is found, loaded and asked for its functions. It is loaded in a worker only, and stays
//! for as long as the process lives.

use crate::calls;
use dbdyno_engine::EngineError;
use libloading::os::unix;
use std::{
    ffi::{CStr, c_char},
    fs,
    path::PathBuf,
    sync::OnceLock,
};

/// What a library is expected to be, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// Whose library: `SQLite`.
    pub(crate) of: &'static str,
    /// How its file is usually called: `libsqlite3.so`.
    pub(crate) file: &'static str,
}

/// A loaded library.
pub(crate) struct Library {
    /// As the option names it.
    named: PathBuf,
    /// As it was found.
    pub(crate) path: PathBuf,
    kind: Kind,
    library: unix::Library,
}

/// The library of this process: two of them would run each other's code where they have symbols in common.
static LOADED: OnceLock<PathBuf> = OnceLock::new();

impl Library {
    /// Loads the library of a path, or of a name that the system's loader finds; where there is none of just this name
    /// (`librocksdb.so`), the newest that has a version behind it (`librocksdb.so.7.8`). Its symbols are its own, whatever this
    /// program has with the same names; its sync calls are counted as this program's are.
    ///
    /// # Errors
    /// There is none, or another one is loaded already.
    pub(crate) fn load(path: &str, kind: Kind) -> Result<Self, EngineError> {
        if path.is_empty() {
            let Kind { of, file } = kind;
            let message = format!("option `library` is empty: expected the path of a build of {of} ({file})");
            return Err(EngineError::new(message));
        }
        let named = PathBuf::from(path);
        if let Some(other) = LOADED.get().filter(|other| **other != named) {
            let (named, other) = (named.display(), other.display());
            return Err(EngineError::new(format!("library {named}: {other} is loaded already")));
        }
        let (path, library) = open(path).map_err(|error| {
            let (reason, of, file) = (reason(&error), kind.of, kind.file);
            let help = format!("install {of}, or give option `library` the path of a build of it ({file})");
            EngineError::new(format!("library {path} cannot be loaded: {reason}: {help}"))
        })?;
        Ok(Self { named, path, kind, library })
    }

    /// The address of a function, as whatever type it is taken for.
    ///
    /// # Errors
    /// The library has no such function: it is another one than was expected.
    ///
    /// # Safety
    /// `F` is the type of the function pointer that the library's documentation gives.
    #[expect(unsafe_code, reason = "the type of a function is not in the library")]
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, EngineError> {
        // SAFETY: that of this function.
        unsafe { self.library.get::<F>(name.as_bytes()) }.map(|found| *found).map_err(|_| {
            let (path, of) = (self.path.display(), self.kind.of);
            EngineError::new(format!("library {path} is no build of {of}: it has no function {name}"))
        })
    }

    /// Has its calls that change files counted and recorded from now on, and leaves it loaded for good.
    #[expect(unsafe_code, reason = "the tables of a loaded library are changed")]
    pub(crate) fn keep(self) -> PathBuf {
        LOADED.get_or_init(|| self.named);
        // SAFETY: the library is loaded and is never unloaded; it was only asked for functions so far.
        unsafe { calls::redirect(self.library.into_raw()) };
        self.path
    }
}

/// The library of a path or name, and under which path or name it was found. The error is that of the name as it is given.
#[expect(unsafe_code, reason = "loading a library runs its code")]
fn open(named: &str) -> Result<(PathBuf, unix::Library), libloading::Error> {
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    let load = |path: PathBuf| {
        // SAFETY: the user chose to run this library; it is loaded in a process that does nothing else.
        unsafe { unix::Library::open(Some(&path), flags) }.map(|library| (path, library))
    };
    load(PathBuf::from(named)).or_else(|error| {
        let newest =
            (!named.contains('/')).then(|| newest(named, &fs::read(LOADERS_CACHE).unwrap_or_default())).flatten();
        newest.and_then(|newest| load(PathBuf::from(newest)).ok()).ok_or(error)
    })
}

/// Where the system's loader keeps the names of the libraries that it finds.
const LOADERS_CACHE: &str = "/etc/ld.so.cache";

/// The newest version of a library among the texts of the loader's cache: each ends with a zero, and is a name or a path.
fn newest(name: &str, cache: &[u8]) -> Option<String> {
    let version = |text: &[u8]| -> Option<Vec<u32>> {
        let file = std::str::from_utf8(text.rsplit(|byte| *byte == b'/').next()?).ok()?;
        let numbers = file.strip_prefix(name)?.strip_prefix('.')?;
        numbers.split('.').map(|number| number.parse().ok()).collect()
    };
    let newest = cache.split(|byte| *byte == 0).filter_map(version).max()?;
    Some(newest.iter().fold(name.to_owned(), |name, number| format!("{name}.{number}")))
}

/// What the loader said, which libloading hides behind the name of the call.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// A text that a library owns; none for null.
///
/// # Safety
/// `at` is null, or a text that ends with a zero and lives while it is read.
#[expect(unsafe_code, reason = "a text of C")]
pub(crate) unsafe fn text(at: *const c_char) -> Option<String> {
    // SAFETY: that of this function.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// A struct with the functions of a library that an engine uses, found once: `functions! { Api of KIND; open = "store_open":
/// fn(*const c_char) -> c_int; ? check = "store_check": fn(*mut Store); }`. Those behind a question mark come last, and are none
/// where the library does not have them: not every version does. Its `load` gives the functions of the library of a path.
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
            /// Those of the library of a path: loaded once, for as long as the process lives.
            #[expect(unsafe_code, reason = "the types of the documented interface are given to its functions")]
            pub(super) fn load(path: &str) -> Result<&'static Self, dbdyno_engine::EngineError> {
                static FOUND: std::sync::OnceLock<$api> = std::sync::OnceLock::new();
                let library = $crate::library::Library::load(path, $kind)?;
                if let Some(found) = FOUND.get() {
                    return Ok(found);
                }
                // SAFETY: the types are those of the library's documented interface.
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
