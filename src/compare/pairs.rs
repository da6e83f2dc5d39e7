//! Which runs of A are compared with which runs of B.

use super::layout::SideSample;
use crate::stats::MIN_RUNS;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The runs that are compared.
#[derive(Debug, Clone)]
pub(super) struct Matched<'s> {
    /// Runs of A; of paired runs, in the order of the pairs.
    pub(super) a: Vec<SideSample<'s>>,
    /// Runs of B.
    pub(super) b: Vec<SideSample<'s>>,
    /// Whether the i-th of A and the i-th of B are a pair.
    pub(super) paired: bool,
}

impl Matched<'_> {
    /// Whether runs of several sessions are beside each other that are no pairs: then a session is one figure, however many runs it has.
    pub(super) fn is_across_sessions(&self) -> bool {
        let sessions = self.a.iter().chain(&self.b).map(|sample| &*sample.run.session_id);
        !self.paired && sessions.collect::<BTreeSet<_>>().len() > 1
    }
}

/// Pairs runs of the same session and round.
///
/// Pairs are used where all runs have a partner, or where there are enough pairs for an interval; then runs without a
/// partner are left out. Else all runs are used, unpaired; and also where configurations are pooled of which a round has more on one side
/// than on the other, because a pair would leave most of them out.
pub(super) fn matched<'s>(a: &[SideSample<'s>], b: &[SideSample<'s>]) -> Matched<'s> {
    let (of_a, of_b) = (rounds(a), rounds(b));
    let uneven = of_a.iter().any(|(round, samples)| of_b.get(round).is_some_and(|other| other.len() != samples.len()));
    if uneven && (is_pooled(a) || is_pooled(b)) {
        return Matched { a: a.to_vec(), b: b.to_vec(), paired: false };
    }
    let pairs: Vec<(SideSample<'s>, SideSample<'s>)> = of_a
        .iter()
        .filter_map(|(round, samples)| Some(samples.iter().copied().zip(of_b.get(round)?.iter().copied())))
        .flatten()
        .collect();
    let complete = !pairs.is_empty() && pairs.len() == a.len() && pairs.len() == b.len();
    if complete || pairs.len() >= MIN_RUNS {
        let (a, b) = pairs.into_iter().unzip();
        return Matched { a, b, paired: true };
    }
    Matched { a: a.to_vec(), b: b.to_vec(), paired: false }
}

/// Whether runs are of several configurations. A configuration and its twin are one.
fn is_pooled(samples: &[SideSample<'_>]) -> bool {
    samples.windows(2).any(|two| !Arc::ptr_eq(&two[0].run.configuration, &two[1].run.configuration))
}

/// Runs by session and round. A configuration that ran several times a round is in the order of its labels, so that it
/// comes before its twin.
fn rounds<'s>(samples: &[SideSample<'s>]) -> BTreeMap<(&'s str, u32), Vec<SideSample<'s>>> {
    let mut rounds: BTreeMap<(&'s str, u32), Vec<SideSample<'s>>> = BTreeMap::new();
    for sample in samples {
        rounds.entry((&sample.run.session_id, sample.run.round)).or_default().push(*sample);
    }
    for samples in rounds.values_mut() {
        samples.sort_by_key(|sample| (&sample.run.label, sample.run.ordinal));
    }
    rounds
}
