//! The Live screen: the session in progress, or the replay of a run.

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
pub use figures::{LiveActor, LiveFigures, LiveStatement, Slot};
pub use further::UndecidedTest;
pub use gathered::{Gathered, RunTime};
pub use replay::{RecordedSlot, RecordedTest, Recording, Replay, SPEEDS};
pub use run::{Phase, RunState, WatchedConfiguration, WatchedRun};
pub use session::{LastSession, WatchedSession};
pub use standing::Standings;

use super::{
    further::{PlannedRounds, ask_to_begin},
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::{Action, ScreenId},
    launch::{Opening, OwedSession},
    overlay::{Overlay, Reply},
    setup::TuiSetup,
    widgets::{
        cursor::PAGE,
        paint::{Paint, VIEWS},
    },
    world::World,
};
use dbdyno_comparing::lint::{LINTERS, summed};
use dbdyno_running::{
    runner::{RunnerEvent, SessionOutline},
    watching::JobEvent,
};
use dbdyno_store::{Status, WarningRecord};
use ratatui::layout::Rect;
use std::time::Duration;

/// Interval between updates of the clock on screen.
const CLOCK: Duration = Duration::from_secs(1);
/// Interval between updates of a replay.
const REPLAY: Duration = Duration::from_millis(50);
/// Least time between two comparisons of the configurations while the session runs. It is also at least so many times the last one's time.
const COMPARING: Duration = Duration::from_secs(1);
const COMPARING_SHARE: u32 = 200;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The views of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveView {
    /// All tests for all configurations.
    #[default]
    Race,
    /// One test, with its latencies.
    Test,
}

impl LiveView {
    const ALL: [Self; 2] = [Self::Race, Self::Test];

    fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Test => "single test",
        }
    }
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

    /// Returns the pane to the left or right, wrapping around at the ends.
    fn beside(self, to: Action) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL[(at + if to == Action::Left { Self::ALL.len() - 1 } else { 1 }) % Self::ALL.len()]
    }
}

/// The watched session and the replayed run.
#[derive(Debug, Default)]
pub struct LiveScreen {
    /// The current session, or the last one.
    pub(crate) session: Option<WatchedSession>,
    /// The replay in view; it hides the session.
    pub(crate) replay: Option<Replay>,
    /// Whether a recording is being read.
    pub(crate) loading: bool,
    /// The view of the session.
    pub(crate) view: LiveView,
    /// The pane of a single test that has the focus.
    pub(crate) pane: TestPane,
    /// Number of tests scrolled past in the race.
    pub(crate) scroll: usize,
    /// Number of configurations scrolled past.
    pub(crate) column: usize,
    /// Whether there was an interrupted session to resume when this screen was last opened.
    was_left: bool,
    /// The warnings about the newest stored session, for the time before another session.
    stored_warnings: Vec<WarningRecord>,
    /// The session that the user is asked to resume.
    resumable: Option<Box<OwedSession>>,
    /// The undecided tests from which the user chooses.
    undecided: Vec<UndecidedTest>,
    /// Planned rounds that await the user's confirmation.
    further: Option<Box<PlannedRounds>>,
}

impl LiveScreen {
    /// Whether a session is in progress.
    pub fn running(&self) -> bool {
        self.session.as_ref().is_some_and(WatchedSession::running)
    }

    /// Returns the result of the last session.
    pub(crate) fn last(&self) -> Option<LastSession> {
        self.session.as_ref().and_then(WatchedSession::last)
    }

    /// Starts to watch a session with this plan.
    fn planned(&mut self, outline: SessionOutline, now: Duration) -> Intents {
        let mut session = WatchedSession::new(outline, now);
        if let Some(before) = &self.session {
            (session.begun, session.earlier) = (before.begun, before.earlier);
        }
        let usual = ask_usual(&session);
        self.session = Some(session);
        vec![usual]
    }

    /// Handles an event of the session. Configurations are compared again when a run ends or answers turn out wrong, but not so often that
    /// the comparing takes time from the session.
    fn runner(&mut self, event: RunnerEvent, now: Duration) -> Intents {
        if let RunnerEvent::Planned { outline } = event {
            return self.planned(*outline, now);
        }
        let Some(session) = &mut self.session else { return Intents::new() };
        let compares = match event {
            RunnerEvent::RunEnded { .. } => now >= session.compared_again,
            RunnerEvent::WrongAnswers { .. } | RunnerEvent::Paused => true,
            _ => false,
        };
        let begins = matches!(event, RunnerEvent::SessionStarted { .. });
        session.runner(event, now);
        match &session.id {
            _ if compares => {
                session.compared_again = now + COMPARING;
                ask_standings(session)
            }
            Some(id) if begins && session.outline.resumed => {
                vec![Intent::Request(Request::Earlier { session: id.clone() })]
            }
            _ => Intents::new(),
        }
    }

    pub fn replay(&mut self, run: String) -> Intents {
        self.loading = true;
        vec![Intent::Request(Request::Recording { run })]
    }
}

impl Screen for LiveScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self::default()
    }

    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::Replay(run) = what else { return Err(what) };
        Ok(Ok(self.replay(run)))
    }

    fn time(&mut self, now: Duration, _in_view: bool) -> Intents {
        if let Some(replay) = &mut self.replay {
            replay.time(now);
        }
        if let Some(session) = &mut self.session {
            session.look(now);
        }
        Intents::new()
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        let replaying = self.replay.as_ref().is_some_and(|replay| !replay.paused && !replay.over());
        match (in_view, replaying) {
            (true, true) => Some(REPLAY),
            (true, false) if self.replay.is_none() && self.running() => Some(CLOCK),
            _ => None,
        }
    }

    fn warnings(&self) -> Option<(usize, Overlay)> {
        let Some(session) = &self.session else {
            let mut lines = warning_lines(&self.stored_warnings);
            if lines.is_empty() {
                lines.push("None.".to_owned());
            }
            return Some((
                summed(&self.stored_warnings).len(),
                Overlay::page("Warnings about the newest session", lines),
            ));
        };
        let mut lines = warning_lines(&session.warnings);
        lines.extend(session.notes.iter().cloned());
        if lines.is_empty() {
            lines.push(if session.running() { "None so far; most are found at the end." } else { "None." }.to_owned());
        }
        Some((summed(&session.warnings).len(), Overlay::page("Warnings and notes of the session", lines)))
    }

    /// Shows the session, as far as its plan is known.
    fn begun(&mut self, outline: Option<Box<SessionOutline>>, now: Duration) {
        self.session = outline.map(|outline| WatchedSession::new(*outline, now));
        self.replay = None;
        self.view = LiveView::Race;
        (self.scroll, self.column) = (0, 0);
    }

    fn told(&mut self, event: JobEvent, context: &Context<'_>) -> Intents {
        match event {
            JobEvent::Session(event) => self.runner(*event, context.now),
            JobEvent::Latencies { ordinal, test, histogram } => {
                if let Some(session) = &mut self.session {
                    session.take_latencies(ordinal as usize, test, &histogram);
                }
                Intents::new()
            }
            JobEvent::Time(at) => {
                if let Some(session) = &mut self.session {
                    session.told_at(at, context.now);
                }
                Intents::new()
            }
            JobEvent::Tune(_) | JobEvent::Torture(_) | JobEvent::Choose(_) => Intents::new(),
        }
    }

    /// Handles the end of the session.
    fn over(&mut self, outcome: Result<(), String>, context: &Context<'_>) -> (Intents, String) {
        // A session that has already ended is not the one that this event is about.
        let Some(session) = self.session.as_mut().filter(|session| session.running()) else {
            let reason = outcome.err().unwrap_or_else(|| "the session has ended".to_owned());
            return (vec![Intent::failed(reason.clone())], reason);
        };
        session.over(outcome, context.now);
        let mut intents = ask_standings(session);
        let status = match &session.phase {
            Phase::Over(status) => *status,
            Phase::Failed(reason) => {
                let what = format!("the session could not be run: {reason}");
                intents.push(Intent::failed(reason.clone()));
                return (intents, what);
            }
            _ => Status::Cancelled,
        };
        let said = match status {
            Status::Cancelled => "the session was stopped; finished tests are kept",
            Status::Failed => "the session is over; some runs failed or answers differ: w shows them",
            _ if context.screen != ScreenId::Live => "the session is over: 2 shows its race",
            _ if session.has_undecided() => "the session is over: c compares, + adds rounds",
            _ => "the session is over: c compares",
        };
        intents.extend(session.id.as_ref().map(|id| {
            let (session, outline) = (id.clone(), Box::new(session.outline.clone()));
            Intent::Request(Request::Ended { session, outline })
        }));
        intents.push(Intent::said(said));
        (intents, format!("session {}: {}", session.suite, status.word()))
    }

    fn under_way(&self) -> &'static str {
        "a session is running"
    }

    fn status(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        let (done, all) = (session.finished(), session.runs.len());
        Some(match &session.phase {
            Phase::Over(_) | Phase::Failed(_) => return None,
            Phase::Paused => format!("⏸ {done}/{all}"),
            _ => format!("▶ {done}/{all}"),
        })
    }

    fn progress(&self) -> (Option<u8>, bool) {
        let Some(session) = self.session.as_ref().filter(|session| session.running()) else { return (None, false) };
        let percent = (session.finished() * 100).checked_div(session.runs.len());
        (percent.map(|percent| percent.min(100) as u8), session.phase == Phase::Paused)
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        let session = self.session.as_ref().filter(|_| self.replay.is_none())?;
        (action == Action::Export).then(|| dialog::ask_export(session))
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
            Action::NextTest | Action::PreviousTest if self.view == LiveView::Test => {
                session.choose_test(action == Action::NextTest);
            }
            Action::Back if self.view == LiveView::Test && !session.follow() => self.view = LiveView::Race,
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column += 1,
            Action::View => {
                self.view = if self.view == LiveView::Race { LiveView::Test } else { LiveView::Race };
            }
            Action::Compare => return does::compare(session),
            Action::More => return further::ask_undecided(session),
            Action::Pause if session.running() => return does::pause(session),
            Action::Skip if session.running() => return dialog::ask_skip(session),
            Action::Stop if session.running() => {
                return vec![Intent::confirm(
                    Dialog::Stop,
                    "Stop the session?",
                    vec!["The run under way is cancelled; finished tests are kept.".to_owned()],
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

    /// Handles a click on the name of a view; no rows on this screen can be selected.
    fn click(&mut self, pane: usize, row: usize, _context: &Context<'_>) -> Intents {
        if let Some(view) = LiveView::ALL.get(row).filter(|_| pane == VIEWS) {
            self.view = *view;
        }
        Intents::new()
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        match response {
            Response::Usual(usual) => {
                if let Some(session) = &mut self.session {
                    session.usual = usual;
                }
                Intents::new()
            }
            // A response for an earlier session is dropped.
            Response::Earlier { session: id, runs } => match &mut self.session {
                Some(session) if session.gathered.is_of(&id) => {
                    session.gathered.earlier(runs);
                    ask_standings(session)
                }
                _ => Intents::new(),
            },
            Response::Ended { session: id, runs, follow_up } => {
                let mut intents = Intents::new();
                if let Some(session) = self.session.as_mut().filter(|session| session.gathered.is_of(&id)) {
                    session.gathered.settle(runs);
                    intents = ask_standings(session);
                }
                intents.extend(follow_up.map(|(title, lines)| Intent::ReadNext(title, lines)));
                intents
            }
            Response::Standings(standings, took) => {
                let is_of = |session: &&mut WatchedSession| session.gathered.session() == standings.session;
                if let Some(session) = self.session.as_mut().filter(is_of) {
                    session.standings = standings;
                    session.compared_again = session.compared_again.max(context.now + COMPARING_SHARE * took);
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
            Response::Further(planned) => ask_to_begin(planned, &mut self.further, Dialog::Further, context.world),
            Response::Owed(Err(reason)) => vec![Intent::failed(reason)],
        }
    }

    fn world_changed(&mut self, world: &World) {
        self.stored_warnings.clone_from(&world.warnings);
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        match &self.session {
            // It also tells which program holds the store, for which the session waits.
            Some(session) if session.phase == Phase::Starting => vec![ask_usual(session)],
            _ if self.running() => Intents::new(),
            _ => vec![Intent::Request(Request::WasLeft)],
        }
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}

/// Returns warnings as lines, with the explanation of each linter.
fn warning_lines(warnings: &[WarningRecord]) -> Vec<String> {
    let mut lines = Vec::new();
    for of_linter in warnings.chunk_by(|one, next| one.linter == next.linter) {
        lines.extend(of_linter.iter().map(|warning| format!("! {}: {}", warning.linter, warning.message)));
        let linter = LINTERS.iter().find(|linter| of_linter.iter().any(|one| one.linter == linter.name()));
        lines.extend(linter.map(|linter| format!("  {}", linter.explain())));
        lines.push(String::new());
    }
    lines
}

/// Requests the times that the tests of a session usually take.
fn ask_usual(session: &WatchedSession) -> Intent<Request, Dialog> {
    Intent::Request(Request::Usual { suite: session.suite.clone(), watch: session.watch.clone() })
}

/// Requests the comparison of the configurations, if there are several.
fn ask_standings(session: &WatchedSession) -> Intents {
    if session.race_columns().len() < 2 {
        return Intents::new();
    }
    vec![Intent::Request(Request::Standings(Box::new(session.gathered.clone())))]
}
