//! Signals that the program is sent.

use std::io;
use tokio::signal::unix::{self, SignalKind, signal};

/// What a signal asks of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signalled {
    End,
    /// To stop until it is resumed.
    Stop,
    /// It was resumed.
    Resume,
}

/// Signals that the program answers.
pub(super) struct Signals {
    end: [unix::Signal; 3],
    stop: unix::Signal,
    resume: unix::Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let raw = |number| signal(SignalKind::from_raw(number));
        Ok(Self {
            end: [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?],
            stop: raw(libc::SIGTSTP)?,
            resume: raw(libc::SIGCONT)?,
        })
    }

    pub(super) async fn next(&mut self) -> Signalled {
        let [terminate, hangup, interrupt] = &mut self.end;
        tokio::select! {
            _ = terminate.recv() => Signalled::End,
            _ = hangup.recv() => Signalled::End,
            _ = interrupt.recv() => Signalled::End,
            _ = self.stop.recv() => Signalled::Stop,
            _ = self.resume.recv() => Signalled::Resume,
        }
    }
}
