//! The ledger: a tree of the trials, with their bases and results.

use super::trial::Trial;
use serde::{Deserialize, Serialize};

/// The trials under one name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    pub name: String,
    /// Its entries in the order in which they were tried, but each below its parent.
    pub entries: Vec<LedgerEntry>,
}

/// A trial in its place in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The number of accepted trials on the way to its base.
    pub depth: usize,
    pub trial: Trial,
}

impl Ledger {
    /// Builds the tree of these trials, which are in the order in which they were tried.
    pub fn new(name: &str, trials: Vec<Trial>) -> Self {
        let mut ledger = Self { name: name.to_owned(), entries: Vec::new() };
        for trial in trials {
            let parent = trial.parent_id.as_deref();
            let at = parent.and_then(|id| ledger.entries.iter().position(|entry| entry.trial.trial_id == id));
            // A trial whose parent was deleted becomes a root.
            let depth = at.map_or(0, |at| ledger.entries[at].depth + 1);
            let later = |at: usize| ledger.entries[at + 1..].iter().position(|entry| entry.depth < depth);
            let place = at.and_then(|at| later(at).map(|after| at + 1 + after)).unwrap_or(ledger.entries.len());
            ledger.entries.insert(place, LedgerEntry { depth, trial });
        }
        ledger
    }

    /// Returns the most recent of the accepted trials.
    pub fn accepted(&self) -> Option<&Trial> {
        let accepted = self.entries.iter().map(|entry| &entry.trial).filter(|trial| trial.accepted);
        accepted.max_by_key(|trial| trial.tried_at)
    }

    /// Returns the trial with the settings to use: the last that was accepted, else the one that gained most. None: no trial gained.
    pub fn recommended(&self) -> Option<&Trial> {
        let ratio = |trial: &Trial| {
            let effect = trial.overall.as_ref().or(trial.effects.first());
            effect.and_then(|effect| effect.found.as_ref()).map_or(1.0, |found| found.ratio)
        };
        let gains = self.entries.iter().map(|entry| &entry.trial).filter(|trial| trial.is_gain());
        self.accepted().or_else(|| gains.min_by(|one, next| ratio(one).total_cmp(&ratio(next))))
    }
}
