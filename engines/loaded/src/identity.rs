//! Identifies the file of a loaded library: some libraries report no version, and others have many builds of one version.

use std::{
    ffi::{CStr, OsStr, c_void},
    fs,
    mem::MaybeUninit,
    os::unix::ffi::OsStrExt,
};

/// Returns the beginning of the BLAKE3 digest of the file that a function was loaded from: `blake3:` and 16 digits. Returns `None` if the
/// system does not report the file, or it cannot be read.
#[expect(unsafe_code, reason = "the loader is asked about an address")]
pub(crate) fn digest(function: *const c_void) -> Option<String> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address is allowed. If it is known, the result is filled in, and its name lives as long as the library.
    let path = unsafe {
        if libc::dladdr(function, found.as_mut_ptr()) == 0 || (*found.as_ptr()).dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr((*found.as_ptr()).dli_fname)
    };
    let bytes = fs::read(OsStr::from_bytes(path.to_bytes())).ok()?;
    let digest = blake3::hash(&bytes).to_hex();
    Some(format!("blake3:{}", &digest[..16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_program_is_from_its_file() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        let expected = format!("blake3:{}", &blake3::hash(&own).to_hex()[..16]);
        assert_eq!(digest(digest as *const c_void), Some(expected));
        assert_eq!(digest(std::ptr::null()), None);
    }
}
