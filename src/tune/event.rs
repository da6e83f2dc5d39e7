//! What tuning tells those who watch it.

use super::{effect::Effect, trial::Trial};
use crate::runner::RunnerEvent;
use serde::Serialize;

/// Something happened.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TuneEvent {
    /// A trial begins, or goes on.
    TrialStarted {
        /// The trial as it stands.
        trial: Box<Trial>,
        /// Rounds of this look.
        rounds: u32,
        /// Rounds of earlier looks.
        before: u32,
    },
    /// The session that measures tells something.
    Session {
        /// What.
        says: RunnerEvent,
    },
    /// A round of the trial is finished. What the figures say so far decides nothing: the number of rounds is fixed.
    Round {
        /// The trial.
        trial_id: String,
        /// Rounds finished, of all looks.
        round: u32,
        /// Rounds planned, of all looks.
        of: u32,
        /// What the change did so far.
        effects: Vec<Effect>,
    },
    /// The trial is over: what it found, or why it was not run.
    TrialEnded {
        /// The trial.
        trial: Box<Trial>,
    },
}
