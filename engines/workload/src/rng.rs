//! The seeded generator behind every random key, value and choice.
//!
//! SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): 64 bits of state, a few instructions in
//! any language. An engine written in Go draws the same numbers as one written in Rust.

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of numbers.
///
/// ```
/// use dbdyno_workload::rng::SplitMix64;
///
/// let mut rng = SplitMix64::new(1_234_567);
/// assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317, "as the published program in C");
/// assert!(rng.below(10) < 10);
/// // Test 3 of a run with seed 7 draws from a stream of its own.
/// assert_eq!(SplitMix64::stream(7, 3).next_u64(), SplitMix64::stream(7, 3).next_u64());
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates the stream that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates stream number `index` of `seed`: its own seed is the `index`-th output (from 0) of the seed's stream.
    ///
    /// A test draws from stream `test number`, so leaving out a test does not change what the others draw.
    pub fn stream(seed: u64, index: u64) -> Self {
        Self::new(mix(seed.wrapping_add(GAMMA.wrapping_mul(index.wrapping_add(1)))))
    }

    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// Draws a number of `0..bound`, by the high half of a 128-bit product (bias below `bound / 2^64`); 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

#[inline]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_sequence_of_seed_1234567() {
        let mut rng = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ],
            "these are the values of the reference implementation in C"
        );
    }

    #[test]
    fn a_stream_starts_at_the_output_of_its_number() {
        let mut outputs = SplitMix64::new(42);
        for index in 0..4 {
            let seed = outputs.next_u64();
            assert_eq!(SplitMix64::stream(42, index).next_u64(), SplitMix64::new(seed).next_u64());
        }
    }

    #[test]
    fn a_bound_is_kept_and_every_value_is_met() {
        let mut rng = SplitMix64::new(7);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[rng.below(10) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
    }
}
