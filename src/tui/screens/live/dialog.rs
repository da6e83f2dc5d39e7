//! The dialogs of the Live screen and the handling of their replies.

use super::{Intents, LiveScreen, Request, WatchedSession};
use crate::tui::{
    export::ResultsFile,
    launch::{JobStart, OwedSession},
    overlay::Reply,
    screens::{
        copying::{Copyable, copy_chosen},
        further::begin,
        intent::Intent,
    },
    world::World,
};
use dbdyno_reports::results;
use dbdyno_running::{
    jobs::JobKind,
    runner::{SessionOutline, SessionRequest},
};

/// A question that the Live screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Confirmation of ending the session.
    Stop,
    /// Confirmation of cancelling this run.
    Skip(usize),
    /// Confirmation of resuming an interrupted session.
    Resume,
    /// The file to write the results to.
    Export,
    /// The text to copy, one of these.
    Copy(Vec<Copyable>),
    /// The test that more rounds are to decide.
    Undecided,
    /// Confirmation of rounds that take long.
    Further,
}

impl LiveScreen {
    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        Ok(match (dialog, reply) {
            (Dialog::Stop, Reply::Yes) => vec![Intent::Tell(SessionRequest::Stop), Intent::said("stopping")],
            (Dialog::Skip(at), Reply::Yes) => match self.session.as_ref().and_then(WatchedSession::run_under_way) {
                Some(running) if running == *at => {
                    vec![Intent::Tell(SessionRequest::Skip(*at as u32)), Intent::said("the run is cancelled")]
                }
                _ => vec![Intent::refused("that run has already ended; nothing was cancelled")],
            },
            (Dialog::Undecided, Reply::Chosen(chosen)) => {
                chosen.first().map_or_else(Intents::new, |at| self.plan_further(*at))
            }
            (Dialog::Copy(all), Reply::Chosen(chosen)) => copy_chosen(all, &chosen),
            (Dialog::Further, Reply::Yes) => self.further.take().map_or_else(Intents::new, |further| begin(*further)),
            (Dialog::Resume, Reply::Yes) => {
                self.resumable.take().map(|owed| resume(*owed, world)).into_iter().collect()
            }
            (Dialog::Export, Reply::Text(path)) => {
                let id =
                    self.session.as_ref().and_then(|session| session.id.clone()).ok_or("the session is not over")?;
                let content = Box::new(ResultsFile(format!("session={id}")));
                vec![Intent::Write { path: path.into(), content }]
            }
            _ => Intents::new(),
        })
    }
}

/// Asks whether to resume an interrupted session.
pub(super) fn ask_resume(resumable: &OwedSession) -> Intent<Request, Dialog> {
    let OwedSession { session_id, runs, plan, .. } = resumable;
    let mut configurations: Vec<&str> = Vec::new();
    for configuration in &plan.configurations {
        // Each size is a configuration of its own.
        if !configurations.contains(&configuration.label.as_str()) {
            configurations.push(&configuration.label);
        }
    }
    let lines = vec![
        format!("{} · {}", plan.suite.name, configurations.join(", ")),
        format!("{runs} of {} runs are left to do (session {session_id})", plan.runs.len()),
    ];
    Intent::confirm_start(Dialog::Resume, "Resume the session?", lines)
}

/// Asks whether to cancel the run in progress.
pub(super) fn ask_skip(session: &WatchedSession) -> Intents {
    let Some(at) = session.run_under_way() else { return vec![Intent::refused("no run is under way")] };
    let run = &session.runs[at];
    let label = session.configurations.get(run.configuration).map_or("?", |one| one.label.as_str());
    let lines = vec![
        format!("round {}, {label}", run.round + 1),
        "Its finished tests are kept, and the session continues with the next run.".to_owned(),
    ];
    vec![Intent::confirm(Dialog::Skip(at), "Cancel the run under way?", lines)]
}

/// Starts the runs that an interrupted session still owes.
fn resume(owed: OwedSession, world: &World) -> Intent<Request, Dialog> {
    let OwedSession { session_id, plan, expected_run, .. } = owed;
    let outline = Some(Box::new(SessionOutline::new(&plan, expected_run)));
    let words = ["dbdyno", "resume", &session_id];
    Intent::Measure(Box::new(JobStart { outline, ..JobStart::new(JobKind::Session, words, world) }))
}

pub(super) fn ask_export(session: &WatchedSession) -> Intents {
    if session.running() || session.id.is_none() {
        return vec![Intent::refused("the results can be exported when the session is over")];
    }
    vec![Intent::prompt_export(Dialog::Export, "Export the results", "dbdyno-session.csv", results::FORMATS)]
}
