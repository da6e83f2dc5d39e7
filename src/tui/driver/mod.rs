//! The impure side: the event loop, the canvas, signals, responses to requests, and watched jobs.

mod announce;
mod canvas;
mod desk;
mod event_loop;
mod input;
mod pace;
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
    /// The user left, or no job of these screens was running.
    AsAsked,
    /// The user wants the terminal back; jobs keep running.
    Detached,
    /// The terminal is gone; jobs keep running.
    HungUp,
    /// A signal came while a job of these screens ran: the job was stopped, and its finished results are kept.
    Interrupted,
}

/// The outcome of the terminal UI.
#[derive(Debug)]
pub struct Over {
    /// How it was left.
    pub left: Left,
    /// The last session that it saw end.
    pub last: Option<LastSession>,
}

/// Shows `first`, and runs the terminal UI until the user leaves, a signal ends it, or the terminal is gone.
///
/// # Errors
/// The terminal returned an error.
pub fn run(setup: TuiSetup, first: Opening) -> io::Result<Over> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let over = runtime.block_on(async { EventLoop::start(setup, first)?.run().await });
    // A request may still be under way; nothing waits for its response.
    runtime.shutdown_background();
    over
}
