//! A side of a comparison from the store.

use crate::{
    metric::Metric,
    store::{
        Latencies, RepeatedTest, RunConfiguration, RunTests, SelectedRuns, Selection, SessionFacts, Store, StoreError,
    },
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

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
    /// What a metric of its configurations was in each session of the store; see [`with_repeats`].
    pub repeats: Vec<RepeatedTest>,
}

/// Loads a side. `text` is the selection as typed: terms with spaces or commas between.
///
/// # Errors
/// What is wrong with the store.
pub fn load(store: &Store, text: &str, selection: &Selection, latencies: Latencies) -> Result<Side, StoreError> {
    let SelectedRuns { runs, sessions, twins } = store.selected_runs(selection, latencies)?;
    Ok(Side { selection: text.to_owned(), runs, sessions, twins, repeats: Vec::new() })
}

/// Two sides with what a metric of their configurations was in other sessions, where they were not measured in the same sessions: only that says
/// how far sessions lie apart.
///
/// # Errors
/// What is wrong with the store.
pub fn with_repeats<'s>(store: &Store, sides: [&'s Side; 2], metric: Metric) -> Result<[Cow<'s, Side>; 2], StoreError> {
    let [of_a, of_b] = sides
        .each_ref()
        .map(|side| side.sessions.iter().map(|session| session.session_id.clone()).collect::<BTreeSet<_>>());
    if of_a == of_b {
        return Ok(sides.map(Cow::Borrowed));
    }
    let [a, b] = sides.map(|side| {
        let repeats = store.repeats(&one_of_each(&side.runs), metric)?;
        Ok::<_, StoreError>(Cow::Owned(Side { repeats, ..side.clone() }))
    });
    Ok([a?, b?])
}

/// A run of each configuration, size and place.
fn one_of_each(runs: &[RunTests]) -> Vec<&str> {
    let mut kinds: BTreeMap<(&RunConfiguration, &str, &str), &str> = BTreeMap::new();
    for run in runs {
        kinds.entry((&run.configuration, &run.size, &run.session_id)).or_insert(&run.run_id);
    }
    kinds.into_values().collect()
}
