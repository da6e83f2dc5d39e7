//! The Live screen: the session under way, or the replay of a run.

pub(crate) mod ask;
mod figures;
pub(crate) mod paint;
mod replay;
mod session;

pub use figures::{Figures, Slot};
pub use replay::{RecordedSlot, RecordedTest, Recording, Replay, SPEEDS};
pub use session::{Measured, Phase, Run, RunState, Session};

use crate::{
    lint::LINTERS,
    plan::Plan,
    report::{
        session_table::SessionTable,
        text::{self, Colour},
    },
    runner::{Report, RunnerEvent},
    store::Status,
    tui::{
        event::{Effect, Question as Outside},
        export::Content,
        keys::Action,
        launch::{Resuming, Tell},
        overlay::{Asked as Who, Confirm, Given, Overlay},
        screens::step::{Step, Steps},
        world::World,
    },
};
use std::{collections::BTreeMap, time::Duration};

/// How often a clock on screen moves.
const CLOCK: Duration = Duration::from_secs(1);
/// How often a replay moves.
const REPLAY: Duration = Duration::from_millis(50);

/// What the Live screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// End the session?
    Stop,
    /// Resume one that was interrupted?
    Resume,
    /// The file to write the table to.
    Export,
}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {
    /// What tests of a suite took in earlier sessions.
    Usual {
        /// The suite.
        suite: String,
    },
    /// A stored run.
    Recording {
        /// Its identifier.
        run: String,
    },
    /// The last session that was interrupted.
    Owed,
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// Median times by engine, size and test, ns.
    Usual(BTreeMap<(String, String, u32), f64>),
    /// The run, or why it cannot be had.
    Recording(Result<Box<Recording>, String>),
    /// What an interrupted session owes, or why none can be resumed.
    Owed(Result<Box<Resuming>, String>),
}

/// What is shown of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The test under way.
    #[default]
    Figures,
    /// The medians so far.
    Table,
}

/// The screen.
#[derive(Debug, Default)]
pub struct Live {
    /// The session under way or last.
    pub session: Option<Session>,
    /// The replay in view; before the session.
    pub replay: Option<Replay>,
    /// Whether a recording is being read.
    pub loading: bool,
    /// What is shown of the session.
    pub view: View,
    /// Rows scrolled past in the table.
    pub scroll: usize,
    /// A session that is asked about before it is resumed.
    resuming: Option<Box<Resuming>>,
}

impl Live {
    /// Whether a session is under way.
    pub fn running(&self) -> bool {
        self.session.as_ref().is_some_and(Session::running)
    }

    /// A session begins.
    pub fn begin(&mut self, plan: &Plan, expected_run: Duration, now: Duration) -> Steps {
        let session = Session::new(plan, expected_run, now);
        let suite = session.suite.clone();
        self.session = Some(session);
        self.replay = None;
        self.view = View::Figures;
        self.scroll = 0;
        vec![Step::Do(Effect::Ask(Outside::Live(Question::Usual { suite })))]
    }

    /// The session says something.
    pub fn runner(&mut self, event: RunnerEvent, now: Duration) -> Steps {
        if let Some(session) = &mut self.session {
            session.runner(event, now);
        }
        Steps::new()
    }

    /// The session is over: its table is shown, which is what it was run for.
    pub fn over(&mut self, outcome: Result<Report, String>, now: Duration) -> Steps {
        let Some(session) = &mut self.session else { return Steps::new() };
        session.over(outcome, now);
        match &session.phase {
            Phase::Failed(reason) => vec![Step::failed(reason.clone())],
            phase => {
                self.view = View::Table;
                let said = match phase {
                    Phase::Over(Status::Cancelled) => "the session was stopped; what had finished is kept",
                    Phase::Over(Status::Failed) => "the session is over; some runs failed or answers differ: w tells",
                    _ => "the session is over: 2 shows its table, c there compares",
                };
                vec![Step::said(said)]
            }
        }
    }

    /// Replays a run.
    pub fn replay(&mut self, run: String) -> Steps {
        self.loading = true;
        vec![Step::Do(Effect::Ask(Outside::Live(Question::Recording { run })))]
    }

    /// Time has passed.
    pub fn time(&mut self, now: Duration) -> Steps {
        if let Some(replay) = &mut self.replay {
            replay.time(now);
        }
        Steps::new()
    }

    /// How often time has to be told.
    pub fn wakes(&self, in_view: bool) -> Option<Duration> {
        let replaying = self.replay.as_ref().is_some_and(|replay| !replay.paused && !replay.over());
        match (in_view, replaying) {
            (true, true) => Some(REPLAY),
            (true, false) if self.replay.is_none() && self.running() => Some(CLOCK),
            _ => None,
        }
    }

    /// What the status bar says of the session; none without one.
    pub fn status(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        let (done, all) = (session.finished(), session.runs.len());
        Some(match &session.phase {
            Phase::Over(_) | Phase::Failed(_) => return None,
            Phase::Paused => format!("⏸ {done}/{all}"),
            _ => format!("▶ {done}/{all}"),
        })
    }

    /// How many findings there are of the session under way or last.
    pub fn warning_count(&self) -> usize {
        self.session.as_ref().map_or(0, |session| session.warnings.len())
    }

    /// What linters found in the session under way or last.
    pub fn warnings(&self) -> Overlay {
        let Some(session) = &self.session else {
            return Overlay::page("Warnings", vec!["No session was run since dbdyno was started.".to_owned()]);
        };
        let mut lines = Vec::new();
        for warning in &session.warnings {
            lines.push(format!("! {}: {}", warning.linter, warning.message));
            let linter = LINTERS.iter().find(|linter| linter.name() == warning.linter);
            lines.extend(linter.map(|linter| format!("  {}", linter.explain())));
            lines.push(String::new());
        }
        lines.extend(session.notes.iter().cloned());
        if lines.is_empty() {
            lines.push(if session.running() { "None so far; most are found at the end." } else { "None." }.to_owned());
        }
        Overlay::page("Warnings and notes of the session", lines)
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action, _now: Duration) -> Steps {
        if let Some(replay) = &mut self.replay {
            match action {
                Action::Pause => replay.paused = !replay.paused,
                Action::Speed => replay.speed = (replay.speed + 1) % SPEEDS.len(),
                Action::NextTest | Action::Right => replay.step(true),
                Action::PreviousTest | Action::Left => replay.step(false),
                Action::Back | Action::Stop => self.replay = None,
                _ => {}
            }
            return Steps::new();
        }
        if action == Action::Resume {
            return vec![Step::Do(Effect::Ask(Outside::Live(Question::Owed)))];
        }
        let Some(session) = &mut self.session else { return Steps::new() };
        match action {
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::Down => self.scroll += 1,
            Action::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Action::PageDown => self.scroll += 10,
            Action::First => self.scroll = 0,
            Action::View => {
                self.view = if self.view == View::Figures { View::Table } else { View::Figures };
            }
            Action::Compare => return compare(session),
            Action::Export => return export(session),
            Action::Pause if session.running() => return pause(session),
            Action::Skip if session.running() => return skip(session),
            Action::Stop if session.running() => {
                return vec![Step::Open(Overlay::Confirm(Confirm {
                    title: "Stop the session?".to_owned(),
                    lines: vec!["The run under way is given up; every finished test is kept.".to_owned()],
                    asked: Who::Live(Asked::Stop),
                }))];
            }
            _ => {}
        }
        self.scroll = self.scroll.min(session.tests.len() * session.configurations.len());
        Steps::new()
    }

    /// A row was clicked: nothing on this screen is chosen by rows.
    pub fn click(&mut self, _pane: usize, _row: usize) -> Steps {
        Steps::new()
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, given: Given, _world: &World) -> Result<Steps, String> {
        Ok(match (asked, given) {
            (Asked::Stop, Given::Yes) => vec![Step::Do(Effect::Tell(Tell::Stop)), Step::said("stopping")],
            (Asked::Resume, Given::Yes) => self.resuming.take().map(Step::Resume).into_iter().collect(),
            (Asked::Export, Given::Text(path)) => {
                let table = self.session.as_ref().and_then(table).ok_or("the session is not over")?;
                let content = Content::Text(table);
                vec![Step::Do(Effect::Ask(Outside::Write { path: path.into(), content }))]
            }
            _ => Steps::new(),
        })
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer, now: Duration) -> Steps {
        match answer {
            Answer::Usual(usual) => {
                if let Some(session) = &mut self.session {
                    session.usual = usual;
                }
                Steps::new()
            }
            Answer::Recording(Ok(recording)) => {
                self.loading = false;
                self.replay = Some(Replay::new(*recording, now));
                Steps::new()
            }
            Answer::Recording(Err(reason)) => {
                self.loading = false;
                vec![Step::failed(reason)]
            }
            Answer::Owed(Ok(resuming)) => {
                let confirm = resume(&resuming);
                self.resuming = Some(resuming);
                vec![Step::Open(confirm)]
            }
            Answer::Owed(Err(reason)) => vec![Step::failed(reason)],
        }
    }
}

fn resume(resuming: &Resuming) -> Overlay {
    let Resuming { session_id, runs, plan, .. } = resuming;
    let configurations: Vec<&str> =
        plan.configurations.iter().map(|configuration| configuration.label.as_str()).collect();
    Overlay::Confirm(Confirm {
        title: "Resume the session?".to_owned(),
        lines: vec![
            format!("{} · {}", plan.suite.name, configurations.join(", ")),
            format!("{runs} of {} runs are owed (session {session_id})", plan.runs.len()),
        ],
        asked: Who::Live(Asked::Resume),
    })
}

fn pause(session: &mut Session) -> Steps {
    if session.phase == Phase::Paused {
        session.phase = Phase::Running;
        return vec![Step::Do(Effect::Tell(Tell::Resume)), Step::said("the session goes on")];
    }
    session.phase = Phase::Paused;
    vec![Step::Do(Effect::Tell(Tell::Pause)), Step::said("paused: the run under way ends, none is begun; p goes on")]
}

fn skip(session: &Session) -> Steps {
    let running = session.current.filter(|&at| session.runs[at].state == RunState::Running);
    match running {
        Some(at) => vec![Step::Do(Effect::Tell(Tell::Skip(at as u32))), Step::said("the run is given up")],
        None => vec![Step::said("no run is under way")],
    }
}

fn compare(session: &Session) -> Steps {
    match session.sides() {
        Some((a, b)) => vec![Step::Compare { a, b }],
        None => vec![Step::said("there are no two configurations to compare")],
    }
}

fn export(session: &Session) -> Steps {
    if session.report.is_none() {
        return vec![Step::said("the table can be exported when the session is over")];
    }
    let help = "a file that is not there yet";
    vec![Step::Open(Overlay::prompt("Export the table", help, "dbdyno-session.txt", Who::Live(Asked::Export)))]
}

/// The session's table as text; none before it is over.
fn table(session: &Session) -> Option<String> {
    let report = session.report.as_ref()?;
    let Report { session, runs, results, harness, warnings, .. } = report.as_ref();
    let table = SessionTable::new(&session.suite, runs, results, harness, warnings);
    Some(format!("{}\n\n{}", session.command_line, text::session_table(&table, Colour::Off)))
}
