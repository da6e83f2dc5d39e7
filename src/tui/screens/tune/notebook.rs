//! The data that the screen reads: ledgers, with the base of their last accepted trial.

use super::{Dialog, Intents, Request, Response, TunePane, TuneScreen, TuneView};
use crate::tui::{overlay::ListItem, screens::intent::Intent, world::World};
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::{
    command::shell,
    tune::{command::trial_command, trial_text},
};
use dbdyno_running::tune::{Ledger, LedgerEntry, Trial};

impl TuneScreen {
    /// Returns the trials of the ledger, as they are listed.
    pub(crate) fn entries(&self) -> &[LedgerEntry] {
        self.ledger.as_ref().map_or(&[], |ledger| &ledger.entries)
    }

    /// Returns the trial under the ledger's cursor, if the ledger has the focus.
    pub(crate) fn under_cursor(&self) -> Option<&Trial> {
        let entry = self.entries().get(self.row.at).filter(|_| self.pane == TunePane::Ledger)?;
        Some(&entry.trial)
    }

    /// Returns the trial that keys apply to: the one under the ledger's cursor, else the watched one, once it has ended.
    pub(super) fn target(&self) -> Option<&Trial> {
        match self.pane {
            TunePane::Ledger => self.under_cursor(),
            TunePane::Options => self.watched.as_ref().filter(|_| self.running.is_none()).map(|watched| &watched.trial),
        }
    }

    pub(super) fn other_pane(&self) -> TunePane {
        match self.pane {
            TunePane::Options if !self.entries().is_empty() => TunePane::Ledger,
            _ => TunePane::Options,
        }
    }

    /// Shows everything known about the trial under the cursor, with the command that repeats it.
    pub(super) fn open_trial(&self, world: &World) -> Intents {
        let Some(trial) = self.under_cursor() else { return Intents::new() };
        let mut lines: Vec<String> = trial_text(trial).lines().map(str::to_owned).collect();
        lines.push(format!("rounds from {}; tried {}", counted(trial.looks, "look"), trial.tried_at.strftime("%F %R")));
        if let Some(command) = self.command_of(trial, world) {
            let what = if trial.looks > 1 { "repeat its first look with" } else { "repeat it with" };
            lines.extend([what.to_owned(), format!("  {command}")]);
        }
        vec![Intent::page(format!("Trial of {}", trial.change), lines)]
    }

    /// Returns the command that repeats a trial; none if its engine is not available.
    pub(super) fn command_of(&self, trial: &Trial, world: &World) -> Option<String> {
        let engine = world.engine_on(&trial.suite, &trial.engine)?;
        let files = self.form.own_of(&trial.suite).map(|own| own.files.words()).unwrap_or_default();
        let mut words = trial_command(&engine.description, trial, &files);
        words.extend(world.arguments.iter().cloned());
        Some(shell(words))
    }

    /// Handles a response.
    pub(super) fn take_response(&mut self, response: Response, world: &World) -> Intents {
        match response {
            Response::Ledger(Ok(ledger)) => self.take_ledger(ledger, world),
            Response::LastLedger(Ok(ledger)) => return self.open_notebook(ledger, world),
            Response::Names(Ok(names)) => return vec![self.choose_ledger(names)],
            Response::Accepted(Ok(trial)) => {
                self.form.stand_on(&trial, world);
                let said = format!("{} is now part of the base", trial.change);
                if let Some(watched) = self.watched.as_mut().filter(|one| one.trial.trial_id == trial.trial_id) {
                    watched.trial = *trial;
                }
                return vec![Intent::said(said), Intent::Request(Request::Ledger(self.form.ledger_name()))];
            }
            Response::Own { ticket, read } if ticket == self.ticket => {
                self.reading = None;
                match read {
                    Ok(own) => {
                        let said = format!("{} is the workload now: p goes back to suites", own.suite().name);
                        self.form.take_own(*own, world);
                        let mut intents = self.read_ledger();
                        intents.push(Intent::said(said));
                        return intents;
                    }
                    Err(reason) => return vec![Intent::page("The workload cannot be tuned", vec![reason])],
                }
            }
            Response::Effects { ticket, found } if ticket == self.ticket => {
                self.reading = None;
                match found {
                    Ok(found) => {
                        let said = format!("{} analysed: Esc goes back, e exports", counted(found.runs, "run"));
                        (self.effects, self.view) = (Some(found), TuneView::Effects);
                        self.scrolled.at = 0;
                        return vec![Intent::said(said)];
                    }
                    Err(reason) => return vec![Intent::failed(reason)],
                }
            }
            // Another request was made since.
            Response::Own { .. } | Response::Effects { .. } => {}
            Response::Ledger(Err(reason))
            | Response::LastLedger(Err(reason))
            | Response::Names(Err(reason))
            | Response::Accepted(Err(reason)) => return vec![Intent::failed(reason)],
        }
        Intents::new()
    }

    /// Opens the notebook at its last position: the workload of the last trial.
    fn open_notebook(&mut self, ledger: Option<Ledger>, world: &World) -> Intents {
        let last =
            |ledger: &Ledger| ledger.entries.iter().map(|entry| &entry.trial).max_by_key(|t| t.tried_at).cloned();
        match ledger.as_ref().and_then(last) {
            Some(trial) if self.form.change.is_empty() => self.form.go_to(&trial, world),
            None if self.form.change.is_empty() && self.form.may_stand_elsewhere() => {
                if let Some(bench) = self.suggested.take() {
                    self.form.take_bench(&bench, world);
                }
            }
            _ => {}
        }
        match ledger.filter(|ledger| ledger.name == self.form.ledger_name()) {
            Some(ledger) => {
                self.take_ledger(ledger, world);
                Intents::new()
            }
            None => self.read_ledger(),
        }
    }

    /// Shows the ledger of the selected task. Its last accepted base is used, unless the user chose another.
    fn take_ledger(&mut self, ledger: Ledger, world: &World) {
        if ledger.name != self.form.ledger_name() {
            return;
        }
        let accepted = ledger.accepted().filter(|trial| trial.engine == self.form.engine);
        if let Some(trial) = accepted.filter(|_| self.form.may_stand_elsewhere()) {
            self.form.stand_on(trial, world);
        }
        let is_longer = ledger.entries.len() > self.entries().len();
        self.ledger = Some(ledger);
        let length = self.entries().len();
        self.row.kept_in(length);
        // The user is working on the latest trials.
        if is_longer && self.pane == TunePane::Options {
            self.row.at = length.saturating_sub(1);
        }
        if length == 0 {
            self.pane = TunePane::Options;
        }
    }

    fn choose_ledger(&self, names: Vec<String>) -> Intent<Request, Dialog> {
        let now = self.form.ledger_name();
        let mut items = vec![ListItem::new("another name", "trials are stored under it")];
        items.extend(names.iter().map(|name| ListItem { chosen: *name == now, ..ListItem::new(name, "") }));
        Intent::choose_one(Dialog::Ledgers(names), "Ledger", items)
    }
}
