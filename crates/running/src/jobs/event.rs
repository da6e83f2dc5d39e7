//! What jobs tell, by what they are.

use crate::runner::RunnerEvent;
use dbdyno_engine::protocol;
use serde::{Deserialize, Serialize};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Runs a session.
    Session,
    /// Tries changes, or searches among all that could be changed.
    Tune,
    /// Looks for the highest rate.
    Capacity,
    /// Kills engines, and takes the power from them.
    Torture,
}

/// What a job tells those who watch it.
pub trait Telling: Serialize {
    /// What the job does.
    const KIND: JobKind;

    /// Whether it is worth nothing to those who come later.
    fn is_progress(&self) -> bool;

    /// Whether it has a histogram that is too large for the log.
    fn has_histogram(&self) -> bool {
        false
    }
}

impl Telling for RunnerEvent {
    const KIND: JobKind = JobKind::Session;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Uses { .. } | Self::Worker { says: protocol::Event::Progress { .. }, .. })
    }

    fn has_histogram(&self) -> bool {
        matches!(self, Self::Worker { says: protocol::Event::TestDone(done), .. } if !done.histogram.is_empty())
    }
}
