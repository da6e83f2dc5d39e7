//! The functions that read files and lock them, which change no file: for [explaining runs](crate::explain), which tell their time apart.

#![expect(unsafe_code, reason = "functions of the C library are defined here, with its signatures")]

use super::interposed::interpose;
use crate::explain::{Place, within};
use libc::{
    SYS_fcntl, SYS_flock, SYS_pread64, SYS_preadv, SYS_read, SYS_readv, c_int, c_void, iovec, off_t, size_t, ssize_t,
    syscall,
};

interpose! {
    [read](fd: c_int, bytes: *mut c_void, count: size_t) -> ssize_t {
        // SAFETY: the arguments are passed on unchanged, as in all that follow; `syscall` sets errno as the function does.
        within(Place::Read, || unsafe { syscall(SYS_read, fd, bytes, count) }) as ssize_t
    }

    [pread, pread64](fd: c_int, bytes: *mut c_void, count: size_t, offset: off_t) -> ssize_t {
        // SAFETY: as in `read`.
        within(Place::Read, || unsafe { syscall(SYS_pread64, fd, bytes, count, offset) }) as ssize_t
    }

    [readv](fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
        // SAFETY: as in `read`.
        within(Place::Read, || unsafe { syscall(SYS_readv, fd, parts, count) }) as ssize_t
    }

    [preadv, preadv64](fd: c_int, parts: *const iovec, count: c_int, offset: off_t) -> ssize_t {
        // SAFETY: as in `read`. The last argument is the offset's upper half, which is empty on 64-bit systems.
        within(Place::Read, || unsafe { syscall(SYS_preadv, fd, parts, count, offset, 0_usize) }) as ssize_t
    }

    [flock](fd: c_int, operation: c_int) -> c_int {
        // SAFETY: as in `read`.
        within(Place::Lock, || unsafe { syscall(SYS_flock, fd, operation) }) as c_int
    }
}

/// Defines functions whose last argument is variadic in C, as [`opens`](super::opens) does.
macro_rules! interpose_control {
    ($($name:ident),+) => {
        $(
            /// # Safety
            /// As the C library's function of this name.
            #[cfg(variadic_definitions)]
            #[expect(clippy::incompatible_msrv, reason = "compiled where the compiler has it: see build.rs")]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(fd: c_int, command: c_int, mut rest: ...) -> c_int {
                // SAFETY: the caller gives an argument with these commands.
                let argument = if has_argument(command) { unsafe { rest.next_arg::<usize>() } } else { 0 };
                controlled(fd, command, argument)
            }

            /// # Safety
            /// As the C library's function of this name. With commands that have no argument it may be anything.
            #[cfg(not(variadic_definitions))]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(fd: c_int, command: c_int, rest: usize) -> c_int {
                controlled(fd, command, if has_argument(command) { rest } else { 0 })
            }
        )+

        fn control_definitions() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),+]
        }
    };
}

interpose_control!(fcntl, fcntl64);

/// Whether a command of `fcntl` has an argument.
fn has_argument(command: c_int) -> bool {
    use libc::{F_GET_SEALS, F_GETFD, F_GETFL, F_GETLEASE, F_GETOWN, F_GETPIPE_SZ};
    !matches!(command, F_GETFD | F_GETFL | F_GETOWN | F_GETLEASE | F_GETPIPE_SZ | F_GET_SEALS)
}

fn controlled(fd: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: as in `read`.
    let call = || unsafe { syscall(SYS_fcntl, fd, command, argument) } as c_int;
    match command {
        libc::F_SETLK | libc::F_SETLKW | libc::F_GETLK | libc::F_OFD_SETLK | libc::F_OFD_SETLKW | libc::F_OFD_GETLK => {
            within(Place::Lock, call)
        }
        _ => call(),
    }
}

/// Returns the names of the functions defined here, each with its address.
pub(super) fn definitions() -> Vec<(&'static str, usize)> {
    [own_definitions(), control_definitions()].concat()
}
