//! The parts of a session: its runs, their states, and their configurations.

use dbdyno_engine::size::Size;
use dbdyno_running::runner::OutlinedRun;
use dbdyno_store::Status;

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// Not begun.
    Waiting,
    /// In progress.
    Running,
    /// Ended with this status, and with the reason if it failed.
    Ended(Status, Option<String>),
}

/// A run of the plan.
#[derive(Debug, Clone)]
pub struct WatchedRun {
    /// Round, from 0.
    pub(crate) round: u32,
    /// Index of its configuration.
    pub(crate) configuration: usize,
    pub(crate) state: RunState,
}

impl WatchedRun {
    pub(super) fn waiting(run: &OutlinedRun) -> Self {
        Self { round: run.round, configuration: run.configuration, state: RunState::Waiting }
    }
}

/// The state of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Getting ready.
    Starting,
    /// Measuring the harness's own cost.
    Calibrating,
    /// Waiting for another session's run, as these words say.
    Waiting(String),
    /// Running a run.
    Running,
    /// Repeating runs to find out what their time goes to: the number of the repetition from 1, and how many there are.
    Explaining { run: u32, of: u32 },
    /// A pause was requested; a run may still be in progress.
    Paused,
    /// Ended, with this status.
    Over(Status),
    /// The session could not be run, for this reason.
    Failed(String),
}

/// A configuration under test: a label at a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedConfiguration {
    /// The engine with the options that distinguish it from others.
    pub(crate) label: String,
    pub(crate) engine: String,
    pub(crate) size: Size,
    /// Whether it is the twin of another configuration.
    pub(crate) twin: bool,
}
