//! The dialogs of the Tune screen and the handling of their replies.

use super::{Intents, Request, TuneScreen, base::TaskPart, copy::CopyItem, search::Term, start::LongStart};
use crate::tui::{export, overlay::Reply, screens::intent::Intent, widgets::cursor::ListCursor, world::World};
use dbdyno_foundation::base::typed;
use dbdyno_reports::{command::shell, tune::ledger_sheet};
use dbdyno_running::{
    own::{OwnFiles, OwnSubject, STATEMENT_LIMIT},
    runner::SessionRequest,
};
use dbdyno_store::Selection;
use serde_json::json;
use std::path::PathBuf;

/// A question that the Tune screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// The part of the base to change.
    Part,
    Engine,
    Suite,
    Size,
    Rounds,
    /// Options of the base.
    Base,
    SuiteOptions,
    Seed,
    /// One of these ledgers; the entry before them asks for another name.
    Ledgers(Vec<String>),
    /// The ledger's name.
    Ledger,
    /// The tests to measure.
    Tests,
    /// The file of the user's own SQL statements.
    Sql,
    /// The folder of a recording.
    Recording,
    /// The database from which the statements start.
    Database(PathBuf),
    /// The time limit of each statement.
    Limit(PathBuf, Option<PathBuf>),
    /// The value of an option.
    Value(String),
    /// Values of an option, each of which is tried.
    Values(String),
    /// Confirmation of an action that takes long.
    Long(LongStart),
    /// Confirmation of stopping the current job.
    Stop,
    /// Confirmation of accepting this trial's change although it has a cost.
    Accept(String),
    /// The item to copy, and its form.
    Copy(Vec<CopyItem>),
    /// The start of the search, or a condition to change.
    Search,
    /// A condition of the search.
    Term(Term),
    /// The runs whose options are compared.
    Effects,
    /// The file to write the ledger to.
    Export,
    /// The file to write the effects to.
    ExportEffects,
}

impl TuneScreen {
    /// Handles the user's reply.
    ///
    /// # Errors
    /// The reason why the reply is invalid, with the expected form.
    pub(super) fn take_reply(&mut self, dialog: &Dialog, reply: Reply, world: &World) -> Result<Intents, String> {
        match reply {
            Reply::Chosen(chosen) => self.take_chosen(dialog, &chosen, world),
            Reply::Text(text) => self.take_text(dialog, &text, world),
            Reply::Yes => Ok(self.take_yes(dialog, world)),
            // Computing effects takes time, so typing only reports errors in the selection.
            Reply::Typing(text) if *dialog == Dialog::Effects => Selection::parse_line(&text).map(|_| Intents::new()),
            Reply::Typing(_) | Reply::Nothing => Ok(Intents::new()),
        }
    }

    fn take_chosen(&mut self, dialog: &Dialog, chosen: &[usize], world: &World) -> Result<Intents, String> {
        let first = chosen.first().copied();
        match dialog {
            Dialog::Part => {
                let part = first.and_then(|at| TaskPart::ALL.get(at));
                return Ok(part.map_or_else(Intents::new, |part| self.ask_about(*part, world)));
            }
            Dialog::Engine => {
                if let Some(engine) = first.and_then(|at| world.registry.engines.get(at)) {
                    return Ok(self.take_engine(&engine.description));
                }
            }
            Dialog::Suite => {
                if let Some(suite) = first.and_then(|at| world.suites.get(at)) {
                    self.form.take_suite(suite);
                    return Ok(self.read_ledger());
                }
            }
            Dialog::Ledgers(names) => match first {
                Some(0) => return Ok(self.ask_ledger_name()),
                Some(at) => return Ok(names.get(at - 1).map_or_else(Intents::new, |name| self.take_ledger_name(name))),
                None => {}
            },
            Dialog::Tests => self.take_tests(chosen, world)?,
            Dialog::Values(option) => return self.try_values(option, chosen, world),
            Dialog::Copy(items) => {
                return Ok(first.and_then(|at| items.get(at)).map_or_else(Intents::new, |item| self.copy(item, world)));
            }
            Dialog::Search => return Ok(first.map_or_else(Intents::new, |at| self.search_item(at, world))),
            Dialog::Term(Term::Tier) => {
                self.terms.take_tier(first);
                return Ok(self.ask_search(world));
            }
            _ => {}
        }
        Ok(Intents::new())
    }

    fn take_text(&mut self, dialog: &Dialog, text: &str, world: &World) -> Result<Intents, String> {
        match dialog {
            Dialog::Size => {
                let size = text.parse()?;
                self.form.found_suite(world).ok_or("no suite is chosen")?.check_size(size)?;
                self.form.size = Some(size);
            }
            Dialog::Rounds => self.form.rounds = Some(even_rounds(text)?),
            Dialog::Base => self.form.type_base(text, world)?,
            Dialog::SuiteOptions => self.take_suite_options(text, world)?,
            Dialog::Seed if text.is_empty() => self.form.seed = None,
            Dialog::Seed => {
                let expected = |_| format!("`{text}`: expected a whole number, or an empty text to draw one each time");
                self.form.seed = Some(text.parse().map_err(expected)?);
            }
            Dialog::Ledger => return Ok(self.take_ledger_name(text)),
            Dialog::Sql if text.is_empty() => return Err("expected a file name".to_owned()),
            Dialog::Sql => return Ok(self.ask_database(text)),
            Dialog::Recording if text.is_empty() => return Err("expected the folder of a recording".to_owned()),
            Dialog::Recording => {
                let subject = OwnSubject::Recording { folder: PathBuf::from(text), of: None };
                return self.read_own(OwnFiles { subject, database: None }, world);
            }
            Dialog::Database(sql) => {
                let database = (!text.is_empty()).then(|| PathBuf::from(text));
                let help = "how long each statement may take in its trial run, before anything is measured";
                let dialog = Dialog::Limit(sql.clone(), database);
                let now = typed::written_duration(STATEMENT_LIMIT);
                return Ok(vec![Intent::prompt(dialog, "Time a statement", help, now)]);
            }
            Dialog::Limit(sql, database) => {
                let limit = typed::duration(text)?;
                let subject = OwnSubject::Statements { sql: sql.clone(), limit };
                return self.read_own(OwnFiles { subject, database: database.clone() }, world);
            }
            Dialog::Value(option) => {
                if let Some(spec) = self.form.specs(world).iter().find(|spec| spec.name == *option) {
                    let expected = |expected: String| format!("{option} = `{text}`: expected {expected}");
                    let value = spec.kind.canonical(text).map_err(expected)?;
                    self.form.set(spec, value);
                }
            }
            Dialog::Values(option) => return self.try_typed_values(option, text, world),
            Dialog::Term(term) => {
                self.terms.take(*term, text)?;
                return Ok(self.ask_search(world));
            }
            Dialog::Effects => return self.weigh(text),
            Dialog::Export => {
                let ledger = self.ledger.clone().filter(|ledger| !ledger.entries.is_empty());
                let ledger = ledger.ok_or("there are no trials yet")?;
                let words = ["dbdyno", "tune", "ledger", &ledger.name].map(str::to_owned);
                let command = shell(words.iter().chain(&world.arguments));
                let typed = json!({ "command": command, "name": ledger.name, "entries": ledger.entries });
                let content = export::sheet(ledger_sheet(&ledger, &command), &typed)?;
                return Ok(vec![Intent::Write { path: text.into(), content }]);
            }
            Dialog::ExportEffects => return self.export_effects(text, world),
            _ => {}
        }
        Ok(Intents::new())
    }

    fn take_yes(&mut self, dialog: &Dialog, world: &World) -> Intents {
        match dialog {
            Dialog::Long(start) => self.start_long(start, world),
            Dialog::Stop => vec![Intent::Tell(SessionRequest::Stop), Intent::said("stopping")],
            Dialog::Accept(trial_id) => {
                let trial = self.trial(trial_id).cloned().map(Box::new);
                trial.map(|trial| Intent::Request(Request::Accept(trial))).into_iter().collect()
            }
            _ => Intents::new(),
        }
    }

    fn take_ledger_name(&mut self, name: &str) -> Intents {
        name.clone_into(&mut self.form.ledger);
        self.row = ListCursor::default();
        self.read_ledger()
    }
}

fn even_rounds(text: &str) -> Result<u32, String> {
    let fits = |rounds: &u32| (6..=1000).contains(rounds) && rounds.is_multiple_of(2);
    text.parse().ok().filter(fits).ok_or_else(|| format!("`{text}`: expected an even number from 6 to 1000"))
}
