//! Watches a job: its lines become the events of a session, a tuning or a crash test.

use crate::{
    choose::ChooseEvent,
    jobs::{self, FoundJob, JobEnd, JobKind, JobLine},
    runner::RunnerEvent,
    torture::SeriesEvent,
    tune::TuneEvent,
};
use dbdyno_engine::protocol::{self, TestDone};
use serde::Deserialize;
use std::{io, time::Duration};
use tokio::sync::mpsc::UnboundedSender;

/// Passes on the events of a job, from its first to its last. Unknown events of a newer version are skipped.
///
/// # Errors
/// The log cannot be read.
pub async fn watch(job: &FoundJob, events: &UnboundedSender<JobEvent>) -> io::Result<JobEnd> {
    let kind = job.facts.kind;
    let pass_on = |told: JobLine<'_>| {
        let (at, event) = match told {
            JobLine::Logged(line, at) => (at, JobEvent::read(kind, line)),
            JobLine::Progress(line) => (None, JobEvent::read_progress(kind, line)),
        };
        // The receiver may be gone.
        at.map(JobEvent::Time).into_iter().chain(event).for_each(|event| drop(events.send(event)));
    };
    jobs::follow(job, pass_on).await
}

/// An event of a job.
#[derive(Debug, Clone)]
pub enum JobEvent {
    /// The next event happened this long after the job began. A watcher that starts late gets all events at once.
    Time(Duration),
    /// From a session, or from the current session of a job that runs several.
    Session(Box<RunnerEvent>),
    /// The latencies of a test, after its end. Only processes that watch at that time receive them.
    Latencies {
        /// Place of the run in the session.
        ordinal: u32,
        test: u32,
        /// HdrHistogram V2 compressed, in base64.
        histogram: String,
    },
    Tune(Box<TuneEvent>),
    Torture(Box<SeriesEvent>),
    Choose(Box<ChooseEvent>),
}

/// An event of a session inside an event of another kind.
#[derive(Deserialize)]
struct NestedSessionEvent {
    says: Box<RunnerEvent>,
}

impl JobEvent {
    /// Reads the event in a line; none if it is an unknown event of a newer version.
    fn read(kind: JobKind, line: &[u8]) -> Option<Self> {
        Some(match kind {
            JobKind::Session => Self::Session(serde_json::from_slice(line).ok()?),
            JobKind::Capacity => Self::Session(serde_json::from_slice::<NestedSessionEvent>(line).ok()?.says),
            JobKind::Tune => Self::Tune(serde_json::from_slice(line).ok()?),
            JobKind::Torture => Self::Torture(serde_json::from_slice(line).ok()?),
            JobKind::Choose => Self::Choose(serde_json::from_slice(line).ok()?),
        })
    }

    /// Reads the event in a line of the socket. The log has everything about a finished test except its latencies.
    fn read_progress(kind: JobKind, line: &[u8]) -> Option<Self> {
        let event = Self::read(kind, line)?;
        Some(match event {
            Self::Session(event) => match *event {
                RunnerEvent::Worker { ordinal, says: protocol::Event::TestDone(done) } => {
                    let TestDone { test, histogram, .. } = *done;
                    Self::Latencies { ordinal, test, histogram }
                }
                event => Self::Session(Box::new(event)),
            },
            event => event,
        })
    }

    /// Returns the event of the session under way, if it is one.
    pub fn of_session(&self) -> Option<&RunnerEvent> {
        match self {
            Self::Session(event) => Some(event),
            Self::Tune(event) => match &**event {
                TuneEvent::Session { says } => Some(says),
                _ => None,
            },
            Self::Choose(event) => match &**event {
                ChooseEvent::Session { says } => Some(says),
                _ => None,
            },
            Self::Time(_) | Self::Latencies { .. } | Self::Torture(_) => None,
        }
    }
}
