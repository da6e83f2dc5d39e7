//! The settings of a session, apart from its plan.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// The settings of a session, apart from its plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionLaunch {
    /// Where databases are put.
    pub work_dir: PathBuf,
    /// CPU to pin workers to.
    pub cpu: Option<u32>,
    /// Whether run folders are kept.
    pub keep_databases: bool,
    /// Whether a run goes on if options in force differ from the requested ones.
    pub allow_differing_options: bool,
    /// Whether runs of other sessions may be measured at the same time.
    pub concurrent: bool,
    /// Time limit: no round begins that is expected to run past it.
    pub budget: Option<Duration>,
    /// How long a worker may be silent beyond the expected duration of a whole run.
    pub silence: Duration,
    /// Time after which a run has failed. None: it is derived from the run's expected duration.
    pub deadline: Option<Duration>,
    /// The command that started the session.
    pub command_line: String,
    pub preset: Option<String>,
    /// Keys with values that every run gets, by which its results can be selected.
    pub keys: BTreeMap<String, String>,
    /// The number of the look at an undecided comparison, if the session adds rounds to another one.
    #[serde(default)]
    pub look: Option<u32>,
    /// How many rounds are repeated at the end to explain them: see `--why`.
    #[serde(default)]
    pub why: u32,
    /// The evaluations that follow the session.
    #[serde(default)]
    pub followed: FollowedBy,
}

/// The evaluations that a bench requests after its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedBy {
    /// Whether the effect of each option of the sweep is shown.
    pub effects: bool,
    /// The claims file whose figures are shown alongside the measured ones.
    pub claims: Option<String>,
}

/// How long a worker may be silent beyond the expected duration of a whole run, by default.
pub const DEFAULT_SILENCE: Duration = Duration::from_secs(30);

impl SessionLaunch {
    /// Returns the default settings.
    pub fn new(work_dir: PathBuf, command_line: String) -> Self {
        Self {
            work_dir,
            cpu: None,
            keep_databases: false,
            allow_differing_options: false,
            concurrent: false,
            budget: None,
            silence: DEFAULT_SILENCE,
            deadline: None,
            command_line,
            preset: None,
            keys: BTreeMap::new(),
            look: None,
            why: 0,
            followed: FollowedBy::default(),
        }
    }
}
