//! The impure side: the event loop, the terminal, signals, requests responded to, sessions run.

mod event_loop;
mod input;
mod respond;
mod session;
mod settings;
mod signals;
mod terminal;
mod watchdog;

pub use respond::respond;
pub use watchdog::watch_terminal;

use crate::tui::{launch::Opening, setup::TuiSetup};
use event_loop::EventLoop;
use std::io;

/// How the terminal UI was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The user asked for it, or nothing was measured.
    AsAsked,
    /// A signal came, or the terminal went, while something was measured: that was stopped, and what finished is kept.
    Interrupted,
}

/// Shows what is asked for first, and runs the terminal UI until the user leaves, a signal ends it or the terminal is gone.
///
/// # Errors
/// What the terminal said.
pub fn run(setup: TuiSetup, first: Opening) -> io::Result<Left> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(async { EventLoop::start(setup, first)?.run().await });
    // A request may still be under way; nobody waits for its response.
    runtime.shutdown_background();
    result
}
