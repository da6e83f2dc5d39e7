//! Libraries that the loader loads before the libraries of programs. They may replace measured functions, such as allocators and syncs.

use super::text;
use serde::{Deserialize, Serialize};
use std::{env, path::Path};

/// The libraries that are loaded into this process, and into the workers that it starts, before their own libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preloaded {
    /// `LD_PRELOAD` and `/etc/ld.so.preload`, unchanged, separated by a space.
    pub libraries: Option<String>,
    /// The file of the library whose `malloc` this process calls, such as `libc.so.6` or `libjemalloc.so.2`; `None` if the loader does
    /// not report it.
    pub allocator: Option<String>,
}

impl Preloaded {
    pub fn read() -> Self {
        let variable = env::var_os("LD_PRELOAD").and_then(|value| text::tidy(&value.to_string_lossy()));
        let everywhere =
            text::read("/etc/ld.so.preload").map(|list| list.split_whitespace().collect::<Vec<_>>().join(" "));
        let libraries: Vec<String> = variable.into_iter().chain(everywhere).collect();
        Self { libraries: (!libraries.is_empty()).then(|| libraries.join(" ")), allocator: allocator() }
    }
}

/// Whether a library with `malloc` is the system's own.
pub fn is_system_allocator(file: &str) -> bool {
    file.starts_with("libc.") || file.starts_with("libc-") || file.starts_with("ld-musl")
}

/// Returns the file of the library whose `malloc` the loader found first.
#[expect(unsafe_code, reason = "the loader is asked where a function is from")]
fn allocator() -> Option<String> {
    // SAFETY: the struct is plain data, for which zeros are valid. The returned name belongs to the loader, and stays valid while the
    // library is loaded. The C library and preloaded libraries stay loaded for the life of the process.
    let name = unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        let malloc = libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr());
        let known = !malloc.is_null() && libc::dladdr(malloc, &raw mut found) != 0;
        (known && !found.dli_fname.is_null()).then(|| std::ffi::CStr::from_ptr(found.dli_fname))
    }?;
    let path = name.to_string_lossy();
    Path::new(&*path).file_name().map(|file| file.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_allocator_is_told_from_others() {
        for own in ["libc.so.6", "libc-2.31.so", "ld-musl-x86_64.so.1", "libc.musl-x86_64.so.1"] {
            assert!(is_system_allocator(own), "{own}");
        }
        for other in ["libjemalloc.so.2", "libmimalloc.so", "libtcmalloc.so.4", "libcustom.so"] {
            assert!(!is_system_allocator(other), "{other}");
        }
    }

    #[test]
    fn malloc_is_of_some_file() {
        assert!(Preloaded::read().allocator.is_some_and(|file| !file.is_empty()));
    }
}
