//! The importance of each option: the requested runs and the result.

use super::{Dialog, Intents, Request, TuneScreen, TuneView};
use crate::tui::{export, overlay::FilterKeys, screens::intent::Intent, world::World};
use dbdyno_reports::{command::shell, sheet::SHEET_FORMATS, tune::effects_sheet};
use dbdyno_running::tune::Trial;

impl TuneScreen {
    pub(super) fn ask_effects(&self) -> Intents {
        vec![Intent::filter(Dialog::Effects, "Effects in", FilterKeys::Stored, self.usual_runs())]
    }

    /// Returns a selection of the ledger's trials that can be analysed together: those of one test at one size.
    fn usual_runs(&self) -> String {
        if let Some(found) = &self.effects {
            return found.selection.clone();
        }
        let name = self.form.ledger_name();
        let trials = || self.entries().iter().map(|entry| &entry.trial);
        let latest: Option<&Trial> = trials().max_by_key(|trial| trial.tried_at);
        let Some(latest) = latest else { return format!("suite={} test=1", self.form.suite) };
        let test = latest.tests.first().copied().unwrap_or(1);
        format!("ledger={name} engine={} size={} test={test} status=ok", latest.engine, latest.size)
    }

    pub(super) fn weigh(&mut self, text: &str) -> Result<Intents, String> {
        if text.is_empty() {
            return Err("expected terms, as in preset=pragma-grid test=1".to_owned());
        }
        self.ticket += 1;
        let said = format!("reading the runs of {text}");
        self.reading = Some(said.clone());
        let request = Request::Effects { ticket: self.ticket, selection: text.to_owned() };
        Ok(vec![Intent::said(said), Intent::Request(request)])
    }

    pub(super) fn ask_export(&self) -> Intents {
        if self.view == TuneView::Effects {
            let (dialog, name) = (Dialog::ExportEffects, "dbdyno-effects.html");
            return vec![Intent::prompt_export(dialog, "Export the effects", name, SHEET_FORMATS)];
        }
        vec![Intent::prompt_export(Dialog::Export, "Export the ledger", "dbdyno-ledger.md", SHEET_FORMATS)]
    }

    pub(super) fn export_effects(&self, path: &str, world: &World) -> Result<Intents, String> {
        let found = self.effects.clone().ok_or("no runs are analysed yet")?;
        let words = ["dbdyno", "tune", "effects", &found.selection].map(str::to_owned);
        let command = shell(words.iter().chain(&world.arguments));
        let content = export::sheet(effects_sheet(&found, &command), &found)?;
        Ok(vec![Intent::Write { path: path.into(), content }])
    }
}
