use super::ALPHA;

/// The fewest paired rounds with which a difference in a table of `tests` tests can be significant at all.
///
/// The smallest p of n pairs is 2 / 2^n, and where one test of a table differs its p is multiplied by the number of tests, by Holm as by
/// Benjamini and Hochberg: 6 rounds are enough for one test, but for one of 18 it takes 10. Where all of them differ, 6 do.
pub fn rounds_needed(tests: usize) -> usize {
    let tests = tests.max(1) as f64;
    let enough = |rounds: &usize| smallest_paired_p(*rounds) * tests < ALPHA;
    // 2^-100 is beyond any number of tests.
    (1..100).find(enough).unwrap_or(100)
}

/// The smallest two-sided p that a rank test of `n` pairs can give: 2 / 2^n.
pub(super) fn smallest_paired_p(n: usize) -> f64 {
    2.0 * 0.5_f64.powf(n as f64)
}

/// The smallest two-sided p that a rank test of `n` and `m` values can give: 2 / C(n+m, n).
pub(super) fn smallest_unpaired_p(n: usize, m: usize) -> f64 {
    // No factor is above 1/2: after 100 of them the rest does not matter.
    let (small, large) = (n.min(m).min(100), n.max(m));
    let factor = |i: usize| i as f64 / (large + i) as f64;
    2.0 * (1..=small).map(factor).product::<f64>()
}
