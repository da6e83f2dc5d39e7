//! What is measured beside the screens: what starts it, and what it is told.

use super::{keys::ScreenId, world::World};
use dbdyno_catalog::bench::{BenchPlan, Estimate, Preset};
use dbdyno_foundation::{base::units, metric::Metric};
use dbdyno_reports::command::shell;
use dbdyno_running::{jobs::JobKind, runner::SessionOutline};
use std::time::Duration;

/// What is expected to take longer than this is not started without asking.
const ASKED_FROM: Duration = Duration::from_secs(5 * 60);

/// Whether the user is asked before something that takes so long is started.
pub(crate) fn is_long(time: Duration) -> bool {
    time > ASKED_FROM
}

/// What to know before something is started: how many runs, how long, how much disk.
pub(crate) fn expected(estimate: &Estimate, world: &World) -> Vec<String> {
    let by = if estimate.from_history { "by what earlier runs took" } else { "a guess: no earlier runs to go by" };
    let free = world.work_folder.space().map(|space| format!(", {} are free", units::bytes(space.free)));
    vec![
        format!("runs   {}", units::count(estimate.runs as u64)),
        format!("time   about {} ({by})", units::clock(estimate.time)),
        format!("disk   up to {}{}", units::bytes(estimate.space_bytes), free.unwrap_or_default()),
    ]
}

/// What is shown, where that is said by more than a screen's key.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// A screen, as it is.
    Screen(ScreenId),
    /// Two selections beside each other, whatever else there is.
    Pair { a: String, b: String },
    /// Two selections beside each other; where they are two of more configurations of a session, all of these come first.
    Sides { a: String, b: String },
    /// All configurations of the sessions of this selection beside it.
    Beside { reference: String },
    /// What a selection means, in a list.
    Results { selection: String },
    /// All about a stored run, by its identifier.
    Run(String),
    /// A stored run once more, as it was measured.
    Replay(String),
    /// The trends of the configurations that selections mean.
    Trend(TrendOf),
    /// A bench that can be run.
    Bench(Box<Preset>),
    /// A query that can be run.
    Query(String),
    /// A job, by its name, on the screen that shows what it does.
    Job(String),
}

/// What a trend is asked of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendOf {
    /// Selections: what is followed are the configurations of their runs.
    pub(crate) selections: Vec<String>,
    pub(crate) metric: Metric,
    /// The test that is shown first, and at which size, where one is meant.
    pub(crate) test: Option<(u32, String)>,
}

/// Something to be measured: a job.
#[derive(Debug, Clone)]
pub struct JobStart {
    pub kind: JobKind,
    /// The command that measures it, word by word.
    pub command: Vec<String>,
    /// What its session will be about, where that is known before.
    pub(crate) outline: Option<Box<SessionOutline>>,
}

impl JobStart {
    /// What a command measures; `world` has what every command needs to mean the same.
    pub(crate) fn new(kind: JobKind, words: impl IntoIterator<Item = impl Into<String>>, world: &World) -> Self {
        let command = words.into_iter().map(Into::into).chain(world.arguments.iter().cloned()).collect();
        Self { kind, command, outline: None }
    }

    /// The command as it can be typed.
    pub fn command_line(&self) -> String {
        shell(&self.command)
    }
}

/// The screen that shows what such a job does.
pub(crate) fn screen_of(kind: JobKind) -> ScreenId {
    match kind {
        JobKind::Session | JobKind::Capacity => ScreenId::Live,
        JobKind::Tune => ScreenId::Tune,
        JobKind::Torture => ScreenId::Torture,
    }
}

/// A session that can be resumed.
#[derive(Debug, Clone)]
pub struct OwedSession {
    /// UUID.
    pub(crate) session_id: String,
    /// How many of its runs are still to be run.
    pub(crate) runs: usize,
    pub(crate) plan: BenchPlan,
    /// What a run is expected to take.
    pub(crate) expected_run: Duration,
}
