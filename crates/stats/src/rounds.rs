use super::ALPHA;

/// Returns the fewest paired rounds with which a difference in a table of `tests` tests can be significant at all.
///
/// The smallest p of n pairs is 2 / 2^n. If only one test of a table differs, both Holm and Benjamini and Hochberg multiply its p by the
/// number of tests: 6 rounds are enough for one test, but for one of 18 it takes 10. If all tests differ, 6 rounds are enough.
pub fn rounds_needed(tests: usize) -> usize {
    let tests = tests.max(1) as f64;
    let enough = |rounds: &usize| smallest_paired_p(*rounds) * tests < ALPHA;
    // 2^-100 is beyond any number of tests.
    (1..100).find(enough).unwrap_or(100)
}

/// Returns the smallest two-sided p that a rank test of `n` pairs can reach: 2 / 2^n.
pub(super) fn smallest_paired_p(n: usize) -> f64 {
    2.0 * 0.5_f64.powf(n as f64)
}

/// Returns the smallest two-sided p that a rank test of `n` and `m` values can reach: 2 / C(n+m, n).
pub(super) fn smallest_unpaired_p(n: usize, m: usize) -> f64 {
    // No factor is above 1/2, so factors after the first 100 do not matter.
    let (small, large) = (n.min(m).min(100), n.max(m));
    let factor = |i: usize| i as f64 / (large + i) as f64;
    2.0 * (1..=small).map(factor).product::<f64>()
}
