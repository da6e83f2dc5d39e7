//! `dbdyno tune answer`: the settings to use, in the form that people use.

use super::lab::trial_of;
use crate::cli::{
    args::{OutArgs, Places, one_of},
    error::CliError,
    output::{command_line, written},
};
use clap::{Args, builder::TypedValueParser};
use dbdyno_catalog::{engines::Registry, is_script};
use dbdyno_reports::tune::{AnswerForm, answer_text};
use dbdyno_running::tune::{Trial, TuneAnswer, ledger};
use dbdyno_store::Store;
use std::process::ExitCode;

/// `dbdyno tune answer`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AnswerArgs {
    /// The trial, by its identifier or the beginning of it; `last` is the last one.
    ///
    /// The default is a trial of the ledger that the last trial is in: the last that was accepted, else the one that gained most.
    trial: Option<String>,
    /// Format of the settings.
    #[arg(long, value_name = "FORMAT", default_value = "pragma", value_parser = form())]
    format: AnswerForm,
    #[command(flatten)]
    out: OutArgs,
}

fn form() -> impl TypedValueParser<Value = AnswerForm> {
    one_of(AnswerForm::ALL.iter().map(|form| (*form, form.name(), form.meaning())))
}

pub(super) fn show(places: &Places, args: &AnswerArgs) -> Result<ExitCode, CliError> {
    let output = args.out.checked(places)?;
    let store = places.opened()?;
    let trial = match &args.trial {
        Some(id) => trial_of(&store, id)?,
        None => recommended(&store)?,
    };
    if args.format == AnswerForm::Preset && is_script(&trial.suite) {
        let message = "a preset names a suite, and these trials measured statements of your own: expected --format pragma, rust or engine";
        return Err(CliError::Usage(message.to_owned()));
    }
    let text = answer_of(&Registry::discover(), &store, &trial, args.format)?;
    written(&text, output.as_ref())
}

/// The trial with the settings to use.
fn recommended(store: &Store) -> Result<Trial, CliError> {
    let last = trial_of(store, "last")?;
    let ledger = ledger(store, &last.ledger)?;
    let found = ledger.recommended().cloned();
    found.ok_or_else(|| {
        CliError::Usage(format!(
            "no trial in the ledger {} shows a gain: keep the base, or name a trial (`dbdyno tune answer last`) to see its settings anyway",
            ledger.name
        ))
    })
}

/// What a trial came to, with the trials that led to it.
pub(super) fn answer_of(
    registry: &Registry,
    store: &Store,
    trial: &Trial,
    form: AnswerForm,
) -> Result<String, CliError> {
    let engine = registry.get(&trial.engine).map_err(CliError::Usage)?;
    let path = ledger(store, &trial.ledger)?.path(&trial.trial_id);
    let found = TuneAnswer::new(&engine.description, path);
    let found = found.ok_or_else(|| CliError::Failed("the trial is no longer in its ledger".to_owned()))?;
    Ok(answer_text(&found, form, &command_line()))
}
