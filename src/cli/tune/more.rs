//! `dbdyno tune more`: the same number of rounds again.

use super::{
    base::{WorkloadArgs, own_of, workload_of},
    lab::{conclude, prepared, trial_of, with_lab},
};
use crate::cli::{
    args::{MeasureArgs, Places, ProgressArgs, SheetArgs},
    error::CliError,
    own_files::FileArgs,
};
use clap::Args;
use dbdyno_running::tune::more;
use std::process::ExitCode;

/// `dbdyno tune more`.
#[derive(Debug, Args)]
pub(in crate::cli) struct MoreArgs {
    /// The trial, by its identifier or the beginning of it; `last` is the last one.
    #[arg(default_value = "last")]
    trial: String,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
    #[command(flatten)]
    written: SheetArgs,
}

pub(super) fn extend(places: &Places, args: &MoreArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let (registry, store) = prepared(places)?;
    let trial = trial_of(&store, &args.trial)?;
    let files = WorkloadArgs::of_files(args.files.clone());
    let own = own_of(&files, &trial.engine, &args.measure.work, &registry)?;
    let workload = workload_of(places, &trial, &files, own.as_ref(), &registry)?;
    let trial = with_lab(places, &registry, &store, &args.measure, &args.progress, async |lab| {
        more(&lab, &workload, trial).await
    })?;
    conclude(&[trial], &args.progress, &report)
}
