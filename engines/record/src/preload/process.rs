//! Ends of a process image that run no code of libraries otherwise.

use crate::{exit, modules::next_function};
use std::ffi::{c_char, c_int};

const NOT_FOUND: c_int = -1;

fn end(code: c_int) -> ! {
    exit::finish();
    loop {
        // SAFETY: what the system's own function does.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

// SAFETY: the name is the system's, which this function intercepts.
#[unsafe(no_mangle)]
unsafe extern "C" fn _exit(code: c_int) -> ! {
    end(code)
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn _Exit(code: c_int) -> ! {
    end(code)
}

/// Defines a function that replaces the process image. Functions with a variable number of arguments are missing: their
/// programs lose the last fraction of a second.
macro_rules! replace_image {
    ($name:ident, $symbol:literal, ($($argument:ident: $type:ty),*)) => {
        // SAFETY: the name is the system's, which this function intercepts.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            exit::flush();
            let next: Option<unsafe extern "C" fn($($type),*) -> c_int> = next_function($symbol);
            // SAFETY: the program's own arguments.
            next.map_or(NOT_FOUND, |next| unsafe { next($($argument),*) })
        }
    };
}

type Strings = *const *const c_char;

replace_image!(execve, c"execve", (path: *const c_char, arguments: Strings, environment: Strings));
replace_image!(execv, c"execv", (path: *const c_char, arguments: Strings));
replace_image!(execvp, c"execvp", (file: *const c_char, arguments: Strings));
replace_image!(execvpe, c"execvpe", (file: *const c_char, arguments: Strings, environment: Strings));
replace_image!(fexecve, c"fexecve", (descriptor: c_int, arguments: Strings, environment: Strings));
