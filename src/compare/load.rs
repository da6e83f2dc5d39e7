//! A side of a comparison from the store.

use crate::store::{Latencies, RunTests, SelectedRuns, Selection, SessionFacts, Store, StoreError};

/// One side of a comparison: the runs that a selection means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// The selection, as it was typed.
    pub selection: String,
    /// Its runs, each with those finished tests that the selection means.
    pub runs: Vec<RunTests>,
    /// The sessions of these runs.
    pub sessions: Vec<SessionFacts>,
    /// The A/A runs of these sessions: configurations that ran twice a round, with their twins.
    pub twins: Vec<RunTests>,
}

/// Loads a side. `text` is the selection as typed: terms with spaces or commas between.
///
/// # Errors
/// What is wrong with the store.
pub fn load(store: &Store, text: &str, selection: &Selection, latencies: Latencies) -> Result<Side, StoreError> {
    let SelectedRuns { runs, sessions, twins } = store.selected_runs(selection, latencies)?;
    Ok(Side { selection: text.to_owned(), runs, sessions, twins })
}
