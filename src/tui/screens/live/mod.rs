//! The Live screen: the session under way, or the replay of a run.

mod ask;
mod copy;
mod dialog;
mod does;
mod figures;
mod further;
mod gathered;
mod paint;
mod race;
mod replay;
mod run;
mod session;
mod shown;
mod standing;
mod usage;

pub use ask::{Request, Response};
pub use dialog::Dialog;
pub use figures::{LiveActor, LiveFigures, Slot};
pub use further::UndecidedTest;
pub use gathered::{Gathered, RunTime};
pub use replay::{RecordedSlot, RecordedTest, Recording, Replay, SPEEDS};
pub use run::{Phase, RunState, WatchedConfiguration, WatchedRun};
pub use session::WatchedSession;
pub use standing::Standings;

use super::{
    further::begin_or_ask,
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::Action,
    launch::OwedSession,
    overlay::{Overlay, Reply},
    setup::TuiSetup,
    widgets::{cursor::PAGE, paint::Paint},
    world::World,
};
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_comparing::lint::{LINTERS, summed};
use dbdyno_running::{
    runner::{Report, RunnerEvent},
    session::FurtherRounds,
};
use dbdyno_store::Status;
use ratatui::layout::Rect;
use std::time::Duration;

/// How often a clock on screen moves.
const CLOCK: Duration = Duration::from_secs(1);
/// How often a replay moves.
const REPLAY: Duration = Duration::from_millis(50);

/// What this screen wants to happen.
type Intents = Vec<Intent<Request, Dialog>>;

/// What is shown of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveView {
    /// All tests with all configurations.
    #[default]
    Race,
    /// A test, with its latencies.
    Test,
}

/// The panes of a single test that can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TestPane {
    Latencies,
    #[default]
    Throughput,
    Figures,
}

impl TestPane {
    const ALL: [Self; 3] = [Self::Latencies, Self::Throughput, Self::Figures];

    /// The pane at the left or at the right, around the end.
    fn beside(self, to: Action) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL[(at + if to == Action::Left { Self::ALL.len() - 1 } else { 1 }) % Self::ALL.len()]
    }
}

/// The session that is watched, and the run that is replayed.
#[derive(Debug, Default)]
pub struct LiveScreen {
    /// The session under way or last.
    pub(crate) session: Option<WatchedSession>,
    /// The replay in view; before the session.
    pub(crate) replay: Option<Replay>,
    /// Whether a recording is being read.
    pub(crate) loading: bool,
    /// What is shown of the session.
    pub(crate) view: LiveView,
    /// The pane of a single test that has the focus.
    pub(crate) pane: TestPane,
    /// Tests scrolled past in the race.
    pub(crate) scroll: usize,
    /// Configurations scrolled past.
    pub(crate) column: usize,
    /// Whether a session was left that can be resumed, when this screen last came into view.
    was_left: bool,
    /// A session that is asked about before it is resumed.
    resumable: Option<Box<OwedSession>>,
    /// What more rounds would decide, while the user chooses.
    undecided: Vec<UndecidedTest>,
    /// Rounds that are asked about before they are run.
    further: Option<Box<FurtherRounds>>,
}

impl LiveScreen {
    /// Whether a session is under way.
    pub fn running(&self) -> bool {
        self.session.as_ref().is_some_and(WatchedSession::running)
    }

    /// A session begins, or goes on that was interrupted.
    pub(crate) fn begin(
        &mut self,
        plan: &BenchPlan,
        expected_run: Duration,
        resumed: Option<&str>,
        now: Duration,
    ) -> Intents {
        let mut session = WatchedSession::new(plan, expected_run, now);
        let mut intents = vec![Intent::Request(Request::Usual { suite: session.suite.clone() })];
        if let Some(id) = resumed {
            session.gathered.begin(id);
            intents.push(Intent::Request(Request::Earlier { session: id.to_owned() }));
        }
        self.session = Some(session);
        self.replay = None;
        self.view = LiveView::Race;
        (self.scroll, self.column) = (0, 0);
        intents
    }

    /// The session that begins adds rounds to this one, for this look at what was undecided there.
    pub(crate) fn adds_to(&mut self, session: &str, look: u32) {
        if let Some(watched) = &mut self.session {
            watched.adds_to = Some(session.to_owned());
            watched.gathered.first_look = Some(look);
        }
    }

    /// The session says something. Configurations are compared anew when a run has ended, or answers turned out wrong.
    pub(crate) fn runner(&mut self, event: RunnerEvent, now: Duration) -> Intents {
        let Some(session) = &mut self.session else { return Intents::new() };
        let changes_standings = matches!(event, RunnerEvent::RunEnded { .. } | RunnerEvent::WrongAnswers { .. });
        session.runner(event, now);
        if changes_standings { ask_standings(session) } else { Intents::new() }
    }

    /// The session is over: the race is shown, which is what it was run for.
    pub(crate) fn over(&mut self, outcome: Result<Report, String>, now: Duration) -> Intents {
        let Some(session) = &mut self.session else { return Intents::new() };
        session.over(outcome, now);
        match &session.phase {
            Phase::Failed(reason) => vec![Intent::failed(reason.clone())],
            phase => {
                self.view = LiveView::Race;
                let said = match phase {
                    Phase::Over(Status::Cancelled) => "the session was stopped; what had finished is kept",
                    Phase::Over(Status::Failed) => {
                        "the session is over; some runs failed or answers differ: w shows them"
                    }
                    _ => "the session is over: 2 shows its race, c there compares",
                };
                let mut intents = ask_standings(session);
                intents.push(Intent::said(said));
                intents
            }
        }
    }

    pub fn replay(&mut self, run: String) -> Intents {
        self.loading = true;
        vec![Intent::Request(Request::Recording { run })]
    }

    /// Time has passed.
    pub(crate) fn time(&mut self, now: Duration) {
        if let Some(replay) = &mut self.replay {
            replay.time(now);
        }
        if let Some(session) = &mut self.session {
            session.look(now);
        }
    }

    /// How often time has to be told.
    pub(crate) fn wakes(&self, in_view: bool) -> Option<Duration> {
        let replaying = self.replay.as_ref().is_some_and(|replay| !replay.paused && !replay.over());
        match (in_view, replaying) {
            (true, true) => Some(REPLAY),
            (true, false) if self.replay.is_none() && self.running() => Some(CLOCK),
            _ => None,
        }
    }

    /// What the status bar says of the session; none without one.
    pub(crate) fn status(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        let (done, all) = (session.finished(), session.runs.len());
        Some(match &session.phase {
            Phase::Over(_) | Phase::Failed(_) => return None,
            Phase::Paused => format!("⏸ {done}/{all}"),
            _ => format!("▶ {done}/{all}"),
        })
    }

    /// How much of the session under way is done, percent.
    pub(crate) fn percent(&self) -> Option<u8> {
        let session = self.session.as_ref().filter(|session| session.running())?;
        (session.finished() * 100).checked_div(session.runs.len()).map(|percent| percent.min(100) as u8)
    }

    pub(crate) fn paused(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.phase == Phase::Paused)
    }

    /// How many findings there are of the session under way or last.
    pub(crate) fn warning_count(&self) -> usize {
        self.session.as_ref().map_or(0, |session| summed(&session.warnings).len())
    }

    /// What linters found in the session under way or last.
    pub(crate) fn warnings(&self) -> Overlay {
        let Some(session) = &self.session else {
            return Overlay::page("Warnings", vec!["No session was run since dbdyno was started.".to_owned()]);
        };
        let mut lines = Vec::new();
        for of_linter in session.warnings.chunk_by(|one, next| one.linter == next.linter) {
            lines.extend(of_linter.iter().map(|warning| format!("! {}: {}", warning.linter, warning.message)));
            let linter = LINTERS.iter().find(|linter| of_linter.iter().any(|one| one.linter == linter.name()));
            lines.extend(linter.map(|linter| format!("  {}", linter.explain())));
            lines.push(String::new());
        }
        lines.extend(session.notes.iter().cloned());
        if lines.is_empty() {
            lines.push(if session.running() { "None so far; most are found at the end." } else { "None." }.to_owned());
        }
        Overlay::page("Warnings and notes of the session", lines)
    }
}

impl Screen for LiveScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self::default()
    }

    fn act(&mut self, action: Action, _context: &Context<'_>) -> Intents {
        if action == Action::Copy {
            return self.copy();
        }
        if let Some(replay) = &mut self.replay {
            match action {
                Action::Pause => replay.paused = !replay.paused,
                Action::Speed => replay.speed = (replay.speed + 1) % SPEEDS.len(),
                Action::NextTest => replay.step(true),
                Action::PreviousTest => replay.step(false),
                Action::Left | Action::Right => self.pane = self.pane.beside(action),
                Action::Back | Action::Stop => self.replay = None,
                _ => {}
            }
            return Intents::new();
        }
        if action == Action::Resume {
            return vec![Intent::Request(Request::Owed)];
        }
        let Some(session) = &mut self.session else { return Intents::new() };
        match action {
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::Down => self.scroll += 1,
            Action::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            Action::PageDown => self.scroll += PAGE,
            Action::First => self.scroll = 0,
            Action::Last => self.scroll = usize::MAX,
            Action::Left | Action::Right if self.view == LiveView::Test => self.pane = self.pane.beside(action),
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column += 1,
            Action::View => {
                self.view = if self.view == LiveView::Race { LiveView::Test } else { LiveView::Race };
            }
            Action::Compare => return does::compare(session),
            Action::Export => return dialog::ask_export(session),
            Action::More => return further::ask_undecided(session),
            Action::Pause if session.running() => return does::pause(session),
            Action::Skip if session.running() => return dialog::ask_skip(session),
            Action::Stop if session.running() => {
                return vec![Intent::confirm(
                    Dialog::Stop,
                    "Stop the session?",
                    vec!["The run under way is given up; every finished test is kept.".to_owned()],
                )];
            }
            _ => {}
        }
        self.scroll = self.scroll.min(session.race_rows().len().saturating_sub(1));
        self.column = self.column.min(session.race_columns().len().saturating_sub(1));
        Intents::new()
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        self.does(action)
    }

    /// Nothing on this screen is chosen by rows.
    fn click(&mut self, _pane: usize, _row: usize, _context: &Context<'_>) -> Intents {
        Intents::new()
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, _context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply)
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        match response {
            Response::Usual(usual) => {
                if let Some(session) = &mut self.session {
                    session.usual = usual;
                }
                Intents::new()
            }
            // What is of a session before this one comes too late.
            Response::Earlier { session: id, runs } => match &mut self.session {
                Some(session) if session.gathered.is_of(&id) => {
                    session.gathered.earlier(runs);
                    ask_standings(session)
                }
                _ => Intents::new(),
            },
            Response::Standings(standings) => {
                let is_of = |session: &&mut WatchedSession| session.gathered.session() == standings.session;
                if let Some(session) = self.session.as_mut().filter(is_of) {
                    session.standings = standings;
                }
                Intents::new()
            }
            Response::Recording(Ok(recording)) => {
                self.loading = false;
                self.replay = Some(Replay::new(*recording, context.now));
                Intents::new()
            }
            Response::Recording(Err(reason)) => {
                self.loading = false;
                vec![Intent::failed(reason)]
            }
            Response::WasLeft(was_left) => {
                self.was_left = was_left;
                Intents::new()
            }
            Response::Owed(Ok(resumable)) => {
                let asked = dialog::ask_resume(&resumable);
                self.resumable = Some(resumable);
                vec![asked]
            }
            Response::Undecided(found) => self.choose_further(found),
            Response::Further(planned) => begin_or_ask(planned, &mut self.further, Dialog::Further, context.world),
            Response::Owed(Err(reason)) => vec![Intent::failed(reason)],
        }
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if self.running() { Intents::new() } else { vec![Intent::Request(Request::WasLeft)] }
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}

/// Has the configurations compared, where there are several.
fn ask_standings(session: &WatchedSession) -> Intents {
    if session.race_columns().len() < 2 {
        return Intents::new();
    }
    vec![Intent::Request(Request::Standings(Box::new(session.gathered.clone())))]
}
