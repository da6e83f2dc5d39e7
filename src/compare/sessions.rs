//! Sides that were measured in different sessions.

use super::{
    layout::{Laid, SideSample},
    load::Side,
    model::ComparedSessions,
    pairs::Matched,
};
use crate::{
    stats::{NoAnswer, RatioInterval, SessionSpread, median, session_ratio},
    store::RepeatedTest,
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A test of a suite at a size.
type RepeatedKey<'s> = (&'s str, &'s str, u32);

/// What sessions that are on neither side took for the configurations of the sides, on the same hosts.
#[derive(Debug, Default)]
pub(super) struct Repeats<'s> {
    tests: BTreeMap<RepeatedKey<'s>, Vec<&'s RepeatedTest>>,
}

impl<'s> Repeats<'s> {
    pub(super) fn of(sides: &[&'s Side]) -> Self {
        let compared: BTreeSet<Uuid> =
            sides.iter().flat_map(|side| &side.sessions).map(|session| session.session_id).collect();
        let mut tests: BTreeMap<RepeatedKey<'_>, Vec<&RepeatedTest>> = BTreeMap::new();
        let others = sides.iter().flat_map(|side| &side.repeats);
        for repeated in others.filter(|repeated| !compared.contains(&repeated.session_id)) {
            let of_test = tests.entry((&repeated.suite, &repeated.size, repeated.test)).or_default();
            // Both sides may know of it.
            if !of_test.contains(&repeated) {
                of_test.push(repeated);
            }
        }
        Self { tests }
    }

    /// Times of a line's tests in other sessions, by configuration.
    fn groups(&self, line: &Laid<'_>) -> BTreeMap<&'s str, Vec<f64>> {
        let keys: BTreeSet<(&str, &str)> = (line.a.iter().chain(&line.b))
            .map(|sample| (sample.run.configuration.suite.as_str(), &*sample.run.size))
            .collect();
        let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (suite, size) in keys {
            for repeated in self.tests.get(&(suite, size, line.test)).into_iter().flatten() {
                groups.entry(&repeated.configuration).or_default().push(repeated.median);
            }
        }
        groups
    }
}

/// What a comparison of sessions rests on.
#[derive(Debug)]
pub(super) struct SessionTest {
    pub(super) answer: Result<(RatioInterval, f64), NoAnswer>,
    pub(super) sessions: ComparedSessions,
}

/// Compares medians of sessions.
pub(super) fn test(line: &Laid<'_>, matched: &Matched<'_>, repeats: &Repeats<'_>) -> SessionTest {
    let (a, b) = (medians(&matched.a), medians(&matched.b));
    let others = repeats.groups(line);
    let spread = SessionSpread::of([&a, &b].into_iter().chain(others.values()));
    let sessions =
        ComparedSessions { a: a.len(), b: b.len(), others: others.values().map(Vec::len).sum(), apart: spread.apart() };
    SessionTest { answer: session_ratio(&a, &b, spread), sessions }
}

/// The median value of each session.
fn medians(samples: &[SideSample<'_>]) -> Vec<f64> {
    let mut sessions: BTreeMap<Uuid, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        sessions.entry(sample.run.session_id).or_default().push(sample.value);
    }
    sessions.into_values().filter_map(|times| median(&times).ok()).collect()
}
