//! The k-th smallest of all differences or of all Walsh averages, without generating them.
//!
//! For sorted samples, one pass counts the pairs that are at most some limit. Two limits enclose the value. A new limit is placed where a
//! straight line between them expects the value, until few enough pairs are left between them to generate and sort. That takes about ten
//! passes, and as much memory as the samples have. A selection from 100,000 runs per side is no problem, but generating their 10^10
//! differences would be.

/// Returns the Walsh averages (r_i + r_j) / 2, i <= j, of a sorted sample that is not empty.
pub(super) fn walsh(sorted: &[f64]) -> Pairs<WalshAverages<'_>> {
    let n = sorted.len();
    Pairs { total: n * (n + 1) / 2, smallest: sorted[0], largest: sorted[n - 1], values: WalshAverages { sorted } }
}

/// Returns the differences x_i - y_j of two sorted samples that are not empty.
pub(super) fn differences<'v>(x: &'v [f64], y: &'v [f64]) -> Pairs<Differences<'v>> {
    Pairs {
        total: x.len() * y.len(),
        smallest: x[0] - y[y.len() - 1],
        largest: x[x.len() - 1] - y[0],
        values: Differences { x, y },
    }
}

/// Values that are calculated from pairs of sorted samples.
pub(super) trait PairValues {
    /// Returns how many values a pass visits.
    fn length(&self) -> usize;

    /// Returns how many values are at most `limit`.
    fn at_most(&self, limit: f64) -> usize;

    /// Returns the values above `low` and at most `high`, in any order.
    fn between(&self, low: f64, high: f64) -> Vec<f64>;
}

pub(super) struct WalshAverages<'v> {
    sorted: &'v [f64],
}

impl PairValues for WalshAverages<'_> {
    fn length(&self) -> usize {
        self.sorted.len()
    }

    fn at_most(&self, limit: f64) -> usize {
        let (mut end, mut count) = (self.sorted.len(), 0);
        for (i, &value) in self.sorted.iter().enumerate() {
            while end > i && value.midpoint(self.sorted[end - 1]) > limit {
                end -= 1;
            }
            count += end.saturating_sub(i);
        }
        count
    }

    fn between(&self, low: f64, high: f64) -> Vec<f64> {
        let n = self.sorted.len();
        let (mut from, mut until) = (n, n);
        let mut found = Vec::new();
        for (i, &value) in self.sorted.iter().enumerate() {
            while from > i && value.midpoint(self.sorted[from - 1]) > low {
                from -= 1;
            }
            while until > i && value.midpoint(self.sorted[until - 1]) > high {
                until -= 1;
            }
            found.extend(self.sorted[from.max(i)..until.max(i)].iter().map(|other| value.midpoint(*other)));
        }
        found
    }
}

pub(super) struct Differences<'v> {
    x: &'v [f64],
    y: &'v [f64],
}

impl PairValues for Differences<'_> {
    fn length(&self) -> usize {
        self.x.len() + self.y.len()
    }

    fn at_most(&self, limit: f64) -> usize {
        let (mut start, mut count) = (0, 0);
        for &value in self.x {
            while start < self.y.len() && value - self.y[start] > limit {
                start += 1;
            }
            count += self.y.len() - start;
        }
        count
    }

    fn between(&self, low: f64, high: f64) -> Vec<f64> {
        let (mut from, mut until) = (0, 0);
        let mut found = Vec::new();
        for &value in self.x {
            while from < self.y.len() && value - self.y[from] > high {
                from += 1;
            }
            while until < self.y.len() && value - self.y[until] > low {
                until += 1;
            }
            found.extend(self.y[from..until].iter().map(|other| value - other));
        }
        found
    }
}

/// The values of all pairs, with their number and range.
pub(super) struct Pairs<V> {
    pub(super) total: usize,
    smallest: f64,
    largest: f64,
    values: V,
}

/// A limit, and the number of values that are at most the limit.
type CountAtLimit = (f64, usize);

impl<V: PairValues> Pairs<V> {
    /// Returns the `k`-th smallest values, each `k` from 1 to the total; ranks close together cost little more than one.
    pub(super) fn kths<const N: usize>(&self, ranks: [usize; N]) -> [f64; N] {
        let mut counted: Vec<CountAtLimit> = vec![(self.smallest.next_down(), 0), (self.largest, self.total)];
        ranks.map(|k| self.kth(k, &mut counted))
    }

    /// Returns the `k`-th smallest value. `counted` is in order, and collects the counts of this search.
    fn kth(&self, k: usize, counted: &mut Vec<CountAtLimit>) -> f64 {
        let mut before = usize::MAX;
        let (mut passes, mut slow) = (0_usize, 0);
        loop {
            // Fewer than k values are at most `low`, and k or more are at most `high`.
            let next = counted.partition_point(|(_, count)| *count < k);
            let (low, high) = (counted[next - 1], counted[next]);
            if high.0.next_down() <= low.0 {
                return high.0;
            }
            let left = high.1 - low.1;
            if left <= self.values.length() {
                let mut values = self.values.between(low.0, high.0);
                return *values.select_nth_unstable_by(k - low.1 - 1, f64::total_cmp).1;
            }
            slow = if left > before / 2 { slow + 1 } else { 0 };
            // If the values are distributed so that the straight line makes slow progress, halving ends the search for any distribution.
            let limit = if slow > 2 { middle(low.0, high.0) } else { aimed(k, low, high, passes.is_multiple_of(2)) };
            counted.insert(next, (limit, self.values.at_most(limit)));
            (before, passes) = (left, passes + 1);
        }
    }

    /// Returns how many values are at most `limit`.
    pub(super) fn at_most(&self, limit: f64) -> usize {
        self.values.at_most(limit)
    }

    pub(super) fn median(&self) -> f64 {
        let [below, above] = self.kths(self.middle());
        below.midpoint(above)
    }

    /// Returns the ranks of the two values around the median.
    pub(super) fn middle(&self) -> [usize; 2] {
        [self.total.div_ceil(2), self.total / 2 + 1]
    }
}

/// Returns the number half way between two, in the order of floating-point numbers; never the higher one.
fn middle(low: f64, high: f64) -> f64 {
    value(key(low).midpoint(key(high)))
}

/// Returns the limit where a straight line between two limits expects a rank a little beyond `k`, alternately above and below, so that both
/// limits move closer.
fn aimed(k: usize, low: CountAtLimit, high: CountAtLimit, above: bool) -> f64 {
    let left = high.1 - low.1;
    let margin = left / 16;
    let rank = if above { k + margin } else { k.saturating_sub(margin) }.clamp(low.1, high.1);
    let limit = low.0 + (high.0 - low.0) * ((rank - low.1) as f64 / left as f64);
    if limit > low.0 && limit < high.0 { limit } else { middle(low.0, high.0) }
}

/// Maps floating-point numbers to whole numbers in the same order.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Returns the floating-point number of a key.
fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::rng::SplitMix64;

    /// Values with ties, zeros of both signs, far apart and close together.
    fn sample(rng: &mut SplitMix64, length: usize, kind: usize) -> Vec<f64> {
        let unit = |rng: &mut SplitMix64| rng.below(1 << 30) as f64 / f64::from(1 << 30) - 0.5;
        let one = |rng: &mut SplitMix64| match kind {
            0 => unit(rng),
            1 => rng.below(4) as f64 - 1.0,
            2 => unit(rng) * 1e300,
            3 => unit(rng).powi(31),
            4 => [0.0, -0.0, 5e-324, 1.0][rng.below(4) as usize],
            _ => 1.0 + unit(rng) * 1e-15,
        };
        let mut values: Vec<f64> = (0..length).map(|_| one(rng)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    fn check(pairs: &Pairs<impl PairValues>, mut all: Vec<f64>, what: &str) {
        all.sort_unstable_by(f64::total_cmp);
        assert_eq!(pairs.total, all.len());
        for k in (1..=all.len()).step_by((all.len() / 50).max(1)).chain([all.len()]) {
            assert_eq!(pairs.kths([k]), [all[k - 1]], "{what}, {k} of {}", all.len());
        }
        assert_eq!(pairs.median(), all[(all.len() - 1) / 2].midpoint(all[all.len() / 2]), "{what}");
    }

    #[test]
    fn selected_values_are_those_of_all_pairs_sorted() {
        let mut rng = SplitMix64::new(7);
        for kind in 0..6 {
            for length in [1, 2, 3, 10, 101] {
                let (x, y) = (sample(&mut rng, length, kind), sample(&mut rng, length / 2 + 1, kind));
                let averages = (0..x.len()).flat_map(|i| x[i..].iter().map(move |other| (i, other)));
                let averages = averages.map(|(i, other)| x[i].midpoint(*other)).collect();
                check(&walsh(&x), averages, &format!("averages of kind {kind}"));
                let all = x.iter().flat_map(|x| y.iter().map(move |y| x - y)).collect();
                check(&differences(&x, &y), all, &format!("differences of kind {kind}"));
            }
        }
    }
}
