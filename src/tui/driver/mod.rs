//! The impure side: the event loop, what is painted on, signals, requests responded to, sessions run.

mod announce;
mod canvas;
mod desk;
mod event_loop;
mod input;
mod respond;
mod session;
mod signals;

pub use respond::respond;

use crate::tui::{
    attach::{Ended, Terminals},
    launch::Opening,
    setup::TuiSetup,
};
use dbdyno_running::runner::Report;
use dbdyno_store::{SessionRecord, Status};
use event_loop::EventLoop;
use std::io;

/// How the terminal UI was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The user asked for it, or nothing was measured.
    AsAsked,
    /// A signal came while something was measured: that was stopped, and what finished is kept.
    Interrupted,
}

/// A session that has ended.
#[derive(Debug)]
pub struct LastSession {
    /// As it is stored.
    pub record: SessionRecord,
    /// Runs that went well.
    pub done: usize,
}

impl LastSession {
    fn new(report: &Report) -> Self {
        let done = report.runs.iter().filter(|run| run.status == Status::Done).count();
        Self { record: report.session.clone(), done }
    }
}

/// What became of the terminal UI.
#[derive(Debug)]
pub struct Over {
    /// How it was left.
    pub left: Left,
    /// The last session that it ran.
    pub last: Option<Box<LastSession>>,
}

/// Shows what is asked for first, and runs the terminal UI for the terminal whose client is at the other end of standard input, and for those that come later, until
/// the user leaves, a signal ends it, or the terminal is gone and nothing is measured. What `conclude` makes of it is told to the
/// terminal that is there then; its exit code is returned.
///
/// # Errors
/// What the system said when it was to be started.
pub fn serve(setup: TuiSetup, first: Opening, conclude: impl FnOnce(io::Result<Over>) -> Ended) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut terminals = runtime.block_on(async { Terminals::open() })?;
    let over = runtime.block_on(async {
        match EventLoop::start(setup, first, &mut terminals).await {
            Ok(event_loop) => event_loop.run().await,
            Err(error) => Err(error),
        }
    });
    let ended = conclude(over);
    let code = ended.code;
    runtime.block_on(terminals.end(ended));
    // A request may still be under way; nobody waits for its response.
    runtime.shutdown_background();
    Ok(code)
}
