//! A job as those see it who watch: what it told from its beginning, and tells, in the types of what it does.

use crate::{
    jobs::{self, FoundJob, JobEnd, JobKind, Told},
    runner::RunnerEvent,
    torture::SeriesEvent,
    tune::TuneEvent,
};
use dbdyno_engine::protocol::{self, TestDone};
use serde::Deserialize;
use std::{io, time::Duration};
use tokio::sync::mpsc::UnboundedSender;

/// Passes on what a job did from its beginning, and does, until it ends. What is not known, as of a newer version, is passed over.
///
/// # Errors
/// Its log cannot be read.
pub async fn watch(job: &FoundJob, events: &UnboundedSender<JobEvent>) -> io::Result<JobEnd> {
    let kind = job.facts.kind;
    let pass_on = |told: Told<'_>| {
        let (at, event) = match told {
            Told::Logged(line, at) => (at, JobEvent::read(kind, line)),
            Told::Progress(line) => (None, JobEvent::read_progress(kind, line)),
        };
        // Who watches may have left.
        at.map(JobEvent::Time).into_iter().chain(event).for_each(|event| drop(events.send(event)));
    };
    jobs::follow(job, pass_on).await
}

/// What whoever watches a job is told.
#[derive(Debug, Clone)]
pub enum JobEvent {
    /// What follows was told so long after the job began: whoever comes late is told all of it at once.
    Time(Duration),
    /// By a session, or by the one under way in something that runs several.
    Session(Box<RunnerEvent>),
    /// The latencies of a test that a session has finished; after its end was told, or before.
    Latencies {
        /// Place of the run in the session.
        ordinal: u32,
        test: u32,
        /// HdrHistogram V2 compressed, in base64.
        histogram: String,
    },
    Tune(Box<TuneEvent>),
    Torture(Box<SeriesEvent>),
}

/// What wraps the events of sessions.
#[derive(Deserialize)]
struct OfSession {
    says: Box<RunnerEvent>,
}

impl JobEvent {
    /// What a line of the log of such a job says, or of its progress; none where it is not known, as of a newer version.
    fn read(kind: JobKind, line: &[u8]) -> Option<Self> {
        Some(match kind {
            JobKind::Session => Self::Session(serde_json::from_slice(line).ok()?),
            JobKind::Capacity => Self::Session(serde_json::from_slice::<OfSession>(line).ok()?.says),
            JobKind::Tune => Self::Tune(serde_json::from_slice(line).ok()?),
            JobKind::Torture => Self::Torture(serde_json::from_slice(line).ok()?),
        })
    }

    /// What a line of progress says. Of a finished test the log tells all but its latencies.
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

    /// What it says of the session under way.
    pub fn of_session(&self) -> Option<&RunnerEvent> {
        match self {
            Self::Session(event) => Some(event),
            Self::Tune(event) => match &**event {
                TuneEvent::Session { says } => Some(says),
                _ => None,
            },
            Self::Time(_) | Self::Latencies { .. } | Self::Torture(_) => None,
        }
    }
}
