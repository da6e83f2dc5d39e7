//! The Tune screen: a base, one change, the trial that measures it, and the ledger of what was tried.

pub(crate) mod ask;
pub(crate) mod paint;
mod setup;

pub use setup::Setup;

use crate::{
    compare::RatioRange,
    report::{
        command::shell,
        tune as words,
        tune::{AnswerFormat, words::durability},
    },
    tui::{
        event::{Effect, Question as Outside},
        export::Content,
        keys::Action,
        launch::{Tell, Trying},
        overlay::{Asked as Who, Confirm, Given, Item, Overlay},
        screens::step::{Step, Steps},
        widgets::cursor::Cursor,
        world::World,
    },
    tune::{Answer as Answered, Effect as Found, Ledger, State, Trial, TuneEvent},
};
use clap::ValueEnum;
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    size::Size,
};

/// What the Tune screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Which part of the base to change.
    Part,
    /// The engine.
    Engine,
    /// The suite.
    Suite,
    /// The size.
    Size,
    /// The rounds.
    Rounds,
    /// The ledger's name.
    Ledger,
    /// Tests that count.
    Tests,
    /// The value of an option.
    Value(String),
    /// Stop the trial?
    Stop,
    /// Accept a change that costs durability?
    Accept,
    /// In which form the base is copied.
    Copy,
    /// The file to write the ledger to.
    Export,
}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {
    /// The ledger of this name.
    Ledger(String),
    /// Make a trial's change the base of what follows.
    Accept(Box<Trial>),
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// The ledger, or why it cannot be read.
    Ledger(Result<Ledger, String>),
    /// The trial is accepted, or why not.
    Accepted(Result<Box<Trial>, String>),
}

/// A trial that is watched, or was last.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The trial as it stands.
    pub trial: Trial,
    /// Rounds finished, of all looks.
    pub round: u32,
    /// What it did so far.
    pub effects: Vec<Found>,
    /// The interval of the first test after each round.
    pub narrowing: Vec<(u32, Option<RatioRange>)>,
    /// What is being done: `round 3 · sqlite[cache_size=20000] · Random reads`.
    pub doing: String,
}

/// The screen.
#[derive(Debug, Default)]
pub struct Tune {
    /// What is tuned and changed.
    pub setup: Setup,
    /// Place among the options.
    pub cursor: Cursor,
    /// The trial under way or last.
    pub watched: Option<Watched>,
    /// Whether a trial is under way.
    pub running: bool,
    /// What was tried.
    pub ledger: Option<Ledger>,
}

impl Tune {
    /// The screen at the start of the program.
    pub fn new(world: &World) -> Self {
        Self { setup: Setup::of(world), ..Self::default() }
    }

    /// The screen came into view: what was tried is read.
    pub fn shown(&mut self) -> Steps {
        vec![ask(Question::Ledger(self.setup.ledger_name()))]
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action, world: &World) -> Steps {
        let specs = self.setup.specs(world);
        if self.cursor.moved(action, specs.len()) {
            return Steps::new();
        }
        let spec = specs.get(self.cursor.at);
        match action {
            Action::Enter => self.start(world),
            Action::Toggle => self.step_value(spec, true),
            Action::Previous => self.step_value(spec, false),
            Action::Edit => spec.map_or_else(Steps::new, |spec| self.ask_value(spec)),
            Action::Reset => {
                if let Some(spec) = spec {
                    self.setup.change.remove(&spec.name);
                }
                Steps::new()
            }
            Action::Tests => self.ask_tests(world),
            Action::Presets => self.ask_part(world),
            Action::Accept => self.accept(),
            Action::More => self.more(world),
            Action::Copy => self.ask_copy(world),
            Action::Stop if self.running => vec![Step::Open(Overlay::Confirm(Confirm {
                title: "Stop the trial?".to_owned(),
                lines: vec!["What is measured is kept; a trial that was stopped decides nothing.".to_owned()],
                asked: Who::Tune(Asked::Stop),
            }))],
            Action::Export => {
                let asked = Who::Tune(Asked::Export);
                let help = "a file that is not there yet: .md, .csv, .json or .txt";
                vec![Step::Open(Overlay::prompt("Export the ledger", help, "dbdyno-ledger.md", asked))]
            }
            _ => Steps::new(),
        }
    }

    /// A row was clicked: the cursor goes there, and a second click changes the value.
    pub fn click(&mut self, _pane: usize, row: usize, world: &World) -> Steps {
        let again = self.cursor.at == row;
        self.cursor.at = row;
        if again { self.act(Action::Toggle, world) } else { Steps::new() }
    }

    fn step_value(&mut self, spec: Option<&OptionSpec>, forward: bool) -> Steps {
        let Some(spec) = spec else { return Steps::new() };
        let words: Vec<String> = match &spec.kind {
            OptionKind::Choice { choices } => choices.clone(),
            OptionKind::Bool => vec!["off".to_owned(), "on".to_owned()],
            _ => return self.ask_value(spec),
        };
        let now = self.setup.change.get(&spec.name).map_or_else(|| self.setup.base_value(spec), String::as_str);
        let at = words.iter().position(|word| word == now).unwrap_or(0);
        let next = if forward { at + 1 } else { at + words.len() - 1 } % words.len();
        self.setup.set(spec, words[next].clone());
        Steps::new()
    }

    fn ask_value(&self, spec: &OptionSpec) -> Steps {
        let now = self.setup.change.get(&spec.name).map_or_else(|| self.setup.base_value(spec), String::as_str);
        let asked = Who::Tune(Asked::Value(spec.name.clone()));
        vec![Step::Open(Overlay::prompt(format!("What if {} were", spec.name), spec.kind.expected(), now, asked))]
    }

    fn ask_tests(&self, world: &World) -> Steps {
        let Some(suite) = self.setup.found_suite(world) else { return Steps::new() };
        let chosen = suite.pick(&self.setup.tests).unwrap_or_default();
        let item = |test: crate::catalog::TestInfo| Item {
            chosen: chosen.0.is_empty() || chosen.0.contains(&test.number),
            ..Item::new(format!("{} {}", test.number, test.name), "")
        };
        let items = suite.tests().map(item).collect();
        vec![Step::Open(Overlay::choose("Tests that count", items, true, Who::Tune(Asked::Tests)))]
    }

    fn ask_part(&self, world: &World) -> Steps {
        let size = self.setup.size.map_or_else(|| "default".to_owned(), |size| size.to_string());
        let items = vec![
            Item::new("engine", &self.setup.engine),
            Item::new("suite", &self.setup.suite),
            Item::new("size", size),
            Item::new("rounds", self.setup.rounds(world).to_string()),
            Item::new("ledger", self.setup.ledger_name()),
        ];
        vec![Step::Open(Overlay::choose("Change the base", items, false, Who::Tune(Asked::Part)))]
    }

    /// The question about the part of the base that was chosen.
    fn ask_about(&self, part: usize, world: &World) -> Steps {
        let overlay = match part {
            0 => {
                let items = world.registry.engines.iter().map(|engine| {
                    let chosen = engine.description.name == self.setup.engine;
                    Item { chosen, ..Item::new(&engine.description.name, &engine.description.version) }
                });
                Overlay::choose("Engine", items.collect(), false, Who::Tune(Asked::Engine))
            }
            1 => {
                let items = world.suites.iter().map(|suite| Item {
                    chosen: suite.name == self.setup.suite,
                    ..Item::new(&suite.name, &suite.title)
                });
                Overlay::choose("Suite", items.collect(), false, Who::Tune(Asked::Suite))
            }
            2 => {
                let unit = self.setup.found_suite(world).map_or("", |suite| suite.size_unit.as_str());
                let now = self.setup.size.map_or_else(String::new, |size| size.to_string());
                Overlay::prompt("Size", format!("{unit}: 10000, 10k, 1M"), now, Who::Tune(Asked::Size))
            }
            3 => {
                let help = "an even number from 6 to 1000, chosen before the trial: looking and stopping finds \
                            differences where there are none";
                Overlay::prompt("Rounds", help, self.setup.rounds(world).to_string(), Who::Tune(Asked::Rounds))
            }
            _ => {
                let help = "a name; trials are kept under it";
                Overlay::prompt("Ledger", help, self.setup.ledger_name(), Who::Tune(Asked::Ledger))
            }
        };
        vec![Step::Open(overlay)]
    }

    fn start(&mut self, world: &World) -> Steps {
        if let Some(reason) = self.setup.pointless(world) {
            return vec![Step::failed(format!("not run: it cannot differ ({reason})"))];
        }
        match self.setup.question(world) {
            Ok((workload, question)) => {
                let mut command = self.setup.command();
                command.extend(world.arguments.iter().cloned());
                vec![Step::Try(Box::new(Trying::New { workload, question, command_line: shell(command) }))]
            }
            Err(reason) => vec![Step::failed(reason)],
        }
    }

    fn more(&self, world: &World) -> Steps {
        let Some(watched) = self.watched.as_ref().filter(|_| !self.running) else {
            return vec![Step::said("there is no finished trial to add rounds to")];
        };
        match self.setup.workload(world) {
            Ok(workload) => {
                let command_line = format!("dbdyno tune --more {}", watched.trial.trial_id);
                let trial = Box::new(watched.trial.clone());
                vec![Step::Try(Box::new(Trying::More { workload, trial, command_line }))]
            }
            Err(reason) => vec![Step::failed(reason)],
        }
    }

    fn accept(&self) -> Steps {
        let Some(watched) = self.watched.as_ref().filter(|_| !self.running) else {
            return vec![Step::said("there is no finished trial to accept")];
        };
        let trial = &watched.trial;
        match &trial.state {
            State::Tried if trial.is_gain() && !trial.loses_durability() => {
                vec![ask(Question::Accept(Box::new(trial.clone())))]
            }
            State::Tried => {
                let mut lines = Vec::new();
                if !trial.is_gain() {
                    lines.push("No gain was found, or some test became slower.".to_owned());
                }
                if trial.loses_durability() {
                    lines.push(format!("A commit survives less: {}.", durability(trial)));
                }
                let title = format!("Make {} the base?", trial.change);
                vec![Step::Open(Overlay::Confirm(Confirm { title, lines, asked: Who::Tune(Asked::Accept) }))]
            }
            _ => vec![Step::failed("the trial was not run to its end: it cannot be accepted")],
        }
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, given: Given, world: &World) -> Result<Steps, String> {
        match (asked, given) {
            (Asked::Part, Given::Chosen(chosen)) => {
                return Ok(chosen.first().map_or_else(Steps::new, |&part| self.ask_about(part, world)));
            }
            (Asked::Engine, Given::Chosen(chosen)) => {
                if let Some(engine) = chosen.first().and_then(|&at| world.registry.engines.get(at)) {
                    self.setup.take_engine(engine.description.name.clone());
                    self.cursor = Cursor::default();
                    return Ok(self.shown());
                }
            }
            (Asked::Suite, Given::Chosen(chosen)) => {
                if let Some(suite) = chosen.first().and_then(|&at| world.suites.get(at)) {
                    self.setup.take_suite(suite);
                    return Ok(self.shown());
                }
            }
            (Asked::Size, Given::Text(text)) => {
                let size: Size = text.parse()?;
                self.setup.found_suite(world).ok_or("no suite is chosen")?.check_size(size)?;
                self.setup.size = Some(size);
            }
            (Asked::Rounds, Given::Text(text)) => {
                let fits = |rounds: &u32| (6..=1000).contains(rounds) && rounds.is_multiple_of(2);
                let rounds = text.parse().ok().filter(fits);
                self.setup.rounds = Some(rounds.ok_or(format!("`{text}`: expected an even number from 6 to 1000"))?);
            }
            (Asked::Ledger, Given::Text(name)) => {
                self.setup.ledger = name;
                return Ok(self.shown());
            }
            (Asked::Tests, Given::Chosen(chosen)) => {
                let suite = self.setup.found_suite(world).ok_or("no suite is chosen")?;
                let all: Vec<String> = suite.tests().map(|test| test.name).collect();
                if chosen.is_empty() {
                    return Err("at least one test has to count".to_owned());
                }
                let names = chosen.iter().filter_map(|&at| all.get(at).cloned());
                self.setup.tests = if chosen.len() < all.len() { names.collect() } else { Vec::new() };
            }
            (Asked::Value(option), Given::Text(text)) => {
                if let Some(spec) = self.setup.specs(world).iter().find(|spec| spec.name == *option) {
                    let expected = |expected: String| format!("{option} = `{text}`: expected {expected}");
                    let value = spec.kind.canonical(&text).map_err(expected)?;
                    self.setup.set(spec, value);
                }
            }
            (Asked::Stop, Given::Yes) => return Ok(vec![Step::Do(Effect::Tell(Tell::Stop)), Step::said("stopping")]),
            (Asked::Accept, Given::Yes) => {
                let trial = self.watched.as_ref().map(|watched| Box::new(watched.trial.clone()));
                return Ok(trial.map(|trial| ask(Question::Accept(trial))).into_iter().collect());
            }
            (Asked::Copy, Given::Chosen(chosen)) => return Ok(self.copy(chosen.first().copied().unwrap_or(0), world)),
            (Asked::Export, Given::Text(path)) => {
                let ledger = self.ledger.clone().filter(|ledger| !ledger.entries.is_empty());
                let ledger = Box::new(ledger.ok_or("nothing was tried yet")?);
                let content = Content::Ledger(ledger, shell(["dbdyno", "tune", "--ledger", &self.setup.ledger_name()]));
                return Ok(vec![Step::Do(Effect::Ask(Outside::Write { path: path.into(), content }))]);
            }
            _ => {}
        }
        Ok(Steps::new())
    }

    /// What the trial in view came to, with the trials that led there.
    fn answer(&self, world: &World) -> Option<Answered> {
        let trial = &self.watched.as_ref()?.trial;
        let mut path = self.ledger.as_ref().map_or_else(Vec::new, |ledger| ledger.path(&trial.trial_id));
        if path.is_empty() {
            path.push(trial.clone());
        }
        Answered::new(&self.setup.found(world)?.description, path)
    }

    fn ask_copy(&self, world: &World) -> Steps {
        if self.running || self.answer(world).is_none() {
            return vec![Step::said("there is no finished trial whose answer could be copied")];
        }
        let items = AnswerFormat::value_variants().iter().filter_map(|form| {
            let value = form.to_possible_value()?;
            Some(Item::new(value.get_name(), value.get_help().map_or_else(String::new, ToString::to_string)))
        });
        vec![Step::Open(Overlay::choose("Copy the answer as", items.collect(), false, Who::Tune(Asked::Copy)))]
    }

    /// Puts the answer into the clipboard.
    fn copy(&self, form: usize, world: &World) -> Steps {
        let Some((answer, form)) = self.answer(world).zip(AnswerFormat::value_variants().get(form).copied()) else {
            return Steps::new();
        };
        let text = words::answer(&answer, form, &shell(self.setup.command()));
        vec![Step::Do(Effect::Copy(text)), Step::said("copied: the terminal has it in its clipboard")]
    }

    /// A trial begins.
    pub fn begun(&mut self) {
        self.running = true;
    }

    /// What the trial tells.
    pub fn event(&mut self, event: TuneEvent) -> Steps {
        match event {
            TuneEvent::TrialStarted { trial, before, .. } => {
                let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
                let (effects, narrowing) =
                    kept.map_or_else(Default::default, |watched| (watched.effects, watched.narrowing));
                let doing = "starting".to_owned();
                self.watched = Some(Watched { trial: *trial, round: before, effects, narrowing, doing });
            }
            TuneEvent::Session { says } => {
                if let Some(watched) = &mut self.watched {
                    doing(watched, &says);
                }
            }
            TuneEvent::Round { round, effects, .. } => {
                if let Some(watched) = &mut self.watched {
                    let interval = effects.first().and_then(|effect| effect.found.as_ref()?.interval);
                    watched.narrowing.push((round, interval));
                    (watched.round, watched.effects) = (round, effects);
                }
            }
            TuneEvent::TrialEnded { trial } => self.ended(*trial),
            // Searches are run from the command line.
            TuneEvent::SearchStarted { .. }
            | TuneEvent::Dropped { .. }
            | TuneEvent::Standing { .. }
            | TuneEvent::SearchEnded { .. } => {}
        }
        Steps::new()
    }

    fn ended(&mut self, trial: Trial) {
        let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
        let narrowing = kept.map_or_else(Vec::new, |watched| watched.narrowing);
        let (round, effects) = (trial.rounds, trial.effects.clone());
        self.watched = Some(Watched { trial, round, effects, narrowing, doing: String::new() });
    }

    /// The trial is over, or could not be run.
    pub fn over(&mut self, outcome: Result<(), String>) -> Steps {
        self.running = false;
        let mut steps = self.shown();
        match outcome {
            Ok(()) => steps.push(Step::said("the trial is over: A accepts the change, m adds rounds, d takes it back")),
            Err(reason) => steps.push(Step::failed(reason)),
        }
        steps
    }

    /// What the status bar says; none without a trial under way.
    pub fn status(&self) -> Option<String> {
        let watched = self.watched.as_ref().filter(|_| self.running)?;
        Some(format!("▶ round {}/{}", (watched.round + 1).min(watched.trial.rounds), watched.trial.rounds))
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer) -> Steps {
        match answer {
            Answer::Ledger(Ok(ledger)) => self.ledger = Some(ledger),
            Answer::Ledger(Err(reason)) => return vec![Step::failed(reason)],
            Answer::Accepted(Ok(trial)) => {
                self.setup.base.extend(trial.change.0.clone());
                self.setup.change.clear();
                self.setup.parent = Some(trial.trial_id.clone());
                let said = format!("{} is now part of the base", trial.change);
                if let Some(watched) = &mut self.watched {
                    watched.trial = *trial;
                }
                return vec![Step::said(said), ask(Question::Ledger(self.setup.ledger_name()))];
            }
            Answer::Accepted(Err(reason)) => return vec![Step::failed(reason)],
        }
        Steps::new()
    }
}

fn ask(question: Question) -> Step {
    Step::Do(Effect::Ask(Outside::Tune(question)))
}

fn doing(watched: &mut Watched, says: &crate::runner::RunnerEvent) {
    use crate::runner::RunnerEvent;
    use dbdyno_engine::protocol::Event;
    match says {
        RunnerEvent::Calibrating => watched.doing = "measuring the harness".to_owned(),
        RunnerEvent::WaitingForLock => watched.doing = "waiting for another session's run".to_owned(),
        RunnerEvent::RunStarted { label, .. } => watched.doing.clone_from(label),
        RunnerEvent::Worker { says: Event::TestStarted { name, measured, .. }, .. } => {
            let run = watched.doing.split(" · ").next().unwrap_or_default();
            let what = if *measured { "" } else { " (preparing)" };
            watched.doing = format!("{run} · {name}{what}");
        }
        _ => {}
    }
}
