//! What the Tune screen asks the user, and what becomes of the replies.

use super::{Intents, Request, TuneScreen};
use crate::{
    catalog::TestInfo,
    report::{
        command::shell,
        tune::{AnswerForm, answer_text},
    },
    tui::{
        export::FileContent,
        launch::Tell,
        overlay::{ListItem, Reply},
        screens::intent::Intent,
        widgets::cursor::ListCursor,
        world::World,
    },
    tune::TuneAnswer,
};
use dbdyno_engine::{describe::OptionSpec, size::Size};

/// What the Tune screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Which part of the base to change.
    Part,
    Engine,
    Suite,
    Size,
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

impl TuneScreen {
    pub(super) fn ask_value(&self, spec: &OptionSpec) -> Intents {
        let now = self.form.change.get(&spec.name).map_or_else(|| self.form.base_value(spec), String::as_str);
        let dialog = Dialog::Value(spec.name.clone());
        vec![Intent::prompt(dialog, format!("What if {} were", spec.name), spec.kind.expected(), now)]
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

    pub(super) fn ask_part(&self, world: &World) -> Intents {
        let size = self.form.size.map_or_else(|| "default".to_owned(), |size| size.to_string());
        let items = vec![
            ListItem::new("engine", &self.form.engine),
            ListItem::new("suite", &self.form.suite),
            ListItem::new("size", size),
            ListItem::new("rounds", self.form.rounds(world).to_string()),
            ListItem::new("ledger", self.form.ledger_name()),
        ];
        vec![Intent::choose_one(Dialog::Part, "Change the base", items)]
    }

    /// Asks for the part of the base that was chosen.
    fn ask_about(&self, part: usize, world: &World) -> Intents {
        let asked = match part {
            0 => {
                let items = world.registry.engines.iter().map(|engine| {
                    let chosen = engine.description.name == self.form.engine;
                    ListItem { chosen, ..ListItem::new(&engine.description.name, &engine.description.version) }
                });
                Intent::choose_one(Dialog::Engine, "Engine", items.collect())
            }
            1 => {
                let items = world.suites.iter().map(|suite| ListItem {
                    chosen: suite.name == self.form.suite,
                    ..ListItem::new(&suite.name, &suite.title)
                });
                Intent::choose_one(Dialog::Suite, "Suite", items.collect())
            }
            2 => {
                let unit = self.form.found_suite(world).map_or("", |suite| suite.size_unit.as_str());
                let now = self.form.size.map_or_else(String::new, |size| size.to_string());
                Intent::prompt(Dialog::Size, "Size", format!("{unit}: 10000, 10k, 1M"), now)
            }
            3 => {
                let help = "an even number from 6 to 1000, chosen before the trial: looking and stopping finds \
                            differences where there are none";
                Intent::prompt(Dialog::Rounds, "Rounds", help, self.form.rounds(world).to_string())
            }
            _ => {
                let help = "a name; trials are kept under it";
                Intent::prompt(Dialog::Ledger, "Ledger", help, self.form.ledger_name())
            }
        };
        vec![asked]
    }

    /// Takes what the user replied.
    ///
    /// # Errors
    /// Why it cannot be taken, with what was expected.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match (dialog, reply) {
            (Dialog::Part, Reply::Chosen(chosen)) => {
                return Ok(chosen.first().map_or_else(Intents::new, |&part| self.ask_about(part, world)));
            }
            (Dialog::Engine, Reply::Chosen(chosen)) => {
                if let Some(engine) = chosen.first().and_then(|&at| world.registry.engines.get(at)) {
                    self.form.take_engine(engine.description.name.clone());
                    self.cursor = ListCursor::default();
                    return Ok(self.read_ledger());
                }
            }
            (Dialog::Suite, Reply::Chosen(chosen)) => {
                if let Some(suite) = chosen.first().and_then(|&at| world.suites.get(at)) {
                    self.form.take_suite(suite);
                    return Ok(self.read_ledger());
                }
            }
            (Dialog::Size, Reply::Text(text)) => {
                let size: Size = text.parse()?;
                self.form.found_suite(world).ok_or("no suite is chosen")?.check_size(size)?;
                self.form.size = Some(size);
            }
            (Dialog::Rounds, Reply::Text(text)) => {
                let fits = |rounds: &u32| (6..=1000).contains(rounds) && rounds.is_multiple_of(2);
                let rounds = text.parse().ok().filter(fits);
                self.form.rounds = Some(rounds.ok_or(format!("`{text}`: expected an even number from 6 to 1000"))?);
            }
            (Dialog::Ledger, Reply::Text(name)) => {
                self.form.ledger = name;
                return Ok(self.read_ledger());
            }
            (Dialog::Tests, Reply::Chosen(chosen)) => {
                let suite = self.form.found_suite(world).ok_or("no suite is chosen")?;
                let all: Vec<String> = suite.tests().map(|test| test.name).collect();
                if chosen.is_empty() {
                    return Err("at least one test has to count".to_owned());
                }
                let names = chosen.iter().filter_map(|&at| all.get(at).cloned());
                self.form.tests = if chosen.len() < all.len() { names.collect() } else { Vec::new() };
            }
            (Dialog::Value(option), Reply::Text(text)) => {
                if let Some(spec) = self.form.specs(world).iter().find(|spec| spec.name == *option) {
                    let expected = |expected: String| format!("{option} = `{text}`: expected {expected}");
                    let value = spec.kind.canonical(&text).map_err(expected)?;
                    self.form.set(spec, value);
                }
            }
            (Dialog::Stop, Reply::Yes) => return Ok(vec![Intent::Tell(Tell::Stop), Intent::said("stopping")]),
            (Dialog::Accept, Reply::Yes) => {
                let trial = self.watched.as_ref().map(|watched| Box::new(watched.trial.clone()));
                return Ok(trial.map(|trial| Intent::Request(Request::Accept(trial))).into_iter().collect());
            }
            (Dialog::Copy, Reply::Chosen(chosen)) => return Ok(self.copy(chosen.first().copied().unwrap_or(0), world)),
            (Dialog::Export, Reply::Text(path)) => {
                let ledger = self.ledger.clone().filter(|ledger| !ledger.entries.is_empty());
                let ledger = Box::new(ledger.ok_or("nothing was tried yet")?);
                let content =
                    FileContent::Ledger(ledger, shell(["dbdyno", "tune", "ledger", &self.form.ledger_name()]));
                return Ok(vec![Intent::Write { path: path.into(), content }]);
            }
            _ => {}
        }
        Ok(Intents::new())
    }

    /// What the trial in view came to, with the trials that led there.
    fn answer(&self, world: &World) -> Option<TuneAnswer> {
        let trial = &self.watched.as_ref()?.trial;
        let mut path = self.ledger.as_ref().map_or_else(Vec::new, |ledger| ledger.path(&trial.trial_id));
        if path.is_empty() {
            path.push(trial.clone());
        }
        TuneAnswer::new(&self.form.found(world)?.description, path)
    }

    pub(super) fn ask_copy(&self, world: &World) -> Intents {
        if self.running || self.answer(world).is_none() {
            return vec![Intent::said("there is no finished trial whose answer could be copied")];
        }
        let items = AnswerForm::ALL.iter().map(|form| ListItem::new(form.name(), form.meaning()));
        vec![Intent::choose_one(Dialog::Copy, "Copy the answer as", items.collect())]
    }

    /// Puts the answer into the clipboard.
    fn copy(&self, form: usize, world: &World) -> Intents {
        let Some((answer, form)) = self.answer(world).zip(AnswerForm::ALL.get(form).copied()) else {
            return Intents::new();
        };
        let text = answer_text(&answer, form, &shell(self.form.command()));
        vec![Intent::Copy(text), Intent::said("copied: the terminal has it in its clipboard")]
    }
}
