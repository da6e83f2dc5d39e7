//! The common part of the commands that measure: a lab, progress on stderr, the exit code.

use super::progress::show;
use crate::cli::{
    args::{MeasureArgs, Places, ProgressArgs, ReportTarget, notices},
    error::{CliError, INTERRUPTED},
    output::command_line,
    session::shown,
};
use dbdyno_catalog::engines::Registry;
use dbdyno_reports::tune::trials_sheet;
use dbdyno_running::tune::{Lab, Trial, TrialState, TuneError, find_trial};
use dbdyno_store::Store;
use std::process::ExitCode;

impl From<TuneError> for CliError {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Plan(error) => Self::Plan(error),
            TuneError::Session(error) => Self::Session(error),
            TuneError::Store(error) => Self::Store(error),
            TuneError::Asked(message) => Self::Usage(message),
            TuneError::Lost(_) => Self::Failed(error.to_string()),
        }
    }
}

/// The engines there are, and the store made ready for trials.
pub(super) fn prepared(places: &Places) -> Result<(Registry, Store), CliError> {
    let store = places.store()?;
    notices(&store.prepare()?);
    Ok((Registry::discover(), store))
}

/// Tunes with progress on stderr.
pub(super) fn with_lab<T>(
    places: &Places,
    registry: &Registry,
    store: &Store,
    measure: &MeasureArgs,
    progress: &ProgressArgs,
    tune: impl AsyncFnOnce(Lab<'_>) -> Result<T, TuneError>,
) -> Result<T, CliError> {
    let (launch, style) = (measure.launch()?, progress.style());
    let outcome = shown(
        places,
        move |events| show(events, style),
        async |events, control| tune(Lab { registry, store, launch, events, control }).await,
    );
    Ok(outcome??)
}

/// The error for a command that needs a trial, in a store without any.
pub(super) const NO_TRIALS: &str = "there are no trials yet: `dbdyno tune try` runs one";

/// The trial that an identifier, its beginning, or `last` means.
pub(super) fn trial_of(store: &Store, id: &str) -> Result<Trial, CliError> {
    if let Some(trial) = find_trial(store, id)? {
        return Ok(trial);
    }
    Err(CliError::Usage(match id {
        "last" => NO_TRIALS.to_owned(),
        _ if store.trials_named(id)?.is_empty() => {
            format!("no trial has an identifier that begins with `{id}`: `dbdyno tune ledger` lists them")
        }
        _ => format!("several trials have an identifier that begins with `{id}`: give more of it (dbdyno tune ledger)"),
    }))
}

/// Writes what came of trials, and chooses the exit code.
pub(super) fn conclude(trials: &[Trial], progress: &ProgressArgs, report: &ReportTarget) -> Result<ExitCode, CliError> {
    if !progress.json || report.has_file() {
        report.write(&trials_sheet(trials, &command_line()), &trials)?;
    }
    Ok(code(trials))
}

/// The exit code that trials end with.
pub(super) fn code(trials: &[Trial]) -> ExitCode {
    let any = |wanted: fn(&TrialState) -> bool| trials.iter().any(|trial| wanted(&trial.state));
    let wrong = trials.iter().flat_map(|trial| &trial.effects).any(|effect| effect.obstacle.is_some());
    if any(|state| *state == TrialState::Stopped) {
        ExitCode::from(INTERRUPTED)
    } else if wrong || any(|state| matches!(state, TrialState::Failed(_))) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
