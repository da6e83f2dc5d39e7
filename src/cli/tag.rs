//! `dbdyno tag`.

use super::{
    args::{AffectedRuns, Places, filled},
    error::CliError,
};
use clap::{ArgGroup, Args};
use dbdyno_store::Annotation;
use std::process::ExitCode;

/// `dbdyno tag`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["add", "remove"]).multiple(true).required(true))]
pub(super) struct TagArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// Add this tag to the runs.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    add: Vec<String>,
    /// Remove this tag from the runs.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    remove: Vec<String>,
}

pub(super) fn tag(places: &Places, args: &TagArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::Untag);
    args.runs.annotate(places, removed.chain(args.add.iter().cloned().map(Annotation::Tag)))
}
