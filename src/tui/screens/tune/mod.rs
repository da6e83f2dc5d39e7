//! The Tune screen: a base, one change, the trial that measures it, and the ledger of what was tried.

mod ask;
mod dialog;
mod form;
mod paint;
mod trial;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;
pub use form::TrialForm;
pub use trial::WatchedTrial;

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::{
    tui::{
        keys::Action,
        overlay::Reply,
        setup::TuiSetup,
        widgets::{cursor::ListCursor, paint::Paint},
        world::World,
    },
    tune::Ledger,
};
use dbdyno_engine::describe::{OptionKind, OptionSpec};
use ratatui::layout::Rect;

/// What this screen wants to happen.
type Intents = Vec<Intent<Request, Dialog>>;

/// What is tuned, the trial that measures it, and what was tried before.
#[derive(Debug, Default)]
pub struct TuneScreen {
    /// What is tuned and changed.
    pub(crate) form: TrialForm,
    /// Place among the options.
    pub(crate) cursor: ListCursor,
    /// The trial under way or last.
    pub(crate) watched: Option<WatchedTrial>,
    /// Whether a trial is under way.
    pub(crate) running: bool,
    pub ledger: Option<Ledger>,
}

impl TuneScreen {
    /// Reads what was tried.
    fn read_ledger(&self) -> Intents {
        vec![Intent::Request(Request::Ledger(self.form.ledger_name()))]
    }

    fn step_value(&mut self, spec: Option<&OptionSpec>, forward: bool) -> Intents {
        let Some(spec) = spec else { return Intents::new() };
        let words: Vec<String> = match &spec.kind {
            OptionKind::Choice { choices } => choices.clone(),
            OptionKind::Bool => vec!["off".to_owned(), "on".to_owned()],
            _ => return self.ask_value(spec),
        };
        let now = self.form.change.get(&spec.name).map_or_else(|| self.form.base_value(spec), String::as_str);
        let at = words.iter().position(|word| word == now).unwrap_or(0);
        let next = if forward { at + 1 } else { at + words.len() - 1 } % words.len();
        self.form.set(spec, words[next].clone());
        Intents::new()
    }

    /// What the status bar says; none without a trial under way.
    pub(crate) fn status(&self) -> Option<String> {
        let watched = self.watched.as_ref().filter(|_| self.running)?;
        Some(format!("▶ round {}/{}", (watched.round + 1).min(watched.trial.rounds), watched.trial.rounds))
    }
}

impl Screen for TuneScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(world: &World) -> Self {
        Self { form: TrialForm::new(world), ..Self::default() }
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let world = context.world;
        let specs = self.form.specs(world);
        if self.cursor.moved(action, specs.len()) {
            return Intents::new();
        }
        let spec = specs.get(self.cursor.at);
        match action {
            Action::Enter => self.start(world),
            Action::Toggle => self.step_value(spec, true),
            Action::Previous => self.step_value(spec, false),
            Action::Edit => spec.map_or_else(Intents::new, |spec| self.ask_value(spec)),
            Action::Reset => {
                if let Some(spec) = spec {
                    self.form.change.remove(&spec.name);
                }
                Intents::new()
            }
            Action::Tests => self.ask_tests(world),
            Action::Presets => self.ask_part(world),
            Action::Accept => self.accept(),
            Action::More => self.more(world),
            Action::Copy => self.ask_copy(world),
            Action::Stop if self.running => vec![Intent::confirm(
                Dialog::Stop,
                "Stop the trial?",
                vec!["What is measured is kept; a trial that was stopped decides nothing.".to_owned()],
            )],
            Action::Export => {
                let help = "a file that is not there yet: .md, .csv, .json or .txt";
                vec![Intent::prompt(Dialog::Export, "Export the ledger", help, "dbdyno-ledger.md")]
            }
            _ => Intents::new(),
        }
    }

    fn click(&mut self, _pane: usize, row: usize, context: &Context<'_>) -> Intents {
        let again = self.cursor.at == row;
        self.cursor.at = row;
        if again { self.act(Action::Toggle, context) } else { Intents::new() }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        match response {
            Response::Ledger(Ok(ledger)) => self.ledger = Some(ledger),
            Response::Ledger(Err(reason)) => return vec![Intent::failed(reason)],
            Response::Accepted(Ok(trial)) => {
                self.form.base.extend(trial.change.0.clone());
                self.form.change.clear();
                self.form.parent = Some(trial.trial_id.clone());
                let said = format!("{} is now part of the base", trial.change);
                if let Some(watched) = &mut self.watched {
                    watched.trial = *trial;
                }
                return vec![Intent::said(said), Intent::Request(Request::Ledger(self.form.ledger_name()))];
            }
            Response::Accepted(Err(reason)) => return vec![Intent::failed(reason)],
        }
        Intents::new()
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        self.read_ledger()
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context.world);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
