//! The events of jobs, by kind of job.

use crate::runner::RunnerEvent;
use dbdyno_engine::protocol;
use serde::{Deserialize, Serialize};

/// The purpose of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Runs a session.
    Session,
    /// Tries changes, or searches among all possible changes.
    Tune,
    /// Chooses an engine with its settings.
    Choose,
    /// Searches for the highest rate.
    Capacity,
    /// Kills engines, and simulates power losses.
    Torture,
}

/// An event that a job sends to its watchers.
pub trait Telling: Serialize {
    /// The kind of job that sends this event.
    const KIND: JobKind;

    /// Whether the event is worthless to watchers who come later.
    fn is_progress(&self) -> bool;

    /// Whether the event has a histogram that is too large for the log.
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
