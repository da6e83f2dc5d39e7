//! `open` and `openat`, whose mode is a variadic argument in C: the remaining functions of `interposed`.
//!
//! The standard library calls them as variadic functions, so they are defined as variadic if the compiler supports it (Rust 1.99). For
//! older compilers the mode is an ordinary argument: on Linux for x86-64 and for 64-bit ARM both are passed in the same register.

#![expect(unsafe_code, reason = "functions of the C library are defined here, with its signatures")]

use super::{
    recorder::PowerRecorder,
    recording::{around, borrowed, path_at},
};
use libc::{AT_FDCWD, SYS_openat, c_char, c_int, mode_t, syscall};
use rustix::fs::OFlags;

/// Defines functions that open a path in a folder, with flags and, as C's variadic argument, a mode.
macro_rules! interpose {
    ($($name:ident($($argument:ident: $type:ty),+) opens $folder:expr, $path:expr;)*) => {
        $(
            /// # Safety
            /// As the C library's function of this name.
            #[cfg(variadic_definitions)]
            #[expect(clippy::incompatible_msrv, reason = "compiled where the compiler has it: see build.rs")]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type,)+ flags: c_int, mut rest: ...) -> c_int {
                // SAFETY: the caller gives a mode with these flags.
                let mode = if has_mode(flags) { unsafe { rest.next_arg::<mode_t>() } } else { 0 };
                // SAFETY: the caller's path.
                unsafe { opened($folder, $path, flags, mode) }
            }

            /// # Safety
            /// As the C library's function of this name. Without a mode in the flags, the last argument may be anything.
            #[cfg(not(variadic_definitions))]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type,)+ flags: c_int, rest: mode_t) -> c_int {
                let mode = if has_mode(flags) { rest } else { 0 };
                // SAFETY: the caller's path.
                unsafe { opened($folder, $path, flags, mode) }
            }
        )*

        /// Returns the names of the functions defined here, each with its address.
        pub(super) fn definitions() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

interpose! {
    open(path: *const c_char) opens AT_FDCWD, path;
    open64(path: *const c_char) opens AT_FDCWD, path;
    openat(folder: c_int, path: *const c_char) opens folder, path;
    openat64(folder: c_int, path: *const c_char) opens folder, path;
}

/// Whether flags of `open` require a mode.
fn has_mode(flags: c_int) -> bool {
    flags & libc::O_CREAT != 0 || is_nameless(flags)
}

/// Whether the flags create a file without a name.
fn is_nameless(flags: c_int) -> bool {
    flags & libc::O_TMPFILE == libc::O_TMPFILE
}

/// Opens a file, and records it if the call creates or truncates one.
///
/// # Safety
/// The path is a C string.
pub(super) unsafe fn opened(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the arguments are passed on unchanged; `syscall` sets errno as the function does.
    let call = || unsafe { syscall(SYS_openat, folder, path, flags, mode) };
    if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 || is_nameless(flags) {
        return call() as c_int;
    }
    let flags = OFlags::from_bits_retain(flags as u32);
    // SAFETY: the caller's path.
    let find = |recorder: &mut PowerRecorder| recorder.there_is(unsafe { path_at(folder, path) }?, flags);
    let record = |recorder: &mut PowerRecorder, was_there, fd| {
        if let Some(fd) = borrowed(fd as c_int) {
            recorder.opened(fd, was_there, flags);
        }
    };
    around(find, call, record) as c_int
}
