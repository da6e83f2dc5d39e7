//! Two overlaid latency histograms, drawn with characters that distinguish A from B without colour.

use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{Bucket, Latency};
use dbdyno_foundation::base::units::duration;

/// Buckets in a power of ten, as [`Bucket::end`] counts them.
const PER_DECADE: u32 = 20;

/// The key to the characters.
pub(super) const LEGEND: &str = "▌ A  ░ B  █ both · a b + traces";

/// The shares of A's and B's operations, in columns over a common log axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HistogramColumns {
    shares: Vec<(f64, f64)>,
    /// The bucket before the first.
    first: u32,
    /// Buckets in a column, and columns for a bucket; one of the two is 1.
    merged: u32,
    stretched: u32,
}

impl HistogramColumns {
    /// Returns the histograms in at most `room` columns.
    pub(super) fn new(a: &Latency, b: &Latency, room: u32) -> Self {
        let ends = || a.buckets.iter().chain(&b.buckets).map(|bucket| bucket.end);
        let first = ends().min().unwrap_or(1).saturating_sub(1);
        let buckets = ends().max().unwrap_or(1).max(first + 1) - first;
        let room = room.max(1);
        let merged = buckets.div_ceil(room);
        let stretched = (room / buckets).clamp(1, 4);
        let mut shares = vec![(0.0, 0.0); (buckets.div_ceil(merged) * stretched) as usize];
        let mut add = |latency: &Latency, side: fn(&mut (f64, f64)) -> &mut f64| {
            for Bucket { end, operations } in &latency.buckets {
                let from = (end - first - 1) / merged * stretched;
                for column in from..from + stretched {
                    if let Some(shares) = shares.get_mut(column as usize) {
                        *side(shares) += *operations as f64 / latency.operations.max(1) as f64;
                    }
                }
            }
        };
        add(a, |shares| &mut shares.0);
        add(b, |shares| &mut shares.1);
        Self { shares, first, merged, stretched }
    }

    /// Returns the rows from the top, as characters with the role of their side.
    pub(super) fn rows(&self, height: u16) -> Vec<Vec<(char, Role)>> {
        let tallest = self.shares.iter().map(|(a, b)| a.max(*b)).fold(f64::MIN_POSITIVE, f64::max);
        let row = |from_below: u16| {
            let filled = |share: f64| share / tallest * f64::from(height) - f64::from(from_below) >= 0.5;
            self.shares
                .iter()
                .map(|&(a, b)| match (filled(a), filled(b)) {
                    (true, true) => ('█', Role::Text),
                    (true, false) => ('▌', Role::A),
                    (false, true) => ('░', Role::B),
                    (false, false) if from_below == 0 => trace(a, b),
                    (false, false) => (' ', Role::Text),
                })
                .collect()
        };
        (0..height).rev().map(row).collect()
    }

    /// Returns the powers of ten: their column, and the latency as text.
    pub(super) fn ticks(&self) -> Vec<(u32, String)> {
        let last = self.first + self.shares.len() as u32 / self.stretched * self.merged;
        let decades = self.first.div_ceil(PER_DECADE)..=last / PER_DECADE;
        decades
            .map(|decade| {
                let column = (decade * PER_DECADE - self.first) / self.merged * self.stretched;
                let word = duration(10_f64.powi(decade as i32)).replace(".00", "").replace(".0", "");
                (column, word)
            })
            .collect()
    }
}

/// Marks shares that fill less than half a cell, so that the tail stays visible.
fn trace(a: f64, b: f64) -> (char, Role) {
    match (a > 0.0, b > 0.0) {
        (true, true) => ('+', Role::Text),
        (true, false) => ('a', Role::A),
        (false, true) => ('b', Role::B),
        (false, false) => (' ', Role::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(buckets: &[(u32, u64)]) -> Latency {
        let operations = buckets.iter().map(|(_, operations)| operations).sum();
        let buckets = buckets.iter().map(|&(end, operations)| Bucket { end, operations }).collect();
        Latency { operations, p50_ns: None, p90_ns: None, p99_ns: None, p999_ns: None, buckets }
    }

    fn text(columns: &HistogramColumns, height: u16) -> Vec<String> {
        columns.rows(height).into_iter().map(|row| row.into_iter().map(|(c, _)| c).collect()).collect()
    }

    #[test]
    fn both_sides_and_their_tails_are_told_apart_without_colour() {
        let a = latency(&[(60, 100), (61, 50), (63, 1)]);
        let b = latency(&[(61, 50), (62, 100), (64, 1)]);
        let columns = HistogramColumns::new(&a, &b, 5);
        assert_eq!(text(&columns, 2), ["▌ ░  ", "▌█░ab"[..].to_owned().as_str()].map(str::to_owned));
    }

    #[test]
    fn ticks_are_powers_of_ten_and_wide_histograms_are_merged() {
        let wide = latency(&[(41, 1), (101, 1)]);
        let columns = HistogramColumns::new(&wide, &wide, 31);
        assert_eq!(
            columns.ticks(),
            [(0, "100 ns".to_owned()), (10, "1 µs".to_owned()), (20, "10 µs".to_owned()), (30, "100 µs".to_owned())]
        );
        assert!(columns.shares.len() <= 31);
    }
}
