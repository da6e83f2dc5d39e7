//! The best of three and more configurations.
//!
//! A table compares each configuration with one reference, so it shows the best one, but not that it is better than the second. For
//! that, the configuration with the best mean is compared with each other one too. Which one leads is known only from the figures, so the
//! pairs of all candidates are one family of tests, and not only the leader's pairs: otherwise the best of several equal configurations
//! would often look better than the worst.

use super::{
    compare_chosen, compare_groups,
    groups::ReferenceGroup,
    load::Side,
    model::{Comparison, RatioRange, SideName},
    options::Options,
};
use dbdyno_foundation::metric::Better;
use dbdyno_stats::Verdict;
use dbdyno_store::{Store, StoreError};

/// The most candidates that are compared with each other: the pairs grow with their square.
const MOST: usize = 16;

/// The configuration with the best mean of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Leader {
    best: GroupBest,
    /// The leader as A with each other candidate as B; empty if the reference leads.
    others: Vec<Comparison>,
}

/// The comparison of a leader with another configuration of its group.
#[derive(Debug, Clone, Copy)]
pub struct LeaderDuel<'c> {
    pub comparison: &'c Comparison,
    pub leader: SideName,
}

impl Leader {
    /// Returns the comparisons with all other configurations. `sides`: the comparisons of the group in its table. A comparison with the
    /// reference has the same verdicts here and there.
    pub fn duels<'c>(&'c self, sides: &'c [Comparison]) -> Vec<LeaderDuel<'c>> {
        let led_by = |leader| move |comparison| LeaderDuel { comparison, leader };
        match self.best {
            GroupBest::Reference => sides.iter().map(led_by(SideName::B)).collect(),
            GroupBest::Candidate(at) => {
                sides.get(at).into_iter().chain(&self.others).map(led_by(SideName::A)).collect()
            }
        }
    }
}

impl LeaderDuel<'_> {
    /// Returns a verdict on A as the verdict on the leader.
    pub fn on_leader(self, verdict: Verdict) -> Verdict {
        match (self.leader, verdict) {
            (SideName::B, Verdict::Faster) => Verdict::Slower,
            (SideName::B, Verdict::Slower) => Verdict::Faster,
            _ => verdict,
        }
    }
}

/// Configurations compared with the reference of their group, group by group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparedGroups {
    /// Each candidate as A with its reference as B.
    pub sides: Vec<Comparison>,
    /// The leader of each group; none of a group with one or very many candidates, or if the metric has no better and worse.
    pub leaders: Vec<Option<Leader>>,
}

impl ComparedGroups {
    pub fn new(groups: &[ReferenceGroup], options: &Options) -> Self {
        let sides = compare_groups(groups, options);
        let leaders = leaders(groups, &sides, options);
        Self { sides, leaders }
    }

    /// Finds the reasons of all differences: see [`Comparison::explain`].
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn explain(&mut self, store: &Store, all: bool) -> Result<(), StoreError> {
        let of_leaders = self.leaders.iter_mut().flatten().flat_map(|leader| &mut leader.others);
        self.sides.iter_mut().chain(of_leaders).try_for_each(|side| side.explain(store, all))
    }

    /// Returns the sides of each group with its leader.
    pub fn groups(&self) -> impl Iterator<Item = (&[Comparison], Option<&Leader>)> {
        by_reference(&self.sides).zip(&self.leaders).map(|(sides, leader)| (sides, leader.as_ref()))
    }
}

/// Groups consecutive sides by their reference.
pub fn by_reference(sides: &[Comparison]) -> impl Iterator<Item = &[Comparison]> {
    sides.chunk_by(|one, next| one.b.selection == next.b.selection)
}

/// Returns the leader of each group. `sides`: the comparisons of the candidates with their references, group by group.
fn leaders(groups: &[ReferenceGroup], sides: &[Comparison], options: &Options) -> Vec<Option<Leader>> {
    // An answer has no forecast, which would take most of the time.
    let options = Options { by_size: false, scaling: false, pivot: None, without_forecast: true, ..options.clone() };
    let mut rest = sides;
    let mut leading = Vec::new();
    for group in groups {
        let (own, others) = rest.split_at(group.candidates.len());
        leading.push((group, best(own)));
        rest = others;
    }
    let pairs = leading.iter().flat_map(|(group, best)| match best {
        Some(GroupBest::Candidate(at)) => pairs(&group.candidates, *at),
        Some(GroupBest::Reference) | None => Vec::new(),
    });
    let mut between = compare_chosen(pairs.collect(), &options);
    let of_group = |(group, best): (&ReferenceGroup, Option<GroupBest>)| {
        let best = best?;
        let others = if best == GroupBest::Reference { 0 } else { group.candidates.len() - 1 };
        Some(Leader { best, others: between.drain(..others).collect() })
    };
    leading.into_iter().map(of_group).collect()
}

/// The configuration of a group with the best mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupBest {
    Reference,
    Candidate(usize),
}

fn best(sides: &[Comparison]) -> Option<GroupBest> {
    let metric = sides.first().filter(|_| (2..=MOST).contains(&sides.len()))?.metric;
    // A / B, as a factor by which A is better below 1.
    let worth = |side: &Comparison| match (metric.better(), side.whole()?.0) {
        (Better::Less, ratio) => Some(ratio),
        (Better::More, ratio) => Some(1.0 / ratio),
        (Better::Neither, _) => None,
    };
    let known = sides.iter().enumerate().filter_map(|(at, side)| Some((at, worth(side)?)));
    let (at, worth) = known.min_by(|(_, one), (_, next)| one.total_cmp(next))?;
    Some(if worth < 1.0 { GroupBest::Candidate(at) } else { GroupBest::Reference })
}

/// Returns all pairs of candidates. The leader's pairs come first, and are marked as requested.
fn pairs(candidates: &[Side], leader: usize) -> Vec<(&Side, &Side, bool)> {
    let others = || (0..candidates.len()).filter(move |at| *at != leader);
    let of_leader = others().map(|other| (&candidates[leader], &candidates[other], true));
    let of_others = others().flat_map(|one| {
        others().filter(move |next| *next > one).map(move |next| (&candidates[one], &candidates[next], false))
    });
    of_leader.chain(of_others).collect()
}

impl Comparison {
    /// Returns the geometric mean of all tests with its interval; none if nothing is comparable.
    pub fn whole(&self) -> Option<(f64, Option<RatioRange>)> {
        match (&self.overall, self.means.as_slice()) {
            (Some(overall), _) => Some((overall.ratio, overall.interval)),
            (None, [only]) => only.ratio.map(|ratio| (ratio, only.interval)),
            (None, _) => None,
        }
    }
}
