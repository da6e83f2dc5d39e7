//! The Choose screen, "Help me choose": four questions, the engines while they compete, and the answer.

mod ask;
mod dialog;
mod paint;
mod question;
mod watched;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::Action,
    launch::{ChoiceSubject, JobStart, Opening},
    overlay::Reply,
    setup::TuiSetup,
    widgets::{cursor::ListCursor, paint::Paint},
    world::World,
};
use dbdyno_reports::choose::{BoardLine, answer_lines, engine_lines, race_lines};
use dbdyno_running::{
    choose::{ChoiceAnswer, StoredChoice},
    jobs::JobKind,
    runner::SessionOutline,
    watching::JobEvent,
};
use question::{ChoiceQuestions, QuestionRow};
use ratatui::layout::Rect;
use std::time::Duration;
use watched::WatchedChoice;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// Interval of the time that is left, while a choice runs.
const TICK: Duration = Duration::from_secs(1);

/// The panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ChoosePane {
    #[default]
    Questions,
    Engines,
}

/// The questions, the choice in progress, and the latest answer.
#[derive(Debug, Default)]
pub struct ChooseScreen {
    pub(crate) pane: ChoosePane,
    /// The cursor in the questions.
    pub(crate) cursor: ListCursor,
    /// The cursor in the engines.
    pub(crate) row: ListCursor,
    pub(crate) questions: ChoiceQuestions,
    pub(crate) watched: Option<WatchedChoice>,
    /// The latest answer.
    pub(crate) answer: Option<Box<ChoiceAnswer>>,
    /// The latest choice, if it was interrupted.
    pub(crate) unfinished: Option<Box<StoredChoice>>,
    /// Why the last choice failed, or the answer cannot be read.
    pub(crate) failed: Option<String>,
    stale: bool,
}

impl ChooseScreen {
    /// Suggests a workload, for which engines compete unless another is chosen.
    pub(crate) fn suggest(&mut self, subject: Option<ChoiceSubject>) {
        if self.questions.subject.is_none() {
            self.questions.subject = subject;
        }
    }

    fn read(&mut self) -> Intent<Request, Dialog> {
        self.stale = false;
        Intent::Request(Request::Latest)
    }

    /// Returns all engines: as they stand, or as the latest answer has them.
    pub(crate) fn lines(&self) -> Vec<BoardLine> {
        match (&self.watched, &self.answer) {
            (Some(watched), None) => race_lines(&watched.standing, &watched.engines, &watched.left_out),
            (_, Some(choice)) => answer_lines(choice),
            (None, None) => Vec::new(),
        }
    }

    fn point_at_engines(&mut self) {
        (self.pane, self.row) = (ChoosePane::Engines, ListCursor::default());
    }

    /// Shows all that is known of the engine under the cursor.
    fn open(&self) -> Intents {
        let lines = self.lines();
        let Some(line) = lines.get(self.row.at) else { return Intents::new() };
        vec![Intent::page(&line.engine, engine_lines(line, self.answer.as_deref()))]
    }

    /// Starts a choice.
    fn start(&self, world: &World) -> Intents {
        match self.questions.words() {
            Ok(words) => vec![Intent::Measure(Box::new(JobStart::new(JobKind::Choose, words, world)))],
            Err(reason) => vec![Intent::refused(reason)],
        }
    }

    /// Goes on with the choice that was interrupted.
    fn resume(&self, world: &World) -> Intents {
        let Some(unfinished) = &self.unfinished else {
            return vec![Intent::refused("no choice was interrupted")];
        };
        let words = ["dbdyno", "choose", "--resume", &unfinished.record.choice_id];
        vec![Intent::Measure(Box::new(JobStart::new(JobKind::Choose, words, world)))]
    }

    /// Opens the runs behind the answer.
    fn evidence(&self) -> Intents {
        let Some(choice) = &self.answer else { return vec![Intent::refused("there is no answer yet")] };
        vec![Intent::Open(Opening::Results { selection: format!("choice={}", choice.choice_id) })]
    }
}

impl Screen for ChooseScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self { stale: true, ..Self::default() }
    }

    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::Choose(subject) = what else { return Err(what) };
        if self.is_running() {
            return Ok(Ok(Intents::new()));
        }
        self.questions.subject = Some(subject);
        self.pane = ChoosePane::Questions;
        Ok(Ok(vec![self.read()]))
    }

    fn begun(&mut self, _outline: Option<Box<SessionOutline>>, _now: Duration) {
        self.begins();
    }

    fn told(&mut self, event: JobEvent, context: &Context<'_>) -> Intents {
        if let JobEvent::Choose(event) = event {
            self.takes(*event, context.now);
        }
        Intents::new()
    }

    fn over(&mut self, outcome: Result<(), String>, _context: &Context<'_>) -> (Intents, String) {
        (self.ends(outcome), "the choice is over".to_owned())
    }

    fn under_way(&self) -> &'static str {
        "engines compete"
    }

    fn kept(&self) -> &'static str {
        "The session under way is cancelled; finished ones are kept, and r goes on from there."
    }

    fn status(&self) -> Option<String> {
        self.watched.as_ref().map(|watched| format!("▶ {}", watched.phase))
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        (in_view && self.is_running()).then_some(TICK)
    }

    fn asks(&self, action: Action, context: &Context<'_>) -> Option<Intents> {
        match action {
            Action::Enter if self.pane == ChoosePane::Questions => self.ask_row(context.world),
            Action::Copy => Some(self.ask_copy(context.world)),
            Action::Export => Some(self.ask_export()),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let length = self.lines().len();
        let moved = match self.pane {
            ChoosePane::Questions => self.cursor.moved(action, QuestionRow::ALL.len()),
            ChoosePane::Engines => self.row.moved(action, length),
        };
        if moved {
            return Intents::new();
        }
        match action {
            Action::Left | Action::Right => {
                self.pane = match self.pane {
                    ChoosePane::Questions => ChoosePane::Engines,
                    ChoosePane::Engines => ChoosePane::Questions,
                };
            }
            Action::Enter if self.pane == ChoosePane::Engines => return self.open(),
            Action::Enter | Action::Run => return self.start(context.world),
            Action::Resume => return self.resume(context.world),
            Action::Explain => return self.evidence(),
            Action::Notes => return self.report(),
            Action::Stop if self.is_running() => {
                let lines = vec![self.kept().to_owned()];
                return vec![Intent::confirm(Dialog::Stop, "Stop choosing?", lines)];
            }
            Action::Refresh => return vec![self.read()],
            Action::Back if self.pane == ChoosePane::Engines => self.pane = ChoosePane::Questions,
            Action::Back => return vec![Intent::Close],
            _ => {}
        }
        Intents::new()
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        match action {
            Action::Stop => self.is_running(),
            Action::Run => !self.is_running() && self.questions.subject.is_some(),
            Action::Resume => !self.is_running() && self.unfinished.is_some(),
            Action::Explain | Action::Notes | Action::Export => self.answer.is_some(),
            Action::Enter if self.pane == ChoosePane::Engines => !self.lines().is_empty(),
            _ => true,
        }
    }

    fn hint(&self, action: Action, _context: &Context<'_>) -> Option<&'static str> {
        let is_start = QuestionRow::ALL.get(self.cursor.at) == Some(&QuestionRow::Start);
        match (action, self.pane) {
            (Action::Enter, ChoosePane::Engines) => Some("details"),
            (Action::Enter, ChoosePane::Questions) if is_start => Some("start"),
            _ => None,
        }
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        let pane = if pane == 0 { ChoosePane::Questions } else { ChoosePane::Engines };
        let cursor = if pane == ChoosePane::Questions { &mut self.cursor } else { &mut self.row };
        let again = self.pane == pane && cursor.at == row;
        cursor.at = row;
        self.pane = pane;
        match (again, pane) {
            (false, _) => Intents::new(),
            (true, ChoosePane::Engines) => self.open(),
            (true, ChoosePane::Questions) => self.ask_row(context.world).unwrap_or_else(|| self.start(context.world)),
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Latest(found) = response;
        match found {
            Ok(Some(latest)) if !self.is_running() => {
                self.unfinished = latest.answer.is_none().then(|| latest.clone());
                self.answer = latest.answer.map(Box::new);
            }
            Ok(_) => {}
            Err(reason) => self.failed = Some(reason),
        }
        Intents::new()
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if self.stale && !self.is_running() { vec![self.read()] } else { Intents::new() }
    }

    fn stale(&mut self) {
        self.stale = true;
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context.now);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }

    /// The answer is small, and read before and after a choice only.
    fn disturbs(_request: &Request) -> bool {
        false
    }
}
