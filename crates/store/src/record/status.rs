//! How sessions and runs ended.

use serde::{Deserialize, Serialize};

/// How a session or run stands.
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
    /// Its process ended before it did.
    Interrupted,
    /// Of a run: it was not finished, and was run again from its beginning.
    Superseded,
}

impl Status {
    /// The word stored.
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
    /// An option in force is not the one asked for.
    OptionsDiffer,
    /// It took too long.
    Deadline,
    /// The engine said so.
    Engine,
    /// Its process did not do what a worker does.
    Worker,
    /// What it measured could not be kept.
    Unkept,
}

impl FailureKind {
    /// The word stored.
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
