//! Decides whether a change passes continuous integration.

use super::model::{Comparison, Line};
use dbdyno_foundation::metric::{Better, Metric};
use dbdyno_stats::Verdict;
use std::fmt;

/// The answer to "is A slower than B by more than the limit?", or worse in another metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// No test is slower: each interval ends at or below the limit.
    Passed,
    /// These tests could not be decided, and none is shown to be slower. An empty list means that nothing was compared.
    Undecided(Vec<OpenTest>),
    /// These tests are slower.
    Slower(Vec<String>),
}

/// A test for which it is unknown whether A is slower by more than the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTest {
    /// `2 Random reads at size 1000`.
    pub name: String,
    pub reason: OpenReason,
}

/// The reason why a test is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenReason {
    /// Only one side has the test.
    OneSide,
    /// An obstacle prevents comparing it.
    NotComparable,
    /// Too few runs for an interval.
    TooFewRuns,
    /// A and B were measured in too few sessions to distinguish their difference from the variation between sessions.
    FewSessions,
    /// The interval is above the limit, but chance produces such a figure too often: judged by p after the adjustment over the table, or by
    /// the measured noise of the machine.
    NotBeyondNoise,
    /// The interval contains the limit.
    AcrossTheLimit,
}

impl fmt::Display for OpenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneSide => "only one side has it",
            Self::NotComparable => "not comparable",
            Self::TooFewRuns => "too few runs",
            Self::FewSessions => "too few sessions to separate their differences from A against B",
            Self::NotBeyondNoise => "above the limit, but not beyond noise",
            Self::AcrossTheLimit => "the interval contains the limit: more rounds may decide",
        })
    }
}

/// Judges a comparison. `limit` is a part of 1: 0.05 for 5 %.
///
/// Actors are judged together with their test. A test is slower if its verdict is [`Verdict::Slower`] (p adjusted over the table below
/// 0.05, ratio beyond the test's noise floor) and its whole interval is above 1 + `limit`. It passes if its interval ends at or below 1 +
/// `limit`. Any other test is undecided, each for its [`OpenReason`], and so are parts without a partner. A comparison without a line is
/// undecided.
pub fn gate(comparison: &Comparison, limit: f64) -> Gate {
    let (mut slower, mut open) = (Vec::new(), Vec::new());
    for line in comparison.lines.iter().filter(|line| line.actor.is_none()) {
        match judged(line, limit, comparison.metric) {
            GateVerdict::Passed => {}
            GateVerdict::Slower => slower.push(name(line)),
            GateVerdict::Open(reason) => open.push(OpenTest { name: name(line), reason }),
        }
    }
    let unmatched = comparison.unmatched.iter();
    open.extend(unmatched.map(|name| OpenTest { name: name.clone(), reason: OpenReason::OneSide }));
    if !slower.is_empty() {
        Gate::Slower(slower)
    } else if !open.is_empty() || comparison.lines.is_empty() {
        Gate::Undecided(open)
    } else {
        Gate::Passed
    }
}

enum GateVerdict {
    Passed,
    Slower,
    Open(OpenReason),
}

fn judged(line: &Line, limit: f64, metric: Metric) -> GateVerdict {
    let Some(found) = &line.found else {
        let one = line.a.is_none() != line.b.is_none();
        return GateVerdict::Open(if one { OpenReason::OneSide } else { OpenReason::NotComparable });
    };
    let Some(interval) = found.interval else {
        let few = found.sessions.map_or(OpenReason::TooFewRuns, |_| OpenReason::FewSessions);
        return GateVerdict::Open(few);
    };
    let (low, high) = match metric.better() {
        Better::More => (1.0 / interval.high, 1.0 / interval.low),
        Better::Less | Better::Neither => (interval.low, interval.high),
    };
    if high <= 1.0 + limit {
        return GateVerdict::Passed;
    }
    let open = match found.verdict {
        Verdict::Slower if low > 1.0 + limit => return GateVerdict::Slower,
        Verdict::Undecided { .. } if found.sessions.is_some() => OpenReason::FewSessions,
        _ if low > 1.0 + limit => OpenReason::NotBeyondNoise,
        _ => OpenReason::AcrossTheLimit,
    };
    GateVerdict::Open(open)
}

fn name(line: &Line) -> String {
    let parts: String = line.part.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    format!("{} {} at size {}{parts}", line.test, line.name, line.size)
}
