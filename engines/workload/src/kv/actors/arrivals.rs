//! The due times of operations that do not wait for each other.

use crate::{actors::at_speed, kv::inputs::InputSource, rng::SplitMix64, zipf::unit};
use dbdyno_engine::suite::{Arrival, Gaps};

/// When the operations of a thread are due.
pub(super) enum DueTimes {
    /// At a rate.
    Arrivals(Arrivals),
    /// As recorded, at this percentage of the recorded speed.
    Recorded { percent: u64 },
}

impl DueTimes {
    /// Returns when the next operation is due, ns from the start.
    pub(super) fn next_ns(&self, inputs: &InputSource<'_>) -> u64 {
        match self {
            Self::Arrivals(arrivals) => arrivals.next_ns(),
            Self::Recorded { percent } => at_speed(inputs.next_at().unwrap_or(0), *percent),
        }
    }

    pub(super) fn advance(&mut self) {
        if let Self::Arrivals(arrivals) = self {
            arrivals.advance();
        }
    }

    /// Returns how many of the remaining operations are due before a time, ns from the start. Recorded ones are all done.
    pub(super) fn due_before(&self, ns: u64) -> u64 {
        match self {
            Self::Arrivals(arrivals) => arrivals.due_before(ns),
            Self::Recorded { .. } => 0,
        }
    }
}

/// The times at which the operations of one thread are due.
pub(super) struct Arrivals {
    gaps: Gaps,
    /// Mean time between two operations, ns.
    mean_ns: f64,
    /// The due time of the next operation, ns from the start.
    next_ns: f64,
    rng: SplitMix64,
}

impl Arrivals {
    /// Creates the due times of thread `thread` of `threads` that share a rate: together they reach it, and threads with even gaps take
    /// turns.
    pub(super) fn new(arrival: Arrival, (thread, threads): (u32, u32), rng: SplitMix64) -> Self {
        let mean_ns = f64::from(threads) * 1e9 / arrival.rate as f64;
        let mut arrivals = Self { gaps: arrival.gaps, mean_ns, next_ns: 0.0, rng };
        arrivals.next_ns = match arrival.gaps {
            Gaps::Even => mean_ns * f64::from(thread) / f64::from(threads),
            Gaps::Poisson => arrivals.gap(),
        };
        arrivals
    }

    /// Returns when the next operation is due, ns from the start.
    pub(super) fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    pub(super) fn advance(&mut self) {
        self.next_ns += self.gap();
    }

    /// Returns how many of the remaining operations are due before a time, ns from the start.
    pub(super) fn due_before(&self, ns: u64) -> u64 {
        let late = ns as f64 - self.next_ns;
        if late < 0.0 { 0 } else { (late / self.mean_ns) as u64 + 1 }
    }

    fn gap(&mut self) -> f64 {
        match self.gaps {
            Gaps::Even => self.mean_ns,
            // The inverse of the exponential distribution. The argument of `ln` is above 0.
            Gaps::Poisson => -(1.0 - unit(&mut self.rng)).ln() * self.mean_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(gaps: Gaps, place: (u32, u32)) -> impl Iterator<Item = u64> {
        let mut arrivals = Arrivals::new(Arrival { rate: 1_000, gaps }, place, SplitMix64::new(4));
        std::iter::repeat_with(move || {
            let next = arrivals.next_ns();
            arrivals.advance();
            next
        })
    }

    #[test]
    fn even_ones_take_turns() {
        let first: Vec<u64> = arrivals(Gaps::Even, (0, 2)).take(3).collect();
        let second: Vec<u64> = arrivals(Gaps::Even, (1, 2)).take(3).collect();
        assert_eq!(first, [0, 2_000_000, 4_000_000]);
        assert_eq!(second, [1_000_000, 3_000_000, 5_000_000]);
    }

    #[test]
    fn those_of_poisson_have_the_mean_and_the_spread_of_the_exponential_distribution() {
        let at: Vec<u64> = arrivals(Gaps::Poisson, (0, 1)).take(100_001).collect();
        let gaps: Vec<f64> = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.015, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{}", variance.sqrt() / mean);
    }

    #[test]
    fn what_is_due_is_counted() {
        let arrivals = Arrivals::new(Arrival { rate: 1_000, gaps: Gaps::Even }, (0, 1), SplitMix64::new(4));
        assert_eq!([0, 999_999, 1_000_000, 5_500_000].map(|ns| arrivals.due_before(ns)), [1, 1, 2, 6]);
    }
}
