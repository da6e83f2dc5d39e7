//! Zipf's law, as YCSB draws from it.
//!
//! The method of Gray and others, "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994), with the constants of YCSB's
//! `ZipfianGenerator` and `ScrambledZipfianGenerator`: exponent 0.99. The scrambled generator draws among 10,000,000,000 items, whose zeta
//! is known, and scatters the drawn items over the records with FNV-1a.

use crate::rng::SplitMix64;

/// YCSB's exponent.
pub const THETA: f64 = 0.99;
/// Items among which the scrambled generator draws.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;
/// The sum of `1 / k^0.99` for k from 1 to `SCRAMBLED_ITEMS`, as YCSB states it.
pub const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// Returns the sum of `1 / k^0.99` for k from 1 to `items`.
pub fn zeta(items: u64) -> f64 {
    (1..=items).map(|k| (k as f64).powf(-THETA)).sum()
}

/// Draws ranks from 0. The lowest rank is the most frequent: rank k in proportion to `1 / (k + 1)^0.99`.
///
/// ```
/// use dbdyno_workload::{rng::SplitMix64, zipf::Zipf};
///
/// let (zipf, mut rng) = (Zipf::new(100), SplitMix64::new(1));
/// let ranks: Vec<u64> = (0..1_000).map(|_| zipf.rank(&mut rng)).collect();
/// let count = |rank| ranks.iter().filter(|&&one| one == rank).count();
/// assert!(count(0) > count(1) && count(1) > count(50));
/// ```
#[derive(Debug, Clone)]
pub struct Zipf {
    items: u64,
    zeta: f64,
    alpha: f64,
    eta: f64,
}

impl Zipf {
    /// Creates a generator for `items` items, and computes their zeta by summation.
    pub fn new(items: u64) -> Self {
        Self::with_zeta(items.max(1), zeta(items.max(1)))
    }

    fn with_zeta(items: u64, zeta_of_items: f64) -> Self {
        let eta = (1.0 - (2.0 / items as f64).powf(1.0 - THETA)) / (1.0 - zeta(2) / zeta_of_items);
        Self { items, zeta: zeta_of_items, alpha: 1.0 / (1.0 - THETA), eta }
    }

    /// Adds one item.
    pub fn grow(&mut self) {
        let items = self.items + 1;
        *self = Self::with_zeta(items, self.zeta + (items as f64).powf(-THETA));
    }

    pub fn rank(&self, rng: &mut SplitMix64) -> u64 {
        let u = unit(rng);
        let uz = u * self.zeta;
        if uz < 1.0 {
            return 0;
        }
        if uz < 1.0 + 0.5_f64.powf(THETA) {
            return 1;
        }
        let rank = (self.items as f64 * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as u64;
        rank.min(self.items - 1)
    }
}

/// Draws records, with the popular ones scattered over all records.
#[derive(Debug, Clone)]
pub struct ScrambledZipf {
    zipf: Zipf,
    records: u64,
}

impl ScrambledZipf {
    pub fn new(records: u64) -> Self {
        Self { zipf: Zipf::with_zeta(SCRAMBLED_ITEMS, SCRAMBLED_ZETA), records: records.max(1) }
    }

    pub fn record(&self, rng: &mut SplitMix64) -> u64 {
        fnv1a(self.zipf.rank(rng)) % self.records
    }
}

/// Returns the 64-bit FNV-1a hash of a number's eight bytes, lowest byte first, as an absolute value, as YCSB computes it.
pub fn fnv1a(number: u64) -> u64 {
    const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 1_099_511_628_211;
    let hash = number.to_le_bytes().iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    (hash as i64).unsigned_abs()
}

/// Draws a number from 0 up to, but not including, 1, with 53 bits.
pub fn unit(rng: &mut SplitMix64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const DRAWS: u64 = 1_000_000;

    /// Returns four standard deviations of the measured share among [`DRAWS`].
    fn sampling_error(share: f64) -> f64 {
        4.0 * (share * (1.0 - share) / DRAWS as f64).sqrt()
    }

    #[test]
    fn ranks_follow_the_closed_form() {
        let (zipf, mut rng) = (Zipf::new(1_000), SplitMix64::new(5));
        let mut counts = vec![0_u64; 1_000];
        (0..DRAWS).for_each(|_| counts[zipf.rank(&mut rng) as usize] += 1);
        let share = |below: u64| zeta(below) / zeta(1_000);
        // The method is exact for the first two ranks. Beyond them it is as close as its published form.
        for (rank, truth) in [(0, share(1)), (1, share(2) - share(1))] {
            let found = counts[rank] as f64 / DRAWS as f64;
            assert!((found - truth).abs() < sampling_error(truth), "rank {rank}: {found}, by the law {truth}");
        }
        let found = counts[..10].iter().sum::<u64>() as f64 / DRAWS as f64;
        let of_method = ((10.0_f64 / 1_000.0).powf(1.0 - THETA) - 1.0 + zipf.eta) / zipf.eta;
        assert!(
            (found - of_method).abs() < sampling_error(of_method),
            "the top percent: {found}, expected {of_method}"
        );
        assert!((found / share(10) - 1.0).abs() < 0.05, "the top percent: {found}, by the law {}", share(10));
    }

    #[test]
    fn the_scrambled_ones_have_the_published_shares() {
        let (zipf, mut rng) = (ScrambledZipf::new(100_000), SplitMix64::new(6));
        let mut counts: HashMap<u64, u64> = HashMap::new();
        (0..DRAWS).for_each(|_| *counts.entry(zipf.record(&mut rng)).or_default() += 1);
        let most = counts.values().copied().max().unwrap() as f64 / DRAWS as f64;
        // Besides rank 0, the record gets its share of all the rare ranks, which are hardly ever drawn twice.
        let truth = 1.0 / SCRAMBLED_ZETA;
        assert!((most - truth).abs() < sampling_error(truth) + 2e-5, "{most}, by the law {truth}");
        assert!(counts.contains_key(&(fnv1a(0) % 100_000)));
    }

    #[test]
    fn an_item_more_is_as_if_it_had_been_there() {
        let mut grown = Zipf::new(99);
        grown.grow();
        let (mut one, mut other) = (SplitMix64::new(1), SplitMix64::new(1));
        let whole = Zipf::new(100);
        assert!((grown.zeta - whole.zeta).abs() < 1e-12);
        assert!((0..1_000).all(|_| grown.rank(&mut one) == whole.rank(&mut other)));
    }

    /// Expected values from YCSB's `Utils.hash`.
    #[test]
    fn the_hash_is_the_one_of_the_published_program() {
        assert_eq!(
            [0, 1, 2].map(fnv1a),
            [6_284_781_860_667_377_211, 8_517_097_267_634_966_620, 1_820_151_046_732_198_393]
        );
    }
}
