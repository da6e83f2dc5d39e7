//! Values some of which are 0: they have no ratio and no logarithm, but they have ranks.

use super::model::JudgedRatio;
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_stats::{ALPHA, MIN_RUNS, Verdict, median, rank_sum, signed_rank, within};

/// The ratio of two medians, for values some of which are 0, with a test of their ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedRatio {
    median_ratio: f64,
    paired: bool,
    /// The side with the higher values: A above 0, B below 0.
    higher: f64,
    /// None with too few runs.
    pub(super) p: Option<f64>,
}

impl RankedRatio {
    /// Tests the values of both sides; the i-th of `a` and of `b` are a pair if `paired`. Ranks the differences of pairs, otherwise the
    /// values.
    pub(super) fn new(a: &[f64], b: &[f64], paired: bool, median_ratio: f64) -> Self {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let enough = a.len().min(b.len()) >= MIN_RUNS;
        let test = || if paired { signed_rank(&differences) } else { rank_sum(a, b) };
        let higher = if paired { median(&differences).unwrap_or(0.0) } else { median_ratio - 1.0 };
        Self { median_ratio, paired, higher, p: if enough { test().ok().map(|test| test.p) } else { None } }
    }

    /// Returns the judged ratio. There is no interval, so no verdict is `Same`. Pairs and medians must agree on which side is higher.
    pub(super) fn judged(self, p_adjusted: Option<f64>, noise_floor: f64, metric: Metric) -> JudgedRatio {
        let Self { median_ratio: ratio, paired, higher, p } = self;
        let shown = p_adjusted.is_some_and(|p| p < ALPHA) && !within(ratio, noise_floor);
        let is_better = (ratio < 1.0) == (metric.better() != Better::More);
        let verdict = match (p, shown && higher * (ratio - 1.0) > 0.0) {
            (None, _) => Verdict::TooFew { need: MIN_RUNS },
            (Some(_), false) => Verdict::Undecided { more_rounds: None },
            (Some(_), true) if is_better => Verdict::Faster,
            (Some(_), true) => Verdict::Slower,
        };
        JudgedRatio {
            verdict,
            ratio,
            median_ratio: ratio,
            interval: None,
            paired,
            exact: false,
            sessions: None,
            p,
            p_adjusted,
        }
    }
}
