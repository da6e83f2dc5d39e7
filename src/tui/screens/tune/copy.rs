//! The texts that can be copied: accepted or decided settings, and the command that repeats a trial.

use super::{Dialog, Intents, TuneScreen, base::joined};
use crate::tui::{overlay::ListItem, screens::intent::Intent, world::World};
use dbdyno_catalog::is_script;
use dbdyno_reports::tune::{AnswerForm, answer_text, words};
use dbdyno_running::tune::{Trial, TuneAnswer};

/// An item that can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CopyItem {
    /// The settings of the trial with this identifier, in a form.
    Answer(String, AnswerForm),
    Command(String),
}

impl TuneScreen {
    /// Returns the trial with this identifier, if it is in the ledger or watched.
    pub(super) fn trial(&self, trial_id: &str) -> Option<&Trial> {
        let watched = self.watched.as_ref().map(|watched| &watched.trial);
        let listed = self.entries().iter().map(|entry| &entry.trial);
        listed.chain(watched).find(|trial| trial.trial_id == trial_id)
    }

    pub(super) fn ask_copy(&self, world: &World) -> Intents {
        let base = self.form.parent.as_deref().and_then(|id| self.trial(id));
        let target = self.target();
        // An undecided trial gives no settings to copy, but its command can still repeat it.
        let decided = target.filter(|trial| trial.accepted || trial.is_gain());
        let decided = decided.filter(|trial| base.is_none_or(|base| base.trial_id != trial.trial_id));
        let mut items = Vec::new();
        for (what, trial) in [("base", base), ("trial", decided)] {
            let Some(trial) = trial else { continue };
            let about = about(what, trial);
            // A preset cannot name a suite that consists of statements.
            let can = |form: &&AnswerForm| **form != AnswerForm::Preset || !is_script(&trial.suite);
            for form in AnswerForm::ALL.iter().filter(can) {
                let item = ListItem::new(format!("{} of the {what}", form.name()), &about);
                items.push((item, CopyItem::Answer(trial.trial_id.clone(), *form)));
            }
        }
        if let Some(command) = target.and_then(|trial| self.command_of(trial, world)) {
            items.push((ListItem::new("command", format!("repeats the trial: {command}")), CopyItem::Command(command)));
        }
        if items.is_empty() {
            return vec![Intent::refused("no trial is accepted yet, and none has finished")];
        }
        let (shown, copied) = items.into_iter().unzip();
        vec![Intent::choose_one(Dialog::Copy(copied), "Copy the answer as", shown)]
    }

    /// Copies an item to the clipboard, and reports which. Settings are also shown, because not every terminal has a clipboard.
    pub(super) fn copy(&self, item: &CopyItem, world: &World) -> Intents {
        match item {
            CopyItem::Command(command) => {
                vec![Intent::Copy(command.clone()), Intent::said("copied: the command that repeats the trial")]
            }
            CopyItem::Answer(trial_id, form) => {
                let Some((text, trial)) = self.answer(trial_id, *form, world).zip(self.trial(trial_id)) else {
                    return vec![Intent::refused("its engine is not available")];
                };
                let what = if self.form.parent.as_ref() == Some(trial_id) { "base" } else { "trial" };
                let said = format!("copied: {}", about(what, trial));
                let lines = text.lines().map(str::to_owned).collect();
                vec![Intent::Copy(text), Intent::said(&said), Intent::ReadNext(said, lines)]
            }
        }
    }

    /// Returns the settings of a trial, with the trials that led to it and the command that repeats it.
    fn answer(&self, trial_id: &str, form: AnswerForm, world: &World) -> Option<String> {
        let trial = self.trial(trial_id)?;
        let mut path = self.ledger.as_ref().map_or_else(Vec::new, |ledger| ledger.path(trial_id));
        if path.is_empty() {
            path.push(trial.clone());
        }
        let engine = world.engine_on(&trial.suite, &trial.engine)?;
        let answer = TuneAnswer::new(&engine.description, path)?;
        Some(answer_text(&answer, form, &self.command_of(trial, world)?))
    }
}

/// Describes the item to copy: the change and its result.
fn about(what: &str, trial: &Trial) -> String {
    let change = joined(&trial.change.0);
    let found = match trial.effects.as_slice() {
        [only] => words::short_verdict(only),
        several => format!("{} tests", several.len()),
    };
    match (what, trial.is_gain()) {
        ("base", _) => format!("the accepted base, with {change} last"),
        (_, true) => format!("decided: {change} ({found})"),
        _ => format!("accepted: {change} ({found})"),
    }
}
