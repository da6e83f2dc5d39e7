//! The events that watchers of a capacity search receive.

use super::{
    answer::{CapacityReport, SearchResult},
    measure::CapacityPhase,
    probe::RateProbe,
};
use crate::{
    jobs::{JobKind, Telling},
    runner::RunnerEvent,
};
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CapacityEvent {
    /// An event of the session that measures.
    Session { says: RunnerEvent },
    /// A probe has ended.
    Probed {
        /// The engine with the options that distinguish it from the others.
        label: String,
        /// The part of the measurement that the probe belongs to.
        phase: CapacityPhase,
        /// From 1; 0 before the rounds.
        round: u32,
        rounds: u32,
        probe: Box<RateProbe>,
    },
    /// The search of one engine has ended, with its result.
    Searched { label: String, phase: CapacityPhase, round: u32, found: SearchResult },
    /// The measurement is complete.
    CapacityEnded { found: Box<CapacityReport> },
}

impl Telling for CapacityEvent {
    const KIND: JobKind = JobKind::Capacity;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Session { says } if says.is_progress())
    }
}
