//! The Bench screen: everything a bench needs, and what it will take.

mod form;
mod options;
pub(crate) mod paint;
mod preview;

pub use form::{DEFAULT_ROUNDS, Entry, Form, Values};
pub use options::{Owner, Row};
pub use preview::Preview;

use crate::{
    catalog::{Preset, Suite},
    tui::{
        event::{Effect, Question as Outside},
        export::Content,
        keys::Action,
        launch::Start,
        overlay::{Asked as Who, Given, Item, Overlay},
        screens::step::{Step, Steps},
        widgets::cursor::Cursor,
        world::World,
    },
};
use dbdyno_engine::size::Size;

/// The panes, in the order Left and Right go through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    /// Suites.
    Suites,
    /// Engines.
    #[default]
    Engines,
    /// Options of the suite or engine that was last under the cursor.
    Options,
    /// Sizes.
    Sizes,
    /// Rounds.
    Rounds,
}

impl Pane {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Suites, Self::Engines, Self::Options, Self::Sizes, Self::Rounds];

    /// Its place among all.
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0)
    }
}

/// What the Bench screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The values of an option: several are a sweep.
    Values(Owner, String),
    /// One value of an option, typed.
    Value(Owner, String),
    /// A size.
    Size,
    /// The number of rounds.
    Rounds,
    /// Tests.
    Tests,
    /// A preset to load.
    Preset,
    /// The name to save under.
    SaveAs,
    /// Replace the preset of this name?
    Replace(String),
    /// What the options must contain.
    Filter,
    /// The file to write the plan to.
    Export,
}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {
    /// Write a preset into the user's folder.
    SavePreset {
        /// The preset.
        preset: Box<Preset>,
        /// Whether one of that name is replaced.
        replace: bool,
    },
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// It is saved.
    Saved(Box<Preset>),
    /// There is one of that name.
    Exists(String),
    /// It cannot be saved.
    Unsaved(String),
}

/// The screen.
#[derive(Debug)]
pub struct Bench {
    /// The pane with the cursor.
    pub pane: Pane,
    /// Cursors of the panes.
    pub cursors: [Cursor; 5],
    /// Whose options are shown.
    pub owner: Owner,
    /// What is chosen.
    pub form: Form,
    /// What that will take, or what is wrong with it.
    pub preview: Result<Preview, String>,
    /// What an option's name must contain to be shown.
    pub filter: String,
}

impl Bench {
    /// The screen at the start of the program.
    pub fn new(world: &World) -> Self {
        let form = world.suites.first().map_or_else(Form::default, |suite| Form::of(suite, &world.registry));
        let mut bench = Self {
            pane: Pane::default(),
            cursors: [Cursor::default(); 5],
            owner: Owner::Entry(0),
            form,
            preview: Err(String::new()),
            filter: String::new(),
        };
        bench.plan(world);
        bench
    }

    /// The suite that is chosen.
    pub fn suite<'w>(&self, world: &'w World) -> Option<&'w Suite> {
        world.suites.iter().find(|suite| suite.name == self.form.suite)
    }

    /// The world changed: other engines, history, room on the disk.
    pub fn world_changed(&mut self, world: &World) {
        self.form.take_engines(&world.registry);
        self.plan(world);
    }

    /// Plans what is chosen.
    fn plan(&mut self, world: &World) {
        self.preview = Preview::of(&self.form, world);
        for pane in Pane::ALL {
            let length = self.length(pane, world);
            self.cursors[pane.index()].kept_in(length);
        }
    }

    /// The cursor of the pane that has it.
    pub fn cursor(&self) -> Cursor {
        self.cursors[self.pane.index()]
    }

    /// Rows of a pane.
    pub fn length(&self, pane: Pane, world: &World) -> usize {
        match pane {
            Pane::Suites => world.suites.len(),
            Pane::Engines => self.form.entries.len() + world.registry.unavailable.len(),
            Pane::Options => self.rows(world).len(),
            Pane::Sizes => self.form.offered.len(),
            Pane::Rounds => 1,
        }
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action, world: &World) -> Steps {
        let length = self.length(self.pane, world);
        if self.pane == Pane::Rounds && matches!(action, Action::Up | Action::Down) {
            let rounds = if action == Action::Up { self.form.rounds + 1 } else { self.form.rounds - 1 };
            return self.set_rounds(rounds, world);
        }
        if self.cursors[self.pane.index()].moved(action, length) {
            self.cursor_moved(world);
            return Steps::new();
        }
        match action {
            Action::Left => self.shift_pane(Pane::ALL.len() - 1),
            Action::Right => self.shift_pane(1),
            Action::Enter => return vec![Step::Run],
            Action::Toggle => return self.toggle(world),
            Action::Previous => return self.step_value(false, world),
            Action::Edit => return self.edit(world),
            Action::Sweep => return self.sweep(world),
            Action::Reset => self.reset(world),
            Action::Add => return self.add(world),
            Action::Remove => return self.remove(world),
            Action::Tests => return self.ask_tests(world),
            Action::Twins => {
                self.form.twins = !self.form.twins;
                self.form.changed();
                self.plan(world);
            }
            Action::Presets => return ask_preset(world),
            Action::Save => {
                let help = "a name: letters, digits, - and _; it goes into your presets folder";
                return vec![Step::Open(Overlay::prompt("Save as preset", help, "", Who::Bench(Asked::SaveAs)))];
            }
            Action::Notes => return self.notes(world),
            Action::Filter => {
                let help = "options whose name contains this";
                let asked = Who::Bench(Asked::Filter);
                return vec![Step::Open(Overlay::prompt("Filter options", help, self.filter.clone(), asked))];
            }
            Action::Back => self.filter.clear(),
            Action::Export => {
                let asked = Who::Bench(Asked::Export);
                let help = "a file that is not there yet";
                return vec![Step::Open(Overlay::prompt("Export the plan", help, "dbdyno-plan.txt", asked))];
            }
            _ => {}
        }
        Steps::new()
    }

    /// A row was clicked: the cursor goes there, and a second click chooses.
    pub fn click(&mut self, pane: usize, row: usize, world: &World) -> Steps {
        let Some(&pane) = Pane::ALL.get(pane) else { return Steps::new() };
        let again = self.pane == pane && self.cursor().at == row;
        self.pane = pane;
        self.cursors[pane.index()].at = row;
        self.cursor_moved(world);
        if again || matches!(pane, Pane::Sizes) { self.toggle(world) } else { Steps::new() }
    }

    fn shift_pane(&mut self, by: usize) {
        self.pane = Pane::ALL[(self.pane.index() + by) % Pane::ALL.len()];
        self.owner_follows();
    }

    fn cursor_moved(&mut self, world: &World) {
        self.owner_follows();
        if self.pane == Pane::Suites
            && let Some(suite) = world.suites.get(self.cursor().at)
            && suite.name != self.form.suite
        {
            self.form.take_suite(suite);
            self.plan(world);
        }
    }

    /// Shows the options of what is under the cursor.
    fn owner_follows(&mut self) {
        let owner = match self.pane {
            Pane::Suites => Owner::Suite,
            Pane::Engines => Owner::Entry(self.cursor().at),
            Pane::Options | Pane::Sizes | Pane::Rounds => self.owner,
        };
        if owner != self.owner {
            self.owner = owner;
            self.cursors[Pane::Options.index()] = Cursor::default();
        }
    }

    fn toggle(&mut self, world: &World) -> Steps {
        match self.pane {
            Pane::Suites => {}
            Pane::Engines => {
                let at = self.cursor().at;
                let entries = self.form.entries.len();
                if let Some(entry) = self.form.entries.get_mut(at) {
                    entry.on = !entry.on;
                    self.form.changed();
                } else if let Some(missing) = world.registry.unavailable.get(at - entries) {
                    let lines = vec![missing.reason.clone()];
                    return vec![Step::Open(Overlay::page(format!("{} cannot be used", missing.name), lines))];
                }
            }
            Pane::Options => return self.step_value(true, world),
            Pane::Sizes => self.form.toggle_size(self.cursor().at),
            Pane::Rounds => return self.edit(world),
        }
        self.plan(world);
        Steps::new()
    }

    fn edit(&mut self, world: &World) -> Steps {
        match self.pane {
            Pane::Options => self.ask_value(world),
            Pane::Sizes => self.add(world),
            _ => {
                let (help, text) = ("a whole number from 1 to 10000", self.form.rounds.to_string());
                vec![Step::Open(Overlay::prompt("Rounds", help, text, Who::Bench(Asked::Rounds)))]
            }
        }
    }

    fn set_rounds(&mut self, rounds: u32, world: &World) -> Steps {
        self.form.rounds = rounds.clamp(1, 10_000);
        self.form.changed();
        self.plan(world);
        Steps::new()
    }

    fn add(&mut self, world: &World) -> Steps {
        if self.pane == Pane::Engines {
            self.form.add_again(self.cursor().at);
            self.plan(world);
            return Steps::new();
        }
        let unit = self.suite(world).map_or("size", |suite| suite.size_unit.as_str());
        let help = format!("{unit}: 10000, 10k, 1M; two as READS,WRITES where the suite has them");
        vec![Step::Open(Overlay::prompt("Add a size", help, "", Who::Bench(Asked::Size)))]
    }

    fn remove(&mut self, world: &World) -> Steps {
        let at = self.cursor().at;
        match self.pane {
            Pane::Engines if self.form.remove_again(at) => {}
            Pane::Engines => return vec![Step::said("an engine stays in the list: Space leaves it out")],
            _ => return Steps::new(),
        }
        self.owner_follows();
        self.plan(world);
        Steps::new()
    }

    fn ask_tests(&self, world: &World) -> Steps {
        let Some(suite) = self.suite(world) else { return Steps::new() };
        let chosen = suite.pick(&self.form.tests).unwrap_or_default();
        let items = suite
            .tests()
            .map(|test| {
                let needs: Vec<String> = test.needs.iter().map(u32::to_string).collect();
                let detail = if needs.is_empty() { String::new() } else { format!("after {}", needs.join(", ")) };
                let all = chosen.0.is_empty();
                Item { chosen: all || chosen.0.contains(&test.number), ..Item::new(label(&test), detail) }
            })
            .collect();
        vec![Step::Open(Overlay::choose("Tests to measure", items, true, Who::Bench(Asked::Tests)))]
    }

    fn notes(&self, world: &World) -> Steps {
        let Some(suite) = self.suite(world) else { return Steps::new() };
        let mut lines =
            vec![suite.title.clone(), String::new(), format!("Reproduces: {}", suite.source), String::new()];
        lines.extend(suite.notes.iter().map(|note| format!("! {note}")));
        lines.push(String::new());
        lines.extend(suite.tests().map(|test| label(&test)));
        vec![Step::Open(Overlay::page(format!("Suite {}", suite.name), lines))]
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, given: Given, world: &World) -> Result<Steps, String> {
        match (asked, given) {
            (Asked::Filter, Given::Typing(text) | Given::Text(text)) => {
                self.filter = text;
                self.cursors[Pane::Options.index()] = Cursor::default();
            }
            (Asked::Value(owner, option), Given::Text(text)) => self.type_values(*owner, option, &text, world)?,
            (Asked::Values(owner, option), Given::Chosen(chosen)) => self.choose_values(*owner, option, &chosen, world),
            (Asked::Values(owner, option), Given::Text(text)) => self.type_values(*owner, option, &text, world)?,
            (Asked::Size, Given::Text(text)) => {
                let size: Size = text.parse()?;
                let suite = self.suite(world).ok_or("no suite is chosen")?;
                suite.check_size(size)?;
                self.form.add_size(suite, size);
                self.plan(world);
            }
            (Asked::Rounds, Given::Text(text)) => {
                let number = text.parse().ok().filter(|number| (1..=10_000).contains(number));
                let rounds = number.ok_or_else(|| format!("`{text}`: expected a whole number from 1 to 10000"))?;
                self.set_rounds(rounds, world);
            }
            (Asked::Tests, Given::Chosen(chosen)) => self.choose_tests(&chosen, world)?,
            (Asked::Preset, Given::Chosen(chosen)) => {
                if let Some(preset) = chosen.first().and_then(|&at| world.presets.get(at)) {
                    return Ok(self.load(preset, world));
                }
            }
            (Asked::SaveAs, Given::Text(name)) => return self.save(&name, false),
            (Asked::Replace(name), Given::Yes) => return self.save(name, true),
            (Asked::Export, Given::Text(path)) => return self.export(&path),
            _ => {}
        }
        Ok(Steps::new())
    }

    fn choose_tests(&mut self, chosen: &[usize], world: &World) -> Result<(), String> {
        let Some(suite) = self.suite(world) else { return Ok(()) };
        if chosen.is_empty() {
            return Err("at least one test has to be measured".to_owned());
        }
        let all: Vec<String> = suite.tests().map(|test| test.name).collect();
        let some = chosen.len() < all.len();
        let names = chosen.iter().filter_map(|&at| all.get(at).cloned());
        self.form.tests = if some { names.collect() } else { Vec::new() };
        self.form.changed();
        self.plan(world);
        Ok(())
    }

    /// Puts a preset onto the screen.
    pub fn load(&mut self, preset: &Preset, world: &World) -> Steps {
        let Some((at, suite)) = world.suites.iter().enumerate().find(|(_, suite)| suite.name == preset.suite) else {
            return vec![Step::failed(format!("preset `{}`: there is no suite `{}`", preset.name, preset.suite))];
        };
        self.form.take_preset(preset, suite, &world.registry);
        if !world.presets.iter().any(|known| known.name == preset.name) {
            // Made for the occasion: no command could name it.
            self.form.changed();
        }
        self.cursors = [Cursor::default(); 5];
        self.cursors[Pane::Suites.index()].at = at;
        self.pane = Pane::Engines;
        self.owner = Owner::Entry(0);
        self.plan(world);
        vec![Step::said(format!("{}: {}", preset.name, preset.title))]
    }

    fn save(&self, name: &str, replace: bool) -> Result<Steps, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(fits) {
            return Err(format!("`{name}`: expected a name of letters, digits, - and _"));
        }
        let title = match &self.preview {
            Ok(preview) => format!("{} configurations of {}", preview.plan.configurations.len(), self.form.suite),
            Err(error) => return Err(error.clone()),
        };
        let preset = Box::new(self.form.to_preset(name, &title));
        Ok(vec![Step::Do(Effect::Ask(Outside::Bench(Question::SavePreset { preset, replace })))])
    }

    fn export(&self, path: &str) -> Result<Steps, String> {
        let preview = self.preview.as_ref().map_err(Clone::clone)?;
        let mut text = format!("{}\n\n", crate::report::command::shell(self.form.command()));
        for configuration in &preview.plan.configurations {
            let tier = format!("tier {}: {}", configuration.tier, configuration.tier_reason);
            text.push_str(&format!("{} · size {} · {tier}\n", configuration.label, configuration.size));
        }
        for warning in &preview.warnings {
            text.push_str(&format!("! {warning}\n"));
        }
        Ok(vec![Step::Do(Effect::Ask(Outside::Write { path: path.into(), content: Content::Text(text) }))])
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer, world: &mut World) -> Steps {
        match answer {
            Answer::Saved(preset) => {
                let name = preset.name.clone();
                world.presets.retain(|other| other.name != name);
                world.presets.push(*preset);
                world.presets.sort_by(|a, b| a.name.cmp(&b.name));
                self.form.preset = Some(name.clone());
                vec![Step::said(format!("saved: `dbdyno --preset {name}` runs it without this screen"))]
            }
            Answer::Exists(name) => vec![Step::Open(Overlay::Confirm(crate::tui::overlay::Confirm {
                title: format!("Replace your preset {name}?"),
                lines: vec!["There is one of that name in your presets folder.".to_owned()],
                asked: Who::Bench(Asked::Replace(name)),
            }))],
            Answer::Unsaved(reason) => vec![Step::failed(reason)],
        }
    }

    /// What starts the bench, or why it cannot be started.
    pub fn start(&self, world: &World) -> Result<Start, String> {
        let preview = self.preview.as_ref().map_err(Clone::clone)?;
        if let Some(refusal) = preview.refusal(world) {
            return Err(refusal);
        }
        let suite = self.suite(world).ok_or("no suite is chosen")?;
        let mut command = match &self.form.preset {
            Some(preset) => vec!["dbdyno".to_owned(), "--preset".to_owned(), preset.clone()],
            None => self.form.command(),
        };
        command.extend(world.arguments.iter().cloned());
        Ok(Start {
            request: self.form.request(suite).map_err(|error| error.to_string())?,
            aa: self.form.twins,
            preset: self.form.preset.clone(),
            command_line: crate::report::command::shell(&command),
            expected_run: preview.expected_run(),
        })
    }
}

fn label(test: &crate::catalog::TestInfo) -> String {
    format!("{} {}", test.number, test.name)
}

fn ask_preset(world: &World) -> Steps {
    if world.presets.is_empty() {
        return vec![Step::failed("there is no preset")];
    }
    let items = world.presets.iter().map(|preset| Item::new(&preset.name, &preset.title)).collect();
    vec![Step::Open(Overlay::choose("Load a preset", items, false, Who::Bench(Asked::Preset)))]
}
