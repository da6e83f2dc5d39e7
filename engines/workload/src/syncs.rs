//! Counts the sync calls of the process, those of C libraries linked into it too.
//!
//! The kernel keeps no such count for a process, and a tracer would slow down what is measured. A definition of `fsync`
//! in the program itself comes before the C library's when symbols are resolved, for static and for shared code, so these
//! four count and then make the system call. Libraries loaded with `RTLD_DEEPBIND` resolve to the C library and are not
//! counted. Writes through descriptors opened with `O_DSYNC` (LMDB's meta page) sync without a call and are not counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Calls of `fsync`, `fdatasync`, `msync(MS_SYNC)` and `sync_file_range` by this process so far.
pub fn calls() -> u64 {
    CALLS.load(Relaxed)
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "symbols of the C library are defined here, with its signatures")]
mod interposed {
    use super::CALLS;
    use libc::{SYS_fdatasync, SYS_fsync, SYS_msync, SYS_sync_file_range, c_int, c_uint, c_void, off64_t, size_t};
    use std::sync::atomic::Ordering::Relaxed;

    /// # Safety
    /// As the C library's `fsync`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn fsync(fd: c_int) -> c_int {
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: the arguments are passed on as they came; the wrapper sets errno as `fsync` does.
        unsafe { libc::syscall(SYS_fsync, fd) as c_int }
    }

    /// # Safety
    /// As the C library's `fdatasync`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn fdatasync(fd: c_int) -> c_int {
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: as above.
        unsafe { libc::syscall(SYS_fdatasync, fd) as c_int }
    }

    /// # Safety
    /// As the C library's `msync`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn msync(address: *mut c_void, length: size_t, flags: c_int) -> c_int {
        if flags & libc::MS_SYNC != 0 {
            CALLS.fetch_add(1, Relaxed);
        }
        // SAFETY: as above.
        unsafe { libc::syscall(SYS_msync, address, length, flags) as c_int }
    }

    /// # Safety
    /// As the C library's `sync_file_range`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn sync_file_range(fd: c_int, offset: off64_t, bytes: off64_t, flags: c_uint) -> c_int {
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: as above.
        unsafe { libc::syscall(SYS_sync_file_range, fd, offset, bytes, flags) as c_int }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn each_sync_call_of_the_standard_library_is_counted() {
        let path = std::env::temp_dir().join(format!("dbdyno-syncs-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        let before = calls();
        file.sync_all().unwrap();
        file.sync_data().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(calls() - before, 2);
    }
}
