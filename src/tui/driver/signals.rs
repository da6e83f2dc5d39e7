//! Signals to the program while it shows its screens.

use std::io;
use tokio::signal::unix::{self, SignalKind, signal};

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signalled {
    /// End the program.
    End,
    /// The terminal is gone.
    HangUp,
    /// Stop until the program is resumed.
    Stop,
    /// The program was resumed.
    Resume,
}

pub(super) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hang_up: unix::Signal,
    stop: unix::Signal,
    resume: unix::Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let raw = |number| signal(SignalKind::from_raw(number));
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: raw(libc::SIGTSTP)?,
            resume: raw(libc::SIGCONT)?,
        })
    }

    pub(super) async fn next(&mut self) -> Signalled {
        tokio::select! {
            _ = self.terminate.recv() => Signalled::End,
            _ = self.interrupt.recv() => Signalled::End,
            _ = self.hang_up.recv() => Signalled::HangUp,
            _ = self.stop.recv() => Signalled::Stop,
            _ = self.resume.recv() => Signalled::Resume,
        }
    }
}
