//! The parts of a tuning task and their dialogs: engine, suite or statements, size, rounds, base, ledger.

use super::{Dialog, Intents, Request, TuneScreen, form::TrialForm};
use crate::tui::{keys::Action, overlay::ListItem, screens::intent::Intent, widgets::cursor::ListCursor, world::World};
use dbdyno_catalog::TestInfo;
use dbdyno_engine::describe::{Description, OptionKind, OptionSpec};
use dbdyno_running::own::{OwnFiles, OwnSubject};
use std::collections::BTreeMap;

/// A part of the tuning task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskPart {
    Engine,
    Suite,
    OwnSql,
    Recording,
    Size,
    Rounds,
    Base,
    SuiteOptions,
    Ledger,
    Seed,
}

/// Returns the path of the user's own statements or recording, if one is the workload.
fn own_path(part: TaskPart, form: &TrialForm) -> String {
    let own = form.own.as_ref().filter(|own| match own.files.subject {
        OwnSubject::Statements { .. } => part == TaskPart::OwnSql,
        OwnSubject::Recording { .. } => part == TaskPart::Recording,
    });
    own.map_or_else(String::new, |own| own.files.path().display().to_string())
}

impl TaskPart {
    pub(super) const ALL: [Self; 10] = [
        Self::Engine,
        Self::Suite,
        Self::OwnSql,
        Self::Recording,
        Self::Size,
        Self::Rounds,
        Self::Base,
        Self::SuiteOptions,
        Self::Ledger,
        Self::Seed,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Suite => "suite",
            Self::OwnSql => "own SQL",
            Self::Recording => "recording",
            Self::Size => "size",
            Self::Rounds => "rounds",
            Self::Base => "options of the base",
            Self::SuiteOptions => "options of the suite",
            Self::Ledger => "ledger",
            Self::Seed => "seed",
        }
    }
}

/// `a=1,b=2`
pub(super) fn joined(options: &BTreeMap<String, String>) -> String {
    options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

/// Returns the values that an option chooses from; none for numbers.
pub(super) fn words(kind: &OptionKind) -> Option<Vec<String>> {
    match kind {
        OptionKind::Choice { choices } => Some(choices.clone()),
        OptionKind::Bool => Some(vec!["off".to_owned(), "on".to_owned()]),
        _ => None,
    }
}

impl TuneScreen {
    /// Handles a key for the option under the cursor.
    pub(super) fn change_option(&mut self, action: Action, spec: Option<&OptionSpec>) -> Intents {
        let Some(spec) = spec else { return Intents::new() };
        match action {
            Action::Toggle => return self.step_value(spec, true),
            Action::Previous => return self.step_value(spec, false),
            Action::Edit => return self.ask_value(spec),
            Action::Sweep => return self.ask_values(spec),
            _ => drop(self.form.change.remove(&spec.name)),
        }
        Intents::new()
    }

    fn step_value(&mut self, spec: &OptionSpec, forward: bool) -> Intents {
        let Some(words) = words(&spec.kind) else { return self.ask_value(spec) };
        let now = self.form.change.get(&spec.name).map_or_else(|| self.form.base_value(spec), String::as_str);
        let at = words.iter().position(|word| word == now).unwrap_or(0);
        let next = if forward { at + 1 } else { at + words.len() - 1 } % words.len();
        self.form.set(spec, words[next].clone());
        Intents::new()
    }

    fn ask_value(&self, spec: &OptionSpec) -> Intents {
        let now = self.form.change.get(&spec.name).map_or_else(|| self.form.base_value(spec), String::as_str);
        let dialog = Dialog::Value(spec.name.clone());
        vec![Intent::prompt(dialog, format!("What if {} were", spec.name), spec.kind.expected(), now)]
    }

    /// Asks for several values of an option, to try each against the base.
    fn ask_values(&self, spec: &OptionSpec) -> Intents {
        let dialog = Dialog::Values(spec.name.clone());
        let title = format!("Try each of these for {}", spec.name);
        let Some(words) = words(&spec.kind) else {
            let help = format!("{}; several separated by |", spec.kind.expected());
            return vec![Intent::prompt(dialog, title, help, self.form.base_value(spec))];
        };
        let base = self.form.base_value(spec);
        let item = |word: &String| match word == base {
            true => ListItem::new(word, "in the base"),
            false => ListItem { chosen: true, ..ListItem::new(word, "") },
        };
        vec![Intent::choose_several(dialog, title, words.iter().map(item).collect())]
    }

    pub(super) fn ask_tests(&self, world: &World) -> Intents {
        let Some(suite) = self.form.found_suite(world) else { return Intents::new() };
        let chosen = suite.pick(&self.form.tests).unwrap_or_default();
        let item = |test: TestInfo| ListItem {
            chosen: chosen.0.is_empty() || chosen.0.contains(&test.number),
            ..ListItem::new(format!("{} {}", test.number, test.name), "")
        };
        let items = suite.tests().map(item).collect();
        vec![Intent::choose_several(Dialog::Tests, "Tests that count", items)]
    }

    pub(super) fn take_tests(&mut self, chosen: &[usize], world: &World) -> Result<(), String> {
        let suite = self.form.found_suite(world).ok_or("no suite is chosen")?;
        if chosen.is_empty() {
            return Err("choose at least one test that counts".to_owned());
        }
        self.form.tests = suite.names_at(chosen);
        Ok(())
    }

    pub(super) fn ask_part(&self, world: &World) -> Intents {
        let form = &self.form;
        let now = |part: TaskPart| match part {
            TaskPart::Engine => form.engine.clone(),
            TaskPart::Suite => form.suite.clone(),
            TaskPart::OwnSql | TaskPart::Recording => own_path(part, form),
            TaskPart::Size => form.size.map_or_else(|| "default".to_owned(), |size| size.to_string()),
            TaskPart::Rounds => form.rounds(world).to_string(),
            TaskPart::Base if form.base.is_empty() => "defaults".to_owned(),
            TaskPart::Base => joined(&form.base),
            TaskPart::SuiteOptions if form.suite_options.is_empty() => "defaults".to_owned(),
            TaskPart::SuiteOptions => joined(&form.suite_options),
            TaskPart::Ledger => form.ledger_name(),
            TaskPart::Seed => form.seed.map_or_else(|| "drawn each time".to_owned(), |seed| seed.to_string()),
        };
        let items = TaskPart::ALL.map(|part| ListItem::new(part.name(), now(part))).to_vec();
        vec![Intent::choose_one(Dialog::Part, "Change the base", items)]
    }

    /// Asks for the chosen part of the base.
    pub(super) fn ask_about(&self, part: TaskPart, world: &World) -> Intents {
        let form = &self.form;
        let asked = match part {
            TaskPart::Engine => {
                let items = world.registry.engines.iter().map(|engine| {
                    let chosen = engine.description.name == form.engine;
                    ListItem { chosen, ..ListItem::new(&engine.description.name, &engine.description.version) }
                });
                Intent::choose_one(Dialog::Engine, "Engine", items.collect())
            }
            TaskPart::Suite => {
                let items = world.suites.iter().map(|suite| ListItem {
                    chosen: suite.name == form.suite,
                    ..ListItem::new(&suite.name, &suite.title)
                });
                Intent::choose_one(Dialog::Suite, "Suite", items.collect())
            }
            TaskPart::OwnSql => {
                let help = "a file of SQL; statements before a line `-- measure` prepare and are not timed";
                Intent::prompt(Dialog::Sql, "Your own statements", help, own_path(part, form))
            }
            TaskPart::Recording => {
                let help = "the folder that `dbdyno record` wrote: what a program asked of its database";
                Intent::prompt(Dialog::Recording, "A recording", help, own_path(part, form))
            }
            TaskPart::Size => {
                let unit = form.found_suite(world).map_or("", |suite| suite.size_unit.as_str());
                let now = form.size.map_or_else(String::new, |size| size.to_string());
                Intent::prompt(Dialog::Size, "Size", format!("{unit}: 10000, 10k, 1M"), now)
            }
            TaskPart::Rounds => {
                let help = "an even number from 6 to 1000, fixed before the trial: stopping early after a look finds \
                            differences where there are none";
                Intent::prompt(Dialog::Rounds, "Rounds", help, form.rounds(world).to_string())
            }
            TaskPart::Base => {
                let help = "OPTION=VALUE, several separated by commas; empty for the defaults";
                Intent::prompt(Dialog::Base, "Options of the base", help, joined(&form.base))
            }
            TaskPart::SuiteOptions => {
                let options = form.found_suite(world).map_or(&[][..], |suite| &suite.options);
                let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
                let names = if names.is_empty() { "it has no options".to_owned() } else { names.join(", ") };
                let help = format!("OPTION=VALUE, several separated by commas; empty for the defaults: {names}");
                Intent::prompt(Dialog::SuiteOptions, "Options of the suite", help, joined(&form.suite_options))
            }
            TaskPart::Ledger => Intent::Request(Request::Names),
            TaskPart::Seed => {
                let help = "of all keys and values; empty: drawn each time";
                let now = form.seed.map_or_else(String::new, |seed| seed.to_string());
                Intent::prompt(Dialog::Seed, "Seed", help, now)
            }
        };
        vec![asked]
    }

    pub(super) fn ask_ledger_name(&self) -> Intents {
        let help = "a name; trials are stored under it";
        vec![Intent::prompt(Dialog::Ledger, "Ledger", help, self.form.ledger_name())]
    }

    /// Changes the engine. Statements were checked with the previous engine, so they are read again.
    pub(super) fn take_engine(&mut self, engine: &Description) -> Intents {
        self.form.take_engine(engine.name.clone());
        self.cursor = ListCursor::default();
        match self.form.own_of(&self.form.suite).map(|own| own.files.clone()) {
            Some(files) => self.ask_own(files, engine),
            None => self.read_ledger(),
        }
    }

    pub(super) fn take_suite_options(&mut self, text: &str, world: &World) -> Result<(), String> {
        let suite = self.form.found_suite(world).ok_or("no suite is chosen")?;
        let mut asked = BTreeMap::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let expected = || format!("`{part}`: expected OPTION=VALUE");
            let (name, value) = part.split_once('=').ok_or_else(expected)?;
            asked.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        suite.settings(&asked).map_err(|error| error.to_string())?;
        self.form.suite_options = asked;
        Ok(())
    }

    pub(super) fn ask_database(&self, sql: &str) -> Intents {
        let help = "the SQLite database that they start from; it is only read, because they run on copies; empty: an empty database";
        let known = self.form.own.as_ref().and_then(|own| own.files.database.as_ref());
        let now = known.map_or_else(String::new, |file| file.display().to_string());
        vec![Intent::prompt(Dialog::Database(sql.into()), "Their database", help, now)]
    }

    pub(super) fn read_own(&mut self, files: OwnFiles, world: &World) -> Result<Intents, String> {
        let engine = self.form.found(world).ok_or("no engine is chosen")?;
        Ok(self.ask_own(files, &engine.description))
    }

    fn ask_own(&mut self, files: OwnFiles, engine: &Description) -> Intents {
        self.ticket += 1;
        let path = files.path().display();
        let said = match &files.subject {
            OwnSubject::Statements { .. } => format!("running each statement of {path} once"),
            OwnSubject::Recording { .. } => format!("replaying {path} for its answers"),
        };
        self.reading = Some(said.clone());
        let request = Request::Own { ticket: self.ticket, files, engine: Box::new(engine.clone()) };
        vec![Intent::said(said), Intent::Request(request)]
    }
}
