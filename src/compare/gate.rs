//! Whether a change is good enough for continuous integration.

use super::model::Comparison;
use crate::stats::Verdict;

/// The answer to "is A slower than B by more than so much?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// No test is: each interval ends at or below the limit.
    Passed,
    /// It could not be decided for these tests, and none is shown to be slower.
    Undecided(Vec<String>),
    /// These tests are.
    Slower(Vec<String>),
}

/// Judges a comparison. `limit` is a part of 1: 0.05 for 5 %.
///
/// A test is slower when its verdict is [`Verdict::Slower`] (p below 0.05 after Holm, ratio beyond the noise floor) and
/// its whole interval lies above 1 + `limit`. It is passed when its interval ends at or below 1 + `limit`. Anything else
/// is undecided: an interval across the limit, too few runs, not comparable, on one side only. A comparison without
/// a line is undecided.
pub fn gate(comparison: &Comparison, limit: f64) -> Gate {
    let (mut slower, mut undecided) = (Vec::new(), Vec::new());
    for line in &comparison.lines {
        let parts: String = line.part.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        let name = || format!("{} {} at size {}{parts}", line.test, line.name, line.size);
        let found = line.found.as_ref();
        match found.and_then(|found| Some((found.verdict, found.interval?))) {
            Some((Verdict::Slower, interval)) if interval.low > 1.0 + limit => slower.push(name()),
            Some((_, interval)) if interval.high <= 1.0 + limit => {}
            _ => undecided.push(name()),
        }
    }
    if !slower.is_empty() {
        Gate::Slower(slower)
    } else if !undecided.is_empty() || comparison.lines.is_empty() {
        Gate::Undecided(undecided)
    } else {
        Gate::Passed
    }
}
