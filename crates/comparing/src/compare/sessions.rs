//! Compares sides that were measured in several sessions.

use super::{
    facts::AddedSessions,
    layout::{Laid, SideSample},
    load::Side,
    model::ComparedSessions,
    pairs::Matched,
};
use dbdyno_stats::{
    NoAnswer, RatioInterval, SessionSpread, log_ratios, median, paired_session_ratio, ratios_of_sessions, session_ratio,
};
use dbdyno_store::RepeatedTest;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A suite, a size and a test number.
type RepeatedKey<'s> = (&'s str, &'s str, u32);

/// Times of the sides' configurations in sessions that are on neither side, on the same hosts.
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
            // Both sides may contain the same repeat.
            if !of_test.contains(&repeated) {
                of_test.push(repeated);
            }
        }
        Self { tests }
    }

    /// Returns the times of a line's tests in other sessions, by configuration. Actors' shares have none.
    fn groups(&self, line: &Laid<'_>) -> BTreeMap<&'s str, Vec<f64>> {
        if line.a.iter().chain(&line.b).any(|sample| sample.result.actor.is_some()) {
            return BTreeMap::new();
        }
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

/// The result of a comparison of sessions.
#[derive(Debug)]
pub(super) struct SessionTest {
    pub(super) answer: Result<(RatioInterval, f64), NoAnswer>,
    pub(super) sessions: ComparedSessions,
}

/// Compares sessions: the ratios of the sessions in which both sides were measured, or otherwise the medians of each side's sessions.
/// Returns none if all runs belong to one session.
pub(super) fn test(
    line: &Laid<'_>,
    matched: &Matched<'_>,
    (repeats, added): (&Repeats<'_>, &AddedSessions),
    alpha: f64,
) -> Option<SessionTest> {
    if !matched.is_of_several_sessions(added) {
        return None;
    }
    let session = |sample: &SideSample<'_>| added.first(sample.run.session_id);
    Some(if matched.paired { of_pairs(matched, session, alpha) } else { of_medians(line, matched, session, repeats) })
}

fn of_pairs(matched: &Matched<'_>, session: impl Fn(&SideSample<'_>) -> Uuid, alpha: f64) -> SessionTest {
    let mut pairs: BTreeMap<Uuid, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for (a, b) in matched.a.iter().zip(&matched.b) {
        let (of_a, of_b) = pairs.entry(session(a)).or_default();
        of_a.push(a.value);
        of_b.push(b.value);
    }
    let logs: Result<Vec<Vec<f64>>, NoAnswer> = pairs.values().map(|(a, b)| log_ratios(a, b)).collect();
    let ratios = logs.and_then(|logs| ratios_of_sessions(&logs));
    let apart = ratios.as_ref().ok().and_then(|ratios| SessionSpread::of([ratios]).apart());
    SessionTest {
        answer: ratios.and_then(|ratios| paired_session_ratio(&ratios, alpha)),
        sessions: ComparedSessions { a: pairs.len(), b: pairs.len(), others: 0, apart },
    }
}

fn of_medians(
    line: &Laid<'_>,
    matched: &Matched<'_>,
    session: impl Fn(&SideSample<'_>) -> Uuid,
    repeats: &Repeats<'_>,
) -> SessionTest {
    let (a, b) = (medians(&matched.a, &session), medians(&matched.b, &session));
    let others = repeats.groups(line);
    let spread = SessionSpread::of([&a, &b].into_iter().chain(others.values()));
    let sessions =
        ComparedSessions { a: a.len(), b: b.len(), others: others.values().map(Vec::len).sum(), apart: spread.apart() };
    SessionTest { answer: session_ratio(&a, &b, spread), sessions }
}

/// Returns the median value of each session.
fn medians(samples: &[SideSample<'_>], session: impl Fn(&SideSample<'_>) -> Uuid) -> Vec<f64> {
    let mut sessions: BTreeMap<Uuid, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        sessions.entry(session(sample)).or_default().push(sample.value);
    }
    sessions.into_values().filter_map(|times| median(&times).ok()).collect()
}
