use super::error::{NoAnswer, finite};
use dbdyno_workload::rng::SplitMix64;

/// The fewest values of a series that can show a change: with nine values, two of 126 orders are as good as the best.
pub const MIN_STEPPED: usize = 10;

/// The fewest values on either side of a change. Fewer do not form a level.
const LEAST: usize = 3;
/// The number of random orders of a stretch that its split is compared with.
const PERMUTATIONS: usize = 999;
/// The highest p of a change. Lower than the usual level, because every added session tests the series again.
const CHANGE_ALPHA: f64 = 0.01;

/// A point at which a series moves to another level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first value at the new level.
    pub at: usize,
    /// The probability that chance alone produces a split as good as this one.
    pub p: f64,
}

/// Returns the change points of a series, in the order of the series.
///
/// Each stretch is split where the energy distance between its two parts, weighted by their lengths, is greatest. The split is kept if at
/// most one in a hundred of 999 random orders of the stretch has a split as good. Then both parts are checked in turn. The method assumes
/// nothing about the distribution, and a single outlier does not count as a level. Source: Matteson and James, "A Nonparametric Approach
/// for Multiple Change Point Analysis of Multivariate Data", JASA 109 (2014), with exponent 1, and permutations of the stretch alone.
///
/// The same series and seed give the same answer. Time grows with the square of the length.
///
/// # Errors
/// [`NoAnswer::NotFinite`] when a value is NaN or infinite.
pub fn change_points(series: &[f64], seed: u64) -> Result<Vec<ChangePoint>, NoAnswer> {
    finite(series)?;
    let mut rng = SplitMix64::new(seed);
    let mut found = Vec::new();
    let mut stretches = vec![(0, series.len())];
    while let Some((from, until)) = stretches.pop() {
        let Some(split) = best_split(&series[from..until]) else { continue };
        if let Some(p) = p_of(split, &series[from..until], &mut rng) {
            let at = from + split.at;
            found.push(ChangePoint { at, p });
            stretches.extend([(from, at), (at, until)]);
        }
    }
    found.sort_by_key(|change| change.at);
    Ok(found)
}

#[derive(Debug, Clone, Copy)]
struct Split {
    /// Length of the first part.
    at: usize,
    /// Weighted energy distance of the parts.
    distance: f64,
}

/// Returns the split of a stretch whose parts are farthest apart; none if the stretch is too short for two parts.
fn best_split(values: &[f64]) -> Option<Split> {
    let n = values.len();
    let apart = |one: usize, other: usize| (values[one] - values[other]).abs();
    // Sums of distances within the first part, within the second, and between them; one value moves at a time.
    let (mut first, mut between) = (0.0, 0.0);
    let mut second: f64 = (0..n).map(|one| (0..one).map(|other| apart(one, other)).sum::<f64>()).sum();
    let mut best: Option<Split> = None;
    for moved in 0..n {
        let to_first: f64 = (0..moved).map(|other| apart(moved, other)).sum();
        let to_second: f64 = (moved + 1..n).map(|other| apart(moved, other)).sum();
        first += to_first;
        second -= to_second;
        between += to_second - to_first;
        let (a, b) = (moved + 1, n - moved - 1);
        if a < LEAST || b < LEAST {
            continue;
        }
        let (of_a, of_b) = (a as f64, b as f64);
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let energy = 2.0 * between / (of_a * of_b) - first / pairs(of_a) - second / pairs(of_b);
        let distance = of_a * of_b / (of_a + of_b) * energy;
        if best.is_none_or(|best| distance > best.distance) {
            best = Some(Split { at: a, distance });
        }
    }
    best
}

/// Returns the share of random orders, including the actual order, that have a split as good; none above [`CHANGE_ALPHA`].
fn p_of(split: Split, values: &[f64], rng: &mut SplitMix64) -> Option<f64> {
    let all = (PERMUTATIONS + 1) as f64;
    let mut shuffled = values.to_vec();
    let mut as_good = 1;
    for _ in 0..PERMUTATIONS {
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, rng.below(at as u64 + 1) as usize);
        }
        as_good += usize::from(best_split(&shuffled).is_some_and(|other| other.distance >= split.distance));
        if as_good as f64 / all > CHANGE_ALPHA {
            return None;
        }
    }
    Some(as_good as f64 / all)
}
