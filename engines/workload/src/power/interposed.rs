//! The C library's functions that change files, defined by the program itself. The linker and the loader use these definitions for the
//! standard library, for C code that is linked in, and for shared libraries. Each function makes the system call, and records it if there
//! is a [recording](super::record). Sync calls are also counted and timed, whether they are recorded or not, and so are those that sleep.
//!
//! Not seen: calls inside the C library (`fwrite`, `fopen`), system calls that bypass it (io_uring; rustix, if it were not built to use
//! it), `symlink`, `mknod`, `splice`, and the calls of child processes. [`missed`](super::missed) finds the files that differ from what the
//! recorded calls would have produced.

#![expect(unsafe_code, reason = "functions of the C library are defined here, with its signatures")]

use super::{
    opens::{self, opened},
    reads,
    record::SyncCall,
    recorder::{PowerRecorder, WritePosition},
    recording::{around, borrowed, path_at},
};
use crate::{
    explain::{Place, within},
    parts::{TimedWait, waiting},
    pwrites, syncs,
};
use libc::{
    AT_FDCWD, SYS_clock_nanosleep, SYS_copy_file_range, SYS_fallocate, SYS_fdatasync, SYS_fsync, SYS_ftruncate,
    SYS_linkat, SYS_mkdirat, SYS_mmap, SYS_msync, SYS_nanosleep, SYS_pwrite64, SYS_pwritev, SYS_pwritev2,
    SYS_renameat2, SYS_sendfile, SYS_sync_file_range, SYS_truncate, SYS_unlinkat, SYS_write, SYS_writev, c_char, c_int,
    c_long, c_uint, c_void, clockid_t, iovec, mode_t, off_t, size_t, ssize_t, syscall, timespec,
};
use std::{ptr::null_mut, slice};

/// Defines functions with names of the C library. A second name is the function for large files, which is the same on 64-bit systems.
macro_rules! interpose {
    ($([$($name:ident),+] $arguments:tt -> $result:ty $body:block)*) => {
        $($(
            /// # Safety
            /// As the C library's function of this name.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name $arguments -> $result $body
        )+)*

        /// Returns the names of the functions defined here, each with its address.
        fn own_definitions() -> Vec<(&'static str, usize)> {
            vec![$($((stringify!($name), $name as *const () as usize)),+),*]
        }
    };
}

pub(super) use interpose;

interpose! {
    [write](fd: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
        // SAFETY: the arguments are passed on unchanged, as in all that follow; `syscall` sets errno as the function does.
        let call = || unsafe { syscall(SYS_write, fd, bytes, count) };
        // SAFETY: the kernel has read this many bytes from there.
        written(fd, WritePosition::Cursor, 0, call, |count| unsafe { bytes_at(bytes, count) })
    }

    [pwrite, pwrite64](fd: c_int, bytes: *const c_void, count: size_t, offset: off_t) -> ssize_t {
        let write = |bytes: *const c_void, count: size_t| {
            // SAFETY: as in `write`.
            let call = || unsafe { syscall(SYS_pwrite64, fd, bytes, count, offset) };
            // SAFETY: as in `write`.
            written(fd, WritePosition::At(offset as u64), 0, call, |count| unsafe { bytes_at(bytes, count) })
        };
        // SAFETY: the caller's bytes.
        match pwrites::rewrite().and_then(|rewrite| rewrite(unsafe { bytes_at(bytes, count) }, offset as u64)) {
            None => write(bytes, count),
            Some(Ok(instead)) => pwrites::told(count, &instead, write(instead.as_ptr().cast(), instead.len())),
            Some(Err(error)) => {
                // SAFETY: the thread's own errno.
                unsafe { *libc::__errno_location() = error.raw_os_error().unwrap_or(libc::EIO) };
                -1
            }
        }
    }

    [writev](fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_writev, fd, parts, count) };
        // SAFETY: as in `write`.
        written(fd, WritePosition::Cursor, 0, call, |bytes| unsafe { gathered(parts, count, bytes) })
    }

    [pwritev, pwritev64](fd: c_int, parts: *const iovec, count: c_int, offset: off_t) -> ssize_t {
        // SAFETY: as in `write`. The last argument is the offset's upper half, which is empty on 64-bit systems.
        let call = || unsafe { syscall(SYS_pwritev, fd, parts, count, offset, 0_usize) };
        // SAFETY: as in `write`.
        written(fd, WritePosition::At(offset as u64), 0, call, |bytes| unsafe { gathered(parts, count, bytes) })
    }

    [pwritev2, pwritev64v2](fd: c_int, parts: *const iovec, count: c_int, offset: off_t, flags: c_int) -> ssize_t {
        // SAFETY: as in `pwritev`.
        let call = || unsafe { syscall(SYS_pwritev2, fd, parts, count, offset, 0_usize, flags) };
        let place = match u64::try_from(offset) {
            _ if flags & libc::RWF_APPEND != 0 => WritePosition::End,
            Ok(offset) => WritePosition::At(offset),
            Err(_) => WritePosition::Cursor,
        };
        // SAFETY: as in `write`.
        written(fd, place, flags, call, |bytes| unsafe { gathered(parts, count, bytes) })
    }

    [copy_file_range](
        from: c_int, from_offset: *mut i64, to: c_int, to_offset: *mut i64, count: size_t, flags: c_uint
    ) -> ssize_t {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags) };
        // SAFETY: the pointer is null, or the kernel has stored there how far it got.
        let end = || unsafe { to_offset.as_ref() }.map(|end| *end as u64);
        filled_by_kernel(to, call, |count| end().map_or(WritePosition::Cursor, |end| WritePosition::At(end - count)))
    }

    [sendfile, sendfile64](to: c_int, from: c_int, offset: *mut off_t, count: size_t) -> ssize_t {
        // SAFETY: as in `write`.
        filled_by_kernel(to, || unsafe { syscall(SYS_sendfile, to, from, offset, count) }, |_| WritePosition::Cursor)
    }

    [ftruncate, ftruncate64](fd: c_int, length: off_t) -> c_int {
        // SAFETY: as in `write`.
        let call = || within(Place::Write, || unsafe { syscall(SYS_ftruncate, fd, length) });
        around(|recorder| recorder.file(borrowed(fd)?), call, |recorder, file, _| recorder.resized(file, length as u64))
            as c_int
    }

    [truncate, truncate64](path: *const c_char, length: off_t) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_truncate, path, length) };
        // SAFETY: the caller's path.
        let find = |recorder: &mut PowerRecorder| recorder.file_at(unsafe { path_at(AT_FDCWD, path) }?.1);
        around(find, call, |recorder, file, _| recorder.resized(file, length as u64)) as c_int
    }

    [fallocate, fallocate64](fd: c_int, mode: c_int, offset: off_t, length: off_t) -> c_int {
        // SAFETY: as in `write`.
        let call = || within(Place::Write, || unsafe { syscall(SYS_fallocate, fd, mode, offset, length) });
        around(
            |recorder| recorder.file(borrowed(fd)?),
            call,
            |recorder, file, _| {
                let start = offset as u64;
                let changed = match mode & !libc::FALLOC_FL_KEEP_SIZE {
                    0 => start..start,
                    libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_ZERO_RANGE => start..start + length as u64,
                    _ => start..u64::MAX,
                };
                if let Some(fd) = borrowed(fd) {
                    recorder.reallocated(file, fd, changed);
                }
            },
        ) as c_int
    }

    [posix_fallocate, posix_fallocate64](fd: c_int, offset: off_t, length: off_t) -> c_int {
        // SAFETY: the C library's function that this one hides; it avoids the system call if the file system does not support it.
        let hidden = || unsafe {
            let found = libc::dlsym(libc::RTLD_NEXT, c"posix_fallocate".as_ptr());
            let hidden: Option<unsafe extern "C" fn(c_int, off_t, off_t) -> c_int> = std::mem::transmute(found);
            hidden.map_or(libc::ENOSYS, |hidden| hidden(fd, offset, length))
        };
        let mut error = 0;
        let call = || {
            error = within(Place::Write, hidden);
            if error == 0 { 0 } else { -1 }
        };
        let resized = |recorder: &mut PowerRecorder, file, _| {
            if let Some(fd) = borrowed(fd) {
                recorder.reallocated(file, fd, 0..0);
            }
        };
        around(|recorder| recorder.file(borrowed(fd)?), call, resized);
        error
    }

    [fsync](fd: c_int) -> c_int {
        // SAFETY: as in `write`.
        synced(fd, SyncCall::Fsync, || unsafe { syscall(SYS_fsync, fd) })
    }

    [fdatasync](fd: c_int) -> c_int {
        // SAFETY: as in `write`.
        synced(fd, SyncCall::Fdatasync, || unsafe { syscall(SYS_fdatasync, fd) })
    }

    // Timed, as the next two are.
    [nanosleep](time: *const timespec, left: *mut timespec) -> c_int {
        // SAFETY: as in `write`.
        waiting(TimedWait::Sleep, || unsafe { syscall(SYS_nanosleep, time, left) }) as c_int
    }

    [clock_nanosleep](clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int {
        // SAFETY: as in `write`.
        match waiting(TimedWait::Sleep, || unsafe { syscall(SYS_clock_nanosleep, clock, flags, time, left) }) {
            0 => 0,
            // It returns its error.
            // SAFETY: the thread's own errno.
            _ => unsafe { *libc::__errno_location() },
        }
    }

    [usleep](microseconds: c_uint) -> c_int {
        let (seconds, rest) = (microseconds / 1_000_000, microseconds % 1_000_000);
        let time = timespec { tv_sec: seconds.into(), tv_nsec: (rest * 1_000).into() };
        // SAFETY: as in `write`; the time lives as long as the call.
        waiting(TimedWait::Sleep, || unsafe { syscall(SYS_nanosleep, &raw const time, null_mut::<timespec>()) }) as c_int
    }

    // Recorded according to what it guarantees: nothing.
    [sync_file_range](fd: c_int, offset: off_t, count: off_t, flags: c_uint) -> c_int {
        syncs::count();
        // SAFETY: as in `write`.
        waiting(TimedWait::Sync, || unsafe { syscall(SYS_sync_file_range, fd, offset, count, flags) }) as c_int
    }

    [msync](address: *mut c_void, length: size_t, flags: c_int) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_msync, address, length, flags) };
        if flags & libc::MS_SYNC == 0 {
            return call() as c_int;
        }
        syncs::count();
        let call = || waiting(TimedWait::Sync, call);
        let addresses = address as usize..(address as usize).saturating_add(length);
        around(|recorder| recorder.mapped_to(&addresses), call, |recorder, synced, _| recorder.mappings_synced(synced))
            as c_int
    }

    [mmap, mmap64](
        address: *mut c_void, length: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off_t
    ) -> *mut c_void {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_mmap, address, length, protection, flags, fd, offset) };
        let is_shared = matches!(flags & libc::MAP_TYPE, libc::MAP_SHARED | libc::MAP_SHARED_VALIDATE);
        let is_of_file = flags & libc::MAP_ANONYMOUS == 0;
        if !is_shared || !is_of_file || protection & libc::PROT_WRITE == 0 {
            return call() as *mut c_void;
        }
        let mapped = |recorder: &mut PowerRecorder, file, address| {
            if let Some(fd) = borrowed(fd) {
                recorder.mapped(file, fd, address..address.saturating_add(length), offset as u64);
            }
        };
        around(|recorder| recorder.file(borrowed(fd)?), call, mapped) as *mut c_void
    }

    [creat, creat64](path: *const c_char, mode: mode_t) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { opened(AT_FDCWD, path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
    }

    [rename](from: *const c_char, to: *const c_char) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { renameat2(AT_FDCWD, from, AT_FDCWD, to, 0) }
    }

    [renameat](from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { renameat2(from_folder, from, to_folder, to, 0) }
    }

    [renameat2](
        from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_uint
    ) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_renameat2, from_folder, from, to_folder, to, flags) };
        let find = |recorder: &mut PowerRecorder| {
            // SAFETY: the caller's paths.
            let (from, to) = unsafe { (path_at(from_folder, from)?, path_at(to_folder, to)?) };
            let places = (recorder.place(from), recorder.place(to));
            (places != (None, None)).then_some(places)
        };
        let is_exchange = flags & libc::RENAME_EXCHANGE != 0;
        around(find, call, |recorder, (from, to), _| recorder.renamed(from, to, is_exchange)) as c_int
    }

    [unlink](path: *const c_char) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { unlinkat(AT_FDCWD, path, 0) }
    }

    [rmdir](path: *const c_char) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { unlinkat(AT_FDCWD, path, libc::AT_REMOVEDIR) }
    }

    [unlinkat](folder: c_int, path: *const c_char, flags: c_int) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_unlinkat, folder, path, flags) };
        // SAFETY: the caller's path.
        let find = |recorder: &mut PowerRecorder| recorder.place(unsafe { path_at(folder, path) }?);
        around(find, call, |recorder, name, _| recorder.renamed(Some(name), None, false)) as c_int
    }

    [link](from: *const c_char, to: *const c_char) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { linkat(AT_FDCWD, from, AT_FDCWD, to, 0) }
    }

    [linkat](from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_int) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_linkat, from_folder, from, to_folder, to, flags) };
        // SAFETY: the caller's path.
        let find = |recorder: &mut PowerRecorder| recorder.place(unsafe { path_at(to_folder, to) }?);
        around(find, call, |recorder, name, _| recorder.linked(name)) as c_int
    }

    [mkdir](path: *const c_char, mode: mode_t) -> c_int {
        // SAFETY: guaranteed by the caller of this function.
        unsafe { mkdirat(AT_FDCWD, path, mode) }
    }

    [mkdirat](folder: c_int, path: *const c_char, mode: mode_t) -> c_int {
        // SAFETY: as in `write`.
        let call = || unsafe { syscall(SYS_mkdirat, folder, path, mode) };
        // SAFETY: the caller's path.
        let find = |recorder: &mut PowerRecorder| recorder.place(unsafe { path_at(folder, path) }?);
        around(find, call, |recorder, name, _| recorder.made_folder(name)) as c_int
    }
}

/// Returns the names of the C library's functions that are defined in this program, each with its address. Libraries that are loaded in a
/// way that hides these definitions need the addresses.
pub fn definitions() -> Vec<(&'static str, usize)> {
    [own_definitions(), opens::definitions(), reads::definitions()].concat()
}

/// Writes, and records what was written. `bytes` returns the bytes that the kernel took, given their number.
#[inline]
fn written<B: AsRef<[u8]>>(
    fd: c_int,
    place: WritePosition,
    flags: c_int,
    call: impl FnOnce() -> c_long,
    bytes: impl FnOnce(usize) -> B,
) -> ssize_t {
    let through = flags & (libc::RWF_DSYNC | libc::RWF_SYNC) != 0;
    let done = |recorder: &mut PowerRecorder, file, count| {
        if let Some(fd) = borrowed(fd) {
            recorder.written(file, fd, place, through, bytes(count).as_ref());
        }
    };
    let call = || within(Place::Write, call);
    around(|recorder| recorder.file(borrowed(fd)?), call, done) as ssize_t
}

/// Lets the kernel fill a file from another descriptor, and records the content. `place` returns where the write began, given the number of
/// bytes.
fn filled_by_kernel(fd: c_int, call: impl FnOnce() -> c_long, place: impl FnOnce(u64) -> WritePosition) -> ssize_t {
    let done = |recorder: &mut PowerRecorder, file, count| {
        if let Some(fd) = borrowed(fd) {
            recorder.filled(file, fd, place(count as u64), count as u64);
        }
    };
    around(|recorder| recorder.file(borrowed(fd)?), call, done) as ssize_t
}

/// Counts and makes a sync call, and records what it synced.
#[inline]
fn synced(fd: c_int, sync: SyncCall, call: impl FnOnce() -> c_long) -> c_int {
    syncs::count();
    let call = || waiting(TimedWait::Sync, call);
    around(|recorder| recorder.target(borrowed(fd)?), call, |recorder, target, _| recorder.synced(target, sync))
        as c_int
}

/// # Safety
/// `count` bytes can be read from `bytes`.
unsafe fn bytes_at<'b>(bytes: *const c_void, count: size_t) -> &'b [u8] {
    // SAFETY: guaranteed by the caller of this function. For zero bytes the pointer may be anything.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(bytes.cast(), count) } }
}

/// Returns the first bytes of several parts as one vector.
///
/// # Safety
/// The parts can be read, and hold at least this many bytes.
unsafe fn gathered(parts: *const iovec, count: c_int, bytes: usize) -> Vec<u8> {
    let mut gathered = Vec::with_capacity(bytes);
    for place in 0..count as usize {
        // SAFETY: guaranteed by the caller of this function.
        let part = unsafe { &*parts.add(place) };
        let taken = part.iov_len.min(bytes - gathered.len());
        // SAFETY: guaranteed by the caller of this function.
        gathered.extend_from_slice(unsafe { bytes_at(part.iov_base, taken) });
    }
    gathered
}
