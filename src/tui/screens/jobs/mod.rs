//! The Jobs screen: this user's jobs on this machine, running ones and those of the last day.

mod ask;
mod paint;

pub use ask::{ListedJob, Request, Response};

use super::{
    copying::{Copyable, nothing_to_copy},
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::Action,
    launch::Opening,
    overlay::Reply,
    setup::TuiSetup,
    widgets::{cursor::ListCursor, paint::Paint},
    world::World,
};
use dbdyno_reports::command::shell;
use dbdyno_running::jobs::JobKind;
use ratatui::layout::Rect;
use std::time::Duration;

/// The questions of this screen: it has none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dialog {}

/// Interval between reads of the list while it is visible, because other terminals start and end jobs.
const AGAIN: Duration = Duration::from_secs(2);

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The running jobs and the ended ones.
#[derive(Debug, Default)]
pub struct JobsScreen {
    /// The jobs, newest first; none before the first response.
    jobs: Option<Vec<ListedJob>>,
    cursor: ListCursor,
    /// The time of the last request.
    asked: Duration,
}

impl JobsScreen {
    fn current(&self) -> Option<&ListedJob> {
        self.jobs.as_ref()?.get(self.cursor.at)
    }

    /// Opens the job under the cursor.
    fn open(&self) -> Intents {
        let Some(job) = self.current() else { return Intents::new() };
        if job.kind == JobKind::Capacity {
            return vec![Intent::refused(format!(
                "a capacity search has no screen: `{}` shows its progress",
                command(job)
            ))];
        }
        vec![Intent::Open(Opening::Job(job.id.clone()))]
    }

    fn copy(&self) -> Intents {
        self.current().map_or_else(nothing_to_copy, |job| {
            Copyable::new("the command that watches the job", command(job)).copied()
        })
    }
}

/// Returns the command that attaches to a job.
fn command(job: &ListedJob) -> String {
    shell(["dbdyno", "attach", &job.id])
}

impl Screen for JobsScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self::default()
    }

    fn act(&mut self, action: Action, _context: &Context<'_>) -> Intents {
        if self.cursor.moved(action, self.jobs.as_ref().map_or(0, Vec::len)) {
            return Intents::new();
        }
        match action {
            Action::Enter => self.open(),
            Action::Copy => self.copy(),
            Action::Refresh => vec![Intent::Request(Request::Jobs)],
            Action::Back => vec![Intent::Close],
            _ => Intents::new(),
        }
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        !matches!(action, Action::Enter | Action::Copy) || self.current().is_some()
    }

    fn click(&mut self, _pane: usize, row: usize, _context: &Context<'_>) -> Intents {
        let again = self.cursor.at == row;
        self.cursor.at = row;
        if again { self.open() } else { Intents::new() }
    }

    fn replied(&mut self, dialog: &Dialog, _reply: Reply, _context: &Context<'_>) -> Result<Intents, String> {
        match *dialog {}
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Jobs(jobs) = response;
        // New jobs appear above it.
        let under = self.current().and_then(|job| jobs.iter().position(|other| other.id == job.id));
        self.cursor.at = under.unwrap_or(self.cursor.at);
        self.cursor.kept_in(jobs.len());
        self.jobs = Some(jobs);
        Intents::new()
    }

    fn shown(&mut self, context: &Context<'_>) -> Intents {
        self.asked = context.now;
        vec![Intent::Request(Request::Jobs)]
    }

    fn time(&mut self, now: Duration, in_view: bool) -> Intents {
        if !in_view || now < self.asked + AGAIN {
            return Intents::new();
        }
        self.asked = now;
        vec![Intent::Request(Request::Jobs)]
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        in_view.then_some(AGAIN)
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, _context: &Context<'_>) {
        paint::draw(paint, area, self);
    }

    fn respond(request: Request, _setup: &TuiSetup) -> Response {
        ask::respond(request)
    }

    /// Jobs are a few small files, so reading them disturbs no test.
    fn disturbs(_request: &Request) -> bool {
        false
    }
}
