use super::normal::two_sided_z;
use super::ratio::{RatioInterval, Runs};
use super::{ALPHA, SAME_BAND, within};

/// More rounds than this are "not in reach".
pub const MORE_ROUNDS_CAP: u32 = 1000;

/// About how many more rounds (one more run a side each) would decide a comparison that is undecided.
///
/// Assumes that the ratio stays where it is and that the interval, on the log scale, narrows with sqrt(n), or with
/// sqrt(1/n + 1/m) for unpaired runs. It is decided when the interval lies within a factor of 1.03, or excludes 1 with a ratio
/// beyond `noise_floor`. For the latter the interval is first widened to what the smallest p of a table of `tests`
/// tests must pass, ALPHA / tests, and there must be rounds enough to reach that p at all. The ratio will move, so this
/// is a hint for the plan and no promise: in simulations of one test three in four or more were decided by then.
///
/// It is meant for one further plan of a fixed size. Looking after each round and stopping at the first decision finds
/// differences where there are none: 10 to 25 % of simulated A/A sessions instead of 5 %. A look that is counted pays by
/// [`Spending`](super::Spending).
///
/// `None` when neither is in reach within [`MORE_ROUNDS_CAP`].
pub fn more_rounds(interval: &RatioInterval, noise_floor: f64, tests: usize) -> Option<u32> {
    let centre = interval.ratio.ln();
    let below = centre - interval.low.ln();
    let above = interval.high.ln() - centre;
    let towards_one = if centre > 0.0 { below } else { above };
    let tests = tests.max(1) as f64;
    let widened = two_sided_z(ALPHA / tests) / two_sided_z(ALPHA);
    let beyond_noise = !within(interval.ratio, noise_floor);
    (1..=MORE_ROUNDS_CAP).find(|&more| {
        let then = interval.runs.plus(more as usize);
        let narrowed = then.width() / interval.runs.width();
        let differs =
            beyond_noise && towards_one * narrowed * widened < centre.abs() && then.smallest_p() * tests < ALPHA;
        let same = (below * narrowed - centre).max(centre + above * narrowed) <= SAME_BAND.ln_1p();
        differs || same
    })
}

/// The fewest paired rounds with which a difference in a table of `tests` tests can be significant at all.
///
/// The smallest p of n pairs is 2 / 2^n, and where one test of a table differs its p is multiplied by the number of tests, by Holm as by
/// Benjamini and Hochberg: 6 rounds are enough for one test, but for one of 18 it takes 10. Where all of them differ, 6 do.
pub fn rounds_needed(tests: usize) -> usize {
    let tests = tests.max(1) as f64;
    let enough = |&rounds: &usize| Runs::Paired(rounds).smallest_p() * tests < ALPHA;
    // 2^-100 is beyond any number of tests.
    (1..100).find(enough).unwrap_or(100)
}

impl Runs {
    /// With `more` rounds added.
    fn plus(self, more: usize) -> Self {
        match self {
            Self::Paired(n) => Self::Paired(n + more),
            Self::Unpaired(n, m) => Self::Unpaired(n + more, m + more),
        }
    }

    /// The width of the interval, up to a factor.
    fn width(self) -> f64 {
        match self {
            Self::Paired(n) => (1.0 / n as f64).sqrt(),
            Self::Unpaired(n, m) => (1.0 / n as f64 + 1.0 / m as f64).sqrt(),
        }
    }

    /// The smallest two-sided p that the rank test can give: 2 / 2^n, or 2 / C(n+m, n).
    fn smallest_p(self) -> f64 {
        match self {
            Self::Paired(n) => 2.0 * 0.5_f64.powf(n as f64),
            Self::Unpaired(n, m) => {
                // No factor is above 1/2: after 100 of them the rest does not matter.
                let (small, large) = (n.min(m).min(100), n.max(m));
                let factor = |i: usize| i as f64 / (large + i) as f64;
                2.0 * (1..=small).map(factor).product::<f64>()
            }
        }
    }
}
