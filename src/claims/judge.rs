//! Whether what was measured agrees with what was published.

use crate::{
    catalog::ClaimedRatio,
    stats::{SAME_BAND, within},
};
use serde::Serialize;

/// What was measured of a claim: time A / time B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredRatio {
    /// The ratio; over several sizes, the median of their ratios.
    pub ratio: f64,
    /// Its 95 % interval; over several sizes, the medians of its ends. None with too few runs.
    pub interval: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reproduction {
    /// The measured interval is inside the published range, or as narrow as that with its ratio inside.
    Agrees,
    /// The same side is faster, by another factor.
    DirectionOnly,
    /// Neither.
    NotReproduced,
    /// Too few runs to tell, or too noisy ones.
    Undecided,
    NotMeasured,
}

impl Reproduction {
    pub const ALL: [Self; 5] =
        [Self::Agrees, Self::DirectionOnly, Self::NotReproduced, Self::Undecided, Self::NotMeasured];

    /// Its sign, so that it is never told by colour alone.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Agrees => "✓",
            Self::DirectionOnly => "~",
            Self::NotReproduced => "✗",
            Self::Undecided => "?",
            Self::NotMeasured => "·",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::DirectionOnly => "direction only",
            Self::NotReproduced => "not reproduced",
            Self::Undecided => "undecided",
            Self::NotMeasured => "not measured yet",
        }
    }
}

/// A figure published without a range is taken as this much either way, as a factor: 2 as 1.6 to 2.5.
const WITHOUT_RANGE: f64 = 0.25;

/// Agrees needs an interval that could have disagreed: inside the published range, or no wider than that (as a ratio of its ends) and with
/// the measured ratio inside. A wider one that meets the range tells nothing yet: noise must not win agreement.
pub fn judge(claimed: ClaimedRatio, measured: Option<MeasuredRatio>) -> Reproduction {
    let Some(measured) = measured else { return Reproduction::NotMeasured };
    let Some((low, high)) = measured.interval else { return Reproduction::Undecided };
    let (a_faster, b_faster) = (high < 1.0, low > 1.0);
    match claimed {
        ClaimedRatio::Figure { ratio, range } => {
            let (from, to) = match range {
                Some((from, to)) if from < to => (from, to),
                _ => (ratio / (1.0 + WITHOUT_RANGE), ratio * (1.0 + WITHOUT_RANGE)),
            };
            let inside = from <= low && high <= to;
            let narrow = high / low <= to / from && (from..=to).contains(&measured.ratio);
            if inside || narrow {
                Reproduction::Agrees
            } else if low <= to && from <= high {
                Reproduction::Undecided
            } else if (ratio < 1.0 && a_faster) || (ratio > 1.0 && b_faster) {
                Reproduction::DirectionOnly
            } else {
                Reproduction::NotReproduced
            }
        }
        ClaimedRatio::AFaster => direction(a_faster, b_faster, low, high),
        ClaimedRatio::BFaster => direction(b_faster, a_faster, low, high),
    }
}

/// A claim without a figure: which side is faster. An interval around 1 that is not narrow tells nothing yet.
fn direction(as_claimed: bool, reversed: bool, low: f64, high: f64) -> Reproduction {
    let same = within(low, SAME_BAND) && within(high, SAME_BAND);
    match (as_claimed, reversed || same) {
        (true, _) => Reproduction::Agrees,
        (false, true) => Reproduction::NotReproduced,
        (false, false) => Reproduction::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(low: f64, high: f64) -> Option<MeasuredRatio> {
        Some(MeasuredRatio { ratio: (low * high).sqrt(), interval: Some((low, high)) })
    }

    const RANGED: ClaimedRatio = ClaimedRatio::Figure { ratio: 0.5, range: Some((0.4, 0.6)) };
    const PLAIN: ClaimedRatio = ClaimedRatio::Figure { ratio: 2.0, range: None };

    #[test]
    fn an_interval_inside_the_range_or_as_narrow_about_a_ratio_inside_agrees() {
        assert_eq!(judge(RANGED, measured(0.41, 0.59)), Reproduction::Agrees);
        assert_eq!(judge(RANGED, measured(0.5, 0.65)), Reproduction::Agrees);
        assert_eq!(
            judge(PLAIN, measured(2.3, 2.6)),
            Reproduction::Agrees,
            "a figure alone is taken as a factor of 1.25 either way"
        );
    }

    #[test]
    fn an_interval_that_meets_the_range_and_much_else_tells_nothing() {
        assert_eq!(judge(RANGED, measured(0.2, 1.25)), Reproduction::Undecided);
        assert_eq!(judge(RANGED, measured(0.55, 0.9)), Reproduction::Undecided);
        assert_eq!(judge(PLAIN, measured(1.0, 4.0)), Reproduction::Undecided);
        let point = ClaimedRatio::Figure { ratio: 2.0, range: Some((2.0, 2.0)) };
        assert_eq!(judge(point, measured(1.9, 2.1)), Reproduction::Agrees, "a range of one figure is that figure");
    }

    #[test]
    fn the_same_winner_by_another_factor_is_the_direction_only() {
        assert_eq!(judge(RANGED, measured(0.7, 0.9)), Reproduction::DirectionOnly);
        assert_eq!(judge(RANGED, measured(0.61, 0.98)), Reproduction::DirectionOnly);
        assert_eq!(judge(RANGED, measured(0.1, 0.2)), Reproduction::DirectionOnly);
        assert_eq!(judge(PLAIN, measured(1.1, 1.2)), Reproduction::DirectionOnly);
    }

    #[test]
    fn another_winner_or_none_is_not_reproduced() {
        assert_eq!(judge(RANGED, measured(1.1, 1.2)), Reproduction::NotReproduced);
        assert_eq!(judge(RANGED, measured(0.9, 1.1)), Reproduction::NotReproduced);
        assert_eq!(judge(PLAIN, measured(0.5, 0.6)), Reproduction::NotReproduced);
    }

    #[test]
    fn too_few_runs_tell_nothing() {
        assert_eq!(judge(RANGED, Some(MeasuredRatio { ratio: 0.5, interval: None })), Reproduction::Undecided);
        assert_eq!(judge(RANGED, None), Reproduction::NotMeasured);
    }

    #[test]
    fn a_direction_is_met_missed_or_open() {
        assert_eq!(judge(ClaimedRatio::AFaster, measured(0.8, 0.9)), Reproduction::Agrees);
        assert_eq!(judge(ClaimedRatio::BFaster, measured(0.8, 0.9)), Reproduction::NotReproduced);
        assert_eq!(judge(ClaimedRatio::AFaster, measured(0.98, 1.02)), Reproduction::NotReproduced);
        assert_eq!(judge(ClaimedRatio::AFaster, measured(0.8, 1.2)), Reproduction::Undecided);
    }
}
