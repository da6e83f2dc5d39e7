//! The recording of this process, if there is one, and the way calls reach it.

use super::{record::Marker, recorder::PowerRecorder};
use libc::{c_int, c_long};
use std::{
    cell::Cell,
    ffi::{CStr, c_char},
    io,
    ops::{Deref, DerefMut},
    os::fd::BorrowedFd,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

static IS_RECORDING: AtomicBool = AtomicBool::new(false);
static RECORDER: Mutex<Option<PowerRecorder>> = Mutex::new(None);

thread_local! {
    /// Whether this thread is recording a call. Calls that it makes for recording, and calls of a signal handler meanwhile, are not
    /// recorded.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The current recording; it ends when this is dropped.
#[derive(Debug)]
#[must_use = "the recording ends when this is dropped"]
pub struct PowerRecording(());

/// Starts recording what this process does to everything below a folder, in a new log file. The existing content counts as being on the
/// disk. Its files must not be open, because their file locks would be released.
///
/// # Errors
/// Another recording is active. The folder contains something that is neither a file nor a folder. The log already exists, is below the
/// folder, or cannot be written. The system is not a 64-bit system.
pub fn record(root: &Path, log: &Path) -> io::Result<PowerRecording> {
    let named = |error: io::Error| {
        let message = format!("recording {} in the log {}: {error}", root.display(), log.display());
        io::Error::new(error.kind(), message)
    };
    if cfg!(not(target_pointer_width = "64")) {
        return Err(named(io::Error::other("calls can be recorded on 64-bit systems only")));
    }
    let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if recorder.is_some() {
        return Err(named(io::Error::other("another recording is under way")));
    }
    *recorder = Some(PowerRecorder::start(root, log).map_err(named)?);
    IS_RECORDING.store(true, Relaxed);
    Ok(PowerRecording(()))
}

/// Logs the program's progress; does nothing without a recording.
///
/// # Errors
/// The log does not contain everything up to here.
pub fn mark(marker: Marker) -> io::Result<()> {
    Entered::now().map_or(Ok(()), |mut entered| entered.mark(marker))
}

impl PowerRecording {
    /// Ends the process immediately: nothing is closed, and no call of another thread is half recorded.
    #[expect(unsafe_code, reason = "no exit handlers of an engine's library may run: they would close the database")]
    pub fn end_process(self) -> ! {
        let _entered = Entered::now();
        // SAFETY: _exit takes any code and never returns.
        unsafe { libc::_exit(0) }
    }
}

impl Drop for PowerRecording {
    fn drop(&mut self) {
        IS_RECORDING.store(false, Relaxed);
        RECORDER.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The recorder, locked.
pub(super) struct Entered(MutexGuard<'static, Option<PowerRecorder>>);

impl Entered {
    fn now() -> Option<Self> {
        if !IS_RECORDING.load(Relaxed) || IS_INSIDE.replace(true) {
            return None;
        }
        let guard = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
        // The recording may have ended meanwhile.
        let entered = Self(guard);
        entered.0.is_some().then_some(entered)
    }
}

impl Deref for Entered {
    type Target = PowerRecorder;

    fn deref(&self) -> &PowerRecorder {
        match self.0.as_ref() {
            Some(recorder) => recorder,
            None => unreachable!("looked at when the lock was taken"),
        }
    }
}

impl DerefMut for Entered {
    fn deref_mut(&mut self) -> &mut PowerRecorder {
        match self.0.as_mut() {
            Some(recorder) => recorder,
            None => unreachable!("looked at when the lock was taken"),
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

/// Makes a system call, and records it if `find` returns something that is recorded. In that case nothing else is recorded until `done` has
/// logged the result of a successful call. Without a recording it costs one check of a flag.
#[inline]
pub(super) fn around<T>(
    find: impl FnOnce(&mut PowerRecorder) -> Option<T>,
    call: impl FnOnce() -> c_long,
    done: impl FnOnce(&mut PowerRecorder, T, usize),
) -> c_long {
    if !IS_RECORDING.load(Relaxed) {
        return call();
    }
    let found = quietly(|| {
        let mut entered = Entered::now()?;
        find(&mut entered).map(|found| (entered, found))
    });
    let result = call();
    if let Some((mut entered, found)) = found {
        quietly(move || {
            if let Ok(result) = usize::try_from(result) {
                done(&mut entered, found, result);
            }
        });
    }
    result
}

/// Does the work and restores errno, so that the caller does not notice it.
#[expect(unsafe_code, reason = "errno has no safe way to be set")]
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the address is of this thread's own errno.
    let errno = unsafe { *libc::__errno_location() };
    let done = work();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    done
}

/// Returns a descriptor of the caller, if the number can be one; also accepts `AT_FDCWD`.
#[expect(unsafe_code, reason = "descriptors of C have no owner")]
pub(super) fn borrowed<'f>(fd: c_int) -> Option<BorrowedFd<'f>> {
    // SAFETY: it is only used during the call that it was passed to, and C does not allow closing it during that call; it is not -1.
    (fd != -1).then(|| unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Returns a path as the `*at` functions take it; `None` if the call will fail because of the path.
///
/// # Safety
/// As for those functions: `path` is null or ends with a zero.
#[expect(unsafe_code, reason = "texts of C are pointers")]
pub(super) unsafe fn path_at<'p>(folder: c_int, path: *const c_char) -> Option<(BorrowedFd<'p>, &'p CStr)> {
    // SAFETY: guaranteed by the caller of this function.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }).and_then(|path| Some((borrowed(folder)?, path)))
}
