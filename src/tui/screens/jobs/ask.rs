//! The requests of the Jobs screen.

use crate::tui::subject::{HasSubject, Subject};
use dbdyno_running::jobs::{FoundJob, JobFacts, JobKind, jobs};

#[derive(Debug, Clone, Copy)]
pub enum Request {
    /// The jobs of this user on this machine.
    Jobs,
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        Subject::read("jobs")
    }
}

#[derive(Debug)]
pub enum Response {
    /// The running jobs and those that ended today, newest first.
    Jobs(Vec<ListedJob>),
}

/// A job in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedJob {
    pub id: String,
    pub kind: JobKind,
    /// Whether it is still measuring.
    pub measures: bool,
    /// The state of the job, in words.
    pub state: &'static str,
    /// Start time, UTC.
    pub started: String,
    /// The command line that started it.
    pub command: String,
}

pub(super) fn respond(request: Request) -> Response {
    let Request::Jobs = request;
    Response::Jobs(jobs().into_iter().rev().map(listed).collect())
}

fn listed(job: FoundJob) -> ListedJob {
    let (measures, state) = (job.is_alive(), job.state());
    let JobFacts { id, kind, command, started, .. } = job.facts;
    ListedJob { id, kind, measures, state, started: started.strftime("%H:%M UTC").to_string(), command }
}
