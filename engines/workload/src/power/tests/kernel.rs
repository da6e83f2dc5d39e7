//! Each interposed function makes the kernel's call: it fails if the kernel refuses. A function that only recorded the call and reported
//! success would lose what engines sync, and no test on a machine that stays on would show it.

#![expect(unsafe_code, reason = "functions of the C library are called as C calls them")]

use crate::{power::definitions, syncs};
use std::{
    collections::BTreeSet,
    io,
    ptr::null_mut,
    time::{Duration, Instant},
};

/// A number that is never a descriptor.
const NONE: libc::c_int = -1;
/// An address in the first pages, which are never mapped.
const UNMAPPED: *mut libc::c_void = 4096 as *mut libc::c_void;

/// Returns a call's result, and errno if the result is -1.
fn errno(gave: i64) -> (i64, i32) {
    (gave, if gave == -1 { io::Error::last_os_error().raw_os_error().unwrap_or(0) } else { 0 })
}

// SAFETY: the declaration of fcntl(2).
unsafe extern "C" {
    fn fcntl64(fd: libc::c_int, command: libc::c_int, ...) -> libc::c_int;
}

#[test]
fn what_the_kernel_refuses_fails() {
    let (empty, byte) = (c"".as_ptr(), b"x".as_ptr().cast::<libc::c_void>());
    let part = libc::iovec { iov_base: byte.cast_mut(), iov_len: 1 };
    let (part, shared) = (&raw const part, libc::MAP_SHARED);
    let no_time = libc::timespec { tv_sec: 0, tv_nsec: -1 };
    let no_time = &raw const no_time;
    let mut tried = BTreeSet::new();
    macro_rules! refused {
        ($($error:ident: $($name:ident($($argument:expr),*)),+;)*) => {
            $($(
                // SAFETY: the descriptor, path or memory does not exist; every pointer to existing data is valid.
                let gave = unsafe { libc::$name($($argument),*) } as i64;
                assert_eq!(errno(gave), (-1, libc::$error), "{}", stringify!($name));
                tried.insert(stringify!($name));
            )+)*
        };
    }
    let before = syncs::calls();
    refused! {
        EBADF: fsync(NONE), fdatasync(NONE), sync_file_range(NONE, 0, 0, 0);
        ENOMEM: msync(UNMAPPED, 4096, libc::MS_SYNC);
    }
    // Other tests may sync files at the same time.
    assert!(syncs::calls() - before >= 4, "what fails is counted too");
    refused! {
        EBADF: write(NONE, byte, 1), pwrite(NONE, byte, 1, 0), pwrite64(NONE, byte, 1, 0), writev(NONE, part, 1),
            pwritev(NONE, part, 1, 0), pwritev64(NONE, part, 1, 0), pwritev2(NONE, part, 1, 0, 0),
            pwritev64v2(NONE, part, 1, 0, 0), copy_file_range(NONE, null_mut(), NONE, null_mut(), 1, 0),
            sendfile(NONE, NONE, null_mut(), 1), sendfile64(NONE, NONE, null_mut(), 1), fallocate(NONE, 0, 0, 1),
            fallocate64(NONE, 0, 0, 1), ftruncate(NONE, 0), ftruncate64(NONE, 0),
            mmap(null_mut(), 4096, libc::PROT_WRITE, shared, NONE, 0),
            mmap64(null_mut(), 4096, libc::PROT_WRITE, shared, NONE, 0);
        EBADF: read(NONE, null_mut(), 1), pread(NONE, null_mut(), 1, 0), pread64(NONE, null_mut(), 1, 0), readv(NONE, part, 1),
            preadv(NONE, part, 1, 0), preadv64(NONE, part, 1, 0), flock(NONE, libc::LOCK_EX), fcntl(NONE, libc::F_GETFD);
        EINVAL: nanosleep(no_time, null_mut());
        ENOENT: truncate(empty, 0), truncate64(empty, 0), open(empty, libc::O_RDONLY), open64(empty, libc::O_RDONLY),
            openat(libc::AT_FDCWD, empty, libc::O_RDONLY), openat64(libc::AT_FDCWD, empty, libc::O_RDONLY),
            creat(empty, 0o600), creat64(empty, 0o600), rename(empty, empty), unlink(empty), rmdir(empty),
            renameat(libc::AT_FDCWD, empty, libc::AT_FDCWD, empty),
            renameat2(libc::AT_FDCWD, empty, libc::AT_FDCWD, empty, 0), unlinkat(libc::AT_FDCWD, empty, 0),
            link(empty, empty), linkat(libc::AT_FDCWD, empty, libc::AT_FDCWD, empty, 0), mkdir(empty, 0o700),
            mkdirat(libc::AT_FDCWD, empty, 0o700);
    }
    // SAFETY: the C library has this function, under which programs with large files call the one before.
    let gave = unsafe { fcntl64(NONE, libc::F_SETLK, std::ptr::null::<libc::flock>()) };
    assert_eq!(errno(gave.into()), (-1, libc::EBADF));
    tried.insert("fcntl64");
    // These return the error itself.
    // SAFETY: the descriptor does not exist.
    let allocated = unsafe { [libc::posix_fallocate(NONE, 0, 1), libc::posix_fallocate64(NONE, 0, 1)] };
    assert_eq!(allocated, [libc::EBADF; 2]);
    // SAFETY: the pointer to the time is valid.
    let slept = unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, no_time, null_mut()) };
    assert_eq!(slept, libc::EINVAL);
    tried.extend(["posix_fallocate", "posix_fallocate64", "clock_nanosleep"]);
    // No number of microseconds is wrong.
    let begun = Instant::now();
    // SAFETY: it takes no pointer.
    assert_eq!(unsafe { libc::usleep(1_000) }, 0);
    assert!(begun.elapsed() >= Duration::from_millis(1));
    tried.insert("usleep");
    let defined: BTreeSet<&str> = definitions().into_iter().map(|(name, _)| name).collect();
    assert_eq!(tried, defined, "each of them is tried");
}
