//! Runs a plan: one worker process and one fresh folder a run, results stored as they come.

mod agreement;
mod allowance;
mod control;
mod conversation;
mod credible;
mod fit;
mod folder;
mod in_force;
mod job;
mod launch;
mod measurement_lock;
mod outline;
mod quiet;
mod resume;
mod run;
mod sent;
mod session;
mod uses;
mod worker;

pub use control::{Control, SessionHandle, Tell};
pub use credible::Witness;
pub use fit::fit;
pub use folder::RunFolder;
pub use in_force::differing;
pub use job::confinement;
pub use launch::{DEFAULT_SILENCE, FollowedBy, SessionLaunch};
pub use measurement_lock::MeasurementLock;
pub use outline::{OutlinedConfiguration, OutlinedRun, OutlinedTest, SessionOutline};
pub use quiet::Turn;
pub use resume::{Owed, PlannedSession, ResumeError};
pub use sent::Sent;
pub use sent::SentHistogram;
pub use session::host_record;
pub use session::{ChosenRun, OpenSession, Report, SessionError, run_session};
pub use uses::Uses;
pub use worker::{Ending, WorkerProcess};

use dbdyno_engine::protocol::Event;
use dbdyno_store::{Status, WarningRecord};
use serde::{Deserialize, Serialize};

/// What a session tells those who watch it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunnerEvent {
    /// Something worth a line: left-over folders swept, results taken from journals.
    Note {
        /// The line.
        text: String,
    },
    /// What the session is about to do.
    Planned { outline: Box<SessionOutline> },
    /// The session begins.
    SessionStarted {
        /// Its UUID.
        session_id: String,
        /// Runs in the plan.
        runs: usize,
    },
    /// The harness's own cost is being measured, before the first run.
    Calibrating,
    /// Another session's run is being waited for: it holds the measurement lock.
    WaitingForLock,
    /// The session was asked to pause, and begins no run until it is asked to go on.
    Paused,
    /// It goes on.
    Resumed,
    /// A run begins.
    RunStarted {
        /// Place in the session.
        ordinal: u32,
        round: u32,
        /// UUID.
        run_id: String,
        /// Engine with the options that tell it from others.
        label: String,
        size: String,
        /// Tests it will do, measured or not.
        tests: usize,
    },
    /// The run's worker said something.
    Worker {
        /// Place of the run in the session.
        ordinal: u32,
        says: Event,
    },
    /// What the run's worker uses, a few times a second.
    Uses {
        /// Place of the run in the session.
        ordinal: u32,
        /// What.
        #[serde(flatten)]
        uses: Uses,
    },
    RunEnded {
        /// Place in the session.
        ordinal: u32,
        /// How.
        status: Status,
        /// Why, if it failed.
        failure: Option<String>,
    },
    /// Answers of a round that are not those of other engines, or not what is known to be right.
    WrongAnswers { answers: Vec<WrongAnswer> },
    /// A finding about the session.
    Warning(WarningRecord),
    /// The session is over, and all of it is kept somewhere.
    SessionEnded {
        /// Its UUID.
        session_id: String,
        status: Status,
        /// Why results are in the journal and not in the store: the next command takes them in.
        unmerged: Option<String>,
        /// Why some results are nowhere but in memory: neither journal nor store could be written.
        unkept: Option<String>,
    },
}

/// A test of a run whose answer is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongAnswer {
    /// Place of the run in the session.
    pub ordinal: u32,
    /// The test's number.
    pub test: u32,
}
