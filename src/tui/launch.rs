//! What is measured beside the screens: what starts it, and what it is told.

use super::{keys::ScreenId, world::World};
use dbdyno_catalog::bench::{BenchPlan, Estimate, Spec};
use dbdyno_foundation::base::units;
use dbdyno_running::{
    torture::{Subject, Terms},
    tune::{Trial, WhatIf, Workload, script::DatabaseSnapshot, search::SearchSpec},
};
use std::{sync::Arc, time::Duration};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// A screen, as it is.
    Screen(ScreenId),
    /// Two selections beside each other, on Compare.
    Pair { a: String, b: String },
    /// On Compare, all configurations of the sessions of this selection beside it.
    Beside { reference: String },
    /// What a selection means, on Results.
    Results { selection: String },
    /// A run on Results, by its identifier.
    Run(String),
}

/// A bench to be run.
#[derive(Debug, Clone)]
pub struct SessionStart {
    pub spec: Spec,
    /// The preset it came from, if unchanged.
    pub(crate) preset: Option<String>,
    /// The command that does the same.
    pub command_line: String,
}

/// Something to be tuned.
#[derive(Debug, Clone)]
pub struct TrialStart {
    /// What it is measured on.
    pub workload: Workload,
    /// The copy of the user's database that the workload starts from: there for as long as somebody holds it.
    pub(crate) held: Option<Arc<DatabaseSnapshot>>,
    /// What is asked of the workload. Its seeds are chosen when it starts.
    pub question: Question,
    /// Seed of all randomness; none: drawn when it starts.
    pub seed: Option<u64>,
    /// The command that does the same, without a seed that is drawn.
    pub command_line: String,
}

/// What is asked of a workload.
#[derive(Debug, Clone)]
pub enum Question {
    /// Changes that were not tried before, one after the other.
    Try(Vec<WhatIf>),
    /// As many rounds of a trial again.
    More(Box<Trial>),
    /// The fastest settings of a tier.
    Search(Box<SearchSpec>),
}

/// Configurations to be tortured.
#[derive(Debug, Clone)]
pub struct TortureStart {
    pub(crate) subjects: Vec<Subject>,
    /// How much is tried. The seed is chosen when it starts.
    pub(crate) terms: Terms,
    /// The command that does the same, without the seed.
    pub(crate) command_line: String,
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
