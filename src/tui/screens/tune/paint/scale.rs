//! Bars of ratios around 1: a line at 1, an interval, and its point.

use dbdyno_comparing::compare::{JudgedRatio, RatioRange};

/// A log axis around 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatioScale {
    /// The natural logarithm of the ratio at the right end; the left end is its reciprocal.
    pub(super) reach: f64,
}

impl RatioScale {
    /// Returns an axis that covers all these ratios.
    pub(super) fn holding(ratios: impl Iterator<Item = f64>) -> Self {
        let logs = ratios.map(|ratio| ratio.ln().abs()).filter(|log| log.is_finite());
        Self { reach: logs.fold(0.05, f64::max) * 1.05 }
    }

    /// Returns the column of a ratio in a bar of `columns` columns.
    fn column(self, ratio: f64, columns: usize) -> usize {
        let last = columns.saturating_sub(1) as f64;
        ((ratio.ln() / self.reach + 1.0) / 2.0 * last).round().clamp(0.0, last) as usize
    }

    /// Returns the interval as a bar: a line at 1, the ends, and the point.
    pub(super) fn bar(self, interval: Option<RatioRange>, ratio: Option<f64>, columns: usize) -> String {
        let mut cells = vec![' '; columns];
        if let Some(one) = cells.get_mut(self.column(1.0, columns)) {
            *one = '│';
        }
        if let Some(interval) = interval {
            let (low, high) = (self.column(interval.low, columns), self.column(interval.high, columns));
            cells[low..=high].fill('━');
        }
        if let Some(cell) = ratio.and_then(|ratio| cells.get_mut(self.column(ratio, columns))) {
            *cell = '◆';
        }
        cells.into_iter().collect()
    }
}

/// Returns the ratio and the ends of its interval.
pub(super) fn ends(found: &JudgedRatio) -> impl Iterator<Item = f64> {
    let ends = found.interval.map(|interval| [interval.low, interval.high]);
    ends.into_iter().flatten().chain([found.ratio])
}
