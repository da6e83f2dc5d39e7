//! Runs a plan: one worker process and one fresh folder for each run. Results are stored as they arrive.

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
mod looks;
mod measurement_lock;
mod outline;
mod quiet;
mod resume;
mod run;
mod sent;
mod session;
mod sharing;
mod uses;
mod worker;

pub use control::{Control, SessionHandle, SessionRequest};
pub use credible::Witness;
pub use fit::fit;
pub use folder::RunFolder;
pub use in_force::differing;
pub use job::confinement;
pub use launch::{DEFAULT_SILENCE, FollowedBy, SessionLaunch};
pub use looks::expected_until_decided;
pub use measurement_lock::MeasurementLock;
pub use outline::{OutlinedConfiguration, OutlinedRun, OutlinedTest, SessionOutline};
pub use quiet::QuietTurn;
pub use resume::{Owed, PlannedSession, ResumeError};
pub use sent::Sent;
pub use sent::SentHistogram;
pub use session::host_record;
pub use session::{ChosenRun, OpenSession, SessionError, SessionReport, run_session};
pub use uses::Uses;
pub use worker::{WorkerEnd, WorkerProcess};

use dbdyno_engine::protocol::Event;
use dbdyno_store::{Status, WarningRecord};
use serde::{Deserialize, Serialize};

/// Returns the words for a wait for the measurement lock.
pub fn waiting_for_lock(holder: Option<&str>) -> String {
    format!("waiting for another session's run to end{}", holder.map(|by| format!(": {by}")).unwrap_or_default())
}

/// An event that a session sends to its watchers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunnerEvent {
    /// A message for the user: leftover folders swept, results imported from journals.
    Note {
        /// The line.
        text: String,
    },
    /// The outline of the session, before it begins.
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
    /// The session waits for another session's run, which holds the measurement lock.
    WaitingForLock {
        /// The programs that hold it, in words, if the system reports them.
        #[serde(default)]
        holder: Option<String>,
    },
    /// The runs are over, and some are repeated to find out what their time goes to.
    Explaining {
        /// Number of the repetition, from 1, and how many there are.
        run: u32,
        of: u32,
        /// The engine with the options that distinguish it from the others.
        label: String,
        size: String,
    },
    /// A look left tests undecided, so the plan has more runs.
    RoundsAdded {
        /// The runs, which follow those planned so far.
        runs: Vec<OutlinedRun>,
        /// All rounds of the session now.
        rounds: u32,
        /// The first of the added rounds.
        from: u32,
    },
    /// The session was asked to pause, and begins no run until it is asked to continue.
    Paused,
    /// The session continues.
    Resumed,
    /// A run begins.
    RunStarted {
        /// Place in the session.
        ordinal: u32,
        round: u32,
        /// UUID.
        run_id: String,
        /// The engine with the options that distinguish it from the others.
        label: String,
        size: String,
        /// Number of tests in the run, measured or not.
        tests: usize,
    },
    /// An event of the run's worker.
    Worker {
        /// Place of the run in the session.
        ordinal: u32,
        says: Event,
    },
    /// The resources that the run's worker uses, a few times a second.
    Uses {
        /// Place of the run in the session.
        ordinal: u32,
        /// The figures for memory, I/O, context switches and disk space.
        #[serde(flatten)]
        uses: Uses,
    },
    RunEnded {
        /// Place in the session.
        ordinal: u32,
        /// The run's final status.
        status: Status,
        /// The reason, if it failed.
        failure: Option<String>,
    },
    /// Answers of a round that differ from those of other engines, or from the known correct ones.
    WrongAnswers { answers: Vec<WrongAnswer> },
    /// A finding about the session.
    Warning(WarningRecord),
    /// The session is over, and all of it is kept somewhere.
    SessionEnded {
        /// Its UUID.
        session_id: String,
        status: Status,
        /// The reason why results are in the journal and not in the store. The next command imports them.
        unmerged: Option<String>,
        /// The reason why some results are only in memory: neither the journal nor the store could be written.
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
