//! Numbers in a random order, each once, without a table: for a hundred million records a table would take 800 MB.
//!
//! A Feistel network of four rounds is a permutation of all numbers with an even number of bits. A result beyond the records goes through
//! the network again until it is one of the records (cycle walking, Black and Rogaway 2002). On average this takes fewer than four more
//! passes.

use crate::rng::SplitMix64;

/// An order of the numbers from 0 up to, but not including, a count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shuffle {
    count: u64,
    seed: u64,
    /// Bits of half a number, at least 1.
    half: u32,
}

impl Shuffle {
    /// Creates the order that belongs to a seed.
    pub(crate) fn new(count: u64, seed: u64) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { count, seed, half: bits.div_ceil(2).max(1) }
    }

    /// Returns the number at a place. Places beyond the count start again at the beginning.
    #[inline]
    pub(crate) fn record(&self, place: u64) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let mut number = self.scatter(place % self.count);
        while number >= self.count {
            number = self.scatter(number);
        }
        number
    }

    #[inline]
    fn scatter(&self, number: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (left, right) = (0..4).fold((number >> self.half, number & mask), |(left, right), round| {
            let scattered = SplitMix64::stream(self.seed, (round << self.half) | right).next_u64();
            (right, left ^ (scattered & mask))
        });
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 3, 5, 16, 17, 1_000, 65_537] {
            let shuffle = Shuffle::new(count, 42);
            let met: BTreeSet<u64> = (0..count).map(|place| shuffle.record(place)).collect();
            assert_eq!((met.len() as u64, met.last().copied()), (count, Some(count - 1)), "{count}");
        }
    }

    /// Expected values from tests/tables/shared/make.py, which engines in other languages must match as well.
    #[test]
    fn orders_are_those_of_every_language() {
        #[derive(serde::Deserialize)]
        struct Answers {
            shuffles: Vec<Answer>,
        }
        #[derive(serde::Deserialize)]
        struct Answer {
            count: u64,
            seed: String,
            order: Vec<u64>,
        }
        let answers: Answers = serde_json::from_str(include_str!("../../../tests/tables/shared/answers.json")).unwrap();
        for Answer { count, seed, order } in answers.shuffles {
            let shuffle = Shuffle::new(count, seed.parse().unwrap());
            assert_eq!((0..count).map(|place| shuffle.record(place)).collect::<Vec<u64>>(), order, "{count} {seed}");
        }
    }

    #[test]
    fn orders_differ_and_look_random() {
        let order = |seed: u64| (0..10_000).map(|place| Shuffle::new(10_000, seed).record(place)).collect::<Vec<u64>>();
        let (one, other) = (order(1), order(2));
        let alike = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(alike < 12, "of two random orders one place is alike on average: {alike}");
        // The correlation of a number with the next one, times the square root of their count, is approximately normal.
        let mean = 4_999.5;
        let product = |a: u64, b: u64| (a as f64 - mean) * (b as f64 - mean);
        let variance: f64 = one.iter().map(|&a| product(a, a)).sum();
        let covariance: f64 = one.windows(2).map(|pair| product(pair[0], pair[1])).sum();
        assert!((covariance / variance * 100.0).abs() < 4.0, "{}", covariance / variance * 100.0);
    }
}
