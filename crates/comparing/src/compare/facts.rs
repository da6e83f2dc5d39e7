//! What the sides were made from.

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

/// Where each session ran.
pub(super) fn places(sides: &[&Side]) -> BTreeMap<Uuid, String> {
    sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id, session.place())).collect()
}

/// The same with what a session did not have of its machine: what a curve has to have in common.
pub(super) fn places_as_measured(sides: &[&Side]) -> BTreeMap<Uuid, String> {
    let place = |session: &SessionFacts| {
        let conditions = session.conditions.in_words(session.host.cores);
        [session.place()].into_iter().chain(conditions).collect::<Vec<_>>().join(", ")
    };
    sides.iter().flat_map(|side| &side.sessions).map(|session| (session.session_id, place(session))).collect()
}

/// The runs that both sides mean.
pub(super) fn shared_runs(a: &Side, b: &Side) -> HashSet<Uuid> {
    let of_a: HashSet<Uuid> = a.runs.iter().map(|run| run.run_id).collect();
    b.runs.iter().map(|run| run.run_id).filter(|run| of_a.contains(run)).collect()
}

/// The sessions that add rounds to others, each with the one that it adds to.
#[derive(Debug, Default)]
pub(super) struct AddedSessions(HashMap<Uuid, Uuid>);

impl AddedSessions {
    pub(super) fn of(sides: &[&Side]) -> Self {
        let sessions = sides.iter().flat_map(|side| &side.sessions);
        Self(sessions.filter_map(|session| Some((session.session_id, session.adds_to?))).collect())
    }

    /// How many of these sessions add rounds to others.
    pub(super) fn count(&self, sessions: impl Iterator<Item = Uuid>) -> usize {
        if self.0.is_empty() {
            return 0;
        }
        sessions.filter(|session| self.0.contains_key(session)).collect::<HashSet<_>>().len()
    }

    /// The session that its rounds belong to: itself, or the first of those that it adds to.
    pub(super) fn first(&self, session: Uuid) -> Uuid {
        let mut first = session;
        // A store that was edited may have a circle.
        for _ in 0..self.0.len() {
            first = self.0.get(&first).copied().unwrap_or(first);
        }
        first
    }
}

/// The tests of a side that some run has without a value of the metric, by size and number: `p99` of few operations.
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

/// By label, then by what they are.
fn in_order(mut all: Vec<MeasuredConfiguration>) -> Vec<MeasuredConfiguration> {
    all.sort_by(|one, next| (&one.label, &one.configuration).cmp(&(&next.label, &next.configuration)));
    all
}
