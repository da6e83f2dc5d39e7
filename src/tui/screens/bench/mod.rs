//! The Bench screen: all choices for a bench, and its estimated cost.

mod ask;
mod dialog;
mod files;
mod forecast;
mod form;
mod options;
mod paint;
mod panes;
mod preview;
mod rounds;
mod selected;
mod workload;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;
pub use form::{DEFAULT_ROUNDS, EngineEntry, Form};
pub use options::{OptionOwner, OptionRow};
pub(crate) use panes::BenchPane;
pub use preview::Preview;

use super::{
    copying::Copyable,
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::ListFilter,
    keys::Action,
    launch::{JobStart, Opening, expected, is_long},
    overlay::{FilterKeys, Reply},
    setup::TuiSetup,
    widgets::{
        cursor::ListCursor,
        paint::{Paint, VIEWS},
    },
    world::World,
};
use dbdyno_catalog::{
    Suite,
    bench::{Preset, Spec},
};
use dbdyno_foundation::base::units::counted;
use dbdyno_running::{jobs::JobKind, runner::SessionOutline};
use files::{FileChoice, OwnKind};
use forecast::Forecast;
use form::BenchSubject;
use ratatui::layout::Rect;
use selected::Selected;
use std::{collections::BTreeMap, time::Duration};
use workload::{OwnWorkload, WorkloadFields};

/// The preset shown at first.
const FIRST_LOOK: &str = "quick";

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The choices for the next bench, and its estimated cost.
#[derive(Debug)]
pub struct BenchScreen {
    /// The pane with the cursor.
    pub(crate) pane: BenchPane,
    /// The cursor of each pane.
    pub(crate) cursors: [ListCursor; 5],
    /// The suite or engine whose options are shown.
    pub(crate) owner: OptionOwner,
    pub form: Form,
    /// The user's own workload, whether it is selected or not.
    own: OwnWorkload,
    /// The user's own SQL and recording, whether they are selected or not.
    sql: FileChoice,
    recorded: FileChoice,
    /// The engines that cannot run what is selected, with the reason.
    refused: BTreeMap<String, String>,
    /// The plan with its estimated cost, or the error in the choices.
    pub(crate) preview: Result<Preview, String>,
    forecast: Forecast,
    /// The filter for the names of options.
    pub(crate) filter: ListFilter,
    /// The choices before each of the latest changes, newest last.
    before: Vec<Choices>,
}

/// Everything that a key can change and undoing brings back.
#[derive(Debug, Clone, PartialEq)]
struct Choices {
    form: Form,
    own: WorkloadFields,
}

impl Choices {
    /// Names what differs from earlier choices, in the words of the screen.
    fn difference(&self, before: &Self) -> String {
        let (form, old) = (&self.form, &before.form);
        if form.measured != old.measured {
            return format!("{} is measured again", old.measured.name());
        }
        let parts = [
            ("options", form.suite_options != old.suite_options || self.own != before.own),
            ("engines and their options", form.entries != old.entries),
            ("sizes", (&form.offered, &form.sizes, &form.data_ratios) != (&old.offered, &old.sizes, &old.data_ratios)),
            ("rounds", (form.rounds, form.until_decided) != (old.rounds, old.until_decided)),
            ("tests", form.tests != old.tests),
        ];
        let changed: Vec<&str> = parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
        if changed.is_empty() { "a choice".to_owned() } else { changed.join(", ") }
    }
}

/// Changes that can be undone, at most.
const UNDONE: usize = 100;

impl BenchScreen {
    /// Returns why the engine of an entry cannot run what is selected.
    fn refused(&self, entry: &EngineEntry) -> Option<&str> {
        self.refused.get(&entry.engine).map(String::as_str)
    }

    fn choices(&self) -> Choices {
        Choices { form: self.form.clone(), own: self.own.fields().clone() }
    }

    /// Runs something that may change the choices, and keeps those from before.
    fn undoable<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.choices();
        let result = change(self);
        if before != self.choices() {
            self.before.push(before);
            let surplus = self.before.len().saturating_sub(UNDONE);
            self.before.drain(..surplus);
        }
        result
    }

    /// Brings back the choices from before the latest change.
    fn undo(&mut self, world: &World) -> Intents {
        let Some(before) = self.before.pop() else {
            return vec![Intent::refused("nothing was changed")];
        };
        let said = format!("undone: {}", self.choices().difference(&before));
        let Choices { form, own } = before;
        self.form = form;
        self.form.take_engines(&world.registry);
        self.own.restore(own, world);
        self.point_at_subject(world);
        self.plan(world);
        vec![Intent::said(said)]
    }

    /// Updates the plan after a change.
    fn plan(&mut self, world: &World) {
        let preview = |selected: Selected<'_>| {
            let spec = self.spec_of(selected, world);
            Ok((Preview::of(&self.form, &spec, selected.suite(), world)?, spec))
        };
        self.preview = self.selected(world).and_then(preview).map(|(mut preview, spec)| {
            self.forecast.add_to(&mut preview, spec);
            preview
        });
        self.refused = self.suite(world).map(|suite| preview::refused(&self.form, suite, world)).unwrap_or_default();
        for pane in BenchPane::ALL {
            let length = self.length(pane, world);
            self.cursors[pane.index()].kept_in(length);
        }
    }

    /// Returns the cursor of the focused pane.
    pub(crate) fn cursor(&self) -> ListCursor {
        self.cursors[self.pane.index()]
    }

    /// Returns the number of rows of a pane.
    pub(crate) fn length(&self, pane: BenchPane, world: &World) -> usize {
        match pane {
            BenchPane::Suites => panes::Measurable::all(world).len(),
            BenchPane::Engines => self.form.entries.len() + world.registry.unavailable.len(),
            BenchPane::Options => self.rows(world).len(),
            BenchPane::Sizes => self.form.offered.len(),
            BenchPane::Rounds => 1,
        }
    }

    /// Loads a preset into the form and moves the cursor to the engines.
    pub(crate) fn load(&mut self, preset: &Preset, world: &World) -> Intents {
        let Some(suite) = world.suites.iter().find(|suite| suite.name == preset.spec.suite) else {
            return vec![Intent::failed(format!(
                "preset `{}`: there is no suite `{}`",
                preset.name, preset.spec.suite
            ))];
        };
        self.put(preset, suite, world);
        if !world.presets.iter().any(|known| known.name == preset.name) {
            // A preset created for this purpose has no name that a command could use.
            self.form.changed();
        }
        self.pane = BenchPane::Engines;
        self.plan(world);
        vec![Intent::said(format!("{}: {}", preset.name, preset.title))]
    }

    fn put(&mut self, preset: &Preset, suite: &Suite, world: &World) {
        self.form.take_preset(preset, suite, &world.registry);
        self.cursors = [ListCursor::default(); 5];
        self.point_at_subject(world);
        self.owner = OptionOwner::Entry(0);
    }

    /// Loads the first preset if it can be run here. Its engines have the same tier, so that it ends with verdicts.
    fn put_first_look(&mut self, world: &World) {
        let preset = world.presets.iter().find(|preset| preset.name == FIRST_LOOK);
        let found = preset
            .and_then(|preset| Some((preset, world.suites.iter().find(|suite| suite.name == preset.spec.suite)?)));
        let Some((preset, suite)) = found else { return };
        let before = self.form.clone();
        self.put(preset, suite, world);
        self.plan(world);
        if !self.preview.as_ref().is_ok_and(|preview| preview.refusal(world).is_none()) {
            self.form = before;
            self.plan(world);
        }
    }

    /// Runs the bench, after a confirmation if it takes long.
    fn run(&self, world: &World) -> Intents {
        match &self.preview {
            Ok(preview) if preview.refusal(world).is_none() && is_long(preview.estimate.time) => {
                let title = format!("Start {}?", counted(preview.estimate.runs, "run"));
                let more = preview.estimate.more_rounds(&preview.plan);
                let lines = expected(&preview.estimate, world).into_iter().chain(more).collect();
                vec![Intent::confirm_start(Dialog::Long, title, lines)]
            }
            _ => self.start(world),
        }
    }

    /// Starts the bench, or reports why it cannot be started.
    fn start(&self, world: &World) -> Intents {
        let (preview, selected) = match self.planned(world) {
            Ok(planned) => planned,
            Err(reason) => return vec![Intent::refused(reason)],
        };
        if let Some(refusal) = preview.refusal(world) {
            return vec![Intent::refused(refusal)];
        }
        let mut words = self.command((preview, selected), world);
        if let Some(cpu) = world.cpu {
            words.extend(["--cpu".to_owned(), cpu.to_string()]);
        }
        let outline = SessionOutline::new(&preview.plan, preview.expected_run());
        let start = JobStart { outline: Some(Box::new(outline)), ..JobStart::new(JobKind::Session, words, world) };
        let suite = match selected {
            // The job writes its file.
            Selected::Workload(made) => Some(Intent::Suite(Box::new(made.suite.clone()))),
            // No file has the suite of the user's own files, so it is not one to choose.
            Selected::Suite(_) | Selected::Files(_) => None,
        };
        suite.into_iter().chain([Intent::Measure(Box::new(start))]).collect()
    }

    /// Copies the command, even if the disk has no room to run it here.
    fn copy(&self, world: &World) -> Intents {
        match self.planned(world) {
            Ok(planned) => {
                let words = self.command(planned, world);
                let command = JobStart::new(JobKind::Session, words, world).command_line();
                Copyable::new(format!("the command that runs this bench: {command}"), &command).copied()
            }
            Err(reason) => vec![Intent::refused(reason)],
        }
    }
}

impl Screen for BenchScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(world: &World) -> Self {
        let form = world.suites.first().map_or_else(Form::default, |suite| Form::for_suite(suite, &world.registry));
        let mut bench = Self {
            pane: BenchPane::default(),
            cursors: [ListCursor::default(); 5],
            owner: OptionOwner::Entry(0),
            form,
            own: OwnWorkload::new(world),
            sql: FileChoice::none(OwnKind::Sql),
            recorded: FileChoice::none(OwnKind::Recorded),
            refused: BTreeMap::new(),
            preview: Err(String::new()),
            forecast: Forecast::default(),
            filter: ListFilter::default(),
            before: Vec::new(),
        };
        bench.plan(world);
        bench.put_first_look(world);
        bench
    }

    fn show(&mut self, what: Opening, context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::Bench(preset) = what else { return Err(what) };
        Ok(Ok(self.undoable(|bench| bench.load(&preset, context.world))))
    }

    fn asks(&self, action: Action, context: &Context<'_>) -> Option<Intents> {
        Some(match action {
            Action::Presets => dialog::ask_preset(context.world),
            Action::Save if self.form.measured.own().is_some() => {
                vec![Intent::refused(dialog::FILES_ARE_NO_PRESET)]
            }
            Action::Save => {
                let help = "a name: letters, digits, - and _; it goes into your presets folder";
                vec![Intent::prompt(Dialog::SaveAs, "Save as preset", help, "")]
            }
            Action::Filter => {
                vec![Intent::filter(Dialog::Filter, "Options", FilterKeys::Among(&[]), self.filter.line())]
            }
            Action::Export => {
                let help = "a file that does not exist yet";
                vec![Intent::prompt_file(Dialog::Export, "Export the plan", help, "dbdyno-plan.txt")]
            }
            _ => return None,
        })
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        match action {
            Action::Undo => self.undo(context.world),
            action => self.undoable(|bench| bench.take_key(action, context.world)),
        }
    }

    fn offers(&self, action: Action, context: &Context<'_>) -> bool {
        let chooses = self.other_subject(context.world).is_some();
        match action {
            Action::Enter => chooses || self.preview.is_ok(),
            Action::Copy => self.preview.is_ok(),
            Action::Undo => !self.before.is_empty(),
            Action::Toggle if self.pane == BenchPane::Suites => {
                let has_options = !self.rows(context.world).is_empty();
                chooses || !matches!(self.form.measured, BenchSubject::Suite(_)) || has_options
            }
            Action::Sweep | Action::Previous | Action::Reset => self.pane == BenchPane::Options,
            _ => true,
        }
    }

    fn hint(&self, action: Action, context: &Context<'_>) -> Option<&'static str> {
        let chooses = self.other_subject(context.world).is_some();
        match (action, self.pane) {
            (Action::Enter, _) if chooses => Some("choose"),
            (Action::Toggle, BenchPane::Suites) if !chooses => Some("options"),
            (Action::Toggle, BenchPane::Options) => Some("next value"),
            (Action::Toggle, BenchPane::Rounds) => Some("type"),
            _ => None,
        }
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        let world = context.world;
        if let Some(named) = BenchPane::ALL.get(row).filter(|_| pane == VIEWS) {
            self.pane = *named;
            self.owner_follows();
            return Intents::new();
        }
        let Some(&pane) = BenchPane::ALL.get(pane) else { return Intents::new() };
        let again = self.pane == pane && self.cursor().at == row;
        self.pane = pane;
        self.cursors[pane.index()].at = row;
        self.owner_follows();
        match again || matches!(pane, BenchPane::Sizes) {
            true => self.undoable(|bench| bench.toggle(world)),
            false => Intents::new(),
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.undoable(|bench| bench.take_reply(dialog, reply, context.world))
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        match response {
            Response::Saved(preset) => {
                let name = preset.name.clone();
                self.form.preset = Some(name.clone());
                let made = self.own.made().ok().filter(|made| made.suite.name == preset.spec.suite);
                let suite = made.map(|made| Intent::Suite(Box::new(made.suite.clone())));
                let said = format!("saved: `dbdyno --preset {name}` runs it without this screen");
                suite.into_iter().chain([Intent::Saved(preset), Intent::said(said)]).collect()
            }
            Response::Exists(name) => vec![Intent::confirm(
                Dialog::Replace(name.clone()),
                format!("Replace your preset {name}?"),
                vec!["Your presets folder already has a preset of that name.".to_owned()],
            )],
            Response::Unsaved(reason) => vec![Intent::failed(reason)],
            Response::Read { kind, ticket, read } => {
                let is_new = self.files_mut(kind).take(ticket, read, &context.world.registry);
                if !is_new || self.form.measured.own() != Some(kind) {
                    return Intents::new();
                }
                self.take_files(kind, context.world);
                if kind == OwnKind::Recorded {
                    self.leave_out_refused(context.world);
                }
                self.about_files(kind)
            }
            Response::Forecast { spec, time } => {
                if self.forecast.take(&spec, time)
                    && let Ok(preview) = &mut self.preview
                {
                    preview.estimate.until_decided = time;
                }
                Intents::new()
            }
        }
    }

    fn time(&mut self, now: Duration, in_view: bool) -> Intents {
        let preview = self.preview.as_ref().ok().filter(|_| in_view);
        let request = preview.and_then(|preview| self.forecast.request(preview, now));
        request.map(Intent::Request).into_iter().collect()
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        self.forecast.wakes().filter(|_| in_view && self.preview.is_ok())
    }

    fn stale(&mut self) {
        self.forecast.expire();
    }

    fn world_changed(&mut self, world: &World) {
        self.form.take_engines(&world.registry);
        self.own.make(world);
        OwnKind::ALL.into_iter().for_each(|kind| self.files_mut(kind).suit(&world.registry));
        self.point_at_subject(world);
        self.plan(world);
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }

    /// Presets are not part of the store, but statements are run.
    fn disturbs(request: &Request) -> bool {
        matches!(request, Request::Read { .. } | Request::Forecast { .. })
    }
}

impl BenchScreen {
    /// Handles a key that asks nothing.
    fn take_key(&mut self, action: Action, world: &World) -> Intents {
        let length = self.length(self.pane, world);
        if self.pane == BenchPane::Rounds && matches!(action, Action::Up | Action::Down) {
            let rounds = if action == Action::Up { self.form.rounds + 1 } else { self.form.rounds - 1 };
            return self.set_rounds(rounds, world);
        }
        if self.cursors[self.pane.index()].moved(action, length) {
            self.owner_follows();
            return Intents::new();
        }
        match action {
            Action::Left => self.shift_pane(BenchPane::ALL.len() - 1),
            Action::Right => self.shift_pane(1),
            Action::Enter if self.other_subject(world).is_some() => return self.toggle(world),
            Action::Enter => return self.run(world),
            Action::Toggle => return self.toggle(world),
            Action::Previous => return self.step_value(false, world),
            Action::Edit => return self.edit(world),
            Action::Sweep => return self.sweep(world),
            Action::Reset => return self.reset(world),
            Action::Add => return self.add(world),
            Action::Remove => return self.remove(world),
            Action::Tests => return self.ask_tests(world),
            Action::Twins => {
                self.form.twins = !self.form.twins;
                self.form.changed();
                self.plan(world);
            }
            Action::Why => {
                self.form.why = if self.form.why == 0 { Spec::DEFAULT_WHY } else { 0 };
                self.form.changed();
                self.plan(world);
            }
            Action::Notes => return self.notes(world),
            Action::Copy => return self.copy(world),
            Action::Back => self.filter.clear(),
            _ => {}
        }
        Intents::new()
    }
}
