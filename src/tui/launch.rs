//! What is measured beside the screens: what starts it, and what it is told.

use crate::{
    bench::{BenchPlan, Spec},
    torture::{Subject, Terms},
    tune::{Trial, WhatIf, Workload},
};
use std::time::Duration;

/// A bench to be run.
#[derive(Debug, Clone)]
pub struct SessionStart {
    pub spec: Spec,
    /// The preset it came from, if unchanged.
    pub(crate) preset: Option<String>,
    /// The command that does the same.
    pub command_line: String,
}

/// A trial to be run.
#[derive(Debug, Clone)]
pub enum TrialStart {
    /// One that was not tried before.
    New {
        /// What it is measured on.
        workload: Workload,
        /// What is tried. The seed is chosen when it starts.
        what_if: WhatIf,
        /// The command that does the same.
        command_line: String,
    },
    /// As many rounds again.
    More {
        /// What it was measured on.
        workload: Workload,
        /// The trial that was run to its end.
        trial: Box<Trial>,
        /// The command that does the same.
        command_line: String,
    },
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

/// What a session is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// To end.
    Stop,
    /// To end without patience for its worker.
    Hurry,
    /// To begin no further run.
    Pause,
    /// To go on.
    Resume,
    /// To give up the run of this place.
    Skip(u32),
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
