//! What a session is made of: its runs, how far they are, and what they measure.

use dbdyno_engine::size::Size;
use dbdyno_store::Status;

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// Not begun.
    Waiting,
    /// Under way.
    Running,
    /// Ended like this, with the reason if it failed.
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

/// What the session is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Getting ready.
    Starting,
    /// Measuring the harness's own cost.
    Calibrating,
    /// Waiting for another session's run.
    Waiting,
    /// Running a run.
    Running,
    /// Dialog to pause; a run may still be under way.
    Paused,
    /// Over, with how it ended.
    Over(Status),
    /// It could not be run.
    Failed(String),
}

/// What is measured: a label at a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedConfiguration {
    /// The engine with the options that tell it from others.
    pub(crate) label: String,
    pub(crate) engine: String,
    pub(crate) size: Size,
    /// Whether it is another one once more.
    pub(crate) twin: bool,
}
