//! What is told to those who watch a capacity being looked for.

use super::{
    answer::{CapacityReport, Found},
    measure::Phase,
    probe::Probe,
};
use crate::{
    jobs::{JobKind, Telling},
    runner::RunnerEvent,
};
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CapacityEvent {
    /// The session that measures tells something.
    Session { says: RunnerEvent },
    /// A probe has ended.
    Probed {
        /// The engine with the options that tell it from others.
        label: String,
        /// What it is a part of.
        phase: Phase,
        /// From 1; 0 before the rounds.
        round: u32,
        rounds: u32,
        probe: Box<Probe>,
    },
    /// A search has ended: what it found at an engine.
    Searched { label: String, phase: Phase, round: u32, found: Found },
    /// All is over.
    CapacityEnded { found: Box<CapacityReport> },
}

impl Telling for CapacityEvent {
    const KIND: JobKind = JobKind::Capacity;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Session { says } if says.is_progress())
    }
}
