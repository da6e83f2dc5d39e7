//! How a session is run.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// How a session is run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionLaunch {
    /// Where databases are put.
    pub work_dir: PathBuf,
    /// CPU to pin workers to.
    pub cpu: Option<u32>,
    /// Whether run folders are kept.
    pub keep_databases: bool,
    /// Whether a run goes on when options in force differ from those asked for.
    pub allow_differing_options: bool,
    /// Whether other sessions' runs may be measured at the same time.
    pub concurrent: bool,
    /// Time after which no further round is begun.
    pub budget: Option<Duration>,
    /// How long a worker may say nothing, beyond what a whole run is expected to take.
    pub silence: Duration,
    /// Time after which a run has failed; none for one that follows from what it is expected to take.
    pub deadline: Option<Duration>,
    /// The command that started the session.
    pub command_line: String,
    pub preset: Option<String>,
    /// Keys with values that every run gets, by which its results can be selected.
    pub keys: BTreeMap<String, String>,
    /// Which look at something undecided it is, where it adds rounds to a session.
    #[serde(default)]
    pub look: Option<u32>,
    /// What follows it.
    #[serde(default)]
    pub followed: FollowedBy,
}

/// What a bench asks for after its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedBy {
    /// Whether it is shown how much each option of the sweep matters.
    pub effects: bool,
    /// The claims file whose figures are shown beside the measured ones.
    pub claims: Option<String>,
}

/// How long a worker may say nothing, beyond what a whole run is expected to take, unless told otherwise.
pub const DEFAULT_SILENCE: Duration = Duration::from_secs(30);

impl SessionLaunch {
    /// The usual conditions.
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
            followed: FollowedBy::default(),
        }
    }
}
