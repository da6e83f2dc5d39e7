//! What each change gains by itself, estimated from all arms of an engine at once: an arm tells of each of its changes.

use super::super::change::OptionChange;
use std::collections::BTreeMap;

/// How far gains of changes scatter about none, on the log scale: most change nothing, some a tenth or two.
const USUAL_GAIN: f64 = 0.1;
/// How far the log ratio of a pair of runs scatters. Where times scatter less, the estimates are merely more careful than they need be.
const PAIR_NOISE: f64 = 0.06;
/// The least gain for which a change is proposed.
const WORTH: f64 = 0.005;
/// Steps of the estimate; it hardly changes after half of them.
const STEPS: usize = 30;

/// An arm: its changes, its log ratio to a common reference, and from how many pairs of runs that is known.
#[derive(Debug, Clone)]
pub(super) struct Known<'c> {
    pub(super) change: &'c OptionChange,
    pub(super) score: f64,
    pub(super) pairs: usize,
}

/// Proposes the changes that gain by themselves: of each option the value that gains most. None if there are fewer than two.
///
/// The log ratio of an arm is taken as the sum of what its changes gain, each of which is drawn towards none (ridge regression, solved
/// one coefficient after the other).
pub(super) fn proposal(arms: &[Known<'_>]) -> Option<OptionChange> {
    let mut gains: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for (option, value) in arms.iter().flat_map(|arm| &arm.change.0) {
        gains.insert((option, value), 0.0);
    }
    let weight = |arm: &Known<'_>| arm.pairs as f64 / PAIR_NOISE.powi(2);
    for _ in 0..STEPS {
        let sum = |gains: &BTreeMap<(&str, &str), f64>, arm: &Known<'_>| -> f64 {
            arm.change.0.iter().map(|(option, value)| gains[&(option.as_str(), value.as_str())]).sum()
        };
        let all: f64 = arms.iter().map(weight).sum();
        let start =
            arms.iter().map(|arm| weight(arm) * (arm.score - sum(&gains, arm))).sum::<f64>() / all.max(f64::EPSILON);
        let each: Vec<(&str, &str)> = gains.keys().copied().collect();
        for key in each {
            let own = || arms.iter().filter(|arm| arm.change.0.get(key.0).is_some_and(|value| value == key.1));
            let left: f64 = own().map(|arm| weight(arm) * (arm.score - start - sum(&gains, arm) + gains[&key])).sum();
            gains.insert(key, left / (own().map(weight).sum::<f64>() + USUAL_GAIN.powi(-2)));
        }
    }
    let mut best: BTreeMap<&str, (&str, f64)> = BTreeMap::new();
    for ((option, value), gain) in gains {
        let is_better = best.get(option).is_none_or(|(_, other)| gain < *other);
        if gain < -WORTH && is_better {
            best.insert(option, (value, gain));
        }
    }
    let proposed = best.into_iter().map(|(option, (value, _))| (option.to_owned(), value.to_owned()));
    Some(OptionChange(proposed.collect())).filter(|change| change.0.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(line: &str) -> OptionChange {
        let parts = line.split(' ').filter_map(|part| part.split_once('='));
        OptionChange(parts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    #[test]
    fn what_gains_in_several_arms_is_proposed_together() {
        let lines = [
            ("", 0.0),
            ("a=1", -0.10),
            ("a=2", 0.05),
            ("b=1", -0.05),
            ("c=1", 0.0),
            ("d=1", -0.07),
            ("a=1 c=1", -0.11),
            ("a=1 d=1", -0.03),
            ("a=1 b=1", -0.16),
        ];
        let changes: Vec<OptionChange> = lines.iter().map(|(line, _)| change(line)).collect();
        let arms: Vec<Known<'_>> =
            changes.iter().zip(lines).map(|(change, (_, score))| Known { change, score, pairs: 4 }).collect();
        // d gained once and lost once beside a: together that is about nothing.
        assert_eq!(proposal(&arms), Some(change("a=1 b=1")));
        assert_eq!(proposal(&arms[..3]), None, "one change is no combination");
    }
}
