//! Signals that the server is sent. Those of a terminal reach its client.

use std::io;
use tokio::signal::unix::{self, SignalKind, signal};

/// What a signal asks of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signalled {
    End,
    /// To do without its terminal.
    HangUp,
}

/// Signals that the server answers.
pub(super) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hang_up: unix::Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) -> Signalled {
        tokio::select! {
            _ = self.terminate.recv() => Signalled::End,
            _ = self.interrupt.recv() => Signalled::End,
            _ = self.hang_up.recv() => Signalled::HangUp,
        }
    }
}
