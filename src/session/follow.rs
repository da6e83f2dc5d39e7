//! What a session is followed by: how much each option of a sweep matters, and what was published beside what is now stored.

use super::PreparedSession;
use crate::{
    claims::{ClaimsTable, judged},
    compare::{Comparison, Options, by_configuration, compare_all, load},
    metric::Metric,
    runner::Report,
    store::{Latencies, Selection, Store, StoreError},
    tune::effects::{GridEffects, effects},
};
use std::collections::BTreeSet;

/// What follows a session; nothing of what its bench does not ask for.
#[derive(Debug)]
pub struct FollowUp {
    /// For each engine, size and test.
    pub effects: Vec<SelectedEffects>,
    /// Published figures beside measured ones.
    pub claims: Option<Result<ClaimsTable, StoreError>>,
}

/// The effects of options on what a selection means.
#[derive(Debug)]
pub struct SelectedEffects {
    /// The selection.
    pub selected: String,
    /// The effects, or why there are none.
    pub found: Result<GridEffects, String>,
}

/// The configurations of a session beside its first; nothing of one with a single configuration.
///
/// # Errors
/// What is wrong with the store.
pub fn verdicts(session_id: &str, command: &str, store: &Store) -> Result<Vec<Comparison>, StoreError> {
    let text = format!("session={session_id}");
    let selection = Selection::parse_line(&text).map_err(|message| StoreError::Query { message })?;
    let sides = by_configuration(&load(store, &text, &selection, Metric::Wall, Latencies::Left)?);
    let options = Options { command: command.to_owned(), ..Options::default() };
    Ok(sides.split_first().map_or_else(Vec::new, |(first, others)| compare_all(others, first, &options)))
}

impl PreparedSession {
    /// What follows its session, whose results are stored.
    ///
    /// # Errors
    /// What is wrong with the store.
    pub fn follow_up(&self, report: &Report, store: &Store) -> Result<FollowUp, StoreError> {
        let effects = if self.spec.effects { self.effects(&report.session.session_id, store)? } else { Vec::new() };
        Ok(FollowUp { effects, claims: self.claims.as_ref().map(|claims| judged(claims, store)) })
    }

    fn effects(&self, session_id: &str, store: &Store) -> Result<Vec<SelectedEffects>, StoreError> {
        let mut parts = BTreeSet::new();
        for configuration in &self.plan.configurations {
            let measured = self.plan.suite.tests().filter(|test| self.plan.pick.has(test.number));
            parts.extend(measured.map(|test| (configuration.engine_name(), configuration.size, test.number)));
        }
        let of_part = |(engine, size, test)| {
            let selected = format!("session={session_id} engine={engine} size={size} test={test}");
            let found = match Selection::parse_line(&selected) {
                Ok(selection) => effects(&load(store, &selected, &selection, Metric::Wall, Latencies::Left)?)
                    .map_err(|error| error.to_string()),
                Err(message) => Err(message),
            };
            Ok(SelectedEffects { selected, found })
        };
        parts.into_iter().map(of_part).collect()
    }
}
