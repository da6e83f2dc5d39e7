//! The facts that the sides were built from.

use super::{
    layout::by_size,
    load::Side,
    model::{MeasuredConfiguration, SideFacts},
};
use dbdyno_store::{RunConfiguration, SessionFacts};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Returns the place where each session ran.
pub(super) fn places(sides: &[&Side]) -> BTreeMap<Uuid, String> {
    sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id, session.place())).collect()
}

/// Returns each place with the session's limits on the machine, because all points of a curve must share both.
pub(super) fn places_as_measured(sides: &[&Side]) -> BTreeMap<Uuid, String> {
    let place = |session: &SessionFacts| {
        let conditions = session.conditions.in_words(session.host.cores);
        [session.place()].into_iter().chain(conditions).collect::<Vec<_>>().join(", ")
    };
    sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id, place(session))).collect()
}

/// Returns the runs that are on both sides.
pub(super) fn shared_runs(a: &Side, b: &Side) -> HashSet<Uuid> {
    let of_a: HashSet<Uuid> = a.runs.iter().map(|run| run.run_id).collect();
    b.runs.iter().map(|run| run.run_id).filter(|run| of_a.contains(run)).collect()
}

/// The sessions that added rounds to others, each with the session that it added to.
#[derive(Debug, Default)]
pub(super) struct AddedSessions(HashMap<Uuid, Uuid>);

impl AddedSessions {
    pub(super) fn of(sides: &[&Side]) -> Self {
        let sessions = sides.iter().flat_map(|side| &side.sessions);
        Self(sessions.filter_map(|session| Some((session.session_id, session.adds_to?))).collect())
    }

    /// Returns how many of these sessions added rounds to others.
    pub(super) fn count(&self, sessions: impl Iterator<Item = Uuid>) -> usize {
        if self.0.is_empty() {
            return 0;
        }
        sessions.filter(|session| self.0.contains_key(session)).collect::<HashSet<_>>().len()
    }

    /// Returns the session that its rounds belong to: itself, or the first in the chain of sessions that it added to.
    pub(super) fn first(&self, session: Uuid) -> Uuid {
        let mut first = session;
        // An edited store may contain a cycle.
        for _ in 0..self.0.len() {
            first = self.0.get(&first).copied().unwrap_or(first);
        }
        first
    }
}

/// The sessions that went on until all was decided, each with the first rounds of its later looks.
#[derive(Debug, Default)]
pub(super) struct LaterLooks(HashMap<Uuid, Vec<u32>>);

impl LaterLooks {
    pub(super) fn of(sides: &[&Side]) -> Self {
        Self(sides.iter().flat_map(|side| side.looks.clone()).collect())
    }

    /// Returns how many later looks these runs, by session and round, took part in; none if their sessions planned none.
    pub(super) fn count(&self, runs: impl Iterator<Item = (Uuid, u32)>) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let looks = runs.filter_map(|(session, round)| {
            let firsts = self.0.get(&session)?;
            Some((session, firsts.iter().filter(|first| **first <= round).count()))
        });
        let looks: HashSet<(Uuid, usize)> = looks.collect();
        (!looks.is_empty()).then(|| looks.iter().filter(|(_, look)| *look > 0).count())
    }

    /// Whether a round measured only what was still undecided.
    pub(super) fn is_partial(&self, session: Uuid, round: u32) -> bool {
        self.0.get(&session).is_some_and(|firsts| firsts.iter().any(|first| *first <= round))
    }
}

/// Returns the tests of a side for which some run has no value of the metric, by size and number: `p99` of few operations.
pub(super) fn without_value(side: &Side) -> HashSet<(&str, u32)> {
    let tests = side.runs.iter().flat_map(|run| run.tests.iter().map(|test| (&*run.size, test)));
    tests.filter(|(_, test)| test.value.is_none()).map(|(size, test)| (size, test.test)).collect()
}

pub(super) fn of_side(side: &Side) -> SideFacts {
    let mut configurations: HashMap<(&str, *const RunConfiguration), MeasuredConfiguration> = HashMap::new();
    for run in &side.runs {
        let measured = configurations.entry((&run.label, Arc::as_ptr(&run.configuration))).or_insert_with(|| {
            MeasuredConfiguration {
                label: run.label.to_string(),
                runs: 0,
                sizes: Vec::new(),
                configuration: RunConfiguration::clone(&run.configuration),
            }
        });
        measured.runs += 1;
        if !measured.sizes.iter().any(|known| **known == *run.size) {
            measured.sizes.push(run.size.to_string());
            measured.sizes.sort_by(|a, b| by_size(a, b));
        }
    }
    SideFacts {
        selection: side.selection.clone(),
        runs: side.runs.len(),
        results: side.runs.iter().map(|run| run.tests.len()).sum(),
        configurations: in_order(configurations.into_values().collect()),
        sessions: side.sessions.clone(),
    }
}

/// Sorts configurations by label, then by their other properties.
fn in_order(mut all: Vec<MeasuredConfiguration>) -> Vec<MeasuredConfiguration> {
    all.sort_by(|one, next| (&one.label, &one.configuration).cmp(&(&next.label, &next.configuration)));
    all
}
