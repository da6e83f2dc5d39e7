//! The impure side: the event loop, what is painted on, signals, requests responded to, jobs watched.

mod announce;
mod canvas;
mod desk;
mod event_loop;
mod input;
mod respond;
mod signals;
mod task;

pub use respond::respond;

use crate::tui::{launch::Opening, screens::live::LastSession, setup::TuiSetup};
use event_loop::EventLoop;
use std::io;

/// How the terminal UI was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The user asked for it, or nothing was measured.
    AsAsked,
    /// The user wants the terminal back; what is measured goes on.
    Detached,
    /// The terminal is gone; what is measured goes on.
    HungUp,
    /// A signal came while something was measured: that was stopped, and what finished is kept.
    Interrupted,
}

/// What became of the terminal UI.
#[derive(Debug)]
pub struct Over {
    /// How it was left.
    pub left: Left,
    /// The last session that it saw end.
    pub last: Option<LastSession>,
}

/// Shows what is asked for first, and runs the terminal UI until the user leaves, a signal ends it, or the terminal is gone.
///
/// # Errors
/// What the terminal said.
pub fn run(setup: TuiSetup, first: Opening) -> io::Result<Over> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let over = runtime.block_on(async { EventLoop::start(setup, first)?.run().await });
    // A request may still be under way; nobody waits for its response.
    runtime.shutdown_background();
    over
}
