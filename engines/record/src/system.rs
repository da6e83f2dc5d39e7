//! Clocks, threads, futexes and errno.

use std::{ptr, sync::atomic::AtomicU32};

fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time into a local variable.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Nanoseconds of the monotonic clock.
pub(crate) fn monotonic() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970.
pub(crate) fn realtime() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

/// The system's identifier of the current thread.
pub(crate) fn thread_id() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

pub(crate) fn process_id() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getpid() as u32 }
}

pub(crate) fn parent_id() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getppid() as u32 }
}

/// Runs code of the recorder so that the program's errno stays as it was.
pub(crate) fn keeping_errno<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the address belongs to the thread's own variable.
    let errno = unsafe { *libc::__errno_location() };
    let result = work();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    result
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 }
}

/// Waits while `word` has `value`, for so many nanoseconds at most.
pub(crate) fn wait(word: &AtomicU32, value: u32, ns: u64) {
    let time = timespec(ns);
    // SAFETY: the word and the time live until the call returns.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            &raw const time,
        )
    };
}

/// Wakes all threads that wait for `word`.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the word is only used as an address.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX) };
}

pub(crate) fn sleep(ns: u64) {
    // SAFETY: the time lives until the call returns. The rest after a signal is not needed.
    unsafe { libc::nanosleep(&timespec(ns), ptr::null_mut()) };
}

/// Runs `work` while the thread gets no signals. SIGXFSZ, which a write of the recorder may cause, is removed.
pub(crate) fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    let mut all = no_signals();
    let mut before = no_signals();
    let mut pending = no_signals();
    let mut size = no_signals();
    // SAFETY: all sets are local variables.
    let was_pending = unsafe {
        libc::sigfillset(&raw mut all);
        libc::sigaddset(&raw mut size, libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        libc::sigpending(&raw mut pending);
        libc::sigismember(&raw const pending, libc::SIGXFSZ) == 1
    };
    let result = work();
    // SAFETY: as above. A signal that is not pending makes the call return at once.
    unsafe {
        if !was_pending {
            libc::sigtimedwait(&raw const size, ptr::null_mut(), &timespec(0));
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
    }
    result
}

fn no_signals() -> libc::sigset_t {
    // SAFETY: all bits of zero are a valid value, which sigemptyset then sets properly.
    let mut set = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a local variable.
    unsafe { libc::sigemptyset(&raw mut set) };
    set
}
