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
    #[arg(default_value = "last")]
    trial: String,
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
    let trial = trial_of(&store, &args.trial)?;
    if args.format == AnswerForm::Preset && is_script(&trial.suite) {
        let message = format!("a preset cannot name the suite {}: choose another format", trial.suite);
        return Err(CliError::Usage(message));
    }
    let text = answer_of(&Registry::discover(), &store, &trial, args.format)?;
    written(&text, output.as_ref())
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
