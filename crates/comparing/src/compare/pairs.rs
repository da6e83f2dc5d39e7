//! Matches runs of A with runs of B.

use super::{facts::AddedSessions, layout::SideSample};
use dbdyno_stats::MIN_RUNS;
use std::sync::Arc;
use uuid::Uuid;

/// The runs that are compared.
#[derive(Debug, Clone)]
pub(super) struct Matched<'s> {
    /// Runs of A; if paired, in the order of the pairs.
    pub(super) a: Vec<SideSample<'s>>,
    /// Runs of B.
    pub(super) b: Vec<SideSample<'s>>,
    /// Whether the i-th run of A and the i-th run of B are a pair.
    pub(super) paired: bool,
}

impl Matched<'_> {
    /// Whether its runs are of several sessions. If so, a session is one figure, however many runs it has. Rounds that were added to a
    /// session belong to that session.
    pub(super) fn is_of_several_sessions(&self, added: &AddedSessions) -> bool {
        let session = |sample: &SideSample<'_>| added.first(sample.run.session_id);
        let first = self.a.first().map(session);
        self.a.iter().chain(&self.b).any(|sample| Some(session(sample)) != first)
    }
}

/// Pairs runs of the same session and round.
///
/// Pairs are used if all runs have a partner, or if there are enough pairs for an interval; in the latter case runs without a partner are
/// left out. Otherwise all runs are used, unpaired. If configurations are pooled and a round has more runs on one side than on the other,
/// all runs are also used unpaired, because pairs would leave most of them out.
pub(super) fn matched<'s>(a: &[SideSample<'s>], b: &[SideSample<'s>]) -> Matched<'s> {
    let (of_a, of_b) = (by_round(a), by_round(b));
    let (mut rounds_a, mut rounds_b) =
        (of_a.chunk_by(is_same_round).peekable(), of_b.chunk_by(is_same_round).peekable());
    let mut pairs: (Vec<SideSample<'s>>, Vec<SideSample<'s>>) = Default::default();
    let mut uneven = false;
    while let (Some(samples_a), Some(samples_b)) = (rounds_a.peek(), rounds_b.peek()) {
        let order = round(&samples_a[0]).cmp(&round(&samples_b[0]));
        if order.is_eq() {
            uneven |= samples_a.len() != samples_b.len();
            pairs.extend(samples_a.iter().copied().zip(samples_b.iter().copied()));
        }
        if order.is_le() {
            rounds_a.next();
        }
        if order.is_ge() {
            rounds_b.next();
        }
    }
    let (paired_a, paired_b) = pairs;
    let complete = !paired_a.is_empty() && paired_a.len() == a.len() && paired_a.len() == b.len();
    let mixed = uneven && (is_pooled(a) || is_pooled(b));
    if !mixed && (complete || paired_a.len() >= MIN_RUNS) {
        return Matched { a: paired_a, b: paired_b, paired: true };
    }
    Matched { a: a.to_vec(), b: b.to_vec(), paired: false }
}

/// Whether runs are of several configurations. A configuration and its twin count as one.
fn is_pooled(samples: &[SideSample<'_>]) -> bool {
    samples.windows(2).any(|two| !Arc::ptr_eq(&two[0].run.configuration, &two[1].run.configuration))
}

fn round(sample: &SideSample<'_>) -> (Uuid, u32) {
    (sample.run.session_id, sample.run.round)
}

fn is_same_round(one: &SideSample<'_>, next: &SideSample<'_>) -> bool {
    round(one) == round(next)
}

/// Sorts runs by session and round. Several runs of a configuration in a round are in the order of their labels, so that a configuration
/// comes before its twin.
fn by_round<'s>(samples: &[SideSample<'s>]) -> Vec<SideSample<'s>> {
    let mut sorted = samples.to_vec();
    // Runs come in the order of their times, so they are almost in this order already.
    sorted.sort_by(|one, next| {
        let in_round = || (&one.run.label, one.run.ordinal).cmp(&(&next.run.label, next.run.ordinal));
        round(one).cmp(&round(next)).then_with(in_round)
    });
    sorted
}
