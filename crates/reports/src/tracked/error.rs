//! The reasons why a file for a benchmark tracker was not written.

use super::{RATIO_TRACKERS, Tracker};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::StoreError;
use uuid::Uuid;

#[derive(Debug, thiserror::Error)]
pub enum TrackError {
    #[error(
        "the selection has no figure of a finished test: `dbdyno results --group-by KEY` lists the values that a key has"
    )]
    Empty,
    /// The format has no unit for the metric.
    #[error("{} does not support {} ({}): expected {}", tracker.name(), metric.title(), metric.name(), places(*tracker))]
    NoPlace { tracker: Tracker, metric: Metric },
    #[error(
        "for {} ({}), neither less nor more is better, but {} looks for regressions: leave it out",
        metric.title(), metric.name(), tracker.name()
    )]
    NoDirection { tracker: Tracker, metric: Metric },
    /// A file of github-action-benchmark has one direction for all its benchmarks.
    #[error(
        "github-action-benchmark has one direction per file: less is better for {}, more for {}: write one file for each",
        less.name(), more.name()
    )]
    BothDirections { less: Metric, more: Metric },
    #[error(
        "{} follows one machine per file, but the selection has results of {}: add host_id={} or the other one",
        tracker.name(), named(hosts), hosts[0].1
    )]
    SeveralHosts {
        tracker: Tracker,
        /// Two of the hosts, as names with identifiers.
        hosts: [(String, String); 2],
    },
    /// A fact that only the person who measured knows.
    #[error(
        "nyrkio needs to know what was measured, but the runs of session {session} have no key `{key}`, or several: \
         `dbdyno key session={session} --set {key}=...`"
    )]
    Untold { session: Uuid, key: &'static str },
    #[error("session {session} has no start time: leave it out with session!={session}")]
    NoTime { session: Uuid },
    #[error("{} cannot be written for a comparison: expected {}", tracker.name(), ratio_trackers())]
    NoComparison { tracker: Tracker },
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A figure that JSON cannot hold.
    #[error("writing JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The system's error for the file. The caller that named the file adds the name to the message.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

fn places(tracker: Tracker) -> &'static str {
    match tracker {
        Tracker::Codspeed => "wall_ns",
        _ => "times, bytes and operations a second",
    }
}

fn ratio_trackers() -> String {
    RATIO_TRACKERS.iter().map(|tracker| tracker.name()).collect::<Vec<_>>().join(" or ")
}

/// `a (0f1e) and b (2d3c)`
fn named(hosts: &[(String, String); 2]) -> String {
    hosts.iter().map(|(name, id)| format!("{name} ({id})")).collect::<Vec<_>>().join(" and ")
}
