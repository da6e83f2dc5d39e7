//! `dbdyno tag`.

use super::{
    args::{AffectedRuns, Places, filled},
    error::CliError,
};
use crate::store::Annotation;
use clap::{ArgGroup, Args};
use std::process::ExitCode;

/// `dbdyno tag`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["add", "remove"]).multiple(true).required(true))]
pub(super) struct TagArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// Give them this tag.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    add: Vec<String>,
    /// Take this tag from them.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    remove: Vec<String>,
}

pub(super) fn tag(places: &Places, args: &TagArgs) -> Result<ExitCode, CliError> {
    let removed = args.remove.iter().cloned().map(Annotation::Untag);
    args.runs.annotate(places, removed.chain(args.add.iter().cloned().map(Annotation::Tag)))
}
