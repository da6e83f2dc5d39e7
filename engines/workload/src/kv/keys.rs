//! The choice of the records that operations use.

use crate::{
    popular::Popular,
    rng::SplitMix64,
    shuffle::Shuffle,
    zipf::{ScrambledZipf, Zipf},
};
use dbdyno_engine::suite::KeyChoice;

/// Draws records for one thread.
pub(super) struct RecordSource {
    choice: KeyDistribution,
    /// Records that exist before the test.
    records: u64,
    /// Records that this thread has inserted.
    inserted: u64,
    /// This thread's number, from 0, and the number of threads that do the same work. Each thread inserts its own records.
    thread: u64,
    threads: u64,
}

enum KeyDistribution {
    Ascending,
    Shuffled(Shuffle),
    Uniform,
    Zipfian(ScrambledZipf),
    /// By the distance from the newest record known to this thread.
    Latest(Zipf),
    Popular(Popular),
}

impl RecordSource {
    /// Creates the keys of thread `thread` (from 0) of `threads`. A random order of all records is drawn immediately.
    pub(super) fn new(choice: &KeyChoice, records: u64, (thread, threads): (u64, u64), rng: &mut SplitMix64) -> Self {
        let choice = match choice {
            // Recorded keys are read, and none is drawn.
            KeyChoice::Ascending | KeyChoice::Recorded => KeyDistribution::Ascending,
            KeyChoice::Shuffled => KeyDistribution::Shuffled(Shuffle::new(records, rng.next_u64())),
            KeyChoice::Uniform => KeyDistribution::Uniform,
            KeyChoice::Zipfian => KeyDistribution::Zipfian(ScrambledZipf::new(records)),
            KeyChoice::Latest => KeyDistribution::Latest(Zipf::new(records)),
            KeyChoice::Popular(groups) => KeyDistribution::Popular(Popular::new(groups)),
        };
        Self { choice, records, inserted: 0, thread, threads: threads.max(1) }
    }

    /// Draws the record of the operation with this ordinal.
    pub(super) fn draw(&mut self, ordinal: u64, rng: &mut SplitMix64) -> u64 {
        match &self.choice {
            KeyDistribution::Ascending => ordinal,
            KeyDistribution::Shuffled(shuffle) => shuffle.record(ordinal),
            KeyDistribution::Uniform => rng.below(self.records),
            KeyDistribution::Zipfian(zipf) => zipf.record(rng),
            KeyDistribution::Popular(popular) => popular.record(rng),
            KeyDistribution::Latest(zipf) => {
                let back = zipf.rank(rng);
                match back.checked_sub(self.inserted) {
                    Some(before) => self.records.saturating_sub(1 + before),
                    None => self.own(self.inserted - 1 - back),
                }
            }
        }
    }

    /// Returns a new record that no thread has inserted.
    pub(super) fn insert(&mut self) -> u64 {
        let record = self.own(self.inserted);
        self.inserted += 1;
        if let KeyDistribution::Latest(zipf) = &mut self.choice {
            zipf.grow();
        }
        record
    }

    /// Returns the `count`-th record, from 0, that this thread inserts.
    fn own(&self, count: u64) -> u64 {
        self.records + count * self.threads + self.thread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::suite::Popularity;

    #[test]
    fn popular_records_are_drawn_by_their_weight_and_are_the_same_in_every_thread() {
        let groups = [(1, 50), (9, 30), (90, 20)].map(|(records, weight)| Popularity { records, weight });
        let choice = KeyChoice::Popular(groups.to_vec());
        let drawn = |thread: u64| {
            let mut rng = SplitMix64::new(thread);
            let mut keys = RecordSource::new(&choice, 100, (thread, 2), &mut rng);
            let mut counts = [0_u64; 100];
            (0..100_000).for_each(|_| counts[keys.draw(0, &mut rng) as usize] += 1);
            let mut ranked: Vec<(u64, usize)> = counts.into_iter().zip(0..).collect();
            ranked.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
            ranked
        };
        let (one, other) = (drawn(0), drawn(1));
        let records = |ranked: &[(u64, usize)]| {
            ranked.iter().map(|(_, record)| *record).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!((one[0].1, records(&one[1..10])), (other[0].1, records(&other[1..10])));
        let shares = [0..1, 1..10, 10..100].map(|ranks| one[ranks].iter().map(|(count, _)| count).sum::<u64>());
        for (share, expected) in shares.into_iter().zip([50_000_i64, 30_000, 20_000]) {
            // Four standard deviations.
            assert!((share as i64 - expected).abs() < 640, "{shares:?}");
        }
        assert!(one[99].0 > 150, "each record of the last group is drawn");
    }

    #[test]
    fn the_latest_are_met_the_most_and_what_was_inserted_is_among_them() {
        let mut rng = SplitMix64::new(3);
        let mut keys = RecordSource::new(&KeyChoice::Latest, 1_000, (1, 2), &mut rng);
        assert_eq!([keys.insert(), keys.insert()], [1_001, 1_003], "the other thread inserts 1,000 and 1,002");
        let drawn: Vec<u64> = (0..100_000).map(|_| keys.draw(0, &mut rng)).collect();
        let count = |record| drawn.iter().filter(|&&one| one == record).count();
        assert!(count(1_003) > count(1_001) && count(1_001) > count(999) && count(999) > count(998));
        assert_eq!(count(1_000) + count(1_002), 0);
        assert!(drawn.iter().all(|record| (0..=1_003).contains(record)));
    }
}
