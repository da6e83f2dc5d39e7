//! The number of looks at a comparison and their cost, for every output.

use super::{Wording, words};
use dbdyno_comparing::compare::{Comparison, Line, RatioForm, RatioRange, price};
use std::collections::BTreeMap;

/// The title of the column with the ratios of medians.
pub(super) const MEDIAN_RATIOS: &str = "of medians";

/// Says what ratios of one session are estimated from, because they may contradict the medians next to them; a longer and a shorter text.
pub const OF_PAIRS: [&str; 2] = ["of paired runs, not of the medians", "of paired runs"];

/// Lists the tests with more than one look, grouped by the number of looks.
pub fn looks(comparison: &Comparison) -> Vec<String> {
    let mut tests: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in comparison.lines.iter().filter(|line| line.looks > 1) {
        let size = if comparison.means.len() > 1 { format!(" at size {}", line.size) } else { String::new() };
        tests.entry(line.looks).or_default().push(format!("{} {}{size}", line.test, line.name));
    }
    let said = |(looks, tests): (u32, Vec<String>)| {
        format!("{looks} looks, with rounds added in between: {}; {}", tests.join(", "), price(looks))
    };
    tests.into_iter().map(said).collect()
}

/// Explains the ratio if it is not the ratio of the displayed figures.
pub fn estimate(comparison: &Comparison) -> Option<String> {
    let found = comparison.lines.iter().filter_map(|line| line.found.as_ref());
    let estimates = found.filter(|found| found.interval.is_some() && !found.exact);
    let are_of_runs = estimates.map(|found| found.sessions.is_none()).reduce(|one, other| one || other)?;
    let column = match comparison.ratios {
        RatioForm::Words => "factors".to_owned(),
        _ => Wording::of(comparison).ratio_column(),
    };
    let from = match are_of_runs {
        true => "all runs (Hodges-Lehmann)",
        false => "the sessions (means of logarithms)",
    };
    Some(format!("{column}: estimated from {from}, not the ratio of the medians"))
}

/// Reports that the ratio of a line's medians is outside its interval.
pub(super) fn medians_apart(line: &Line) -> Option<String> {
    let found = line.found.as_ref().filter(|found| !found.exact && found.sessions.is_none())?;
    let RatioRange { low, high, .. } = found.interval?;
    let is_apart = found.median_ratio < low || found.median_ratio > high;
    let (medians, all) = (words::ratio(found.median_ratio), words::ratio(found.ratio));
    // Differences that are rounded away are not worth a note.
    (is_apart && medians != all)
        .then(|| format!("the ratio of the two medians is {medians}; the verdict is about {all}"))
}

/// Explains how verdicts are reached: the role of sessions, the tests over which p values were adjusted, the rows of actors, and repeated
/// looks.
pub fn method(comparison: &Comparison) -> Vec<String> {
    let sessions = words::about_sessions(comparison).map(str::to_owned);
    let (estimate, actors) = (estimate(comparison), words::about_actors(comparison).map(str::to_owned));
    let family = words::family(comparison);
    let apart = comparison.since.is_some().then(|| {
        "since and before were not measured side by side: anything else that changed between them may be the reason"
            .to_owned()
    });
    apart.into_iter().chain(sessions).chain(estimate).chain(family).chain(actors).chain(looks(comparison)).collect()
}
