//! Judges whether the measured ratios agree with the published ones.

use dbdyno_catalog::ClaimedRatio;
use dbdyno_stats::{SAME_BAND, within};
use serde::Serialize;

/// The measured ratio for a claim: time A / time B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredRatio {
    /// The ratio; over several sizes, the median of their ratios.
    pub ratio: f64,
    /// Its 95 % interval; over several sizes, the medians of its ends. None if there are too few runs.
    pub interval: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reproduction {
    /// The measured interval is inside the published range, or it is no wider than the range and its ratio is inside. It also shows the
    /// claimed direction.
    Agrees,
    /// The same side is faster, but by another factor or at another size.
    DirectionOnly,
    /// Neither the figure nor the direction.
    NotReproduced,
    /// At a size that was not published, the other side is faster, or both are the same. That refutes no published figure.
    OppositeElsewhere,
    /// Too few runs or too much noise.
    Undecided,
    NotMeasured,
}

impl Reproduction {
    pub const ALL: [Self; 6] = [
        Self::Agrees,
        Self::DirectionOnly,
        Self::NotReproduced,
        Self::OppositeElsewhere,
        Self::Undecided,
        Self::NotMeasured,
    ];

    /// Returns its sign, so that colour alone never carries the meaning.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Agrees => "✓",
            Self::DirectionOnly => "~",
            Self::NotReproduced => "✗",
            Self::OppositeElsewhere => "≠",
            Self::Undecided => "?",
            Self::NotMeasured => "·",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::DirectionOnly => "direction only",
            Self::NotReproduced => "not reproduced",
            Self::OppositeElsewhere => "not at this size",
            Self::Undecided => "undecided",
            Self::NotMeasured => "not measured yet",
        }
    }
}

/// The side that is faster according to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimedDirection {
    A,
    B,
    /// The claimed range contains 1, or the claim says that both are about the same.
    Neither,
}

/// The sizes of the runs that a claim is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedSizes {
    /// The published sizes, or any size if the claim is for all sizes.
    Published,
    /// Other sizes: they can show the direction, but neither confirm nor refute a figure.
    Other,
}

/// The range assumed for a figure that is published without one, as a factor in either direction: 2 means 1.6 to 2.5.
const WITHOUT_RANGE: f64 = 0.25;
/// The largest factor between two things that count as about the same: LumoSQL's page, which makes this claim most often,
/// calls 10 % a difference.
const ABOUT_THE_SAME: f64 = 1.1;

/// Returns the side that is faster according to a claim.
pub fn direction(claimed: ClaimedRatio) -> ClaimedDirection {
    let (low, high) = match claimed {
        ClaimedRatio::AFaster => return ClaimedDirection::A,
        ClaimedRatio::BFaster => return ClaimedDirection::B,
        ClaimedRatio::Same => return ClaimedDirection::Neither,
        ClaimedRatio::Figure { range: Some((from, to)), .. } if from < to => (from, to),
        ClaimedRatio::Figure { ratio, .. } => (ratio / (1.0 + SAME_BAND), ratio * (1.0 + SAME_BAND)),
    };
    match (high < 1.0, low > 1.0) {
        (true, _) => ClaimedDirection::A,
        (_, true) => ClaimedDirection::B,
        _ => ClaimedDirection::Neither,
    }
}

/// Returns the range of ratios that agree with a claim; none if the claim states only a direction.
fn range(claimed: ClaimedRatio) -> Option<(f64, f64)> {
    match claimed {
        ClaimedRatio::AFaster | ClaimedRatio::BFaster => None,
        ClaimedRatio::Same => Some((1.0 / ABOUT_THE_SAME, ABOUT_THE_SAME)),
        ClaimedRatio::Figure { range: Some((from, to)), .. } if from < to => Some((from, to)),
        ClaimedRatio::Figure { ratio, .. } => Some((ratio / (1.0 + WITHOUT_RANGE), ratio * (1.0 + WITHOUT_RANGE))),
    }
}

/// Judges a claim. Agreement needs an interval that could have disagreed: inside the published range, or no wider than the range (as a
/// ratio of its ends) with the measured ratio inside. A wider interval that overlaps the range is undecided, because noise must not produce
/// agreement. A claim that one side is faster agrees only with an interval on that side of 1. An interval on the other side, or within +-3
/// % of 1, does not reproduce it.
pub fn judge(claimed: ClaimedRatio, measured: Option<MeasuredRatio>, sizes: JudgedSizes) -> Reproduction {
    let Some(measured) = measured else { return Reproduction::NotMeasured };
    let Some((low, high)) = measured.interval else { return Reproduction::Undecided };
    let same = within(low, SAME_BAND) && within(high, SAME_BAND);
    let (shows, refutes) = match direction(claimed) {
        ClaimedDirection::A => (high < 1.0, low > 1.0 || same),
        ClaimedDirection::B => (low > 1.0, high < 1.0 || same),
        ClaimedDirection::Neither => (false, false),
    };
    if sizes == JudgedSizes::Other {
        return match (shows, refutes) {
            (true, _) => Reproduction::DirectionOnly,
            (_, true) => Reproduction::OppositeElsewhere,
            _ => Reproduction::Undecided,
        };
    }
    let Some((from, to)) = range(claimed) else {
        return match (refutes, shows) {
            (true, _) => Reproduction::NotReproduced,
            (_, true) => Reproduction::Agrees,
            _ => Reproduction::Undecided,
        };
    };
    let inside = from <= low && high <= to;
    let narrow = high / low <= to / from && (from..=to).contains(&measured.ratio);
    let has_direction = direction(claimed) != ClaimedDirection::Neither;
    if refutes {
        Reproduction::NotReproduced
    } else if (inside || narrow) && (shows || !has_direction) {
        Reproduction::Agrees
    } else if low <= to && from <= high {
        Reproduction::Undecided
    } else if shows {
        Reproduction::DirectionOnly
    } else {
        Reproduction::NotReproduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(low: f64, high: f64) -> Option<MeasuredRatio> {
        Some(MeasuredRatio { ratio: (low * high).sqrt(), interval: Some((low, high)) })
    }

    fn judged(claimed: ClaimedRatio, low: f64, high: f64) -> Reproduction {
        judge(claimed, measured(low, high), JudgedSizes::Published)
    }

    fn figure(ratio: f64) -> ClaimedRatio {
        ClaimedRatio::Figure { ratio, range: None }
    }

    const RANGED: ClaimedRatio = ClaimedRatio::Figure { ratio: 0.5, range: Some((0.4, 0.6)) };
    const PLAIN: ClaimedRatio = ClaimedRatio::Figure { ratio: 2.0, range: None };
    const EITHER: ClaimedRatio = ClaimedRatio::Figure { ratio: 0.9, range: Some((0.71, 1.16)) };

    #[test]
    fn an_interval_inside_the_range_or_as_narrow_about_a_ratio_inside_agrees() {
        assert_eq!(judged(RANGED, 0.41, 0.59), Reproduction::Agrees);
        assert_eq!(judged(RANGED, 0.5, 0.65), Reproduction::Agrees);
        assert_eq!(
            judged(PLAIN, 2.3, 2.6),
            Reproduction::Agrees,
            "a figure alone is taken as a factor of 1.25 either way"
        );
    }

    #[test]
    fn an_interval_that_meets_the_range_and_much_else_tells_nothing() {
        assert_eq!(judged(RANGED, 0.2, 1.25), Reproduction::Undecided);
        assert_eq!(judged(RANGED, 0.55, 0.9), Reproduction::Undecided);
        assert_eq!(judged(PLAIN, 1.0, 4.0), Reproduction::Undecided);
        let point = ClaimedRatio::Figure { ratio: 2.0, range: Some((2.0, 2.0)) };
        assert_eq!(judged(point, 1.9, 2.1), Reproduction::Agrees, "a range of one figure is that figure");
    }

    #[test]
    fn a_claim_with_a_direction_never_agrees_with_the_opposite_or_with_the_same() {
        assert_eq!(judged(figure(1.2), 0.92, 0.93), Reproduction::NotReproduced, "+-25 % of 1.20 begin at 0.90");
        assert_eq!(judged(figure(1.2), 0.98, 1.02), Reproduction::NotReproduced);
        assert_eq!(judged(figure(1.2), 0.95, 1.15), Reproduction::Undecided, "it shows no direction");
        assert_eq!(judged(figure(1.2), 1.01, 1.1), Reproduction::Agrees);
        assert_eq!(judged(figure(0.85), 1.02, 1.05), Reproduction::NotReproduced);
        for high in [0.8, 0.97, 1.0, 1.03, 1.2, 2.0] {
            for low in [0.5, 0.9, 0.97, 0.99, 1.01].into_iter().filter(|low| *low <= high) {
                for ratio in [0.5, 0.8, 0.96, 1.04, 1.1, 1.2, 3.0] {
                    let toward = if ratio < 1.0 { high < 1.0 } else { low > 1.0 };
                    let found = judged(figure(ratio), low, high);
                    assert!(toward || found != Reproduction::Agrees, "{ratio}: {found:?} for [{low}, {high}]");
                }
            }
        }
    }

    #[test]
    fn a_range_with_1_in_it_claims_no_direction() {
        assert_eq!(direction(EITHER), ClaimedDirection::Neither);
        assert_eq!(judged(EITHER, 1.05, 1.1), Reproduction::Agrees);
        assert_eq!(judged(EITHER, 0.4, 0.5), Reproduction::NotReproduced, "there is no direction to share");
        for (claimed, expected) in [
            (RANGED, ClaimedDirection::A),
            (PLAIN, ClaimedDirection::B),
            (figure(1.0), ClaimedDirection::Neither),
            (ClaimedRatio::Figure { ratio: 0.9, range: Some((0.8, 1.0)) }, ClaimedDirection::Neither),
        ] {
            assert_eq!(direction(claimed), expected, "{claimed:?}");
        }
    }

    #[test]
    fn about_the_same_is_within_10_percent() {
        assert_eq!(judged(ClaimedRatio::Same, 0.93, 1.05), Reproduction::Agrees);
        assert_eq!(judged(ClaimedRatio::Same, 1.15, 1.2), Reproduction::NotReproduced);
        assert_eq!(judged(ClaimedRatio::Same, 0.8, 1.3), Reproduction::Undecided);
    }

    #[test]
    fn other_sizes_show_the_direction_and_nothing_else() {
        let other = |claimed, low, high| judge(claimed, measured(low, high), JudgedSizes::Other);
        assert_eq!(other(RANGED, 0.45, 0.55), Reproduction::DirectionOnly);
        assert_eq!(other(RANGED, 1.5, 1.6), Reproduction::OppositeElsewhere, "another size refutes no figure");
        assert_eq!(other(RANGED, 0.99, 1.01), Reproduction::OppositeElsewhere);
        assert_eq!(other(RANGED, 0.9, 1.2), Reproduction::Undecided);
        assert_eq!(other(ClaimedRatio::BFaster, 1.5, 1.6), Reproduction::DirectionOnly);
        assert_eq!(other(EITHER, 0.9, 1.0), Reproduction::Undecided);
    }

    #[test]
    fn the_same_winner_by_another_factor_is_the_direction_only() {
        assert_eq!(judged(RANGED, 0.7, 0.9), Reproduction::DirectionOnly);
        assert_eq!(judged(RANGED, 0.61, 0.98), Reproduction::DirectionOnly);
        assert_eq!(judged(RANGED, 0.1, 0.2), Reproduction::DirectionOnly);
        assert_eq!(judged(PLAIN, 1.1, 1.2), Reproduction::DirectionOnly);
    }

    #[test]
    fn another_winner_or_none_is_not_reproduced() {
        assert_eq!(judged(RANGED, 1.1, 1.2), Reproduction::NotReproduced);
        assert_eq!(judged(RANGED, 0.9, 1.1), Reproduction::NotReproduced);
        assert_eq!(judged(PLAIN, 0.5, 0.6), Reproduction::NotReproduced);
    }

    #[test]
    fn too_few_runs_tell_nothing() {
        let few = Some(MeasuredRatio { ratio: 0.5, interval: None });
        assert_eq!(judge(RANGED, few, JudgedSizes::Published), Reproduction::Undecided);
        assert_eq!(judge(RANGED, None, JudgedSizes::Published), Reproduction::NotMeasured);
    }

    #[test]
    fn a_direction_is_met_missed_or_open() {
        assert_eq!(judged(ClaimedRatio::AFaster, 0.8, 0.9), Reproduction::Agrees);
        assert_eq!(judged(ClaimedRatio::BFaster, 0.8, 0.9), Reproduction::NotReproduced);
        assert_eq!(judged(ClaimedRatio::AFaster, 0.98, 1.02), Reproduction::NotReproduced);
        assert_eq!(judged(ClaimedRatio::AFaster, 0.8, 1.2), Reproduction::Undecided);
    }
}
