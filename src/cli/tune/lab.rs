//! The common part of the commands that measure: a lab, progress on stderr, the exit code.

use super::progress::show;
use crate::cli::{
    args::{MeasureArgs, Places, ProgressArgs, Report, notices},
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

/// The trial that an identifier, its beginning, or `last` means.
pub(super) fn trial_of(store: &Store, id: &str) -> Result<Trial, CliError> {
    let several = || CliError::Usage(format!("`{id}` matches no trial, or several: `dbdyno tune ledger` lists them"));
    find_trial(store, id)?.ok_or_else(several)
}

/// Writes what came of trials, and chooses the exit code.
pub(super) fn conclude(trials: &[Trial], progress: &ProgressArgs, report: &Report) -> Result<ExitCode, CliError> {
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
