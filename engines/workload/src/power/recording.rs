//! The recording of this process, if there is one, and how calls get to it.

use super::{record::Marker, recorder::Recorder};
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
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

thread_local! {
    /// Whether this thread is recording a call: those that it makes for that, and those of a signal handler meanwhile, are not recorded.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The recording under way; it ends when this is dropped.
#[derive(Debug)]
#[must_use = "the recording ends when this is dropped"]
pub struct Recording(());

/// Records from now on what this process does to what is below a folder, in a file that is made for that. What is there already is taken
/// to be on the disk, and must not be open: its file locks would be given up.
///
/// # Errors
/// Another recording is under way; something is below the folder that is neither a file nor a folder; the log is there already, is below
/// the folder, or cannot be written; the system is not of 64 bits.
pub fn record(root: &Path, log: &Path) -> io::Result<Recording> {
    let named = |error: io::Error| {
        let message = format!("recording {} in the log {}: {error}", root.display(), log.display());
        io::Error::new(error.kind(), message)
    };
    if cfg!(not(target_pointer_width = "64")) {
        return Err(named(io::Error::other("calls are seen on systems of 64 bits only")));
    }
    let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if recorder.is_some() {
        return Err(named(io::Error::other("another recording is under way")));
    }
    *recorder = Some(Recorder::start(root, log).map_err(named)?);
    IS_RECORDING.store(true, Relaxed);
    Ok(Recording(()))
}

/// Notes in the log how far the program is; nothing where nothing is recorded.
///
/// # Errors
/// The log does not hold everything up to here.
pub fn mark(marker: Marker) -> io::Result<()> {
    Entered::now().map_or(Ok(()), |mut entered| entered.mark(marker))
}

impl Recording {
    /// Ends the process as it is, with nothing closed and no call of another thread half recorded.
    #[expect(unsafe_code, reason = "no exit handlers of an engine's library may run: they would close the database")]
    pub fn end_process(self) -> ! {
        let _entered = Entered::now();
        // SAFETY: _exit takes any code and never returns.
        unsafe { libc::_exit(0) }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        IS_RECORDING.store(false, Relaxed);
        RECORDER.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The recorder, locked.
pub(super) struct Entered(MutexGuard<'static, Option<Recorder>>);

impl Entered {
    fn now() -> Option<Self> {
        if !IS_RECORDING.load(Relaxed) || IS_INSIDE.replace(true) {
            return None;
        }
        let guard = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended meanwhile.
        let entered = Self(guard);
        entered.0.is_some().then_some(entered)
    }
}

impl Deref for Entered {
    type Target = Recorder;

    fn deref(&self) -> &Recorder {
        match self.0.as_ref() {
            Some(recorder) => recorder,
            None => unreachable!("looked at when the lock was taken"),
        }
    }
}

impl DerefMut for Entered {
    fn deref_mut(&mut self) -> &mut Recorder {
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

/// Makes a system call, and records it where `find` finds something that is recorded: then nothing else is recorded until `done` has logged
/// what a call that succeeded returned. Where nothing is recorded it costs a look at one flag.
#[inline]
pub(super) fn around<T>(
    find: impl FnOnce(&mut Recorder) -> Option<T>,
    call: impl FnOnce() -> c_long,
    done: impl FnOnce(&mut Recorder, T, usize),
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

/// Does something and leaves errno as it was: to who makes a call, nothing else happened.
#[expect(unsafe_code, reason = "errno has no safe way to be set")]
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the address is of this thread's own errno.
    let errno = unsafe { *libc::__errno_location() };
    let done = work();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    done
}

/// A descriptor of the caller, where it can be one; `AT_FDCWD` too.
#[expect(unsafe_code, reason = "descriptors of C have no owner")]
pub(super) fn borrowed<'f>(fd: c_int) -> Option<BorrowedFd<'f>> {
    // SAFETY: it is only used while the call it was given to is under way, in which C does not let it be closed; it is not -1.
    (fd != -1).then(|| unsafe { BorrowedFd::borrow_raw(fd) })
}

/// A path as the `*at` functions take it; none where the call is going to fail of it.
///
/// # Safety
/// As for those functions: `path` is null or ends with a zero.
#[expect(unsafe_code, reason = "texts of C are pointers")]
pub(super) unsafe fn path_at<'p>(folder: c_int, path: *const c_char) -> Option<(BorrowedFd<'p>, &'p CStr)> {
    // SAFETY: that of this function.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }).and_then(|path| Some((borrowed(folder)?, path)))
}
