//! The states of sessions and runs.

use serde::{Deserialize, Serialize};

/// The state of a session or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not finished.
    Running,
    /// Finished.
    Done,
    Failed,
    /// Ended by the user.
    Cancelled,
    /// Its process ended first.
    Interrupted,
    /// Only of a run: it was not finished, and was repeated from its beginning.
    Superseded,
}

impl Status {
    /// Returns the stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Superseded => "superseded",
        }
    }
}

/// Kinds of failure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// An option in force differs from the requested one.
    OptionsDiffer,
    /// It exceeded its time limit.
    Deadline,
    /// The engine reported a failure.
    Engine,
    /// Its process broke the worker protocol.
    Worker,
    /// Its results could not be stored.
    Unkept,
}

impl FailureKind {
    /// Returns the stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::OptionsDiffer => "options_differ",
            Self::Deadline => "deadline",
            Self::Engine => "engine",
            Self::Worker => "worker",
            Self::Unkept => "unkept",
        }
    }
}
