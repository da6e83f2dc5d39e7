//! The k-th smallest of all differences or of all Walsh averages, without making them.
//!
//! Of sorted samples, the pairs that are at most some limit can be counted in one pass; the limit is then bisected over
//! the floating-point numbers themselves. That takes 64 passes and no memory, so a selection of 100,000 runs a side is
//! no trouble where their 10^10 differences would be.

/// The Walsh averages (r_i + r_j) / 2, i <= j, of a sorted sample that is not empty.
pub(super) fn walsh(sorted: &[f64]) -> Pairs<impl Fn(f64) -> usize> {
    let n = sorted.len();
    Pairs {
        total: n * (n + 1) / 2,
        smallest: sorted[0],
        largest: sorted[n - 1],
        at_most: move |limit| {
            let mut end = n;
            let mut count = 0;
            for (i, &value) in sorted.iter().enumerate() {
                while end > i && value.midpoint(sorted[end - 1]) > limit {
                    end -= 1;
                }
                count += end.saturating_sub(i);
            }
            count
        },
    }
}

/// The differences x_i - y_j of two sorted samples that are not empty.
pub(super) fn differences(x: &[f64], y: &[f64]) -> Pairs<impl Fn(f64) -> usize> {
    Pairs {
        total: x.len() * y.len(),
        smallest: x[0] - y[y.len() - 1],
        largest: x[x.len() - 1] - y[0],
        at_most: move |limit| {
            let mut start = 0;
            let mut count = 0;
            for &value in x {
                while start < y.len() && value - y[start] > limit {
                    start += 1;
                }
                count += y.len() - start;
            }
            count
        },
    }
}

/// The values that pairs give, known by their extremes and by how many are at most a limit.
pub(super) struct Pairs<F> {
    pub(super) total: usize,
    smallest: f64,
    largest: f64,
    at_most: F,
}

impl<F: Fn(f64) -> usize> Pairs<F> {
    /// The `k`-th smallest value, `k` from 1 to the total.
    pub(super) fn kth(&self, k: usize) -> f64 {
        let (mut low, mut high) = (key(self.smallest), key(self.largest));
        while low < high {
            let middle = low.midpoint(high);
            if (self.at_most)(value(middle)) >= k {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        value(low)
    }

    pub(super) fn median(&self) -> f64 {
        let below = self.kth(self.total.div_ceil(2));
        let above = self.kth(self.total / 2 + 1);
        below.midpoint(above)
    }
}

/// Whole numbers in the order of the floating-point numbers.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The floating-point number of a key.
fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key })
}
