//! The choice of records of which some are more popular than others.

use crate::{rng::SplitMix64, shuffle::Shuffle};
use dbdyno_engine::suite::Popularity;

/// Groups of equally popular records. They are drawn with integers only, so every language draws the same records.
pub(crate) struct Popular {
    groups: Vec<Group>,
    /// The sum of the weights.
    weights: u64,
    scatter: Shuffle,
}

struct Group {
    /// The rank of its first record, from 0.
    first: u64,
    records: u64,
    /// The sum of the weights up to and including this group.
    weights: u64,
}

impl Popular {
    /// The order in which ranks are scattered over the records: the same in every test and thread, so the popular records are too.
    const SCATTER: u64 = 0x706f_7075_6c61_7221;

    pub(crate) fn new(popularity: &[Popularity]) -> Self {
        let (mut first, mut weights) = (0, 0);
        let mut groups = Vec::with_capacity(popularity.len());
        for &Popularity { records, weight } in popularity {
            weights += weight;
            groups.push(Group { first, records, weights });
            first += records;
        }
        Self { groups, weights, scatter: Shuffle::new(first, Self::SCATTER) }
    }

    pub(crate) fn record(&self, rng: &mut SplitMix64) -> u64 {
        let drawn = rng.below(self.weights);
        let group = &self.groups[self.groups.partition_point(|group| group.weights <= drawn)];
        // A group of one needs no second number.
        let within = if group.records > 1 { rng.below(group.records) } else { 0 };
        self.scatter.record(group.first + within)
    }
}
