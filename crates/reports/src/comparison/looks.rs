//! How often a comparison was looked at, and what that costs: in every output.

use super::words;
use dbdyno_comparing::compare::{Comparison, JudgedRatio, Line, RatioRange, price};
use std::collections::BTreeMap;

/// What the column of the ratios of medians is called.
pub(super) const MEDIAN_RATIOS: &str = "of medians";

/// The tests that were looked at more than once, those of as many looks together.
pub fn looks(comparison: &Comparison) -> Vec<String> {
    let mut tests: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in comparison.lines.iter().filter(|line| line.looks > 1) {
        let size = if comparison.means.len() > 1 { format!(" at size {}", line.size) } else { String::new() };
        tests.entry(line.looks).or_default().push(format!("{} {}{size}", line.test, line.name));
    }
    let said = |(looks, tests): (u32, Vec<String>)| {
        format!("looked at {looks} times, with rounds added in between: {}; {}", tests.join(", "), price(looks))
    };
    tests.into_iter().map(said).collect()
}

/// What A/B is, where it is no ratio of the figures beside it.
pub fn estimate(comparison: &Comparison) -> Option<String> {
    let mut found = comparison.lines.iter().filter_map(|line| line.found.as_ref());
    let is_estimate = |found: &JudgedRatio| found.interval.is_some() && !found.exact && found.sessions.is_none();
    found.any(is_estimate).then(|| {
        let column = words::ratio_column(comparison.ratios);
        format!("{column}: estimated from all runs (Hodges-Lehmann), not the ratio of the medians")
    })
}

/// That the ratio of a line's medians lies outside its interval.
pub(super) fn medians_apart(line: &Line) -> Option<String> {
    let found = line.found.as_ref().filter(|found| !found.exact && found.sessions.is_none())?;
    let RatioRange { low, high, .. } = found.interval?;
    let is_apart = found.median_ratio < low || found.median_ratio > high;
    is_apart.then(|| {
        let (medians, all) = (words::ratio(found.median_ratio), words::ratio(found.ratio));
        format!("the ratio of the two medians is {medians}; the verdict is on {all}")
    })
}

/// How verdicts came about: what sessions say, over which tests p values were adjusted, what the rows of actors are, what was looked at
/// again.
pub fn method(comparison: &Comparison) -> Vec<String> {
    let sessions = words::about_sessions(comparison).map(str::to_owned);
    let (estimate, actors) = (estimate(comparison), words::about_actors(comparison).map(str::to_owned));
    let family = words::family(comparison);
    sessions.into_iter().chain(estimate).chain(family).chain(actors).chain(looks(comparison)).collect()
}
