//! The dialogs of the Choose screen and the handling of their replies.

use super::{
    ChooseScreen, Intents,
    question::{FurtherConstraint, QuestionRow},
};
use crate::tui::{
    export,
    launch::ChoiceSubject,
    overlay::{ListItem, Reply},
    screens::intent::Intent,
    world::World,
};
use dbdyno_catalog::{TestInfo, Workload};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::{typed, units::plain};
use dbdyno_reports::{
    choose::{choice_command, choice_sheet, sentences},
    command::shell,
    sheet::{Colouring, SHEET_FORMATS, TableStyle, text},
    tune::{AnswerForm, answer_text},
};
use dbdyno_running::runner::SessionRequest;

/// A question that the Choose screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The workload, of those that are listed.
    Workload,
    /// The tests of this suite that count.
    Tests(String),
    /// The line that describes a workload.
    Line,
    /// The path of statements or of a recording, by the option of the command.
    File(&'static str),
    Tier,
    Memory,
    Budget,
    /// Which of the further constraints to set.
    Further,
    Value(FurtherConstraint),
    /// The form in which settings are copied.
    Copy,
    /// The file to write the report to.
    Export,
    /// Confirmation of stopping the choice.
    Stop,
}

/// The workloads that no suite has, in the order of the list.
const OWN: [(&str, &str); 3] = [
    ("My workload", "rows, value sizes, shares of reads and writes, threads: a line that describes it"),
    ("My SQL statements", "a file with statements of your own"),
    ("A recorded application", "a folder that `dbdyno record` wrote"),
];

/// The line with which a description begins.
const FIRST_LINE: &str = "rows=100k,value=200,read=90,update=10";

/// The width of the report in its page, which fits every terminal.
const WIDTH: usize = 76;

/// The tiers, the most durable first.
fn tiers() -> impl Iterator<Item = Tier> {
    (0..=3).rev().filter_map(|number| Tier::try_from(number).ok())
}

impl ChooseScreen {
    /// Asks the question in the row under the cursor; none for the row that starts the choice.
    pub(super) fn ask_row(&self, world: &World) -> Option<Intents> {
        let questions = &self.questions;
        Some(vec![match QuestionRow::ALL.get(self.cursor.at)? {
            QuestionRow::Workload => {
                let own = OWN.iter().map(|(name, about)| ListItem::new(*name, *about));
                let suites = world.suites.iter().map(|suite| ListItem::new(&suite.name, &suite.title));
                Intent::choose_one(Dialog::Workload, "Choose for which workload?", own.chain(suites).collect())
            }
            QuestionRow::Tier => {
                let items = tiers().map(|tier| ListItem::new(format!("tier {tier}"), tier.promise())).collect();
                Intent::choose_one(Dialog::Tier, "What must a commit survive?", items)
            }
            QuestionRow::Memory => {
                let help = "the most memory that the program may use: 64MiB, 1GiB; empty: no limit";
                let now = questions.memory.map(|limit| limit.to_string()).unwrap_or_default();
                Intent::prompt(Dialog::Memory, "Memory", help, now)
            }
            QuestionRow::Budget => {
                let help = "how long the choice may take: 10m, 1h; a longer one tries more settings";
                Intent::prompt(Dialog::Budget, "Time to spend", help, typed::written_duration(questions.budget))
            }
            QuestionRow::Further => {
                let shown = |one: &FurtherConstraint| questions.further.get(one).map_or(one.help(), String::as_str);
                let items = FurtherConstraint::ALL.iter().map(|one| ListItem::new(one.title(), shown(one))).collect();
                Intent::choose_one(Dialog::Further, "More constraints", items)
            }
            QuestionRow::Start => return None,
        }])
    }

    /// Asks in which form the settings of the answer are copied.
    pub(super) fn ask_copy(&self, world: &World) -> Intents {
        let Some(choice) = &self.answer else {
            let words = match self.questions.words() {
                Ok(words) => words,
                Err(reason) => return vec![Intent::refused(reason)],
            };
            let command = shell(words.iter().chain(&world.arguments));
            let said = format!("copied: the command that asks this: {command}");
            return vec![Intent::Copy(command), Intent::said(said)];
        };
        let Some(first) = choice.first() else { return vec![Intent::refused("the answer names no engine")] };
        let items = AnswerForm::OF_SETTINGS.iter().map(|form| ListItem::new(form.name(), form.meaning())).collect();
        vec![Intent::choose_one(Dialog::Copy, format!("Copy the settings of {} as", first.engine), items)]
    }

    pub(super) fn ask_export(&self) -> Intents {
        if self.answer.is_none() {
            return vec![Intent::refused("there is no answer yet")];
        }
        vec![Intent::prompt_export(Dialog::Export, "Export the report", "dbdyno-choice.html", SHEET_FORMATS)]
    }

    /// Shows the whole report.
    pub(super) fn report(&self) -> Intents {
        let Some(choice) = &self.answer else { return vec![Intent::refused("there is no answer yet")] };
        let sheet = choice_sheet(choice, &choice_command(choice));
        let shown = text(&sheet, TableStyle { colour: Colouring::Off, width: WIDTH });
        vec![Intent::page("Which engine, with which settings?", shown.lines().map(str::to_owned).collect())]
    }

    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match (dialog, reply) {
            (_, Reply::Chosen(chosen)) => self.take_chosen(dialog, &chosen, world),
            (_, Reply::Text(typed)) => self.take_text(dialog, typed.trim(), world),
            (Dialog::Stop, Reply::Yes) => Ok(vec![Intent::Tell(SessionRequest::Stop), Intent::said("stopping")]),
            _ => Ok(Intents::new()),
        }
    }

    fn take_chosen(&mut self, dialog: &Dialog, chosen: &[usize], world: &World) -> Result<Intents, String> {
        let Some(&at) = chosen.first() else {
            let needs_one = matches!(dialog, Dialog::Tests(_)).then(|| "at least one test has to count".to_owned());
            return needs_one.map_or(Ok(Intents::new()), Err);
        };
        match dialog {
            Dialog::Workload => return Ok(ask_workload(at, world)),
            Dialog::Tests(name) => {
                if let Some(suite) = world.suites.iter().find(|suite| suite.name == *name) {
                    self.questions.subject = Some(ChoiceSubject::of_suite(&suite.name, &suite.names_at(chosen)));
                }
            }
            Dialog::Tier => self.questions.tier = tiers().nth(at).unwrap_or(self.questions.tier),
            Dialog::Further => {
                let Some(&one) = FurtherConstraint::ALL.get(at) else { return Ok(Intents::new()) };
                let now = self.questions.further.get(&one).cloned().unwrap_or_default();
                let help = format!("{}; empty: not asked for", one.help());
                return Ok(vec![Intent::prompt(Dialog::Value(one), one.title(), help, now)]);
            }
            Dialog::Copy => return Ok(self.copy(at)),
            _ => {}
        }
        Ok(Intents::new())
    }

    fn take_text(&mut self, dialog: &Dialog, typed: &str, world: &World) -> Result<Intents, String> {
        match dialog {
            Dialog::Line => {
                let workload: Workload = typed.parse()?;
                let words = ["--workload".to_owned(), typed.to_owned()];
                self.questions.subject = Some(ChoiceSubject { name: workload.to_string(), words: words.to_vec() });
            }
            Dialog::File(_) if typed.is_empty() => return Err("expected a path".to_owned()),
            Dialog::File(flag) => {
                let words = [(*flag).to_owned(), typed.to_owned()];
                self.questions.subject = Some(ChoiceSubject { name: typed.to_owned(), words: words.to_vec() });
            }
            Dialog::Memory if typed.is_empty() => self.questions.memory = None,
            Dialog::Memory => self.questions.memory = Some(typed.parse()?),
            Dialog::Budget => self.questions.budget = typed::duration(typed)?,
            Dialog::Value(one) => self.questions.set(*one, typed, world)?,
            Dialog::Export => {
                let choice = self.answer.as_ref().ok_or("there is no answer yet")?;
                let content = export::sheet(choice_sheet(choice, &choice_command(choice)), choice)?;
                return Ok(vec![Intent::Write { path: typed.into(), content }]);
            }
            _ => {}
        }
        Ok(Intents::new())
    }

    /// Copies the settings in a form. They are also shown, because not every terminal has a clipboard.
    fn copy(&self, at: usize) -> Intents {
        let Some(choice) = &self.answer else { return Intents::new() };
        let Some((first, form)) = choice.first().zip(AnswerForm::OF_SETTINGS.get(at).copied()) else {
            return Intents::new();
        };
        let text = answer_text(&first.tune_answer(sentences(choice)), form, &choice_command(choice));
        let said = format!("copied: the settings of {} as {}", plain(&first.engine), form.name());
        let lines = text.lines().map(str::to_owned).collect();
        vec![Intent::Copy(text), Intent::said(&said), Intent::ReadNext(said, lines)]
    }
}

/// Asks for what a workload of the list needs.
fn ask_workload(at: usize, world: &World) -> Intents {
    vec![match at {
        0 => {
            let help = "FIELD=VALUE, separated by commas: rows, value, read, update, insert, scan, threads and more";
            Intent::prompt(Dialog::Line, OWN[0].0, help, FIRST_LINE)
        }
        1 => Intent::prompt(Dialog::File("--sql"), OWN[1].0, "the path of the file", ""),
        2 => Intent::prompt(Dialog::File("--recording"), OWN[2].0, "the path of the folder", ""),
        at => {
            let Some(suite) = world.suites.get(at - OWN.len()) else { return Intents::new() };
            let item = |test: TestInfo| ListItem {
                chosen: true,
                ..ListItem::new(format!("{} {}", test.number, test.name), "")
            };
            let tests = suite.tests().map(item).collect();
            Intent::choose_several(Dialog::Tests(suite.name.clone()), "Tests that count", tests)
        }
    }]
}
