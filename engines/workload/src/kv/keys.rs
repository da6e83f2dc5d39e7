//! The choice of the records that operations use.

use crate::{
    rng::SplitMix64,
    shuffle::Shuffle,
    zipf::{ScrambledZipf, Zipf},
};
use dbdyno_engine::suite::KeyChoice;

/// Draws records for one thread.
pub(super) struct Keys {
    choice: Choice,
    /// Records that exist before the test.
    records: u64,
    /// Records that this thread has inserted.
    inserted: u64,
    /// This thread's number, from 0, and the number of threads that do the same work. Each thread inserts its own records.
    thread: u64,
    threads: u64,
}

enum Choice {
    Ascending,
    Shuffled(Shuffle),
    Uniform,
    Zipfian(ScrambledZipf),
    /// By the distance from the newest record known to this thread.
    Latest(Zipf),
}

impl Keys {
    /// Creates the keys of thread `thread` (from 0) of `threads`. A random order of all records is drawn immediately.
    pub(super) fn new(choice: KeyChoice, records: u64, (thread, threads): (u64, u64), rng: &mut SplitMix64) -> Self {
        let choice = match choice {
            KeyChoice::Ascending => Choice::Ascending,
            KeyChoice::Shuffled => Choice::Shuffled(Shuffle::new(records, rng.next_u64())),
            KeyChoice::Uniform => Choice::Uniform,
            KeyChoice::Zipfian => Choice::Zipfian(ScrambledZipf::new(records)),
            KeyChoice::Latest => Choice::Latest(Zipf::new(records)),
        };
        Self { choice, records, inserted: 0, thread, threads: threads.max(1) }
    }

    /// Draws the record of the operation with this ordinal.
    pub(super) fn draw(&mut self, ordinal: u64, rng: &mut SplitMix64) -> u64 {
        match &self.choice {
            Choice::Ascending => ordinal,
            Choice::Shuffled(shuffle) => shuffle.record(ordinal),
            Choice::Uniform => rng.below(self.records),
            Choice::Zipfian(zipf) => zipf.record(rng),
            Choice::Latest(zipf) => {
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
        if let Choice::Latest(zipf) = &mut self.choice {
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

    #[test]
    fn the_latest_are_met_the_most_and_what_was_inserted_is_among_them() {
        let mut rng = SplitMix64::new(3);
        let mut keys = Keys::new(KeyChoice::Latest, 1_000, (1, 2), &mut rng);
        assert_eq!([keys.insert(), keys.insert()], [1_001, 1_003], "the other thread inserts 1,000 and 1,002");
        let drawn: Vec<u64> = (0..100_000).map(|_| keys.draw(0, &mut rng)).collect();
        let count = |record| drawn.iter().filter(|&&one| one == record).count();
        assert!(count(1_003) > count(1_001) && count(1_001) > count(999) && count(999) > count(998));
        assert_eq!(count(1_000) + count(1_002), 0);
        assert!(drawn.iter().all(|record| (0..=1_003).contains(record)));
    }
}
