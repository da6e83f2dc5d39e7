//! How often a comparison was looked at, and what that costs: in every output.

use super::words;
use crate::compare::{Comparison, price};
use std::collections::BTreeMap;

/// The tests that were looked at more than once, those of as many looks together.
pub(crate) fn looks(comparison: &Comparison) -> Vec<String> {
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

/// How verdicts came about: what sessions say, over which tests p values were adjusted, what the rows of actors are, what was looked at
/// again.
pub(crate) fn method(comparison: &Comparison) -> Vec<String> {
    let sessions = words::about_sessions(comparison).map(str::to_owned);
    let actors = words::about_actors(comparison).map(str::to_owned);
    sessions.into_iter().chain(words::family(comparison)).chain(actors).chain(looks(comparison)).collect()
}
