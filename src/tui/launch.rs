//! Jobs that the screens start, with their estimates and commands. Also the things that a screen can be opened on.

use super::{keys::ScreenId, world::World};
use dbdyno_catalog::bench::{BenchEstimate, BenchPlan, Preset};
use dbdyno_foundation::{base::units, metric::Metric};
use dbdyno_reports::command::shell;
use dbdyno_running::{jobs::JobKind, runner::SessionOutline};
use std::{collections::BTreeMap, time::Duration};

/// Jobs that are expected to take longer than this start only after a confirmation.
const ASKED_FROM: Duration = Duration::from_secs(5 * 60);

/// Whether the user must confirm a job of this length before it starts.
pub(crate) fn is_long(time: Duration) -> bool {
    time > ASKED_FROM
}

/// Formats the estimate to show before a job starts: number of runs, time, disk space.
pub(crate) fn expected(estimate: &BenchEstimate, world: &World) -> Vec<String> {
    let by = if estimate.from_history { "based on earlier runs" } else { "a guess: there are no earlier runs" };
    let free = world.work_folder.space().map(|space| format!(", {} are free", units::bytes(space.free)));
    vec![
        format!("runs   {}", units::count(estimate.runs as u64)),
        format!("time   about {} ({by})", units::clock(estimate.time)),
        format!("disk   up to {}{}", units::bytes(estimate.space_bytes), free.unwrap_or_default()),
    ]
}

/// What to show: a screen, possibly with certain content on it.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// A screen, as it is.
    Screen(ScreenId),
    /// A comparison of two selections, regardless of other configurations.
    Pair { a: String, b: String },
    /// A comparison of two selections. If they are two of more configurations of a session, all of these are shown first.
    Sides { a: String, b: String },
    /// A comparison of the runs since a moment with those before it: both selections, the moment as readers see it, and the test to show.
    Since { since: String, before: String, words: String, test: Box<SizedTest> },
    /// A comparison of this selection with all configurations of its sessions.
    Beside { reference: String },
    /// The results that a selection matches, in a list.
    Results { selection: String },
    /// All details of a stored run, by its identifier.
    Run(String),
    /// A replay of a stored run, as it was measured.
    Replay(String),
    /// The trends of the configurations that selections match.
    Trend(TrendOf),
    /// A bench that can be run.
    Bench(Box<Preset>),
    /// The trial of a change to this base.
    WhatIf(WhatIfBase),
    /// The choice of an engine for this workload.
    Choose(ChoiceSubject),
    /// A query that can be run.
    Query(String),
    /// A job, by its name, on the screen that shows it.
    Job(String),
}

/// A test at a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedTest {
    pub(crate) size: String,
    pub(crate) number: u32,
    pub(crate) name: String,
}

/// An engine with the options that a bench gives it, to try changes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfBase {
    pub(crate) engine: String,
    /// The suite of the bench; none if it is the user's own.
    pub(crate) suite: Option<String>,
    pub(crate) options: BTreeMap<String, String>,
}

/// A workload to choose an engine for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceSubject {
    /// What users call it.
    pub(crate) name: String,
    /// The arguments of the command that name it.
    pub(crate) words: Vec<String>,
}

impl ChoiceSubject {
    /// Returns a suite with the tests that count; none: its usual ones.
    pub(crate) fn of_suite(suite: &str, tests: &[String]) -> Self {
        let mut words = vec!["--suite".to_owned(), suite.to_owned()];
        words.extend(tests.iter().flat_map(|test| ["--test".to_owned(), test.clone()]));
        let name = if tests.is_empty() { suite.to_owned() } else { format!("{suite}: {}", tests.join(", ")) };
        Self { name, words }
    }
}

/// The runs and the figure that a trend follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendOf {
    /// Selections. The trend follows the configurations of their runs.
    pub(crate) selections: Vec<String>,
    pub(crate) metric: Metric,
    /// The test to show first and its size, if they are given.
    pub(crate) test: Option<(u32, String)>,
}

/// A job that is to be started, with its command.
#[derive(Debug, Clone)]
pub struct JobStart {
    pub kind: JobKind,
    /// The command that runs the job, word by word.
    pub command: Vec<String>,
    /// The subject of its session, if it is known in advance.
    pub(crate) outline: Option<Box<SessionOutline>>,
}

impl JobStart {
    /// Returns the job of a command. `world` supplies the arguments that every command needs to have the same effect.
    pub(crate) fn new(kind: JobKind, words: impl IntoIterator<Item = impl Into<String>>, world: &World) -> Self {
        let command = words.into_iter().map(Into::into).chain(world.arguments.iter().cloned()).collect();
        Self { kind, command, outline: None }
    }

    /// Returns the command as a user can type it.
    pub fn command_line(&self) -> String {
        shell(&self.command)
    }
}

/// Returns the screen that shows a job of this kind.
pub(crate) fn screen_of(kind: JobKind) -> ScreenId {
    match kind {
        JobKind::Session | JobKind::Capacity => ScreenId::Live,
        JobKind::Choose => ScreenId::Choose,
        JobKind::Tune => ScreenId::Tune,
        JobKind::Torture => ScreenId::Torture,
    }
}

/// A session that can be resumed.
#[derive(Debug, Clone)]
pub struct OwedSession {
    /// UUID.
    pub(crate) session_id: String,
    /// The number of runs that are still to be run.
    pub(crate) runs: usize,
    pub(crate) plan: BenchPlan,
    /// The time that a run is expected to take.
    pub(crate) expected_run: Duration,
}
