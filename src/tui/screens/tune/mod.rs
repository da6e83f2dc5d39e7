//! The Tune screen, a notebook: a base, one change, the trial that measures it, and the ledger of earlier trials. It also shows a search
//! among all possible settings, and the importance of each option.

mod ask;
mod base;
mod copy;
mod dialog;
mod effects;
mod form;
mod notebook;
mod paint;
mod search;
mod start;
mod trial;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;
pub use form::TrialForm;
pub use search::{SearchTerms, WatchedSearch};
pub(crate) use trial::RoundFound;
pub use trial::WatchedTrial;

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::Action,
    launch::{Opening, WhatIfBase},
    overlay::Reply,
    setup::TuiSetup,
    widgets::{
        cursor::ListCursor,
        paint::{Paint, VIEWS},
    },
    world::World,
};
use dbdyno_running::{
    runner::SessionOutline,
    tune::{Ledger, effects::GridEffects},
    watching::JobEvent,
};
use ratatui::layout::Rect;
use std::time::Duration;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The panes that can have the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TunePane {
    /// The base's options, and the changes to them.
    #[default]
    Options,
    /// The earlier trials.
    Ledger,
}

/// The content next to the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TuneView {
    /// A trial: the one under the ledger's cursor, or the current or last one.
    #[default]
    Trial,
    /// The current search, or the last one.
    Search,
    /// The importance of each option, on the whole screen.
    Effects,
}

impl TuneView {
    fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Search => "search",
            Self::Effects => "effects",
        }
    }
}

/// The job in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobInProgress {
    Trial,
    Search,
}

/// The tuning task, the trial that measures it, and the earlier trials.
#[derive(Debug, Default)]
pub struct TuneScreen {
    /// The task and the change.
    pub(crate) form: TrialForm,
    pub(crate) pane: TunePane,
    /// The cursor in the options.
    pub(crate) cursor: ListCursor,
    /// The cursor in the ledger.
    pub(crate) row: ListCursor,
    pub(crate) view: TuneView,
    /// The current trial, or the last one.
    pub(crate) watched: Option<WatchedTrial>,
    /// The kind of job in progress.
    pub(crate) running: Option<JobInProgress>,
    pub ledger: Option<Ledger>,
    /// The conditions of the next search.
    pub(crate) terms: SearchTerms,
    /// The current search, or the last one.
    pub(crate) search: Option<WatchedSearch>,
    /// The importance of each option, in the runs requested last.
    pub(crate) effects: Option<Box<GridEffects>>,
    /// Lines of the effects scrolled past.
    pub(crate) scrolled: ListCursor,
    /// A description of the files or runs that are being read, if any.
    pub(crate) reading: Option<String>,
    /// Number of the last request; a response to an earlier one is dropped.
    ticket: u64,
    /// Whether the notebook was opened at its last position.
    opened: bool,
    /// The base to begin with if the notebook is empty.
    suggested: Option<WhatIfBase>,
}

impl TuneScreen {
    /// Requests the ledger of earlier trials.
    fn read_ledger(&self) -> Intents {
        vec![Intent::Request(Request::Ledger(self.form.ledger_name()))]
    }

    /// Suggests a base, for a notebook without trials.
    pub(crate) fn suggest(&mut self, base: Option<WhatIfBase>) {
        self.suggested = base;
    }

    /// Returns the views that have content.
    fn views(&self) -> Vec<TuneView> {
        let has = |view: &TuneView| match view {
            TuneView::Trial => true,
            TuneView::Search => self.search.is_some(),
            TuneView::Effects => self.effects.is_some(),
        };
        [TuneView::Trial, TuneView::Search, TuneView::Effects].into_iter().filter(has).collect()
    }

    /// Shows the view after the current one, or before it.
    fn turn(&mut self, forward: bool) {
        let there = self.views();
        let at = there.iter().position(|view| *view == self.view).unwrap_or(0);
        let step = if forward { 1 } else { there.len() - 1 };
        self.view = there[(at + step) % there.len()];
    }

    fn move_cursor(&mut self, action: Action, context: &Context<'_>) -> bool {
        if self.view == TuneView::Effects {
            let lines = self.effects.as_deref().map_or(0, |found| paint::effects_lines(found).len());
            return self.scrolled.moved(action, lines);
        }
        let moved = match self.pane {
            TunePane::Options => self.cursor.moved(action, self.form.specs(context.world).len()),
            TunePane::Ledger => self.row.moved(action, self.entries().len()),
        };
        if moved && self.pane == TunePane::Ledger {
            self.view = TuneView::Trial;
        }
        moved
    }
}

impl Screen for TuneScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(world: &World) -> Self {
        Self { form: TrialForm::new(world), ..Self::default() }
    }

    fn show(&mut self, what: Opening, context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::WhatIf(bench) = what else { return Err(what) };
        if self.running.is_some() {
            return Ok(Ok(Intents::new()));
        }
        self.opened = true;
        self.pane = TunePane::Options;
        self.form.take_bench(&bench, context.world);
        Ok(Ok(self.read_ledger()))
    }

    /// Shows a trial at first; the job's events report whether it is a search.
    fn begun(&mut self, _outline: Option<Box<SessionOutline>>, _now: Duration) {
        (self.pane, self.view, self.running) = (TunePane::Options, TuneView::Trial, Some(JobInProgress::Trial));
    }

    fn told(&mut self, event: JobEvent, _context: &Context<'_>) -> Intents {
        if let JobEvent::Tune(event) = event {
            self.event(*event);
        }
        Intents::new()
    }

    fn over(&mut self, outcome: Result<(), String>, _context: &Context<'_>) -> (Intents, String) {
        (self.tuned(outcome), "tuning is over".to_owned())
    }

    fn under_way(&self) -> &'static str {
        match self.running {
            Some(JobInProgress::Search) => "a search is running",
            _ => "a trial is running",
        }
    }

    fn status(&self) -> Option<String> {
        match self.running? {
            JobInProgress::Trial => {
                let watched = self.watched.as_ref()?;
                let round = (watched.round + 1).min(watched.trial.rounds);
                Some(format!("▶ round {round}/{}", watched.trial.rounds))
            }
            JobInProgress::Search => Some(self.search.as_ref()?.status()),
        }
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        (action == Action::Export).then(|| self.ask_export())
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let world = context.world;
        if self.move_cursor(action, context) {
            return Intents::new();
        }
        let spec = self.form.specs(world).get(self.cursor.at);
        match action {
            Action::Left | Action::Right => self.pane = self.other_pane(),
            Action::Back => (self.view, self.pane) = (TuneView::Trial, TunePane::Options),
            Action::View | Action::PreviousView => self.turn(action == Action::View),
            Action::Enter if self.view == TuneView::Effects => {}
            Action::Enter if self.pane == TunePane::Ledger => return self.open_trial(world),
            Action::Enter => return self.start(world),
            // Actions that change options apply to the options pane.
            Action::Toggle | Action::Previous | Action::Edit | Action::Reset | Action::Sweep => {
                self.pane = TunePane::Options;
                return self.change_option(action, spec);
            }
            Action::Tests => return self.ask_tests(world),
            Action::Presets => return self.ask_part(world),
            Action::Accept => return self.accept(world),
            Action::More => return self.more(world),
            Action::Search => return self.ask_search(world),
            Action::Effects => return self.ask_effects(),
            Action::Copy => return self.ask_copy(world),
            Action::Stop if self.running.is_some() => return self.ask_stop(),
            _ => {}
        }
        Intents::new()
    }

    fn offers(&self, action: Action, context: &Context<'_>) -> bool {
        let charted = self.view == TuneView::Effects;
        match action {
            Action::Enter if charted => false,
            Action::Enter if self.pane == TunePane::Ledger => self.under_cursor().is_some(),
            Action::Enter => !self.form.change.is_empty() && self.running.is_none(),
            Action::Toggle | Action::Previous | Action::Edit | Action::Reset | Action::Sweep => {
                !charted && !self.form.specs(context.world).is_empty()
            }
            Action::Accept => self.target().is_some_and(|trial| trial.acceptable().is_ok()),
            Action::More => self.running.is_none() && self.target().is_some_and(|trial| trial.extendable().is_ok()),
            Action::Search => self.running.is_none(),
            Action::Copy => self.form.parent.is_some() || self.target().is_some(),
            Action::Stop => self.running.is_some(),
            Action::Zoom => !charted,
            Action::View | Action::PreviousView => self.search.is_some() || self.effects.is_some(),
            Action::Export => charted || !self.entries().is_empty(),
            _ => true,
        }
    }

    fn hint(&self, action: Action, _context: &Context<'_>) -> Option<&'static str> {
        (action == Action::Enter && self.pane == TunePane::Ledger).then_some("details")
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        if pane == VIEWS {
            self.view = self.views().get(row).copied().unwrap_or_default();
            return Intents::new();
        }
        let pane = if pane == 0 { TunePane::Options } else { TunePane::Ledger };
        let cursor = if pane == TunePane::Options { &mut self.cursor } else { &mut self.row };
        let again = self.pane == pane && cursor.at == row;
        cursor.at = row;
        self.pane = pane;
        match (again, pane) {
            (true, TunePane::Options) => self.act(Action::Toggle, context),
            (true, TunePane::Ledger) => self.open_trial(context.world),
            (false, TunePane::Options) => Intents::new(),
            (false, TunePane::Ledger) => {
                self.view = TuneView::Trial;
                Intents::new()
            }
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        self.take_response(response, context.world)
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if std::mem::replace(&mut self.opened, true) {
            return self.read_ledger();
        }
        vec![Intent::Request(Request::LastLedger)]
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
