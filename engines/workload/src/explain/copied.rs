//! A copy of a thread's stack, which the thread itself makes when a signal asks for it. A signal's handler may do little: it copies
//! registers and memory, and another thread finds the calls in them.

#![expect(unsafe_code, reason = "a signal's handler reads the registers and the stack of the thread it interrupted")]

use super::place::{Place, own};
use std::{
    cell::UnsafeCell,
    ffi::{c_int, c_void},
    fmt, io,
    mem::MaybeUninit,
    ptr::null_mut,
    sync::atomic::{
        AtomicU8, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};

/// The most of a stack that is copied, bytes: its innermost part.
const MOST_BYTES: usize = 64 << 10;

/// No thread uses the copy, and it may be requested.
const IDLE: u8 = 0;
/// The sampler has requested it, and the measured thread may write it.
const WANTED: u8 = 1;
/// The measured thread has written it, and the sampler may read it.
const FILLED: u8 = 2;

/// Registers from which the calls of a thread can be found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Registers {
    pub(super) instruction: u64,
    pub(super) stack: u64,
    pub(super) frame: u64,
    /// Where the function returns to, on processors that have a register for it.
    pub(super) link: u64,
}

/// A place for a copy, which its state gives to one thread at a time.
pub(super) struct StackCopy {
    state: AtomicU8,
    /// The first address above the thread's stack.
    end: AtomicUsize,
    registers: UnsafeCell<Registers>,
    bytes: UnsafeCell<Box<[u8]>>,
    length: AtomicUsize,
}

// SAFETY: the cells are written by the measured thread alone while the state is WANTED, and read by the sampler while it is FILLED.
unsafe impl Sync for StackCopy {}

impl fmt::Debug for StackCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StackCopy").field("state", &self.state).finish_non_exhaustive()
    }
}

impl StackCopy {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU8::new(IDLE),
            end: AtomicUsize::new(0),
            registers: UnsafeCell::default(),
            bytes: UnsafeCell::new(vec![0; MOST_BYTES].into_boxed_slice()),
            length: AtomicUsize::new(0),
        }
    }

    /// Makes this the calling thread's, whose stack is found.
    pub(super) fn take_over(&self) {
        self.end.store(end_of_stack().unwrap_or(0), Relaxed);
        self.state.store(IDLE, Release);
    }

    /// Requests the stack of a thread, unless an earlier request is still open. `thread`: its ID.
    pub(super) fn ask(&self, thread: i32) {
        if self.state.compare_exchange(IDLE, WANTED, AcqRel, Acquire).is_ok() {
            // SAFETY: the signal has a handler, and the thread belongs to this process: a later thread with its number ignores the signal.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, libc::SIGPROF) };
        }
    }

    /// Returns what `read` makes of the copy, if there is one, and frees it.
    pub(super) fn taken<R>(&self, read: impl FnOnce(Registers, &[u8]) -> R) -> Option<R> {
        if self.state.load(Acquire) != FILLED {
            return None;
        }
        // SAFETY: the copy is this thread's until the state changes.
        let (registers, bytes) = unsafe { (*self.registers.get(), &*self.bytes.get()) };
        let result = read(registers, bytes.get(..self.length.load(Relaxed)).unwrap_or_default());
        self.state.store(IDLE, Release);
        Some(result)
    }

    /// Fills the copy, if it is wanted, in the signal handler of the thread that owns it.
    fn fill(&self, registers: Registers, place: Place) {
        if self.state.load(Acquire) != WANTED {
            return;
        }
        let from = registers.stack as usize;
        let length = self.end.load(Relaxed).saturating_sub(from).min(MOST_BYTES);
        let is_of_test = !matches!(place, Place::Outside | Place::Part);
        if !is_of_test || length == 0 {
            self.state.store(IDLE, Release);
            return;
        }
        // SAFETY: the copy is this thread's while it is wanted. Its stack reaches from the register to its end.
        unsafe {
            *self.registers.get() = registers;
            let to = (&mut *self.bytes.get()).as_mut_ptr();
            to.copy_from_nonoverlapping(from as *const u8, length);
        }
        self.length.store(length, Relaxed);
        self.state.store(FILLED, Release);
    }
}

/// Sets the signal's handler.
pub(super) fn handle_signal() -> io::Result<()> {
    // SAFETY: all zeros is a value of this structure of the C library.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = copy_stack as *const () as usize;
    // Calls that were interrupted go on.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler is a function of this signature, and only touches memory that is there for it.
    if unsafe { libc::sigaction(libc::SIGPROF, &raw const action, null_mut()) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

extern "C" fn copy_stack(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    if let Some(thread) = own() {
        // SAFETY: the kernel gives a handler with SA_SIGINFO the context that it interrupted.
        let registers = registers(unsafe { &*context.cast::<libc::ucontext_t>() });
        thread.stack.fill(registers, thread.place());
    }
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: c_int| context.uc_mcontext.gregs[register as usize] as u64;
    Registers { instruction: of(libc::REG_RIP), stack: of(libc::REG_RSP), frame: of(libc::REG_RBP), link: 0 }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = &context.uc_mcontext;
    Registers { instruction: of.pc, stack: of.sp, frame: of.regs[29], link: of.regs[30] }
}

/// On other processors stacks are not read.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn registers(_: &libc::ucontext_t) -> Registers {
    Registers::default()
}

/// Returns the first address above the calling thread's stack.
fn end_of_stack() -> Option<usize> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut lowest, mut bytes) = (null_mut(), 0);
    // SAFETY: the attributes are filled before they are read, and destroyed afterwards.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (found == 0).then_some(lowest as usize + bytes)
    }
}
